import Foundation

/// The folder that the programs work in: copies of bundles, a cache, a document and a place for a report.
final class WorkPlace {
    let root: URL
    var plugins: String { root.appending(path: "Plugins").path }
    var cache: String { root.appending(path: "cache").path }
    var document: String { root.appending(path: "document.txt").path }
    var report: String { root.appending(path: "out/report.html").path }
    /// A folder of installed plug-ins, which programs change: a bundle, and the version of it that was kept before.
    var tree: String { root.appending(path: "tree").path }
    /// What a newer version of that bundle is packed from, and its archive.
    var source: String { root.appending(path: "source").path }
    var code: String { root.appending(path: "libChecksum.so").path }
    var archive: String { root.appending(path: "made/Checksum-9.0.tar.zst").path }

    /// Copies a C plug-in, a Swift plug-in and one of resources.
    ///
    /// `tool`: the program `pluginhost`.
    init(bundles: String, tool: String) throws {
        root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "pluginhost-inject-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.removeItem(at: root)
        try FileManager.default.createDirectory(
            at: root.appending(path: "Plugins"), withIntermediateDirectories: true)
        for name in ["Checksum", "Reporter", "Wordlist"] {
            try FileManager.default.copyItem(
                at: URL(filePath: bundles).appending(path: "\(name).bundle"),
                to: root.appending(path: "Plugins/\(name).bundle"))
        }
        try Data("One line, \"quoted\".\nAnother line.\n".utf8).write(to: URL(filePath: document))
        try makeNewerVersion(tool)
        try clear()
    }

    private func makeNewerVersion(_ tool: String) throws {
        let contents = root.appending(path: "Plugins/Checksum.bundle/Contents")
        let folder = URL(filePath: source)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: contents.appending(path: "Resources"), to: folder.appending(path: "Resources"))
        try FileManager.default.copyItem(at: contents.appending(path: "Linux/Checksum"), to: URL(filePath: code))
        let list = try PropertyListSerialization.propertyList(
            from: Data(contentsOf: contents.appending(path: "Info.plist")), format: nil)
        var info = list as? [String: Any] ?? [:]
        info["CFBundleShortVersionString"] = "9.0"
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            .write(to: folder.appending(path: "Info.plist"))
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = ["pack", "--executable", code, "--archive", "--output", root.path + "/made", source]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Inject.Failure(description: "the tool cannot pack") }
    }

    /// Puts the bundles of ``tree`` as they are at the start.
    ///
    /// What killed or failed programs left for the next one to remove stays.
    func restoreTree() throws {
        let folder = URL(filePath: tree)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: tree) where !name.hasPrefix(".pluginhost-") {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        let bundle = root.appending(path: "Plugins/Checksum.bundle")
        let previous = folder.appending(path: ".previous")
        try FileManager.default.createDirectory(at: previous, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: bundle, to: folder.appending(path: "Checksum.bundle"))
        try FileManager.default.copyItem(at: bundle, to: previous.appending(path: "Checksum.bundle"))
        try Data("older".utf8).write(to: previous.appending(path: "Checksum.bundle/Contents/Resources/older.txt"))
    }

    /// Removes what programs wrote.
    func clear() throws {
        for name in ["cache", "out"] {
            let folder = root.appending(path: name)
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try? FileManager.default.removeItem(atPath: tree)
        try restoreTree()
    }

    func remove() { try? FileManager.default.removeItem(at: root) }

    /// Every file that a program may have left, by its path in the root; in ``tree`` also every directory.
    func files() -> [String: Data] {
        var files: [String: Data] = [:]
        for path in FileManager.default.enumerator(atPath: root.path)?.compactMap({ $0 as? String }) ?? []
        where !path.hasPrefix("run.") {
            let url = root.appending(path: path)
            if let data = try? Data(contentsOf: url) {
                files[path] = data
            } else if path.hasPrefix("tree/") {
                files[path + "/"] = Data()
            }
        }
        return files
    }
}

import Foundation

/// The folder that the programs work in: copies of bundles, a cache, a document and a place for a report.
final class WorkPlace {
    let root: URL
    var plugins: String { root.appending(path: "Plugins").path }
    var cache: String { root.appending(path: "cache").path }
    var document: String { root.appending(path: "document.txt").path }
    var report: String { root.appending(path: "out/report.html").path }

    /// Copies a C plug-in, a Swift plug-in and one of resources.
    init(bundles: String) throws {
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
        try clear()
    }

    /// Removes what programs wrote.
    func clear() throws {
        for name in ["cache", "out"] {
            let folder = root.appending(path: name)
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    func remove() { try? FileManager.default.removeItem(at: root) }

    /// Every file that a program may have left, by its path in the root.
    func files() -> [String: Data] {
        var files: [String: Data] = [:]
        for path in FileManager.default.enumerator(atPath: root.path)?.compactMap({ $0 as? String }) ?? []
        where !path.hasPrefix("run.") {
            let url = root.appending(path: path)
            if let data = try? Data(contentsOf: url) { files[path] = data }
        }
        return files
    }
}

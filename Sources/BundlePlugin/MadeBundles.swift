import Foundation

/// The bundles that this command made, with the folders of their sources, kept between its runs.
///
/// Why: a bundle whose folder was removed from the package would otherwise stay where the application finds it.
struct MadeBundles {
    /// The path of a bundle → the path of its folder with sources.
    private var sources: [String: String]
    private let file: URL

    /// `directory`: of the command in the build folder, which several packages may share.
    init(in directory: URL) {
        file = directory.appending(path: "made.json")
        sources = (try? JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))) ?? [:]
    }

    /// Removes the bundles whose folders have no Info.plist any more.
    mutating func removeOrphans() throws {
        let orphans = sources.filter { !FileManager.default.fileExists(atPath: $0.value + "/Info.plist") }
        if orphans.isEmpty { return }
        for (bundle, source) in orphans.sorted(by: { $0.key < $1.key }) {
            if FileManager.default.fileExists(atPath: bundle) {
                try FileManager.default.removeItem(atPath: bundle)
                print("\(bundle): removed, because there is no “\(source)/Info.plist” any more")
            }
            sources[bundle] = nil
        }
        try save()
    }

    /// Notes those bundles in a folder that were made of these sources.
    mutating func note(_ folders: [URL], in output: URL) throws {
        for folder in folders {
            let bundle = output.appending(path: Self.name(of: folder) + ".bundle").path
            if FileManager.default.fileExists(atPath: bundle) { sources[bundle] = folder.path }
        }
        try save()
    }

    /// As “pluginhost pack” names the bundle.
    private static func name(of folder: URL) -> String {
        let data = try? Data(contentsOf: folder.appending(path: "Info.plist"))
        let list = data.flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) }
        let info = list as? [String: Any]
        return ["NSExecutable", "CFBundleExecutable"].lazy.compactMap { info?[$0] as? String }.first
            ?? folder.lastPathComponent
    }

    private func save() throws { try JSONEncoder().encode(sources).write(to: file, options: .atomic) }
}

import Foundation

/// Whether a folder of bundles is whole after a run that failed while it changed the folder.
struct TreeVerdict {
    /// The files before and after a sound run.
    let start: [String: Data]
    let end: [String: Data]

    private static let bundle = "tree/Checksum.bundle/"
    private static let previous = "tree/.previous/Checksum.bundle/"

    /// The files of the folder alone.
    static func tree(_ files: [String: Data]) -> [String: Data] { files.filter { $0.key.hasPrefix("tree/") } }

    /// What is half done, in words; nil if nothing is.
    func damage(in files: [String: Data], after run: ProgramRun) -> String? {
        let bundle = Self.below(Self.bundle, files)
        let (old, new) = (Self.below(Self.bundle, start), Self.below(Self.bundle, end))
        guard bundle == old || bundle == new else { return "the bundle is neither the old one nor the new one" }
        if run.status == 0, bundle != new { return "it reports success, and the old bundle is in place" }
        let previous = Self.below(Self.previous, files)
        let (oldest, kept) = (Self.below(Self.previous, start), Self.below(Self.previous, end))
        guard previous.isEmpty || previous == oldest || previous == kept else {
            return "the bundle that is kept is not whole"
        }
        if run.result.contains("Nothing was changed."), bundle != old || previous != oldest {
            return "it says that nothing was changed"
        }
        for (path, data) in Self.tree(files) where !path.hasPrefix(Self.bundle) && !path.hasPrefix(Self.previous) {
            // The next program removes these.
            if path.hasPrefix("tree/.pluginhost-") || path == "tree/.previous/" { continue }
            if end[path] != data { return "it leaves the file \(path)" }
        }
        return nil
    }

    /// The files below a directory, by their path in it.
    private static func below(_ directory: String, _ files: [String: Data]) -> [String: Data] {
        var below: [String: Data] = [:]
        for (path, data) in files where path.hasPrefix(directory) {
            below[String(path.dropFirst(directory.count))] = data
        }
        return below
    }
}

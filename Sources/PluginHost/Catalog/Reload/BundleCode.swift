/// Which files of a bundle make up its code: those whose change needs a new generation. All others are resources, which
/// are read anew while the code runs.
///
/// By names, so that no Info.plist need be read, and the same before and after a change: the Info.plist; the files in
/// the directories that only executables stand in (`Contents/Linux`); the executable by its name where others stand
/// beside it; shared libraries by theirs; and whatever stands in the directories of frameworks and plug-ins.
struct BundleCode: Sendable {
    private let lists: Set<String>
    private let directories: [String]
    private let executables: Set<String>

    /// - Parameter name: the executable's name.
    init(layout: BundleLayout, executable name: String) {
        lists = Set(
            layout.infoDirectories.flatMap { directory in
                BundleLayout.infoNames.map { BundlePath.join(directory, $0).trimmedSlash }
            })
        let shared = Set(layout.infoDirectories + layout.supportDirectories + [layout.resources, ""])
        let own = layout.executableDirectories.filter { !shared.contains($0) && !BundleLayout.isBeside($0) }
        let support = layout.supportDirectories.flatMap { directory in
            ["Frameworks", "SharedFrameworks", "PlugIns", "Plugins"].map { BundlePath.join(directory, $0).trimmedSlash }
        }
        directories = (own + support).map { $0 + "/" }
        executables = Set(
            layout.executableDirectories.flatMap { directory in
                [name, name + ".so", "lib\(name).so"].map { BundlePath.join(directory, $0).trimmedSlash }
            })
    }

    /// - Parameter path: relative to the bundle.
    func contains(_ path: String) -> Bool {
        if path.hasSuffix(".so") || path.contains(".so.") { return true }
        return lists.contains(path) || executables.contains(path) || directories.contains(where: path.hasPrefix)
    }

    /// The code files below a bundle's directory, links among them.
    func files(in root: String) -> Set<String> {
        var found: Set<String> = []
        var directories = [("", 0)]
        while let (directory, level) = directories.popLast() {
            for (name, kind) in DirectoryListing(path: BundlePath.join(root, directory)).names {
                let path = BundlePath.join(directory, name).trimmedSlash
                switch kind {
                case .directory where level < 64: directories.append((path, level + 1))
                case .directory: break
                case .file, .unresolved: if contains(path) { found.insert(path) }
                }
            }
        }
        return found
    }

    /// Whether two directories hold the same code, by its bytes.
    func isEqual(in a: String, and b: String) -> Bool {
        let files = files(in: a)
        guard files == self.files(in: b) else { return false }
        return files.allSatisfy { file in
            let first = BundlePath.join(a, file)
            let second = BundlePath.join(b, file)
            // A link to a directory has no bytes; what is in the directory is compared by itself.
            if FileIdentity(path: first)?.isDirectory ?? true { return FileIdentity(path: second)?.isDirectory ?? true }
            return FileContent.isEqual(first, second)
        }
    }

    typealias Identity = [String: FileIdentity?]

    /// Which code files there are and which content they have, without reading them: to see whether they were changed
    /// meanwhile.
    func identity(in root: String) -> Identity {
        let files = files(in: root)
        return Dictionary(uniqueKeysWithValues: files.map { ($0, FileIdentity(path: BundlePath.join(root, $0))) })
    }
}

extension String {
    /// Without the slash that joining to the empty path puts at the start.
    fileprivate var trimmedSlash: String { hasPrefix("/") ? String(dropFirst()) : self }
}

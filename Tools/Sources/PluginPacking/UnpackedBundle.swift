import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// The bundle that an archive unpacks to.
///
/// It checks the name of each file before the file is written, and makes the directories.
struct UnpackedBundle {
    private let archive: String
    private let directory: String
    private var name: String?
    private var tree: FileTree

    /// `directory`: an empty directory that belongs to this process.
    init(of archive: String, in directory: String) {
        self.archive = archive
        self.directory = directory
        tree = FileTree(root: archive)
    }

    /// Adds one entry of the archive.
    ///
    /// - Parameters:
    ///   - path: the entry's path, beginning with the bundle's name.
    ///   - kind: the entry's kind.
    /// - Returns: where to write the content of a file; nil for other kinds.
    /// - Throws: ``PackingError`` for an entry that no bundle may have. Nothing was written for it.
    mutating func add(_ path: String, _ kind: TarHeader.Kind) throws(PackingError) -> String? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        if parts.first == "." { parts.removeFirst() }
        if parts.last == "", kind == .directory { parts.removeLast() }
        guard let root = parts.popFirst() else { return nil }
        if name == nil {
            guard root.hasSuffix(".bundle"), root.utf8.count > 7, root.utf8.count < 200 else {
                throw invalid("its first entry is \(quoted(path)), and no bundle")
            }
            // The name of the bundle must pass the same checks as other names, because it becomes a directory's name.
            var names = FileTree(root: archive)
            try names.add(String(root), .directory)
            name = String(root)
            try make(Path.join(directory, String(root)))
        }
        guard let name, name.utf8.elementsEqual(root.utf8) else {
            throw invalid("it holds \(quoted(path)) beside \(quoted(name ?? ""))")
        }
        if parts.isEmpty {
            guard kind == .directory else { throw invalid("\(quoted(name)) is no directory in it") }
            return nil
        }
        return try add(parts.joined(separator: "/"), kind, below: Path.join(directory, name))
    }

    private mutating func add(
        _ place: String, _ kind: TarHeader.Kind, below bundle: String
    ) throws(PackingError) -> String? {
        let target = bundle + "/" + place
        switch kind {
        case .directory:
            try tree.add(place, .directory)
            try make(target, below: bundle)
            return nil
        case .link(let goal):
            try tree.add(place, .link(to: goal))
            // An archive may leave out the directories of its files.
            try make(Path.parent(target), below: bundle)
            return nil
        case .file(let size, let isExecutable):
            try tree.add(place, .file(.disk(path: target, size: size), isExecutable: isExecutable))
            try make(Path.parent(target), below: bundle)
            return target
        }
    }

    /// Makes the links, sets all modes, and returns the bundle's name and files.
    func finished() throws(PackingError) -> (name: String, tree: FileTree) {
        guard let name else { throw invalid("it is empty") }
        try tree.check()
        try tree.finish(in: Path.join(directory, name))
        return (name, tree)
    }

    /// Makes a file that does not exist yet, and opens it for writing.
    static func newFile(_ path: String) throws(PackingError) -> CInt {
        let file = openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .refused(.unwritable, path, cannot: "be made", to: .make, errno: errno) }
        return file
    }

    /// Makes a directory, and the ones above it that are missing.
    ///
    /// The tree has already accepted all of them as directories.
    private func make(_ path: String, below directory: String = "") throws(PackingError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, path.utf8.count > directory.utf8.count else {
            throw .refused(.unwritable, path, cannot: "be made", to: .make, errno: errno)
        }
        try make(Path.parent(path), below: directory)
        guard mkdir(path, 0o700) == 0 else {
            throw .refused(.unwritable, path, cannot: "be made", to: .make, errno: errno)
        }
    }

    private func invalid(_ reason: String) -> PackingError {
        PackingError(
            .archiveInvalid, path: archive, message: "\(quoted(archive)) is no archive of a bundle: \(reason).",
            remedy: """
                An archive holds one directory NAME.bundle and nothing beside it. “pluginhost pack --archive” makes one; if the \
                file is not yours, ask its author.
                """)
    }
}

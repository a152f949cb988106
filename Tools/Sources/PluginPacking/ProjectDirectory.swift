import Glibc
internal import HostBasics

/// Writes the files of a new project.
enum ProjectDirectory {
    /// Makes a new directory with the files of a project, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - name: the name of the new directory.
    ///   - directory: its parent.
    ///   - files: returns the files by their paths, for the absolute path of the parent. An empty file is not written.
    /// - Returns: the absolute path of the new directory.
    /// - Throws: ``PackingError`` if it failed, or if the new directory exists; then nothing was changed.
    static func make(
        _ name: String, in directory: String, files: (String) throws(PackingError) -> [String: String]
    ) throws(PackingError) -> String {
        guard let parent = Path.resolved(directory) else {
            throw .refused(.unwritable, directory, cannot: "be written to", to: .make, errno: errno)
        }
        let target = Path.join(parent, name)
        var status = stat()
        if lstat(target, &status) == 0 { throw taken(target) }
        var tree = FileTree(root: target)
        for (path, text) in try files(parent).sorted(by: { $0.key < $1.key }) where !text.isEmpty {
            try tree.add(path, .file(.memory(Array(text.utf8)), isExecutable: false))
        }
        let staging = try StagingDirectory(in: parent)
        let staged = Path.join(staging.path, name)
        guard mkdir(staged, 0o755) == 0 else {
            throw .refused(.unwritable, staged, cannot: "be made", to: .make, errno: errno)
        }
        try tree.write(to: staged)
        guard try staging.publishIfFree(name, at: target) else { throw taken(target) }
        return target
    }

    private static func taken(_ target: String) -> PackingError {
        PackingError(
            .nameInvalid, path: target, message: "\(quoted(target)) exists already; nothing in it is changed.",
            remedy: "Choose another name, or remove it.")
    }
}

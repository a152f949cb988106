import Foundation

/// A directory tree for one test, removed with the last reference to it.
final class TemporaryTree: Sendable {
    /// The absolute path of its root, with links resolved.
    let path: String

    init(_ files: [String: String] = [:]) throws {
        let made = FileManager.default.temporaryDirectory.appending(path: "pluginhost-lint-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        path = made.resolvingSymlinksInPath().path
        for (name, content) in files { try write(name, content) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The absolute path of a name in the tree.
    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a file and the directories above it.
    ///
    /// A name with a slash at its end makes a directory.
    func write(_ name: String, _ content: String = "") throws {
        let file = URL(filePath: self(name))
        let directory = name.hasSuffix("/") ? file : file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if !name.hasSuffix("/") { try Data(content.utf8).write(to: file) }
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    }
}

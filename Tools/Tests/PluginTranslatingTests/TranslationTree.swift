import Foundation

/// A directory for one test, removed with the last reference to it.
final class TranslationTree: Sendable {
    /// The absolute path of its root, with links resolved.
    let path: String

    init(_ files: [String: String] = [:]) throws {
        let made = FileManager.default.temporaryDirectory.appending(path: "pluginhost-strings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        path = made.resolvingSymlinksInPath().path
        for (name, content) in files { try write(name, content) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The absolute path of a name in the tree.
    func callAsFunction(_ name: String) -> String { path + "/" + name }

    func write(_ name: String, _ content: String) throws { try write(name, Array(content.utf8)) }

    func write(_ name: String, _ content: [UInt8]) throws {
        let file = URL(filePath: self(name))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: file)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: self(name), encoding: .utf8) }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: self(name)))) }

    /// Every file with its content.
    func content() throws -> [String: [UInt8]] {
        var content: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: self(name), isDirectory: &isDirectory), !isDirectory.boolValue
            else { continue }
            content[name] = try bytes(name)
        }
        return content
    }
}

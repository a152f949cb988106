import FoundationEssentials

/// A directory that is removed with the last reference to it.
final class TemporaryFolder: Sendable {
    /// The absolute path, with links resolved.
    let path: String

    init() throws(TestKitError) {
        let place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = "\(place)/plugin-testing-\(UUID().uuidString)"
        try Self.writing(path) {
            try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: true)
        }
    }

    deinit { remove() }

    /// Removes the directory with its content.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The absolute path of a name in the directory.
    ///
    /// Creates the directories above it.
    func place(_ name: String) throws(TestKitError) -> String {
        let place = "\(path)/\(name)"
        try Self.writing(String(place[..<place.lastIndex(of: "/")!])) {
            try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: true)
        }
        return place
    }

    func write(_ name: String, _ bytes: [UInt8]) throws(TestKitError) {
        try Self.writing(place(name)) { try Data(bytes).write(to: URL(filePath: $0)) }
    }

    func link(_ name: String, to target: String) throws(TestKitError) {
        try Self.writing(place(name)) {
            try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: target)
        }
    }

    /// Copies a file, or a directory with its content.
    func copy(_ source: String, to name: String) throws(TestKitError) {
        guard FileManager.default.isReadableFile(atPath: source) else {
            throw TestKitError(
                code: .unreadable, path: source, message: "“\(source)” cannot be read.",
                remedy: "Check its name and its permissions.")
        }
        try Self.writing(place(name)) { try FileManager.default.copyItem(atPath: source, toPath: $0) }
    }

    private static func writing(_ path: String, _ body: (String) throws -> Void) throws(TestKitError) {
        do { try body(path) } catch {
            throw TestKitError(
                code: .notWritable, path: path, message: "“\(path)” cannot be written: \(error).",
                remedy: "Check that TMPDIR names a directory with free space in which you may write.")
        }
    }
}

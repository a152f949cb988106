import HostBasics

/// Runs the edit of ``OwnNames`` on any file, for the fuzzer, which is another package.
@_spi(Tools) public enum OwnNamesTrial {
    /// Bytes to be written into the file.
    public struct Edit: Sendable {
        /// Where they are written.
        public let offset: UInt64
        /// What is written.
        public let bytes: [UInt8]
    }

    /// The edits for a file in which libraries get names of their own.
    ///
    /// `names`: the names of these libraries.
    /// - Returns: nil if the file cannot be opened, or is refused.
    public static func edits(ofFile path: String, names: [String]) -> [Edit]? {
        var own: [String: OwnName] = [:]
        for (number, name) in names.enumerated() { own[name] = OwnName(for: name, number: number + 1) }
        guard let file = try? OpenedFile(path: path),
            let edits = try? OwnNames(own).edits(of: file, path: path, bundlePath: Path.parent(path))
        else { return nil }
        return edits.map { Edit(offset: $0.offset, bytes: $0.bytes) }
    }
}

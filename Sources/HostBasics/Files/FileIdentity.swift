package import CPluginSupport.Shims
import Glibc

/// Identifies a file and its content, as far as one fstat() call shows them.
public struct FileIdentity: Sendable, Hashable {
    package var device: UInt64
    package var inode: UInt64
    /// Bytes.
    public var size: UInt64
    /// Nanoseconds since 1970.
    public var modified: Int64
    /// Nanoseconds since 1970; changes with the content, the mode and the number of links.
    package var changed: Int64
    package var mode: UInt32
    package var owner: UInt32

    package init(_ identity: phs_file_identity) {
        device = identity.device
        inode = identity.inode
        size = identity.size
        modified = identity.modified_ns
        changed = identity.changed_ns
        mode = identity.mode
        owner = identity.owner
    }

    /// The file at a path, following links, or nil.
    public init?(path: String) {
        var identity = phs_file_identity()
        guard path.withCString({ phs_stat($0, &identity) }) == 0 else { return nil }
        self.init(identity)
    }

    /// The file at a path, following links.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: the error number of any other failure.
    public static func found(at path: String) throws(OpenedDirectory.Failure) -> FileIdentity? {
        if let identity = FileIdentity(path: path) { return identity }
        let number = errno
        if ErrorNumber.saysAbsent(number) { return nil }
        throw OpenedDirectory.Failure(path: path, errno: number)
    }

    /// Whether there may be a file whose path is that of another one with a different ending.
    ///
    /// If the check fails, the file may exist. Every opening of a bundle checks this, so the path is built on the stack.
    ///
    /// `old`: the ending of the path. `base`: an open directory on the path.
    package static func mayExist(
        _ path: String, withEnding new: StaticString, insteadOf old: StaticString, from base: PathBase
    ) -> Bool {
        let count = path.utf8.count - old.utf8CodeUnitCount
        return withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: count + new.utf8CodeUnitCount + 1
        ) { buffer in
            guard let other = buffer.baseAddress else { return false }
            path.withCString { other.update(from: $0, count: count) }
            memcpy(other + count, new.utf8Start, new.utf8CodeUnitCount + 1)
            var identity = phs_file_identity()
            if phs_stat_at(base.directory, other + base.length, &identity) == 0 { return true }
            return !ErrorNumber.saysAbsent(errno)
        }
    }

    /// The result of examining a file's path again.
    package enum Change: Equatable {
        /// Another file, or none, or the same file with other content.
        case replaced
        /// The system refused to answer.
        case unknown(errno: CInt)
    }

    /// How the file at a path now differs from this one; nil if it does not.
    package func change(at path: String) -> Change? {
        do throws(OpenedDirectory.Failure) {
            return try Self.found(at: path) == self ? nil : .replaced
        } catch {
            return .unknown(errno: error.errno)
        }
    }

    package var isRegularFile: Bool { Int(mode) & PHS_KIND_OF_FILE == PHS_REGULAR_FILE }
    /// Whether it is a directory, after following links.
    public var isDirectory: Bool { Int(mode) & PHS_KIND_OF_FILE == PHS_DIRECTORY }

    /// Whether it is the same file or directory, even if its content has changed.
    package func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

    /// The kind of file, for a message: “a FIFO”.
    package var kind: String {
        switch mode & S_IFMT {
        case S_IFREG: "a regular file"
        case S_IFDIR: "a directory"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFLNK: "a symbolic link"
        default: "no regular file"
        }
    }
}

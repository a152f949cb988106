import CPluginSupport.Shims
import Glibc

/// Identifies a file and its content, as far as one fstat() call shows them.
@_spi(Tools) public struct FileIdentity: Sendable, Hashable {
    var device: UInt64
    var inode: UInt64
    /// Bytes.
    @_spi(Tools) public var size: UInt64
    /// Nanoseconds since 1970.
    @_spi(Tools) public var modified: Int64
    /// Nanoseconds since 1970; changes with the content, the mode and the number of links.
    var changed: Int64
    var mode: UInt32
    var owner: UInt32

    init(_ identity: phs_file_identity) {
        device = identity.device
        inode = identity.inode
        size = identity.size
        modified = identity.modified_ns
        changed = identity.changed_ns
        mode = identity.mode
        owner = identity.owner
    }

    /// The file at a path, following links, or nil.
    @_spi(Tools) public init?(path: String) {
        var identity = phs_file_identity()
        guard path.withCString({ phs_stat($0, &identity) }) == 0 else { return nil }
        self.init(identity)
    }

    /// The file at a path, following links.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: the error number of any other failure.
    @_spi(Tools) public static func found(at path: String) throws(OpenedDirectory.Failure) -> FileIdentity? {
        if let identity = FileIdentity(path: path) { return identity }
        let number = errno
        if ErrorNumber.saysAbsent(number) { return nil }
        throw OpenedDirectory.Failure(path: path, errno: number)
    }

    /// The result of examining a file's path again.
    enum Change: Equatable {
        /// Another file, or none, or the same file with other content.
        case replaced
        /// The system refused to answer.
        case unknown(errno: CInt)
    }

    /// How the file at a path now differs from this one; nil if it does not.
    func change(at path: String) -> Change? {
        do throws(OpenedDirectory.Failure) {
            return try Self.found(at: path) == self ? nil : .replaced
        } catch {
            return .unknown(errno: error.errno)
        }
    }

    var isRegularFile: Bool { Int(mode) & PHS_KIND_OF_FILE == PHS_REGULAR_FILE }
    /// Whether it is a directory, after following links.
    @_spi(Tools) public var isDirectory: Bool { Int(mode) & PHS_KIND_OF_FILE == PHS_DIRECTORY }

    /// Whether it is the same file or directory, even if its content has changed.
    func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

    /// The kind of file, for a message: “a FIFO”.
    var kind: String {
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

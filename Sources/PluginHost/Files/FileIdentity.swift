import CPluginSupport.Shims
import Glibc

/// Which file it is and which content it has, as far as one fstat() tells.
@_spi(Tools) public struct FileIdentity: Sendable, Hashable {
    var device: UInt64
    var inode: UInt64
    /// Bytes.
    @_spi(Tools) public var size: UInt64
    /// Nanoseconds since 1970.
    var modified: Int64
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

    /// The file that a path leads to, links followed, or nil.
    @_spi(Tools) public init?(path: String) {
        var identity = phs_file_identity()
        guard path.withCString({ phs_stat($0, &identity) }) == 0 else { return nil }
        self.init(identity)
    }

    /// The file that a path leads to, links followed.
    ///
    /// - Returns: nil where nothing is there.
    /// - Throws: the number of any other error.
    static func found(at path: String) throws(OpenedDirectory.Failure) -> FileIdentity? {
        if let identity = FileIdentity(path: path) { return identity }
        let number = errno
        if ErrorNumber.saysAbsent(number) { return nil }
        throw OpenedDirectory.Failure(path: path, errno: number)
    }

    /// What a later look at a file's path found.
    enum Change: Equatable {
        /// Another file, or none, or the same one with other content.
        case replaced
        /// The system did not let it be looked at.
        case unknown(errno: CInt)
    }

    /// How what a path leads to now differs from this; nil if it does not.
    func change(at path: String) -> Change? {
        do throws(OpenedDirectory.Failure) {
            return try Self.found(at: path) == self ? nil : .replaced
        } catch {
            return .unknown(errno: error.errno)
        }
    }

    var isRegularFile: Bool { Int(mode) & PHS_KIND_OF_FILE == PHS_REGULAR_FILE }
    /// Whether it is a directory, links followed.
    @_spi(Tools) public var isDirectory: Bool { Int(mode) & PHS_KIND_OF_FILE == PHS_DIRECTORY }

    /// Whether it is the same file or directory, whatever happened to its content.
    func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

    /// The kind of file as it stands in a message: “a FIFO”.
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

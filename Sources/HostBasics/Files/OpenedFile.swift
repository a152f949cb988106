import CPluginSupport.Shims
import Glibc

/// A regular file, open for reading.
///
/// This type opens all files of a bundle, by the same rules: it never blocks (opening a FIFO would wait for a writer),
/// examines the file before it reads a byte, and accepts only regular files.
public struct OpenedFile: ~Copyable {
    private let descriptor: CInt
    /// The identity of the file when it was opened.
    public let identity: FileIdentity
    /// Whether the path contains a symbolic link, so that it may lead out of the bundle.
    package let passedLinks: Bool

    /// Why a file could not be opened.
    public enum Failure: Error, Equatable {
        /// Nothing is at the path.
        case missing
        /// The path leads to something that is not a regular file.
        case notRegular(kind: String)
        /// The system refused.
        case system(errno: CInt)
        /// The file became longer or shorter while it was read: the result is neither the old content nor the new.
        case changed
        /// The file belongs to another user, or every user may write to it.
        case foreign

        /// The reason as the end of a sentence.
        public var reason: String {
            switch self {
            case .missing: "does not exist"
            case .notRegular(let kind): "is \(kind), not a regular file"
            case .system(let errno): "cannot be opened (\(describe(errno: errno)))"
            case .changed: "changed while it was read"
            case .foreign: "belongs to another user, or every user may write to it"
            }
        }

        /// The error number if the system refused; nil if the reason is a fact about the file.
        ///
        /// A refusal is not cached, because a later attempt may have another result.
        package var errno: CInt? {
            switch self {
            case .missing, .notRegular, .foreign: nil
            case .system(let errno): errno
            case .changed: EAGAIN
            }
        }

        /// The reason as the end of a sentence about a path.
        ///
        /// If a directory above may not be opened, the reason names it.
        ///
        /// **Cost.** If permission was denied, one system call for each directory above.
        package func reason(at path: String) -> String {
            guard self == .system(errno: EACCES), let directory = Path.closedDirectory(above: path) else {
                return reason
            }
            return
                "cannot be reached: the directory \(quoted(directory)) may not be opened (\(describe(errno: EACCES)))"
        }

        /// The path that a finding is about: the directory above that may not be opened, otherwise the path itself.
        package func place(of path: String) -> String {
            self == .system(errno: EACCES) ? Path.closedDirectory(above: path) ?? path : path
        }

        /// What to do about the failure.
        ///
        /// `usual`: the remedy for a file that is missing or not regular.
        public func remedy(else usual: String) -> String {
            errno.map { ErrorNumber.remedy($0) } ?? usual
        }
    }

    /// Opens a file by an absolute path, following links.
    public init(path: String) throws(Failure) { try self.init(path: path, from: .none) }

    /// Opens a file, following links.
    ///
    /// `path`: must be absolute if there is a base. `base`: an open directory on the path.
    ///
    /// **Cost.** Two system calls, or three if the path contains a link.
    package init(path: String, from base: PathBase) throws(Failure) {
        var passedLinks = false
        // withCString, because a String that is passed directly as a pointer is first copied to an array.
        var descriptor = path.withCString { phs_open_without_links(base.directory, $0 + base.length) }
        if descriptor < 0, errno == ELOOP || errno == ENOSYS || errno == EPERM || errno == EINVAL {
            // A link in the path, or a kernel (or a seccomp filter) without openat2. `passedLinks` then records that
            // the path may contain links.
            passedLinks = true
            descriptor = phs_open(AT_FDCWD, path, O_RDONLY, 0)
        }
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .missing
            case ENXIO: throw .notRegular(kind: "a socket or a device without a driver")
            default: throw .system(errno: errno)
            }
        }
        try self.init(adopting: descriptor, passedLinks: passedLinks)
    }

    /// Takes over an open file; closes it if it is not regular.
    package init(adopting descriptor: CInt, passedLinks: Bool = false) throws(Failure) {
        var found = phs_file_identity()
        let status = phs_fstat(descriptor, &found)
        let error = errno
        let identity = FileIdentity(found)
        guard status == 0, identity.isRegularFile else {
            close(descriptor)
            throw status == 0 ? .notRegular(kind: identity.kind) : .system(errno: error)
        }
        self.descriptor = descriptor
        self.identity = identity
        self.passedLinks = passedLinks
    }

    deinit { close(descriptor) }

    /// Reads bytes at an offset, as many as exist, up to the buffer's length.
    ///
    /// - Returns: the number of bytes read; it is smaller than the buffer only at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Failure) -> Int {
        var total = 0
        while total < buffer.count {
            let count = phs_read_at(
                descriptor, buffer.baseAddress! + total, buffer.count - total, Int64(clamping: offset &+ UInt64(total)))
            guard count >= 0 else { throw .system(errno: errno) }
            total += count
            // At the end reported by fstat() no further read is needed; before it, a result of 0 means that the file
            // became shorter.
            if count == 0 || (total < buffer.count && offset &+ UInt64(total) >= identity.size) { break }
        }
        return total
    }

    /// Whether the file has been neither changed nor moved since it was opened, judging by its times.
    package var isUnchanged: Bool {
        var found = phs_file_identity()
        return phs_fstat(descriptor, &found) == 0 && FileIdentity(found) == identity
    }

    /// - Throws: ``Failure/changed`` unless the number of bytes read is the size that the file had when it was opened.
    ///
    /// - Parameter count: the number of bytes read by a request for one byte more than the size.
    package func requireUnchanged(afterReading count: Int) throws(Failure) {
        guard UInt64(count) == identity.size else { throw .changed }
    }

    /// The whole content.
    ///
    /// - Returns: the bytes; of a file that is larger than the limit, one byte more than the limit, so that the caller can
    ///   recognise it.
    /// - Throws: ``Failure/changed`` if the file became longer or shorter while it was read.
    public func bytes(atMost limit: Int) throws(Failure) -> [UInt8] {
        let length = min(Int(clamping: identity.size), limit) + 1
        var failure: Failure?
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            do throws(Failure) {
                count = try read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        // Of a larger file, everything that was requested was read.
        if bytes.count <= limit || identity.size <= UInt64(limit) { try requireUnchanged(afterReading: bytes.count) }
        return bytes
    }

    /// Whether another file now has the same bytes.
    ///
    /// **Cost.** Reads no more than the size that both had when they were opened.
    package func hasSameContent(as other: borrowing OpenedFile) throws(Failure) -> Bool {
        guard identity.size == other.identity.size else { return false }
        let half = 16384
        return try withTemporaryBytes(2 * half) { (buffer) throws(Failure) in
            let mine = UnsafeMutableRawBufferPointer(rebasing: buffer[..<half])
            let others = UnsafeMutableRawBufferPointer(rebasing: buffer[half...])
            var offset: UInt64 = 0
            while offset < identity.size {
                let count = try read(into: mine, at: offset)
                // A file that became shorter meanwhile is different.
                guard count > 0, try other.read(into: others, at: offset) == count,
                    memcmp(mine.baseAddress!, others.baseAddress!, count) == 0
                else { return false }
                offset += UInt64(count)
            }
            return true
        }
    }

    /// The SHA-256 of the content, in lowercase hexadecimal digits.
    ///
    /// **Cost.** Reads the file, no more than the size that it had when it was opened.
    package func digest() throws(Failure) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PHS_DIGEST_SIZE))
        let error = phs_digest_file(descriptor, identity.size, &bytes)
        guard error == 0 else { throw .system(errno: error) }
        return String(hexadecimal: bytes)
    }

    /// Copies the content of this file into an empty one.
    ///
    /// `descriptor`: the empty file, open for writing. `limit`: a larger file is refused with `EFBIG`, even if it only
    /// exceeds the limit during the copy. Returns the number of bytes.
    func copyContent(to descriptor: CInt, atMost limit: Int64) throws(Failure) -> Int64 {
        let count = phs_copy_content(self.descriptor, descriptor, limit)
        guard count >= 0 else { throw .system(errno: errno) }
        return count
    }

    /// The real path of the open file, with every link resolved.
    package var resolvedPath: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            let length = readlink("/proc/self/fd/\(descriptor)", buffer.baseAddress!, Int(PATH_MAX))
            guard length > 0 else { return nil }
            buffer[length] = 0
            return String(validatingCString: buffer.baseAddress!)
        }
    }
}

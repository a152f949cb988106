import Glibc

/// Writes a file so that a reader sees either the old or the new content, whatever happens meanwhile: it is written
/// under another name, flushed to the disk, renamed over the old one, and its directory is flushed.
///
/// Every system call is a stored closure, so that a test can make each one fail, or end the process there.
public struct FileReplacement: Sendable {
    /// Makes the new file, which only the user may read.
    ///
    /// A tool may choose other rights.
    public var create: @Sendable (_ path: String) -> CInt = { path in
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    package var write: @Sendable (CInt, UnsafeRawBufferPointer) -> Int = { Glibc.write($0, $1.baseAddress, $1.count) }
    package var flush: @Sendable (CInt) -> CInt = { fsync($0) }
    /// Writes the entry of a renamed file to the disk; without it, the old file could come back after a power failure.
    package var flushDirectory: @Sendable (_ path: String) -> CInt = { path in
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return -1 }
        defer { close(descriptor) }
        return fsync(descriptor)
    }
    package var rename: @Sendable (_ from: String, _ to: String) -> CInt = { Glibc.rename($0, $1) }

    /// Why the file was not written; the old file is unchanged.
    public struct Failure: Error, Equatable {
        /// The call that failed: “write”.
        package let call: String
        /// The error number.
        public let errno: CInt

        /// The operation that the system refused.
        public var operation: ErrorNumber.Operation {
            switch call {
            case "open": .make
            case "rename": .rename
            default: .write
            }
        }
        /// What to do, as full sentences.
        public var remedy: String { ErrorNumber.remedy(errno, to: operation) }
    }

    /// A replacement with the system's own calls.
    public init() {}

    /// Replaces the content of a file.
    ///
    /// **Threads.** Any, also in several processes: the last one to rename wins.
    public func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
        // A random name: no two writers use the same one, and a file left over from a killed process does not get in
        // the way.
        let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0...UInt32.max))\(Self.suffix)"
        let descriptor = create(temporary)
        guard descriptor >= 0 else { throw Failure(call: "open", errno: errno) }
        do throws(Failure) {
            try fill(descriptor, bytes)
            guard rename(temporary, path) == 0 else { throw Failure(call: "rename", errno: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        // The new file is in place. Some file systems cannot flush a directory, and a directory that may be written to
        // need not be readable; the change is then as durable as the file system makes it.
        _ = flushDirectory(Path.parent(path))
    }

    /// Consumes the descriptor.
    private func fill(_ descriptor: CInt, _ bytes: [UInt8]) throws(Failure) {
        defer { close(descriptor) }
        let failure: Failure? = bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = write(descriptor, rest)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return Failure(call: "write", errno: count == 0 ? ENOSPC : errno) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return flush(descriptor) == 0 ? nil : Failure(call: "fsync", errno: errno)
        }
        if let failure { throw failure }
    }

    /// The suffix of the temporary names.
    package static let suffix = ".new"

    /// Removes temporary files that writers left behind when they were killed at least an hour ago.
    package static func removeLeftovers(of path: String) {
        let directory = Path.parent(path)
        guard let stream = opendir(directory) else { return }
        defer { closedir(stream) }
        let prefix = Path.lastComponent(path) + "."
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.utf8.starts(with: prefix.utf8), name.hasSuffix(suffix) else { continue }
            let leftover = Path.join(directory, name)
            guard let identity = FileIdentity(path: leftover), identity.isRegularFile,
                time(nil) - Int(identity.modified / 1_000_000_000) > 3600
            else { continue }
            unlink(leftover)
        }
    }
}

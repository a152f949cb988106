import Glibc

/// Files that the library keeps for a user: choices, the quarantine.
package enum OwnFile {
    /// Why such a file is not used.
    package struct Refusal: Error {
        /// The end of a sentence about the file.
        package let reason: String
        package let remedy: String
        /// Whether the fault is in its content or kind, not in its owner or the system.
        package var isDamage = false

        package init(reason: String, remedy: String, isDamage: Bool = false) {
            self.reason = reason
            self.remedy = remedy
            self.isDamage = isDamage
        }
    }

    /// The content of a file; refused if the file belongs to a user other than this one and root, or if every user may
    /// write to it.
    ///
    /// - Returns: nil if nothing is at the path.
    package static func bytes(path: String, atMost limit: Int) throws(Refusal) -> [UInt8]? {
        try content(path: path, atMost: limit)?.bytes
    }

    /// The same, with the identity of the file, whose owner may matter.
    package static func content(
        path: String, atMost limit: Int
    ) throws(Refusal) -> (bytes: [UInt8], identity: FileIdentity)? {
        let bytes: [UInt8]
        let identity: FileIdentity
        var isOfAnother = false
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            identity = file.identity
            isOfAnother = identity.owner != geteuid() && identity.owner != 0
            if isOfAnother || identity.mode & 0o002 != 0 { throw .foreign }
            bytes = try file.bytes(atMost: limit)
        } catch {
            switch error {
            case .missing:
                guard leadsNowhere(path) else { return nil }
                throw Refusal(
                    reason: "is a link to nothing",
                    remedy: "Bring back the file that it leads to, or remove the link.")
            case .foreign:
                throw Refusal(
                    reason: error.reason,
                    // Only root can give a file to another user.
                    remedy: isOfAnother
                        ? "If you trust what is in it, put a copy of your own in its place; otherwise remove it."
                        : "If you trust what is in it, make it writable for its owner alone with “chmod 644”.")
            default:
                throw Refusal(
                    reason: error.reason, remedy: error.remedy(else: "Make it a regular file, or remove it."),
                    isDamage: error.errno == nil)
            }
        }
        guard bytes.count <= limit else {
            throw Refusal(reason: "has more than \(limit) bytes", remedy: "Remove it.", isDamage: true)
        }
        return (bytes, identity)
    }

    /// Whether a path is a link whose target does not exist.
    ///
    /// The target may be on a disk that is not mounted now.
    private static func leadsNowhere(_ path: String) -> Bool {
        Path.linkOwner(path) != nil && FileIdentity(path: path) == nil
    }

    /// Who may read such a file.
    package enum Readers: Sendable {
        /// The user whose file it is, and root.
        case owner
        /// Every user, as for a file of the administrator.
        case everybody
    }

    /// A directory that could not be made.
    package struct Unmade: Error, Equatable {
        package let path: String
        package let errno: CInt
    }

    /// Makes a directory for such files, and the missing directories above it.
    ///
    /// Other users may not list them, unless the files are for everybody.
    ///
    /// Other users may enter them only if root makes them: root's workers run as another user, and pass through them to
    /// the `$STATE` of a plug-in. Only their owner may access the files.
    ///
    /// - Parameters:
    ///   - path: the directory; nothing happens if it exists.
    ///   - readers: who may read the files.
    /// - Returns: the first directory that the system refused to make; nil if the directory exists now.
    @discardableResult
    package static func makeDirectory(_ path: String, for readers: Readers = .owner) -> Unmade? {
        let mode: mode_t = readers == .everybody ? 0o755 : geteuid() == 0 ? 0o711 : 0o700
        var missing: [String] = []
        var next = path
        // Go up to the first directory that exists, then down again.
        while make(next, mode) != 0 {
            let number = errno
            // A directory that exists may also be refused, such as by a seccomp filter.
            if number == EEXIST || FileIdentity(path: next)?.isDirectory ?? false { break }
            guard number == ENOENT, next != "/" else { return Unmade(path: next, errno: number) }
            missing.append(next)
            next = Path.parent(next)
        }
        for directory in missing.reversed() where make(directory, mode) != 0 {
            // Another process may have been faster.
            if errno != EEXIST { return Unmade(path: directory, errno: errno) }
        }
        var status = stat()
        guard stat(path, &status) == 0 else { return Unmade(path: path, errno: errno) }
        return status.st_mode & S_IFMT == S_IFDIR ? nil : Unmade(path: path, errno: ENOTDIR)
    }

    /// Makes a directory with this mode, whatever the process's umask: an administrator's umask of 077 must not hide from the
    /// users what is meant for them.
    private static func make(_ path: String, _ mode: mode_t) -> CInt {
        guard mkdir(path, mode) == 0 else { return -1 }
        // If it fails, the directory has fewer permissions than are meant, never more.
        _ = fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW)
        return 0
    }

    /// Runs a body while a directory is locked against other processes.
    ///
    /// - Parameters:
    ///   - directory: the directory with the files.
    ///   - time: how long to wait for other processes.
    ///   - body: receives whether the lock is held; false also if the directory cannot be opened.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws.
    package static func withLock<Result, Failure: Error>(
        on directory: String, waitingAtMost time: Duration, _ body: (_ isHeld: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let lock = try? DirectoryLock(directory, waitingAtMost: time) else { return try body(false) }
        defer { extendLifetime(lock) }
        return try body(true)
    }
}

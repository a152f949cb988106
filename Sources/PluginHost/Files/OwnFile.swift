import Glibc

/// Files that the library keeps for a user: choices, the quarantine.
enum OwnFile {
    /// Why such a file is not used.
    struct Refusal: Error {
        /// The end of a sentence about the file.
        let reason: String
        let remedy: String
        /// Whether its content or its kind is at fault, and not its owner or the system.
        var isDamage = false
    }

    /// The content of a file that nobody but this user and root may have written.
    ///
    /// - Returns: nil if nothing is at the path.
    static func bytes(path: String, atMost limit: Int) throws(Refusal) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            let owner = file.identity.owner
            if owner != geteuid() && owner != 0 || file.identity.mode & 0o002 != 0 { throw .foreign }
            bytes = try file.bytes(atMost: limit)
        } catch {
            switch error {
            case .missing: return nil
            case .foreign:
                throw Refusal(
                    reason: error.reason, remedy: "Make it yours, and writable for you alone: chown and chmod 644.")
            default:
                throw Refusal(
                    reason: error.reason, remedy: error.remedy(else: "Make it a regular file, or remove it."),
                    isDamage: error.errno == nil)
            }
        }
        guard bytes.count <= limit else {
            throw Refusal(reason: "has more than \(limit) bytes", remedy: "Remove it.", isDamage: true)
        }
        return bytes
    }

    /// Makes a directory for such files, and those above it that are missing; nobody else may list them.
    ///
    /// Nobody else may enter them either, unless they are root's: its workers have another user, who passes through them
    /// to the `$STATE` of a plug-in. The files are their owner's alone.
    ///
    /// - Parameter path: the directory; nothing happens if it exists.
    static func makeDirectory(_ path: String) {
        let mode: mode_t = geteuid() == 0 ? 0o711 : 0o700
        if mkdir(path, mode) == 0 || errno != ENOENT || path == "/" { return }
        makeDirectory(Path.parent(path))
        _ = mkdir(path, mode)
    }

    /// Runs a body while a directory is locked against other processes.
    ///
    /// The kernel holds the lock, so no lock file can be left behind.
    ///
    /// - Parameters:
    ///   - directory: the directory with the files.
    ///   - time: how long to wait for others.
    ///   - body: receives whether the lock is held; false also if the directory cannot be opened.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws.
    static func withLock<Result, Failure: Error>(
        on directory: String, waitingAtMost time: Duration, _ body: (_ isHeld: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        let wait = Wait(atMost: time)
        while descriptor >= 0 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return try body(true) }
            if !wait.sleep() { break }
        }
        return try body(false)
    }
}

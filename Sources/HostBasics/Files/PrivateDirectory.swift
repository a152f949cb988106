import CPluginSupport.Shims
package import Glibc
import Synchronization

/// A directory used only by this process, for files that must be removed when it ends.
///
/// It is created in the first of these places that belongs to the user, that no other user may enter, and from which
/// code may be mapped: `pluginhost` in `$XDG_RUNTIME_DIR`; `pluginhost-<user>` in `$TMPDIR`, or in `/tmp`; `pluginhost`
/// in `$XDG_CACHE_HOME`, or in `~/.cache`. If `$PLUGINHOST_COPIES` is set, only that place is tried.
///
/// Every user can enter, but not list, root's directory, because the workers of an application that root runs belong to
/// another user. So for root, places in directories that other users cannot enter are tried last.
///
/// It is removed when the process exits; the next process removes what a killed process left behind. Only a lock, which
/// the kernel holds for each process, shows whether the process is alive.
///
/// Processes that create their directories at the same time take turns. No process waits for the others longer than
/// ``longestWait``; then the place is refused, and the next one is tried.
package final class PrivateDirectory: Sendable {
    /// The absolute path, with links resolved.
    package let path: String
    /// Held while the process or one of its forked children is alive.
    private let lock: CInt
    private let process = getpid()

    /// Why no directory was created: each place with the reason as the end of a sentence, and what to do if the system
    /// refused.
    package struct Failure: Error {
        package var refusals: [(place: String, reason: String, remedy: String?)] = []
    }

    private static let current = Lock<PrivateDirectory?>(nil)

    /// The directory of this process, created at the first call.
    package static func shared() throws(Failure) -> PrivateDirectory {
        if let known = current.withLock({ $0 }) { return known }
        let made = try PrivateDirectory(in: places)
        let isFirst = current.withLock { current in
            if current != nil { return false }
            current = made
            return true
        }
        if isFirst { atexit { PrivateDirectory.current.withLock { $0 }?.remove() } }
        return current.withLock { $0 } ?? made
    }

    /// The longest wait for all places together: a thousand times the time to create a directory.
    package static let longestWait = Duration.seconds(5)

    /// Creates the directory in the first place that allows it.
    ///
    /// `places`: where it may be created, in order. `longestWait`: how long other processes may block the places.
    package init(in places: [String], longestWait: Duration = longestWait) throws(Failure) {
        var failure = Failure()
        let limit = Wait(atMost: longestWait)
        for place in places {
            switch Self.make(in: place, limit) {
            case .success(let made):
                (path, lock) = made
                return
            case .failure(let refusal): failure.refusals.append((place, refusal.reason, refusal.remedy))
            }
        }
        throw failure
    }

    deinit {
        remove()
        close(lock)
    }

    /// Does nothing in a forked child: the files belong to its parent.
    private func remove() {
        guard process == getpid(), let base = try? OpenedDirectory(path: Path.parent(path)) else { return }
        try? base.remove(OpenedDirectory.name(Path.lastComponent(path)))
    }

    // MARK: Places

    package static var places: [String] {
        if let chosen = variable("PLUGINHOST_COPIES") { return [chosen] }
        let places = usualPlaces
        guard geteuid() == 0 else { return places }
        return places.filter(Path.isReachableByOthers) + places.filter { !Path.isReachableByOthers($0) }
    }

    private static var usualPlaces: [String] {
        var places: [String] = []
        if let runtime = variable("XDG_RUNTIME_DIR") { places.append(runtime + "/pluginhost") }
        places.append((variable("TMPDIR") ?? "/tmp") + "/pluginhost-\(geteuid())")
        if let cache = variable("XDG_CACHE_HOME") ?? variable("HOME").map({ $0 + "/.cache" }) {
            places.append(cache + "/pluginhost")
        }
        return places
    }

    /// A relative path in these variables is ignored, as the XDG specification requires.
    private static func variable(_ name: String) -> String? {
        guard let value = phs_secure_getenv(name).flatMap({ String(validatingCString: $0) }), value.hasPrefix("/")
        else { return nil }
        return value
    }

    /// The permissions of the directory, and of the place in which it is created.
    package static var mode: mode_t { geteuid() == 0 ? 0o711 : 0o700 }

    private struct Refusal: Error {
        let reason: String
        /// What to do if the system refused, as full sentences.
        var remedy: String?
    }

    private static func refused(
        errno: CInt, to operation: ErrorNumber.Operation
    ) -> Result<(path: String, lock: CInt), Refusal> {
        .failure(
            Refusal(
                reason: "cannot be used (\(describe(errno: errno)))", remedy: ErrorNumber.remedy(errno, to: operation)))
    }

    private static func make(in place: String, _ limit: Wait) -> Result<(path: String, lock: CInt), Refusal> {
        if mkdir(place, 0o700) != 0, errno != EEXIST { return refused(errno: errno, to: .make) }
        // A link at its end might have been created by another user; links above it belong to the system.
        let above = Path.resolved(Path.parent(place)) ?? Path.parent(place)
        do throws(OpenedDirectory.Failure) {
            let base = try OpenedDirectory(path: Path.join(above, Path.lastComponent(Path.lexicallyNormalized(place))))
            if let reason = reasonAgainst(base) { return .failure(Refusal(reason: reason)) }
            return .success(try make(in: base, limit))
        } catch {
            guard error.errno == EWOULDBLOCK else { return refused(errno: error.errno, to: error.operation) }
            return .failure(
                Refusal(
                    reason: """
                        is in use by another process, which has held the lock \(quoted(error.path)) for more than \
                        \(limit.length.components.seconds) seconds
                        """))
        }
    }

    private static func reasonAgainst(_ base: borrowing OpenedDirectory) -> String? {
        var found = phs_file_identity()
        guard phs_fstat(base.descriptor, &found) == 0 else { return "cannot be examined (\(describe(errno: errno)))" }
        if found.owner != geteuid() { return "belongs to another user" }
        if found.mode & 0o777 & ~UInt32(mode) != 0 {
            return "can be opened by other users (its permissions are not 0700)"
        }
        if phs_refuses_code(base.path) == 1 { return "is on a file system that is mounted noexec" }
        // It was made by an earlier version, or under another umask.
        if found.mode & 0o777 != UInt32(mode), fchmod(base.descriptor, mode) != 0 {
            return "cannot be prepared (\(describe(errno: errno)))"
        }
        return nil
    }

    // MARK: The directory of each process

    private static let prefix = "process-"
    /// The prefix for the directory of a process that has ended, while it is removed.
    private static let deadPrefix = "dead-"
    private static let lockName = OpenedDirectory.name("lock")

    /// Creates the directory of this process, and removes the directories of processes that have ended.
    ///
    /// Only one process at a time searches for the latter, so a directory whose lock is not held is never one that is
    /// being created.
    private static func make(
        in base: borrowing OpenedDirectory, _ limit: Wait
    ) throws(OpenedDirectory.Failure) -> (path: String, lock: CInt) {
        let made = try makeAlone(in: base, limit)
        // Removing many files takes time. No other process waits for it, and several processes may do it at once.
        for name in (try? base.names) ?? [] where OpenedDirectory.text(name).hasPrefix(deadPrefix) {
            try? base.remove(name)
        }
        return made
    }

    private static func makeAlone(
        in base: borrowing OpenedDirectory, _ limit: Wait
    ) throws(OpenedDirectory.Failure) -> (path: String, lock: CInt) {
        let gate = try base.file(lockName, O_RDWR | O_CREAT, mode: 0o600)
        defer { close(gate) }
        while flock(gate, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EWOULDBLOCK, limit.sleep() else {
                throw base.failure(lockName, to: .write)
            }
        }
        for name in try base.names where OpenedDirectory.text(name).hasPrefix(prefix) {
            // If it cannot be renamed now, another process may do it later.
            try? takeAwayIfDead(name, in: base)
        }
        var template = OpenedDirectory.name(Path.join(base.path, prefix + "XXXXXX"))
        guard mkdtemp(&template) != nil else {
            throw base.failure(OpenedDirectory.name(prefix), to: .make)
        }
        let own = try OpenedDirectory(path: OpenedDirectory.text(template))
        guard mode == 0o700 || fchmod(own.descriptor, mode) == 0 else { throw own.failure(lockName, to: .write) }
        let lock = try own.file(lockName, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(lock) }
            throw own.failure(lockName, to: .write)
        }
        return (own.path, lock)
    }

    /// Renames the directory of a process that has ended, so that it can be removed without the gate.
    private static func takeAwayIfDead(
        _ name: OpenedDirectory.Name, in base: borrowing OpenedDirectory
    ) throws(OpenedDirectory.Failure) {
        let lock = try? base.directory(name).file(lockName, O_RDWR)
        defer { if let lock { close(lock) } }
        if let lock, flock(lock, LOCK_EX | LOCK_NB) != 0 { return }
        let dead = deadPrefix + OpenedDirectory.text(name).dropFirst(prefix.count) + "-\(getpid())"
        try base.rename(name, to: OpenedDirectory.name(dead))
    }
}

import Glibc

/// The files that a load inspected, to compare with those that are at their paths once the dynamic linker has opened them.
///
/// The dynamic linker opens a file by its path, after the inspection closed it. Renaming, linking and writing change a
/// file's change time (POSIX, `st_ctim`), so that a path that leads to the same file with the same change time before and
/// after led to it all the time, unless a directory above it was exchanged and put back in between.
struct InspectedFiles {
    private var files: [(path: String, identity: FileIdentity)] = []

    mutating func append(_ path: String, _ identity: FileIdentity) { files.append((path, identity)) }

    /// A file that is another one now, or was changed since, or cannot be looked at.
    func firstChange() -> (path: String, change: FileIdentity.Change)? {
        for file in files {
            if let change = file.identity.change(at: file.path) { return (file.path, change) }
        }
        return nil
    }
}

extension OpenedFile {
    /// Waits until a change of the file could be seen by its change time. The system counts that time in ticks of some
    /// milliseconds: a file that was changed in this tick can be changed once more, and have the same time. Only a file
    /// that was installed in this very moment is waited for.
    ///
    /// - Returns: whether the file stayed as it was when it was opened.
    borrowing func settle() -> Bool {
        var waits = 0
        while Self.isCurrentTick(identity.changed) {
            // The tick of every kernel is at most 10 ms long.
            waits += 1
            guard waits <= 50 else { return false }
            usleep(1000)
        }
        return waits == 0 || isUnchanged
    }

    private static func isCurrentTick(_ time: Int64) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        let nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        // A time in the future is of a clock that was set back: a change gives the file another one.
        return time >= nanoseconds && time - nanoseconds < 20_000_000
    }
}

import Glibc
package import HostBasics

/// The files that a load inspected, to be compared with the files at their paths after the dynamic linker has opened
/// them.
///
/// The dynamic linker opens a file by its path, after the inspection has closed it. Renaming, linking and writing
/// change a file's change time (POSIX, `st_ctim`). So if a path leads to the same file with the same change time before
/// and after, it led to that file all the time, unless a directory above it was exchanged and put back in between.
package struct InspectedFiles {
    private var files: [(path: String, identity: FileIdentity)] = []

    package init() {}

    package mutating func append(_ path: String, _ identity: FileIdentity) { files.append((path, identity)) }

    package mutating func append(contentsOf others: InspectedFiles) { files += others.files }

    /// The first file that was replaced or changed since its inspection, or that cannot be examined.
    package func firstChange() -> (path: String, change: FileIdentity.Change)? {
        for file in files {
            if let change = file.identity.change(at: file.path) { return (file.path, change) }
        }
        return nil
    }
}

extension OpenedFile {
    /// Waits until any further change of the file would show in its change time.
    ///
    /// The system counts that time in ticks of some milliseconds: a file that was changed in the current tick can be
    /// changed again and keep the same time. Only a file that was installed a moment ago causes a wait.
    ///
    /// - Returns: whether the file is unchanged since it was opened.
    package borrowing func settle() -> Bool {
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
        // A time in the future comes from a clock that was set back: a further change gives the file another time.
        return time >= nanoseconds && time - nanoseconds < 20_000_000
    }
}

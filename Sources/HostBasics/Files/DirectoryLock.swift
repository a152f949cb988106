import Glibc

/// A lock on a directory against other processes, held as long as this value exists.
///
/// The kernel holds the lock, so no lock file can be left behind.
package struct DirectoryLock: ~Copyable {
    private let descriptor: CInt

    /// Why a directory was not locked.
    package enum Failure: Error, Equatable {
        /// Another process held the lock for the whole time.
        case busy
        /// The system refused to open it.
        case system(errno: CInt)

        /// The reason, as a part of a sentence in brackets.
        package var reason: String {
            switch self {
            case .busy: "another process holds its lock"
            case .system(let errno): describe(errno: errno)
            }
        }

        /// What to do, as full sentences.
        package var remedy: String {
            switch self {
            case .busy: "Try again when the other process has finished its change."
            case .system(let errno): ErrorNumber.remedy(errno)
            }
        }
    }

    /// Locks a directory.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - time: how long to wait for other processes.
    /// - Throws: ``Failure``.
    package init(_ path: String, waitingAtMost time: Duration) throws(Failure) {
        let wait = Wait(atMost: time)
        while true {
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .system(errno: errno) }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                // Try often: a process that makes one change after another frees the lock only for a moment.
                guard wait.sleep(microseconds: 200) else {
                    close(descriptor)
                    throw .busy
                }
            }
            var locked = stat(), found = stat()
            // While this process waited, another one may have replaced the directory.
            if fstat(descriptor, &locked) == 0, stat(path, &found) == 0, locked.st_dev == found.st_dev,
                locked.st_ino == found.st_ino
            {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
            guard wait.sleep() else { throw .busy }
        }
    }

    deinit { close(descriptor) }
}

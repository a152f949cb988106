import Glibc

/// A limited wait for a condition that can only be checked repeatedly.
package struct Wait {
    package let length: Duration
    private let end: ContinuousClock.Instant

    package init(atMost length: Duration) {
        self.length = length
        end = .now + length
    }

    package var isOver: Bool { ContinuousClock.now >= end }

    /// Sleeps for a moment.
    ///
    /// - Returns: false, without sleeping, when the time is over.
    package func sleep(microseconds: UInt32 = 5_000) -> Bool {
        guard !isOver else {
            // For callers that examine errno: their last system call may have been interrupted.
            errno = EWOULDBLOCK
            return false
        }
        usleep(microseconds)
        return true
    }
}

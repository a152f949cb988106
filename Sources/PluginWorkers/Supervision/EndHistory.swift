import HostBasics

/// When the worker processes of one plug-in ended by themselves, and what that means for the next start.
///
/// All times are of the monotonic clock, in nanoseconds, so setting the system's clock has no effect.
struct EndHistory: Sendable {
    /// What to do before another process is started.
    enum Decision: Equatable {
        case startNow
        /// Wait this many nanoseconds.
        case wait(UInt64)
        /// Start none, because this many ended.
        case quarantine(Int)
    }

    private static let firstWait: UInt64 = 100_000_000
    private static let longestWait: UInt64 = 30_000_000_000
    /// The most ends that are kept.
    ///
    /// The oldest ones are dropped.
    private static let mostKept = 64

    // A weak reference, because a new worker may have the address of one that no longer exists.
    private var ends: [(time: UInt64, worker: WeakReference<AnyObject>)] = []

    mutating func note(at time: UInt64, of worker: AnyObject? = nil) {
        ends.append((time, WeakReference(worker)))
        if ends.count > Self.mostKept { ends.removeFirst() }
    }

    /// Stops counting the end of a worker.
    mutating func forget(_ worker: AnyObject) { ends.removeAll { $0.worker.object === worker } }

    /// - Parameters:
    ///   - now: the time.
    ///   - deaths: how many ends put the plug-in into quarantine.
    ///   - time: the period in which they are counted.
    ///   - jitter: from 0 to 1, so that several plug-ins that ended together do not start together.
    /// - Returns: what to do.
    func decision(at now: UInt64, deaths: Int, within time: Duration, jitter: Double) -> Decision {
        let recent = ends.map(\.time).filter { MonotonicTime.time($0, plus: time) > now }
        if recent.count >= max(1, deaths) { return .quarantine(recent.count) }
        guard recent.count > 1, let last = recent.last else { return .startNow }
        // No wait after the first end, 100 ms after the second, and twice as long after each further end.
        let wait = min(Self.longestWait, Self.firstWait << UInt64(min(recent.count - 2, 20)))
        let due = last + wait + UInt64(Double(wait) * jitter / 10)
        return due > now ? .wait(due - now) : .startNow
    }
}

internal import CSandbox

/// Times of the clock that the C functions use, in nanoseconds.
package enum MonotonicTime {
    package static var now: UInt64 { phs_now() }

    /// The time that is this much later than now; the earliest possible time for a negative duration.
    static func after(_ duration: Duration) -> UInt64 { time(now, plus: duration) }

    package static func time(_ time: UInt64, plus duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        // A limit of about 272 years keeps the product in range.
        let nanoseconds = min(UInt64(seconds), 1 << 33) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
        return self.time(time, plus: nanoseconds)
    }

    static func time(_ time: UInt64, plus nanoseconds: UInt64) -> UInt64 { time + min(nanoseconds, .max - time) }

    /// The earlier of two deadlines; 0 means no deadline.
    static func earliest(_ one: UInt64, _ other: UInt64) -> UInt64 {
        one == 0 ? other : other == 0 ? one : min(one, other)
    }
}

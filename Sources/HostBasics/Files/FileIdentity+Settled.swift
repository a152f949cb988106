import Glibc

extension FileIdentity {
    /// Nanoseconds since 1970.
    package static var now: Int64 {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        return Int64(clock.tv_sec) * 1_000_000_000 + Int64(clock.tv_nsec)
    }

    /// Whether any change after the file was examined is certain to alter its times.
    ///
    /// Most file systems stamp a file with the time of the last clock tick, up to 10 ms ago, some with whole seconds,
    /// FAT with even seconds: a second change within the same tick does not change the time.
    ///
    /// - Parameter now: nanoseconds since 1970, taken before the file was examined.
    /// - Returns: false for a file that was changed shortly before `now`.
    package func isSettled(at now: Int64) -> Bool {
        let tick: Int64 = changed % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
        // A time in the future comes from another machine's clock, or from before this machine's clock was set back.
        // Such a file counts as settled; otherwise it would be examined again each time.
        return now - changed >= tick || changed - now > 1_000_000_000
    }
}

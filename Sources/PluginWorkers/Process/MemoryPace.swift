/// Decides how often the memory of a process is read: rarely while it stays the same, and more often the sooner it
/// would reach its limit at its current growth.
struct MemoryPace {
    /// The nanoseconds between two readings of a process that does not grow; also how long a growth can stay unnoticed.
    static let longest: UInt64 = 250_000_000
    /// The least nanoseconds between two readings.
    ///
    /// A reading takes about twenty microseconds, so even at this rate it costs less than a hundredth of a processor.
    static let shortest: UInt64 = 5_000_000

    /// The nanoseconds until the next reading.
    private(set) var interval = longest
    private var last = 0

    /// Notes a reading.
    ///
    /// - Parameters:
    ///   - memory: the bytes that the process has now.
    ///   - limit: the bytes that it may have.
    mutating func note(_ memory: Int, limit: Int) {
        let growth = memory - last
        last = memory
        guard growth > 0, memory < limit else {
            // Step by step, because the growth may only have paused.
            interval = min(interval * 2, Self.longest)
            return
        }
        // Half of the time that is left, because the growth may become faster.
        let left = Double(interval) * Double(limit - memory) / Double(growth) / 2
        interval = UInt64(min(max(left, Double(Self.shortest)), Double(Self.longest)))
    }
}

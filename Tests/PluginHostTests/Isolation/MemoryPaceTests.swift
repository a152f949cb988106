import Testing

@testable import PluginHost

/// How often the memory of a worker is read.
@Suite struct MemoryPaceTests {
    private static let limit = 512 << 20

    /// The most bytes beyond the limit that a process with a rate of growth gets before it is measured there.
    private func excess(_ bytesPerSecond: Int, from first: Int = 20 << 20) -> Int {
        var pace = MemoryPace()
        var memory = first
        pace.note(memory, limit: Self.limit)
        for _ in 0..<100_000 {
            memory += Int(Double(bytesPerSecond) * Double(pace.interval) / 1e9)
            if memory > Self.limit { return memory - Self.limit }
            pace.note(memory, limit: Self.limit)
        }
        return 0
    }

    @Test func fault755_whatGrowsIsMeasuredBeforeItHasMuchMoreThanItsLimit() {
        for rate in [1 << 20, 16 << 20, 100 << 20, 500 << 20, 1 << 30] {
            #expect(excess(rate) <= 8 << 20, "\(rate) bytes in a second")
        }
        // So fast that it can be beyond its limit at the first look.
        #expect(excess(2 << 30) <= 64 << 20)
    }

    @Test func whatStaysIsSeldomRead() {
        var pace = MemoryPace()
        for _ in 0..<10 { pace.note(400 << 20, limit: Self.limit) }
        #expect(pace.interval == MemoryPace.longest)
        // A little growth far from the limit changes nothing.
        pace.note(400 << 20 + 4096, limit: Self.limit)
        #expect(pace.interval == MemoryPace.longest)
        pace.note(500 << 20, limit: Self.limit)
        #expect(pace.interval < MemoryPace.longest / 8)
        pace.note(510 << 20, limit: Self.limit)
        let last = pace.interval
        pace.note(510 << 20, limit: Self.limit)
        #expect(pace.interval == last * 2, "it may only have paused")
        pace.note(20 << 20, limit: Self.limit)
        #expect(pace.interval == last * 4)
        pace.note(.max, limit: .max)
        #expect(pace.interval >= MemoryPace.shortest)
    }
}

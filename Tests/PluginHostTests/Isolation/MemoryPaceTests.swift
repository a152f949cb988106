import Foundation
import Testing

@testable import PluginHost
@testable import PluginWorkers

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

    @Test(.fault(755)) func whatGrowsIsMeasuredBeforeItHasMuchMoreThanItsLimit() {
        for rate in [1 << 20, 16 << 20, 100 << 20, 500 << 20, 1 << 30] {
            #expect(excess(rate) <= 8 << 20, "\(rate) bytes in a second")
        }
        // So fast that it can be beyond its limit at the first look.
        #expect(excess(2 << 30) <= 64 << 20)
    }

    /// The mebibytes that a process may use up here: an eighth of what is free, at most three gibibytes.
    private static let amount: Int = {
        let line = ((try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? "").split(separator: "\n")
            .first { $0.hasPrefix("MemAvailable:") }
        return min(3_072, (line?.split(separator: " ")[1]).flatMap { Int($0) }.map { $0 >> 13 } ?? 0)
    }()

    /// A plug-in that wants much more than its limit, of memory that only the host measures, as fast as the machine can.
    @Test(.fault(838), .enabled(if: amount >= 512), .timeLimit(.minutes(5)))
    func aPluginThatGrowsAsFastAsItCanIsEndedLongBeforeItHasWhatItWants() throws {
        let limit = 64
        let plugin = try CrashingPlugin(info: "PHLimits = { memory = \(limit); addressSpace = 16384; };")
        let function = try plugin.bundle.function("grows")
        let error = #expect(throws: PluginError.self) { try function(.int(Int64(Self.amount))) }
        #expect(error?.code == .workerEnded && error?.workerEnd?.cause == .limit(.memory))
        #expect(error?.workerEnd?.phase == .call(provider: "", method: "grows"))
        // It prints after each eight mebibytes how much it has.
        let most = error?.workerEnd?.output.split(separator: "\n").compactMap { Int($0) }.max() ?? 0
        #expect(most > 0 && most < Self.amount / 2, "it had \(most) of \(Self.amount) MiB")
        #expect(plugin.bundle.unload())
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

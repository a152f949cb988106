import Foundation

/// One measured number, with what is printed beside it.
struct Figure {
    let name: String
    let value: Double
    /// “x” for a ratio, “us”, “ns”.
    let unit: String
    /// The most it should be, or nil.
    var goal: Double?

    /// The figure as a line between processes.
    var line: String { "\(name)\t\(value)\t\(unit)\t\(goal.map { "\($0)" } ?? "")" }

    init(_ name: String, _ value: Double, _ unit: String = "x", goal: Double? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.goal = goal
    }

    init?(line: Substring) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count == 4, let value = Double(parts[1]) else { return nil }
        self.init(String(parts[0]), value, String(parts[2]), goal: Double(parts[3]))
    }
}

/// Nanoseconds.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Nanoseconds that each of some things takes alone, as the least of several passes over a list: the passes are in one
/// process and close together, and what disturbs one only ever makes it longer.
func nanoseconds<Element>(_ elements: [Element], passes: Int = 5, _ body: (Element) throws -> Void) rethrows -> Double {
    var best = UInt64.max
    for _ in 0..<passes {
        let start = now()
        for element in elements { try body(element) }
        best = min(best, now() - start)
    }
    return Double(best) / Double(elements.count)
}

/// Nanoseconds of something that can be done but once with each element, as the median, without the first ones, which
/// bring in what a process needs once.
func medianNanoseconds<Element>(_ elements: [Element], _ body: (Element) throws -> Void) rethrows -> Double {
    var times: [UInt64] = []
    for element in elements {
        let start = now()
        try body(element)
        times.append(now() - start)
    }
    let later = times.dropFirst(min(5, times.count - 1)).sorted()
    return Double(later[later.count / 2])
}

/// Keeps the optimiser from leaving a question out.
@inline(never)
func use<Value>(_ value: Value) {}

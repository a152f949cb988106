import Foundation

/// One measured number, with what is printed beside it.
struct Figure {
    let name: String
    let value: Double
    /// “x” for a ratio.
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

/// Keeps the optimiser from leaving a question out.
@inline(never)
func use<Value>(_ value: Value) {}

import Foundation

/// One measured number, with the text printed beside it.
public struct Figure {
    /// What was measured.
    public let name: String
    /// The result, in its unit.
    public let value: Double
    /// “x” for a ratio of times, “us”, “ns”, “bytes”; ``count`` for what does not depend on time.
    public let unit: String
    /// The most it should be, or nil.
    public let goal: Double?

    /// The unit of a count, or of a ratio of counts, which is the same on a busy machine.
    public static let count = ""

    /// Whether other work of the machine leaves this figure as it is.
    public var isCount: Bool { unit == Self.count }

    /// The figure as a line between processes.
    public var line: String { "\(name)\t\(value)\t\(unit)\t\(goal.map { "\($0)" } ?? "")" }

    /// A figure, with the goal that it must meet, if there is one.
    public init(_ name: String, _ value: Double, _ unit: String = "x", goal: Double? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.goal = goal
    }

    /// A figure that a child process printed; nil if the line is not a figure.
    public init?(line: Substring) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count == 4, let value = Double(parts[1]) else { return nil }
        self.init(String(parts[0]), value, String(parts[2]), goal: Double(parts[3]))
    }

    /// Prints the figures of several processes that measured the same: the median of each, with the minimum and the
    /// maximum.
    public static func printMedians(of processes: [[Figure]], digits: Int = 2) {
        for (position, figure) in (processes.first ?? []).enumerated() {
            let values = processes.map { $0[position].value }.sorted()
            func text(_ value: Double) -> String { String(format: "%.\(digits)f", value) }
            let title = figure.name.padding(toLength: 52, withPad: " ", startingAt: 0)
            let median = String(format: "%9.\(digits)f", values[values.count / 2])
            print(
                "\(title)\(median) \(figure.unit)  (\(text(values[0])) to \(text(values[values.count - 1])))"
                    + (figure.goal.map { Goals.text(of: figure.name, values[values.count / 2], atMost: $0) } ?? ""))
        }
    }
}

/// Nanoseconds.
public func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

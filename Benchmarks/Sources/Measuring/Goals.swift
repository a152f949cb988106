import Foundation
import Synchronization

/// The goals of a benchmark: which figures miss theirs, and how long the benchmark took.
public enum Goals {
    private static let missed = Mutex<[String]>([])

    /// The text beside a figure: its goal, and whether the figure misses it.
    public static func text(of name: String, _ value: Double, atMost goal: Double) -> String {
        guard value > goal else { return "   goal: at most \(goal)" }
        missed.withLock { $0.append(name) }
        return "   goal: at most \(goal)   MISSED"
    }

    /// Runs a benchmark, and then prints which goals it missed and how long it took.
    ///
    /// A missed goal is not an error: a busy machine changes most figures.
    public static func report(_ benchmark: () throws -> Void) rethrows {
        let start = now()
        try benchmark()
        let seconds = String(format: "%.0f s", Double(now() - start) / 1e9)
        let names = missed.withLock { $0 }
        print(
            names.isEmpty
                ? "No goal was missed. \(seconds)"
                : "Missed goals: \(names.count) (\(names.joined(separator: "; "))). \(seconds)\n"
                    + "Measure again on an idle machine before you search for the cause.")
    }
}

import Foundation
import HostBasics
import Measuring

/// Runs rounds in processes of their own and prints the ratios.
struct Report {
    let rounds: Int
    /// How many plug-ins are loaded when a load is measured.
    let counts: [Int]

    func print() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pluginhost-benchmark-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let copies = Copies(folder: folder)
        try copies.make(max(110, counts.max() ?? 0))
        Swift.print("Loading one Swift plug-in, medians of \(rounds) processes (raw: dlopen + entry = 1)")
        for count in counts {
            Figure.printMedians(of: try (0..<rounds).map { _ in try round(count, folder) })
        }
        Figure.printMedians(of: (0..<rounds).map { _ in [Self.floatGuard()] })
        try records(folder.appending(path: "records"))
        Figure.printMedians(
            of: [[try Forecast.figure(folder.appending(path: "forecast"), plugins: min(200, counts.max() ?? 0))]],
            digits: 1)
        try SystemCalls.report(folder: folder)
    }

    /// Loads of one plug-in with and without the record of its interfaces.
    private func records(_ folder: URL) throws {
        let copies = RecordedCopies(folder: folder)
        try copies.make(counts.max() ?? 0)
        for count in counts {
            Figure.printMedians(
                of: try (0..<rounds).map { _ in
                    try Child.figures(["--records", "\(count)"], environment: copies.environment)
                }, digits: 3)
        }
    }

    /// The guard of the floating-point state around a call of a plug-in: two readings.
    private static func floatGuard() -> Figure {
        let count = 100_000
        var changes = 0
        let start = now()
        for _ in 0..<count where FloatState.current != FloatState.current { changes += 1 }
        let end = now()
        precondition(changes == 0, "nothing changes the state meanwhile")
        return Figure("floating-point guard", Double(end - start) / Double(count), "ns", goal: 20)
    }

    private func round(_ count: Int, _ folder: URL) throws -> [Figure] {
        let text = try Child.run(
            Child.thisProgram, ["--round", "\(count)"], environment: ["BENCHMARK_COPIES": folder.path])
        var times: [Way: Double] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, let way = Way(rawValue: String(words[0])) { times[way] = Double(words[1]) }
        }
        guard let raw = times[.raw], let known = times[.known], let whole = times[.whole] else {
            throw Child.Failure(description: "a round did not load in each way")
        }
        return [
            Figure("raw dlopen + entry, \(count) loaded", raw / 1000, "us"),
            Figure("manifest known, \(count) loaded", known / raw, goal: 1.25),
            Figure("open + manifest + checks + load, \(count) loaded", whole / raw, goal: 1.6),
        ]
    }
}

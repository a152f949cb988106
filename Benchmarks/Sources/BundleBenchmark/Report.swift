import Foundation
import Measuring

/// Runs rounds in processes of their own and prints the medians.
struct Report {
    let rounds: Int
    /// How many bundles each measurement opens.
    let bundles: Int

    func print() throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "pluginhost-bundles-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Bundles(folder: folder).make(bundles)
        let figures = try (0..<rounds).map { _ in
            let environment = ["BENCHMARK_BUNDLES": folder.path]
            return try FirstBundle.figures(environment: environment)
                + Child.figures(["--round", "\(bundles)"], environment: environment)
        }
        Swift.print(
            "Opening bundles and looking things up, medians of \(rounds) processes (x: relative to the line or name given)"
        )
        Figure.printMedians(of: figures)
        let log = folder.appending(path: "strace").path
        guard
            let calls = try FirstBundle.nameServiceCalls(
                environment: ["BENCHMARK_BUNDLES": folder.path], log: log)
        else { return Swift.print("Calls of the name service: not counted, because strace is not installed.") }
        let title = "Calls of the name service at the first question"
        Swift.print("\(title): \(calls)" + Goals.text(of: title, Double(calls), atMost: 0))
        guard calls == 0 else { throw Child.Failure(description: "the first question asks the name service") }
    }
}

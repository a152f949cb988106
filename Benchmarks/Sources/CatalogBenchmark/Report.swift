import Foundation
import Measuring

/// Runs rounds in processes of their own and prints the medians.
struct Report {
    let rounds: Int
    let bundles: Int

    func print() throws {
        let folder = Folder(
            url: FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
                .appending(path: "pluginhost-catalog-\(getpid())"))
        defer { try? FileManager.default.removeItem(at: folder.url) }
        try folder.make(bundles)
        let environment = ["BENCHMARK_BUNDLES": folder.url.path]
        // Writes the index for the rounds.
        _ = try Child.run(Child.thisProgram, ["--start"], environment: environment)
        let figures = try (0..<rounds).map { _ in
            let figures = try Child.figures(["--round"], environment: environment)
            guard figures[0].value == Double(bundles) else {
                throw Child.Failure(description: "a round found \(figures[0].value) bundles")
            }
            return Array(figures.dropFirst())
        }
        Swift.print(
            "Finding \(bundles) bundles, medians of \(rounds) processes (x: relative to listing, opening and reading each)"
        )
        Figure.printMedians(of: figures, digits: 3)
        if !EmptyCaches.isPossible {
            Swift.print("Cold: not measured, because only root may empty the kernel's caches.")
        }
        try Openings(folder: folder).make()
        Figure.printMedians(
            of: try (0..<rounds).map { _ in try Child.figures(["--openings"], environment: environment) }, digits: 3)
        try countSystemCalls(folder, environment)
    }

    private func countSystemCalls(_ folder: Folder, _ environment: [String: String]) throws {
        guard let strace = Child.strace else {
            Swift.print("System calls: not counted, because strace is not installed.")
            return
        }
        let log = folder.url.appending(path: "strace")
        _ = try Child.run(strace, ["-f", "-o", log.path, Child.thisProgram, "--start"], environment: environment)
        let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        let perBundle = Double(lines.filter { $0.contains(".bundle") }.count) / Double(bundles)
        let title = "System calls a bundle, from the index, each bundle checked"
        Swift.print(
            title + String(format: ": %.2f", perBundle) + Goals.text(of: title, perBundle, atMost: 3))
    }
}

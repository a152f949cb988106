import Foundation

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
        let figures = try (0..<rounds).map { _ in try round(folder) }
        Swift.print(
            "Opening bundles and asking them, medians of \(rounds) processes (x: to what the first line or name tells)")
        for (position, figure) in figures[0].enumerated() { row(figure, figures.map { $0[position].value }.sorted()) }
    }

    private func row(_ figure: Figure, _ values: [Double]) {
        let title = figure.name.padding(toLength: 52, withPad: " ", startingAt: 0)
        let numbers = String(
            format: "%9.2f %@  (%.2f to %.2f)", values[values.count / 2], figure.unit, values[0], values.last!)
        Swift.print(title + numbers + (figure.goal.map { "   goal: at most \($0)" } ?? ""))
    }

    /// The figures of one process.
    private func round(_ folder: URL) throws -> [Figure] {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--round", "\(bundles)"]
        process.environment = ProcessInfo.processInfo.environment.merging(["BENCHMARK_BUNDLES": folder.path]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let figures = String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap(Figure.init(line:))
        guard process.terminationStatus == 0, !figures.isEmpty else {
            throw Failure(description: "a round ended with status \(process.terminationStatus) and no figures")
        }
        return figures
    }

    struct Failure: Error, CustomStringConvertible { let description: String }
}

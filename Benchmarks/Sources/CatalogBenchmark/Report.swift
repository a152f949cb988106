import Foundation

/// Runs rounds in processes of their own and prints the medians.
struct Report {
    let rounds: Int
    let bundles: Int

    struct Failure: Error, CustomStringConvertible { let description: String }

    func print() throws {
        let folder = Folder(
            url: FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
                .appending(path: "pluginhost-catalog-\(getpid())"))
        defer { try? FileManager.default.removeItem(at: folder.url) }
        try folder.make(bundles)
        // Leaves the index for the rounds.
        _ = try run("/proc/self/exe", ["--start"], folder)
        let figures = try (0..<rounds).map { _ in try round(folder) }
        Swift.print(
            "Knowing \(bundles) bundles, medians of \(rounds) processes (x: to listing, opening and reading each)")
        for (position, figure) in figures[0].enumerated().dropFirst() {
            row(figure, figures.map { $0[position].value }.sorted())
        }
        if !EmptyCaches.isPossible {
            Swift.print("Cold: not measured, because only root may empty the kernel's caches.")
        }
        try countSystemCalls(folder)
    }

    private func row(_ figure: Figure, _ values: [Double]) {
        let title = figure.name.padding(toLength: 52, withPad: " ", startingAt: 0)
        let numbers = String(
            format: "%9.3f %@  (%.3f to %.3f)", values[values.count / 2], figure.unit, values[0], values.last!)
        Swift.print(title + numbers + (figure.goal.map { "   goal: at most \($0)" } ?? ""))
    }

    /// The figures of one process.
    private func round(_ folder: Folder) throws -> [Figure] {
        let output = try run("/proc/self/exe", ["--round"], folder)
        let figures = output.split(separator: "\n").compactMap(Figure.init(line:))
        guard figures.first?.value == Double(bundles) else {
            throw Failure(description: "a round found \(figures.first?.value ?? 0) bundles")
        }
        return figures
    }

    /// Counts with strace.
    private func countSystemCalls(_ folder: Folder) throws {
        let places = ["/usr/bin/strace", "/bin/strace", "/usr/local/bin/strace"]
        guard let strace = places.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            Swift.print("System calls: not counted, because strace is not installed.")
            return
        }
        let log = folder.url.appending(path: "strace")
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        _ = try run(strace, ["-f", "-o", log.path, program, "--start"], folder)
        let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        let perBundle = Double(lines.filter { $0.contains(".bundle") }.count) / Double(bundles)
        Swift.print(
            String(format: "System calls a bundle, from the index, each bundle checked: %.2f", perBundle)
                + "   goal: at most 3.0")
    }

    private func run(_ program: String, _ arguments: [String], _ folder: Folder) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program).resolvingSymlinksInPath()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["BENCHMARK_BUNDLES": folder.url.path]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) ended with status \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

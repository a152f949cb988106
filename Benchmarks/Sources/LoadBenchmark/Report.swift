import Foundation

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
            let results = try (0..<rounds).map { _ in try round(count, folder) }
            row("raw dlopen + entry, \(count) loaded", results.map { $0["raw"]! / 1000 }, unit: "us")
            row("manifest known, \(count) loaded", results.map { $0["known"]! / $0["raw"]! }, unit: "x", goal: 1.15)
            row(
                "open + manifest + checks + load, \(count) loaded", results.map { $0["whole"]! / $0["raw"]! },
                unit: "x", goal: 1.5)
        }
        try SystemCalls.report(folder: folder)
    }

    private func row(_ name: String, _ values: [Double], unit: String, goal: Double? = nil) {
        let sorted = values.sorted()
        let title = name.padding(toLength: 48, withPad: " ", startingAt: 0)
        let figures = String(
            format: "%7.2f %@  (%.2f to %.2f)", sorted[sorted.count / 2], unit, sorted[0], sorted.last!)
        Swift.print(title + figures + (goal.map { "   goal: at most \($0)" } ?? ""))
    }

    private func round(_ count: Int, _ folder: URL) throws -> [String: Double] {
        let text = try Child.run(
            CommandLine.arguments[0], ["--round", "\(count)"], environment: ["BENCHMARK_COPIES": folder.path])
        var result: [String: Double] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2 { result[String(words[0])] = Double(words[1]) }
        }
        return result
    }
}

/// A program run to its end.
enum Child {
    struct Failure: Error, CustomStringConvertible { let description: String }

    static func run(_ program: String, _ arguments: [String], environment: [String: String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program).resolvingSymlinksInPath()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

import Foundation
import Measuring
import PluginHost

/// Counts system calls with strace, as the difference between a long and a short run.
///
/// This is exact and without noise.
enum SystemCalls {
    /// The work of the counted processes.
    static func load(_ way: String, _ count: Int) throws {
        let copies = Copies(folder: URL(filePath: ProcessInfo.processInfo.environment["BENCHMARK_COPIES"] ?? "."))
        for index in 0..<count {
            switch Way(rawValue: way) {
            case .raw: RawHost.load(copies.executable(index))
            case .known, .whole: try PluginBundle.open(path: copies.bundle(index).path).loadAndReturnError()
            case nil: _ = try PluginBundle.open(path: copies.bundle(index).path)
            }
        }
    }

    static func report(folder: URL) throws {
        guard let strace = Child.strace else {
            print("System calls: not counted, because strace is not installed.")
            return
        }
        let raw = try calls("raw", strace, folder)
        let whole = try calls("whole", strace, folder)
        let open = try calls("open", strace, folder)
        print("System calls a load: raw \(text(raw)), whole \(text(whole)),")
        print(
            "of which \(text(open)) read Info.plist; beyond these \(text(whole - open))"
                + Goals.text(of: "system calls a load", whole - open, atMost: 15))
    }

    private static func text(_ calls: Double) -> String { String(format: "%.2f", calls) }

    private static func calls(_ way: String, _ strace: String, _ folder: URL) throws -> Double {
        let counts = try [10, 110].map { count in
            let log = folder.appending(path: "strace-\(way)-\(count)")
            _ = try Child.run(
                strace, ["-f", "-o", log.path, Child.thisProgram, "--calls", way, "\(count)"],
                environment: ["BENCHMARK_COPIES": folder.path])
            let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
            // Memory for the process's own tables grows in steps; those calls belong to no single load.
            return lines.filter { !$0.contains(" brk(") && !$0.contains("MAP_ANONYMOUS") && !$0.contains("+++") }.count
        }
        return Double(counts[1] - counts[0]) / 100
    }
}

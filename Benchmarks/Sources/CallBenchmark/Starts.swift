import CBareCalls
import Foundation
import Measuring
@_spi(Tools) import PluginHost

/// Starts processes for plug-ins, and ends them.
struct Starts {
    private let rounds: Int
    private let folder = URL(filePath: "/tmp/call-benchmark-\(UUID().uuidString)")
    private static let products = URL(filePath: Child.thisProgram).deletingLastPathComponent()
    private static let reference = products.appending(path: "start-reference").path

    /// - Parameter rounds: how often each start is measured.
    init(rounds: Int) {
        self.rounds = max(1, rounds)
        // The program of the workers is the one that they are compared with.
        HostEnvironment.current.isolation.worker = .program(Self.reference)
        // Root is not confined.
        if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
    }

    /// The figures, with their goals.
    func figures() throws -> [Figure] {
        defer { try? FileManager.default.removeItem(at: folder) }
        // First, because the kernel reports an end after it has freed the memory, and ours grows below.
        let (crash, kill) = try deaths()
        let bundle = try bundle("Sample")
        func start() throws -> Double {
            let start = now()
            let worker = try PluginWorker.start(for: bundle)
            defer { end(worker) }
            return Double(now() - start)
        }
        place(.isolated)
        _ = try start()
        let linked = try ratio { _ in
            try start()
        } to: { _ in
            Double(try referenceStart())
        }
        let confined = try ratio { _ in
            place(.sandboxed)
            return try start()
        } to: { _ in
            place(.isolated)
            return try start()
        }
        // A gibibyte; less in a brief check.
        let size = rounds > 2 ? 1 << 30 : 16 << 20
        let large = try ratio { _ in
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4_096)
            defer { memory.deallocate() }
            memset(memory, 1, size)
            return try start()
        } to: { _ in
            try start()
        }
        return [
            Figure("start until ready (a program with the library = 1)", linked, goal: 1.25),
            Figure("start of a confined one (one that is not = 1)", confined, goal: 1.1),
            Figure("start from 1 GiB of memory (from little = 1)", large, goal: 1.1),
            // The handler of the signal collects the stack first, which takes four wakes by itself.
            Figure("crash until its caller has an error (a wake = 1)", crash, goal: 20),
            // Nothing but the kernel reports this end, and it frees the memory of the process first.
            Figure("SIGKILL until the caller has one (of a program = 1)", kill),
        ]
    }

    private func place(_ execution: PluginExecution) {
        HostEnvironment.current.isolation.execution = { _ in execution }
    }

    private func end(_ worker: PluginWorker) {
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            await worker.stop(within: .seconds(10))
            ended.signal()
        }
        ended.wait()
    }

    private func referenceStart() throws -> UInt64 {
        let time = raw_start(Self.reference)
        guard time > 0 else { throw Child.Failure(description: "\(Self.reference) cannot be started") }
        return time
    }

    /// The median of rounds that alternate, so that what else the machine does hits both.
    private func ratio(_ one: (Int) throws -> Double, to other: (Int) throws -> Double) throws -> Double {
        let ratios = try (0..<rounds).map { try one($0) / other($0) }
        return ratios.sorted()[rounds / 2]
    }

    // MARK: Death

    /// From the last instruction of a plug-in until its caller has the error.
    ///
    /// - Returns: of a crash, relative to the wake of a thread on another processor; of a signal that cannot be handled,
    ///   relative to the same of a program with the library until its parent knows.
    private func deaths() throws -> (crash: Double, kill: Double) {
        place(.isolated)
        let file = folder.appending(path: "death")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The worker may have another user.
        chmod(folder.path, 0o755)
        try Data(count: 8).write(to: file)
        chmod(file.path, 0o666)
        func death(_ round: Int, isCrash: Bool) throws -> Double {
            // After some deaths, another worker of the same bundle would have to wait.
            let bundle = try bundle("\(isCrash ? "Crashing" : "Dying")\(round)")
            let die = try bundle.function("benchmark_die")
            do {
                _ = try die(.string(file.path), .int(isCrash ? 1 : 0))
            } catch {
                let time = now()
                let died = try Data(contentsOf: file).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
                guard died > 0, died < time else { throw error }
                return Double(time - died)
            }
            throw Child.Failure(description: "the plug-in lives")
        }
        let crash = try ratio { round in
            try death(round, isCrash: true)
        } to: { _ in
            Double(raw_wake())
        }
        let kill = try ratio { round in
            try death(round, isCrash: false)
        } to: { _ in
            Double(raw_death(Self.reference))
        }
        return (crash, kill)
    }

    /// A bundle with the benchmark's plug-in.
    private func bundle(_ name: String) throws -> PluginBundle {
        let contents = folder.appending(path: "\(name).bundle/Contents")
        try FileManager.default.createDirectory(
            at: contents.appending(path: "Linux"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Self.products.appending(path: "libBenchmarkPlugin.so"), to: contents.appending(path: "Linux/\(name)"))
        try Data(
            """
            { CFBundleIdentifier = "org.example.benchmark.\(name)"; NSExecutable = \(name);
              PHFunctions = { "benchmark_die" = "(string, int32) -> int32"; }; }
            """.utf8
        ).write(to: contents.appending(path: "Info.plist"))
        return try PluginBundle.open(path: folder.appending(path: "\(name).bundle").path)
    }
}

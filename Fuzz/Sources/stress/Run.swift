import Foundation
import Synchronization

/// Runs the threads, and checks the process while they run.
final class Run: Sendable {
    private let options: Options
    private let world: World
    private let gate = Gate()
    private let log = Findings()

    init(options: Options, world: World) {
        self.options = options
        self.world = world
    }

    /// - Returns: whether nothing was found.
    func run() throws -> Bool {
        let reader = try HotReload(world, log)
        let done = DispatchGroup()
        for number in 0..<options.threads {
            done.enter()
            let thread = Thread { [self] in
                work(number, reader)
                done.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        let figures = observe(reader)
        gate.end()
        if done.wait(timeout: .now() + 120) != .success { stop("The threads do not end.") }
        reader.end()
        let warmUp = max(1, figures.count / 4)
        for violation in Bounds.ofThisBuild.violations(
            from: Array(figures[..<min(warmUp, figures.count)]), to: Array(figures.dropFirst(warmUp)))
        {
            log.add(violation)
        }
        report()
        return log.isEmpty
    }

    private func work(_ number: Int, _ reader: HotReload) {
        var operations = Operations(
            world: world, reload: reader, log: log, chance: Chance(seed: options.seed, thread: number))
        while gate.pass({ operations.drop() }) { operations.runOne() }
        operations.drop()
    }

    /// Checks the process about forty times, with all threads at the gate.
    private func observe(_ reader: HotReload) -> [Figures] {
        let start = ContinuousClock.now
        let pause = max(0.25, Double(options.seconds) / 40)
        var figures: [Figures] = []
        var done = 0
        while start.duration(to: .now) < .seconds(options.seconds) {
            Thread.sleep(forTimeInterval: pause)
            let now = log.operations
            if now == done { stop("No operation has ended for \(pause) s.", after: 60) }
            done = now
            let seconds = Int(start.duration(to: .now).components.seconds)
            let found = gate.whileClosed(options.threads, patience: 120) {
                // The threads of ended watches notice that they should end; the tasks of ended streams are done.
                Thread.sleep(forTimeInterval: 0.1)
                return Figures(second: seconds, generations: reader.generations)
            }
            guard let found else { stop("Not all threads reach the gate: one hangs.") }
            figures.append(found)
            say("\(found), \(now) operations")
        }
        return figures
    }

    /// Ends the process at this point, so that a debugger or a core file shows what hangs.
    ///
    /// `patience`: how long the next operation may still take.
    private func stop(_ reason: String, after patience: Int = 0) {
        let before = log.operations
        for _ in 0..<patience {
            Thread.sleep(forTimeInterval: 1)
            if log.operations != before { return }
        }
        stop(reason)
    }

    private func stop(_ reason: String) -> Never {
        say("FOUND: \(reason)")
        abort()
    }

    private func report() {
        say(log.table)
        for finding in log.all { say("FOUND: \(finding)") }
        say("stress: \(log.operations) operations, \(log.count) findings, seed \(options.seed)")
    }
}

/// What all threads did and found.
final class Findings: Sendable {
    private struct State {
        var findings: [String: Int] = [:]
        var operations: [String: Int] = [:]
        var refused = 0
    }

    private let lock = NSLock()
    nonisolated(unsafe) private var state = State()  // used under the lock only
    private let done = Atomic(0)

    var operations: Int { done.load(ordering: .relaxed) }

    func note(_ operation: String) {
        done.add(1, ordering: .relaxed)
        lock.withLock { state.operations[operation, default: 0] += 1 }
    }

    func add(_ finding: String) {
        let isNews = lock.withLock {
            // A finding that repeats counts once.
            state.findings[finding, default: 0] += 1
            return state.findings[finding] == 1 && state.findings.count <= 100
        }
        if isNews { say("found: \(finding)") }
    }

    /// The system's own limits are not a fault of the library: other programs use the same limits.
    func addRefusal() { lock.withLock { state.refused += 1 } }

    var isEmpty: Bool { lock.withLock { state.findings.isEmpty } }
    var count: Int { lock.withLock { state.findings.values.reduce(0, +) } }
    var all: [String] { lock.withLock { state.findings.map { "\($0.key) (\($0.value) times)" }.sorted() } }

    var table: String {
        let (operations, refused) = lock.withLock { (state.operations, state.refused) }
        let lines = operations.sorted { $0.value > $1.value }.map { "  \($0.value)\t\($0.key)" }
        return lines.joined(separator: "\n") + "\n  \(refused) watches were refused by a limit of the system"
    }
}

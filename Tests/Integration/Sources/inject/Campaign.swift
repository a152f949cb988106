import Foundation

/// All failures of one scenario.
final class Campaign {
    private let scenario: Scenario
    private let place: WorkPlace
    private let sound: ProgramRun
    private let calls: [SystemCall]
    /// The files before and after the sound run.
    private let startFiles: [String: Data]
    private let soundFiles: [String: Data]
    private(set) var tried = 0
    /// How many failures the dynamic linker reported before the program began.
    private(set) var unstarted = 0
    /// Files that failed runs left behind while the next run was sound; they need not be tested again.
    private var recovered: Set<[String: Data]> = []

    init(_ scenario: Scenario, in place: WorkPlace) throws {
        self.scenario = scenario
        self.place = place
        try place.clear()
        // The second run, so that both runs start with the files of a first one.
        let runner = ProgramRunner(scenario, in: place)
        sound = try runner.run()
        let log = place.root.appending(path: "run.trace")
        try place.clear()
        startFiles = place.files()
        let traced = try runner.run(strace: [
            "-e", "trace=\(SystemCall.errors.keys.map { "?" + $0 }.joined(separator: ","))",
        ])
        guard traced.status == 0, traced.result == sound.result else {
            throw Inject.Failure(description: "\(scenario.name) does not run under strace: \(traced.everything)")
        }
        calls = SystemCall.all(
            hasProcessNumbers: scenario.followsChildren, in: (try? String(contentsOf: log, encoding: .utf8)) ?? "")
        guard calls.count > 50 else {
            throw Inject.Failure(description: "strace recorded only \(calls.count) calls of \(scenario.name).")
        }
        soundFiles = place.files()
    }

    /// - Parameters:
    ///   - every: how many failures there are for each one that is tried.
    ///   - report: receives each judged run, in words.
    /// - Returns: how many runs broke a rule.
    func run(every: Int, report: (String) -> Void) -> Int {
        var broken = 0
        var turn = 0
        for call in calls {
            for error in call.errors {
                turn += 1
                // By chance, but each time the same: with a fixed step, only some errors would be tried.
                guard Self.mixed(turn) % UInt64(every) == 0 else { continue }
                let name = "\(scenario.name): \(call.name) #\(call.number) fails with \(error)"
                if let rule = tryOut(
                    call, error, report: { report("\(name): \($0)\n    call: \(call.text.prefix(200))") })
                {
                    broken += 1
                    print("error: \(name): \(rule)")
                    print("    call: \(call.text.prefix(200))")
                    fflush(nil)
                }
            }
        }
        return broken
    }

    private static func mixed(_ number: Int) -> UInt64 {
        let product = UInt64(number) &* 0x9e37_79b9_7f4a_7c15
        return (product ^ (product >> 29)) >> 8
    }

    /// - Returns: the broken rule, with the program's output.
    private func tryOut(_ call: SystemCall, _ error: String, report: (String) -> Void) -> String? {
        do {
            tried += 1
            try place.clear()
            let runner = ProgramRunner(scenario, in: place)
            let run = try runner.run(strace: [
                "-e", "trace=\(call.name)", "-e", "inject=\(call.name):error=\(error):when=\(call.number)",
            ])
            if run.wasNotStarted {
                unstarted += 1
                return nil
            }
            report(run.everything)
            let files = place.files()
            let verdict = Verdict(
                run, sound: sound, files: files, soundFiles: soundFiles, output: scenario.output, error: error)
            if let rule = verdict.broken { return rule }
            if scenario.changesTree {
                if let damage = TreeVerdict(start: startFiles, end: soundFiles).damage(in: files, after: run) {
                    return "\(damage): \(run.everything)"
                }
                try place.restoreTree()
            }
            // With the files that the failed run left behind.
            if recovered.contains(files) { return nil }
            let next = try runner.run()
            guard next.status == sound.status, next.result == sound.result else {
                return "the next run is not sound: \(next.everything)"
            }
            let end = place.files()
            if let damage = Verdict.damage(in: end, soundFiles, output: scenario.output) {
                return "after the next run, \(damage)"
            }
            if scenario.changesTree, TreeVerdict.tree(end) != TreeVerdict.tree(soundFiles) {
                return "the next run leaves other files"
            }
            recovered.insert(files)
            return nil
        } catch {
            return "the run cannot be judged: \(error)"
        }
    }
}

import CChildProcess
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

extension PluginError.Code {
    /// A signal ended the process that loaded the bundle.
    static let crashed = Self(rawValue: "crashed")
    /// The bundle's code ended the process that loaded it.
    static let exited = Self(rawValue: "exited")
    /// The load took longer than the limit.
    static let hung = Self(rawValue: "hung")
    /// The bundle's code closed or garbled the tool's own pipe, so the outcome is unknown.
    static let reportLost = Self(rawValue: "reportLost")
    /// The bundle's code wrote into the tool's own pipe.
    ///
    /// The outcome is known.
    static let descriptorMisused = Self(rawValue: "descriptorMisused")
    /// The bundle's code wrote more output than the tool shows.
    ///
    /// A warning.
    static let outputFlooded = Self(rawValue: "outputFlooded")
    /// Processes that the bundle's code started were still running at the end.
    ///
    /// A warning.
    static let processesLeft = Self(rawValue: "processesLeft")
    /// The tool has no process to load the bundle in.
    static let notStarted = Self(rawValue: "notStarted")
}

/// Converts the end of a child to findings about the bundle that it loaded.
struct ChildEnd {
    private let run: ChildRun
    private let bundle: PluginBundle
    private let limit: Duration

    init(_ run: ChildRun, of bundle: PluginBundle, limit: Duration) {
        self.run = run
        self.bundle = bundle
        self.limit = limit
    }

    /// The child's report, with further findings about what the child did.
    var outcome: LoadOutcome {
        let findings = [death, misuse, flood, leftovers].compactMap { $0 }
        if run.reader.outcome == nil, place == .beforeCode, case .exited(let status) = run.end {
            // The bundle's code cannot be the cause of this.
            return LoadOutcome(
                path: bundle.bundlePath, identifier: bundle.bundleIdentifier, state: .failed,
                findings: [notStarted(status)], isUnable: true)
        }
        guard var outcome = run.reader.outcome else {
            return LoadOutcome(
                path: bundle.bundlePath, identifier: bundle.bundleIdentifier, state: .failed, findings: findings)
        }
        outcome.add(findings)
        return outcome
    }

    private var place: LoadPlace { run.reader.place }
    private var words: String { place.words(for: bundle.bundlePath) }
    private var file: String { bundle.executablePath ?? bundle.bundlePath }

    // MARK: How it ended

    private var death: PluginFinding? {
        switch run.end {
        case .killed(let signal): return crash(signal)
        case .hung(let stopped): return hang(stopped)
        case .exited(let status):
            if run.reader.outcome != nil { return status == 0 ? nil : exit(status) }
            if run.reader.isTooLarge { return tooLarge }
            if status == LoadInChildCommand.lostReport { return lost }
            return run.reader.isDamaged ? damaged : exit(status)
        }
    }

    private func crash(_ number: Int32) -> PluginFinding {
        let name = SignalName(number)
        return PluginFinding(
            .crashed, filePath: file, subject: name.text,
            message: "The signal \(name.text) ended the process \(words).\(name.usualCause.map { " \($0)" } ?? "")",
            remedy: place.advice, systemMessage: String(cString: strsignal(number)))
    }

    private func exit(_ status: Int32) -> PluginFinding {
        PluginFinding(
            .exited, filePath: file, subject: "\(status)",
            message: "The code ended the process with status \(status), \(words): it called exit() or _exit().",
            remedy: "Return or throw an error instead; a plug-in must not end its application.")
    }

    /// The exit status of a program whose libraries the dynamic linker does not find.
    ///
    /// The linker has printed the reason.
    private static let linkerFailed: Int32 = 127

    private func notStarted(_ status: Int32) -> PluginFinding {
        PluginFinding(
            .notStarted, filePath: bundle.bundlePath, subject: "\(status)",
            message: """
                The process for loading the bundle ended with status \(status) before it could begin. Its output is on standard \
                error.
                """,
            remedy: status == Self.linkerFailed
                ? """
                Let the tool find its libraries without options of the dynamic linker: name the directories of \
                “--library-path” in LD_LIBRARY_PATH, which that process gets too.
                """
                : "Try again when the system has files, memory and processes to spare.")
    }

    /// The work that takes too long.
    private var work: String {
        guard let step = run.reader.loads.last?.step, LoadStep(rawValue: step) == nil else { return "The load" }
        return step == LoadPlace.call ? "The call" : "The use of the code"
    }

    private func hang(_ stopped: Int32?) -> PluginFinding {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        let time = seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
        let message =
            if let stopped {
                "The signal \(SignalName(stopped).text) stopped the process \(words), and it had not continued after \(time). "
                    + "The tool killed it."
            } else {
                "\(work) had not ended after \(time). The tool killed the process \(words)."
            }
        return PluginFinding(
            .hung, filePath: file, subject: stopped.map { SignalName($0).text }, message: message,
            remedy: "\(place.advice) “--timeout” gives a load more time.")
    }

    // MARK: The state of the report

    private var lost: PluginFinding {
        PluginFinding(
            .reportLost, filePath: file,
            message: "The code closed a descriptor that is not its own, \(words), so the outcome is unknown.",
            remedy: "Close only descriptors that the plug-in opened.")
    }

    private var damaged: PluginFinding {
        PluginFinding(
            .reportLost, filePath: file,
            message:
                "The code wrote into a descriptor that is not its own, \(words), so the outcome is unknown.",
            remedy: "Write only to descriptors that the plug-in opened, and to standard output and error.")
    }

    private var tooLarge: PluginFinding {
        PluginFinding(
            .reportLost, filePath: file,
            message: "The report of what the code registered would take more than \(ReportReader.largest >> 20) MiB.",
            remedy: "Register less, or shorter names.")
    }

    // MARK: What it did besides

    private var misuse: PluginFinding? {
        guard run.reader.strayCount > 0, let place = run.reader.strayPlace else { return nil }
        return PluginFinding(
            .descriptorMisused, filePath: file,
            message: """
                The code wrote \(FindingReport.count(run.reader.strayCount, "byte") ?? "nothing") into a descriptor that is not its own, \
                \(place.words(for: bundle.bundlePath)).
                """,
            remedy: "Write only to descriptors that the plug-in opened, and to standard output and error.")
    }

    private var flood: PluginFinding? {
        guard run.outputCount > ChildRun.shownOutput else { return nil }
        return PluginFinding(
            .warning, .outputFlooded, filePath: file,
            message: """
                The code wrote \(run.outputCount) bytes to standard output and error; the first \
                \(ChildRun.shownOutput) are shown.
                """,
            remedy: "Log less, through the host's log().")
    }

    private var leftovers: PluginFinding? {
        guard run.leftProcesses > 0 else { return nil }
        let noun = run.leftProcesses == 1 ? "1 process" : "\(run.leftProcesses) processes"
        return PluginFinding(
            .warning, .processesLeft, filePath: file,
            message: "The code left \(noun) running when its own process ended. The tool killed the rest.",
            remedy: "Wait for each process that the plug-in starts, or end it in deactivate.")
    }
}

import BundleReading
import HostBasics
import HostRecords
import PluginABI

/// Counts the ends that a plug-in caused, and decides where it runs after that.
enum Strikes {
    /// The least safe way in which a bundle may run.
    ///
    /// - Returns: ``PluginExecution/isolated`` for a plug-in that ended the application before and whose extension
    ///   points all have a remote interface; otherwise ``PluginExecution/inProcess``.
    ///
    /// **Cost.** Reads one number, unless a plug-in has strikes.
    static func demand(for bundle: PluginBundle) -> PluginExecution {
        guard PlacementDecider.strikes.isPresent else { return .inProcess }
        return CrashJournal.isStruck(bundle) ? .isolated : .inProcess
    }

    /// Counts the end of a worker that a plug-in's code caused, in the quarantine of the application.
    ///
    /// - Parameters:
    ///   - end: what ended the worker, and what was running.
    ///   - moment: the time of the end, in nanoseconds since 1970.
    ///   - plugin: the plug-in.
    ///   - deaths: how many ends put the plug-in into quarantine.
    ///   - time: the period in which these ends count.
    /// - Returns: why the plug-in must not be used any more; nil if it may be used, or if no application is known.
    ///
    /// **Cost.** At the first end, reads the code files of the plug-in and its libraries, so no caller should wait for
    /// it.
    static func note(
        _ end: WorkerEnd, at moment: Int64 = FileIdentity.now, of plugin: PluginInfo, deaths: Int,
        within time: Duration
    ) -> PluginFinding? {
        guard let quarantine = Quarantine.current, quarantine.counts, let files = codeFiles(of: plugin) else {
            return nil
        }
        let death = death(end, at: moment)
        defer { if quarantine.isSaved { StrikeNotes.settle(moment) } }
        let evidence = Quarantine.Entry(plugin.identifier, bundlePath: plugin.originalPath, files: files)
        guard quarantine.note(death, of: evidence, QuarantineList.Limit(deaths: deaths, within: time)) else {
            return nil
        }
        return quarantine.finding(about: plugin)
    }
}

extension Strikes {
    /// Writes down an end that ``note(_:at:of:deaths:within:)`` counts later, in case the application ends first.
    ///
    /// **Cost.** One system call; for the first end in the process, some more.
    static func keep(
        _ end: WorkerEnd, at moment: Int64, of plugin: PluginInfo, deaths: Int, within time: Duration
    ) {
        guard let quarantine = Quarantine.current, quarantine.counts, let place = quarantine.strikesPath else { return }
        StrikeNotes.keep(
            death(end, at: moment), of: plugin, QuarantineList.Limit(deaths: deaths, within: time), in: place)
    }

    private static func codeFiles(of plugin: PluginInfo) -> [CodeFile]? {
        try? PluginBundle.open(path: plugin.path).codeFiles()
    }

    private static func death(_ end: WorkerEnd, at moment: Int64) -> Quarantine.Death {
        let (phase, method) = end.phase.noted
        return Quarantine.Death(
            time: moment, end: end.cause.noun, phase: phase, method: method, isCertain: true, isOfWorker: true)
    }
}

extension WorkerEnd.Cause {
    /// As in “the signal SIGSEGV”.
    fileprivate var noun: String {
        switch self {
        case .signal(let number): "the signal \(SignalName(number).text)"
        case .exit(let status): "an exit with status \(status)"
        case .timeOut(let time): "no answer within \(time)"
        case .limit(let limit): "the limit “\(limit)”"
        case .violation(let text): "a violation of the protocol (\(text))"
        case .host, .unknown: "an end without a known reason"
        }
    }
}

extension WorkerEnd.Phase {
    /// The phase and the method of a ``Quarantine/Death``.
    fileprivate var noted: (phase: String, method: String?) {
        switch self {
        case .open: (LoadStep.opening.rawValue, nil)
        case .enter: (LoadStep.entry.rawValue, nil)
        case .activate: (LoadStep.activation.rawValue, nil)
        case .make(let provider): ("make", provider)
        case .call("", let function): ("call", function)
        case .call(let provider, let method): ("call", "\(method) of \(provider)")
        case .start, .idle: ("code", nil)
        case .deactivate: ("deactivation", nil)
        }
    }
}

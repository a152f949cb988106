package import BundleReading
internal import CSandbox
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

// What the monitor reads from a worker, and what it reports to it. [the monitor's thread]
extension PluginWorker {
    // MARK: Times

    /// When the next answer is due.
    var nextDeadline: UInt64? {
        values.withLock { values in
            guard values.life.mayContinue else { return nil }
            return values.questions.pending.values.map(\.due).reduce(values.life.stopping?.deadline ?? .max, min)
        }
    }

    /// Why the worker has to end now, if a time limit is over.
    func overdue(at now: UInt64) -> WorkerEnd.Cause? {
        values.withLock { values in
            guard values.life.mayContinue else { return nil }
            if let late = values.questions.pending.values.first(where: { $0.due <= now }) { return .timeOut(late.time) }
            return values.life.stopping?.deadline.map { $0 <= now } == true ? .host : nil
        }
    }

    /// Stops the time limits while a debugger is attached or the process waits for one. [any thread]
    ///
    /// - Parameter isTraced: whether one is attached now; then it counts as attached since the last look.
    func lookForDebugger(isTraced: Bool) {
        let now = MonotonicTime.now
        values.withLock { values in
            let time = now - min(now, values.usage.lastDebuggerLook)
            values.usage.lastDebuggerLook = max(now, values.usage.lastDebuggerLook)
            guard isTraced || (start.waitsForDebugger && !values.life.isAccepted) else { return }
            for question in values.questions.pending.keys {
                values.questions.pending[question]!.due = MonotonicTime.time(
                    values.questions.pending[question]!.due, plus: time)
            }
            if values.life.stopping != nil {
                values.life.stop { $0.deadline = $0.deadline.map { MonotonicTime.time($0, plus: time) } }
            }
            link.debuggedTime.add(time, ordering: .relaxed)
        }
    }

    func lookForDebugger() {
        lookForDebugger(isTraced: ProcessLook(process: processIdentifier)?.isTraced == true)
    }

    // MARK: Calls without an answer

    /// Notes whether a call has had no answer for long, and reports the change.
    ///
    /// - Parameter start: when the oldest call under way began; nil if there is none.
    func noteOldestCall(_ start: ContinuousClock.Instant?) {
        let isUnresponsive = start.map { $0.duration(to: .now) >= Self.patience } ?? false
        let isChange = values.withLock { values in
            defer { values.usage.unresponsiveSince = isUnresponsive ? start : nil }
            return (values.usage.unresponsiveSince != nil) != isUnresponsive
        }
        if isChange { report(isUnresponsive ? .unresponsive : .responsive) }
    }

    /// After this time without an answer, a worker counts as unresponsive.
    static let patience = Duration.seconds(5)

    // MARK: Limits

    var limitsProcessorTime: Bool { start.placement.limits.processorSeconds != nil }

    /// The limit that the process exceeds, if any.
    func limitExceeded(by look: ProcessLook?) -> WorkerEnd.Limit? {
        guard let look else { return nil }
        if let most = limits.threads, look.threads > most { return .threads }
        return look.memory > mostMemory ? .memory : nil
    }

    private var limits: WorkerLimits { start.placement.limits }

    var mostMemory: Int { start.mostMemory }

    /// Whether the worker may start processes, whose use is counted as the worker's.
    var mayHaveProcesses: Bool { start.hasOwnProcesses }

    /// What is measured on another thread, because it can take long.
    enum Measurement: Hashable, Sendable {
        /// The size of the plug-in's own directory.
        case state
        /// The memory and the threads of the processes that it started.
        case processes
    }

    /// Ends the worker if its own directory, or the processes that it started, exceed a limit.
    ///
    /// It measures on another thread.
    func measure(_ measurement: Measurement) {
        switch measurement {
        case .state: if start.stateDirectory == nil { return }
        case .processes: if !mayHaveProcesses { return }
        }
        let isFirst = values.withLock { $0.usage.measurements.insert(measurement).inserted }
        // The previous measurement may not have ended.
        guard isFirst else { return }
        WorkerReports.clean { [self] in
            if let limit = excess(in: measurement) { kill(.limit(limit)) }
            values.withLock { _ = $0.usage.measurements.remove(measurement) }
        }
    }

    private func excess(in measurement: Measurement) -> WorkerEnd.Limit? {
        switch measurement {
        case .state:
            guard let directory = start.stateDirectory else { return nil }
            return DirectorySize.exceeds(WorkerLimits.bytes(limits.state), path: directory) ? .state : nil
        case .processes:
            guard let tree = ProcessTree(first: processIdentifier) else { return nil }
            if let most = limits.threads, tree.threads > most { return .threads }
            return tree.exceedsMemory(mostMemory) ? .memory : nil
        }
    }

    // MARK: The end

    /// Whether children may outlive the worker.
    ///
    /// A confined worker has no children, or the kernel ends them with it.
    var mayHaveChildren: Bool { !start.isSandboxed }

    /// The signal that certainly ends the process, as its handler has reported.
    ///
    /// The kernel may still be busy ending it.
    var deadlySignal: Int32? { values.withLock { $0.blame.crash.flatMap { $0.isDeadly ? $0.signal : nil } } }

    /// Notes that the process has ended, or that a signal is ending it.
    ///
    /// Every waiting caller gets an error.
    ///
    /// - Parameters:
    ///   - status: how it ended.
    ///   - hasRunOutOfMemory: whether the kernel ended a process of its control group, which had reached its limit.
    ///   - processorTime: the processor time that it used; nil if that is not limited.
    ///   - output: the last of what it printed.
    func end(_ status: phs_worker_end, hasRunOutOfMemory: Bool, processorTime: Duration?, output: String) {
        let calls = lanes.calls
        let (replies, end, performed, culprits) = values.withLock { values in
            let performed = values.life.kill?.calls ?? calls.filter(\.isInPlugin)
            let cause = cause(status, hasRunOutOfMemory, processorTime, values)
            let end = WorkerEnd(
                cause: cause, phase: values.phase(performed.first ?? calls.first), output: output,
                backtrace: values.blame.crash.map { cause == .signal($0.signal) ? $0.frames : [] } ?? [])
            let origin = WorkerEnd.Origin(
                cause, values.blame.crash, isCallersDecision: values.life.kill?.isCallersDecision ?? false)
            values.life = .ended(
                WorkerLife.Ended(
                    acceptance: values.life.acceptance, refusal: values.life.refusal, end: end, origin: origin,
                    performedCalls: performed.count))
            let culprits = origin == .elsewhere ? [] : values.residents.culprits(performed)
            values.blame.blamed = Set(culprits.map(\.path))
            // A caller whose call took too long may already know.
            values.blame.unawareCallers += performed.count(where: \.isOfMethod)
            defer { values.questions.pending = [:] }
            return (values.questions.pending.values.map(\.reply), end, performed, culprits)
        }
        let wasReady = Self.table.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) } != nil
        // Before the callers know, because they may use the plug-in again at once.
        let consequences = culprits.map { WorkerSupervisor.shared.note(end, of: $0, in: self) }
        isCounted.give(())
        if values.withLock(\.blame.unawareCallers) == 0 { callersKnow.give(()) }
        lanes.end(in: performed)
        for reply in replies { reply.give(.ended(end)) }
        if wasReady { report(.ended(end)) }
        for consequence in consequences { consequence() }
        log.end(of: start.bundleIdentifier)
    }

    /// Notes that a caller knows that the process ended while it performed the caller's call.
    ///
    /// - Parameters:
    ///   - plugin: whose code was called.
    ///   - isPoison: whether the same call had ended a process before; then both ends count as one.
    package func callerKnows(_ plugin: PluginInfo, isPoison: Bool) {
        let path = plugin.path
        if isPoison { WorkerSupervisor.shared.forgive(self, path) }
        let isLast = values.withLock { values in
            if isPoison { values.blame.forgiven.insert(path) }
            values.blame.unawareCallers -= 1
            return values.blame.unawareCallers == 0 && values.life.ended != nil
        }
        if isLast { callersKnow.give(()) }
    }

    /// Waits until every worker that is being killed for what a bundle did has ended and is counted.
    ///
    /// Its callers have their errors before that.
    static func waitForCounts(of bundlePath: String) {
        let workers = all.filter { worker in worker.values.withLock { $0.isBeingKilled(for: bundlePath) } }
        for worker in workers { _ = worker.isCounted.wait(within: longestKill) }
    }

    /// The kernel may take longer to end a process, but a caller who wants an object should not wait so long.
    private static let longestKill = Duration.seconds(3)

    /// Whether the plug-in did nothing to end the worker: a user or the kernel killed it, or this process could no
    /// longer use it.
    ///
    /// False after a time-out: only the caller knows who set the time, and why.
    package var endedWithoutReason: Bool {
        values.withLock { values in
            if case .timeOut = values.life.ended?.end.cause { return false }
            return values.life.ended?.origin == .elsewhere
        }
    }

    /// When the worker ended, for the list of the plug-in's ends.
    ///
    /// Each call returns the same time.
    var momentOfEnd: Int64 {
        let now = FileIdentity.now
        return values.withLock { values in
            values.blame.moment = values.blame.moment ?? now
            return values.blame.moment!
        }
    }

    /// Writes down once that the end counts against a bundle, before a caller knows of the end: the application may end
    /// at once.
    func keepStrike(against plugin: PluginInfo) {
        let path = plugin.path
        let end = values.withLock { values -> WorkerEnd? in
            guard !values.blame.forgiven.contains(path) else { return nil }
            if let end = values.life.ended?.end {
                return values.blame.blamed.contains(path) && values.blame.noted.insert(path).inserted ? end : nil
            }
            // The worker is being killed, and its caller does not wait for that.
            guard let kill = values.life.kill,
                WorkerEnd.Origin(kill.cause, nil, isCallersDecision: kill.isCallersDecision) != .elsewhere,
                values.residents.culprits(kill.calls).contains(where: { $0.path == path }),
                values.blame.noted.insert(path).inserted
            else { return nil }
            return WorkerEnd(cause: kill.cause, phase: values.phase(kill.calls.first))
        }
        guard let end else { return }
        let settings = start.placement.settings
        start.host.counter.keep(
            end, at: momentOfEnd, of: plugin, deaths: settings.deaths, within: settings.deathsWithin)
    }

    /// Whether the end does not count against a bundle.
    ///
    /// Waits until the worker's callers know of the end.
    func isForgiven(_ bundlePath: String) -> Bool {
        // Wait a limited time: a caller that got its answer at the moment of the end never learns of the end.
        _ = callersKnow.wait(within: .seconds(1))
        return values.withLock { $0.blame.forgiven.contains(bundlePath) }
    }

    private func cause(
        _ status: phs_worker_end, _ hasRunOutOfMemory: Bool, _ time: Duration?, _ values: Values
    ) -> WorkerEnd.Cause {
        if let cause = values.life.kill?.cause { return cause }
        let isKilled = status.state == PHS_WORKER_KILLED && status.number == SIGKILL
        if hasRunOutOfMemory, isKilled || status.state == PHS_WORKER_REAPED { return .limit(.memory) }
        if values.life.stopping?.deadline != nil { return .host }
        switch status.state {
        case PHS_WORKER_EXITED:
            let signal = status.number - CInt(PHS_EXIT_OF_SIGNAL)
            return start.hasOwnProcesses && signal > 0 ? .signal(signal) : .exit(status.number)
        case PHS_WORKER_KILLED:
            // With these signals the kernel ends a process that exceeds its processor time. The kernel counts that time
            // in two ways: on a virtual machine with busy processors, the time it reported was a quarter less than the
            // time it limited.
            if [SIGKILL, SIGXCPU].contains(status.number), let time, let most = start.placement.limits.processorSeconds,
                time >= .seconds(most) / 2
            {
                return .limit(.processorSeconds)
            }
            return .signal(status.number)
        default: return .unknown
        }
    }

    /// Notes that the process and everything that it left behind is gone.
    func isCleaned() {
        let waits = values.withLock { values in
            values.process = nil
            defer { values.stopWaits = [] }
            return values.stopWaits
        }
        if waits.isEmpty { return }
        WorkerReports.deliver { for wait in waits { wait.value.resume() } }
    }
}

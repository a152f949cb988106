import BundleReading
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
            guard values.cause == nil else { return nil }
            return values.questions.values.map(\.due).reduce(values.stopsBy ?? .max, min)
        }
    }

    /// Why the worker has to end now, if a time limit is over.
    func overdue(at now: UInt64) -> WorkerEnd.Cause? {
        values.withLock { values in
            guard values.cause == nil else { return nil }
            if let late = values.questions.values.first(where: { $0.due <= now }) { return .timeOut(late.time) }
            return values.stopsBy.map { $0 <= now } == true ? .host : nil
        }
    }

    /// Stops the time limits while a debugger is attached or the process waits for one. [any thread]
    ///
    /// - Parameter isTraced: whether one is attached now; then it counts as attached since the last look.
    func lookForDebugger(isTraced: Bool) {
        let now = MonotonicTime.now
        values.withLock { values in
            let time = now - min(now, values.lastDebuggerLook)
            values.lastDebuggerLook = max(now, values.lastDebuggerLook)
            guard isTraced || (start.waitsForDebugger && !values.isReady) else { return }
            for question in values.questions.keys {
                values.questions[question]!.due = MonotonicTime.time(values.questions[question]!.due, plus: time)
            }
            values.stopsBy = values.stopsBy.map { MonotonicTime.time($0, plus: time) }
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
            defer { values.unresponsiveSince = isUnresponsive ? start : nil }
            return (values.unresponsiveSince != nil) != isUnresponsive
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
        let isFirst = values.withLock { $0.measurements.insert(measurement).inserted }
        // The previous measurement may not have ended.
        guard isFirst else { return }
        WorkerReports.clean { [self] in
            if let limit = excess(in: measurement) { kill(.limit(limit)) }
            values.withLock { _ = $0.measurements.remove(measurement) }
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
    var deadlySignal: Int32? { values.withLock { $0.crash.flatMap { $0.isDeadly ? $0.signal : nil } } }

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
            let performed = values.lastCalls ?? calls.filter(\.isInPlugin)
            let cause = cause(status, hasRunOutOfMemory, processorTime, values)
            let end = WorkerEnd(
                cause: cause, phase: values.phase(performed.first ?? calls.first), output: output,
                backtrace: values.crash.map { cause == .signal($0.signal) ? $0.frames : [] } ?? [])
            values.end = end
            let origin = WorkerEnd.Origin(cause, values.crash, isCallersDecision: values.isCallersDecision)
            values.origin = origin
            values.performedCalls = performed.count
            let culprits = origin == .elsewhere ? [] : values.culprits(performed)
            values.blamed = Set(culprits.map(\.plugin.path))
            // A caller whose call took too long may already know.
            values.unawareCallers += performed.count(where: \.isOfMethod)
            defer { values.questions = [:] }
            return (values.questions.values.map(\.reply), end, performed, culprits)
        }
        let wasReady = Self.table.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) } != nil
        // Before the callers know, because they may use the plug-in again at once.
        let consequences = culprits.map { WorkerSupervisor.shared.note(end, of: $0.plugin, in: self) }
        isCounted.give(())
        if values.withLock(\.unawareCallers) == 0 { callersKnow.give(()) }
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
            if isPoison { values.forgiven.insert(path) }
            values.unawareCallers -= 1
            return values.unawareCallers == 0 && values.end != nil
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
            if case .timeOut = values.end?.cause { return false }
            return values.origin == .elsewhere
        }
    }

    /// When the worker ended, for the list of the plug-in's ends.
    ///
    /// Each call returns the same time.
    var momentOfEnd: Int64 {
        let now = FileIdentity.now
        return values.withLock { values in
            values.momentOfEnd = values.momentOfEnd ?? now
            return values.momentOfEnd!
        }
    }

    /// Writes down once that the end counts against a bundle, before a caller knows of the end: the application may end
    /// at once.
    func keepStrike(against plugin: PluginInfo) {
        let path = plugin.path
        let end = values.withLock { values -> WorkerEnd? in
            guard !values.forgiven.contains(path) else { return nil }
            if let end = values.end {
                return values.blamed.contains(path) && values.noted.insert(path).inserted ? end : nil
            }
            // The worker is being killed, and its caller does not wait for that.
            guard let cause = values.cause, let calls = values.lastCalls,
                WorkerEnd.Origin(cause, nil, isCallersDecision: values.isCallersDecision) != .elsewhere,
                values.culprits(calls).contains(where: { $0.plugin.path == path }), values.noted.insert(path).inserted
            else { return nil }
            return WorkerEnd(cause: cause, phase: values.phase(calls.first))
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
        return values.withLock { $0.forgiven.contains(bundlePath) }
    }

    private func cause(
        _ status: phs_worker_end, _ hasRunOutOfMemory: Bool, _ time: Duration?, _ values: Values
    ) -> WorkerEnd.Cause {
        if let cause = values.cause { return cause }
        let isKilled = status.state == PHS_WORKER_KILLED && status.number == SIGKILL
        if hasRunOutOfMemory, isKilled || status.state == PHS_WORKER_REAPED { return .limit(.memory) }
        if values.stopsBy != nil { return .host }
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
            values.isCleaned = true
            values.process = nil
            defer { values.stopWaits = [] }
            return values.stopWaits
        }
        if waits.isEmpty { return }
        WorkerReports.deliver { for wait in waits { wait.value.resume() } }
    }
}

extension PluginWorker.Values {
    /// Whether the worker is being killed because of what a bundle did, and has not ended.
    fileprivate func isBeingKilled(for bundlePath: String) -> Bool {
        guard end == nil, let cause, let lastCalls, cause != .host, !isCallersDecision else { return false }
        return culprits(lastCalls).contains { $0.plugin.path == bundlePath }
    }

    /// The bundles whose code ended the process.
    ///
    /// - Parameter calls: the calls that the process was performing.
    /// - Returns: none if several are loaded and none of them was loading, unloading or called.
    func culprits(_ calls: [LaneCall]) -> [PluginWorker.Resident] {
        let called = Set(calls.map(\.bundle))
        let active = residents.filter { $0.value.step != nil || $0.value.isUnloading || called.contains($0.key) }
        let old = former.filter { called.contains($0.key) }
        if !active.isEmpty || !old.isEmpty { return Array(active.values) + Array(old.values) }
        // A single bundle is to blame even if no call was under way, because its threads keep running.
        return residents.count == 1 ? Array(residents.values) : []
    }

    /// What the worker runs now.
    ///
    /// - Parameter call: the call under way, if there is one.
    /// - Returns: the step of a load or an unload, the call, or `idle`.
    func phase(_ call: LaneCall?) -> WorkerEnd.Phase {
        guard isReady else { return .start }
        for resident in residents.values {
            if resident.isUnloading { return .deactivate }
            switch resident.step {
            case .opening: return .open
            case .entry: return .enter
            case .activation: return .activate
            case .end, nil: break
            }
        }
        guard let call else { return .idle }
        guard let provider = providers[call.provider] else {
            let function = functions.values.first { $0.bundle == call.bundle } ?? functions.values.first
            return function.map { .call(provider: "", method: $0.name) } ?? .idle
        }
        if !call.isOfMethod { return .make(provider.name) }
        let methods = provider.methods ?? []
        return .call(
            provider: provider.name, method: call.method < methods.count ? methods[Int(call.method)] : "\(call.method)")
    }
}

internal import CPluginSupport.Shims
internal import CSandbox
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// A process that runs plug-ins for this application.
///
/// The library starts workers when they are needed and ends them when they are not; ``all`` and ``events`` show them.
///
/// **Threads.** Every member may be used on any thread. **Lifetime.** The process ends at the latest with the
/// application, however that ends. The object may be kept longer.
public final class PluginWorker: Sendable {
    /// What a worker does.
    public enum State: Sendable, Hashable {
        /// Its process runs and is not ready yet.
        case starting
        /// No call is under way.
        case idle
        /// So many calls are under way.
        case busy(calls: Int)
        /// A call has had no answer for five seconds or more.
        case unresponsive(since: ContinuousClock.Instant)
        /// It was asked to end.
        case stopping
        /// It has ended.
        case ended(WorkerEnd)
    }

    /// A bundle that was loaded in the worker, or is being loaded.
    struct Resident {
        let path: String
        let identifier: String
        let bundle: WeakReference<PluginBundle>
        /// The step under way.
        var step: LoadStep?
        /// How many the worker has reported.
        var stepCount = 0
        var isUnloading = false
    }

    struct Values {
        /// Whether it has said which library it has.
        var isKnown = false
        /// Whether it was taken into use.
        var isReady = false
        /// Why it was not taken into use, although it runs.
        var refusal: [PluginFinding] = []
        /// The first reason to end it.
        var cause: WorkerEnd.Cause?
        /// Whether it is ended because a caller no longer waits, and not because of what the plug-in did.
        var isCallersDecision = false
        /// The calls that it performed then.
        var lastCalls: [LaneCall]?
        var end: WorkerEnd?
        /// Whose doing the end is.
        var origin: WorkerEnd.Origin?
        /// When it ended: nanoseconds since 1970; nil if nobody has asked.
        var momentOfEnd: Int64?
        /// The paths of the bundles whose strike was written down.
        var noted: Set<String> = []
        /// How many calls it performed at its end.
        var performedCalls = 0
        /// What its signal handler reported.
        var crash: WorkerCrash?
        /// What the signals are sent through; nil when nothing of the process is left.
        var process: RemoteDescriptor?
        var questions: [WorkerAnswer.Question: WorkerAnswer.Pending] = [:]
        var residents: [UInt32: Resident] = [:]
        var lastResident: UInt32 = 0
        var lastCall: UInt32 = 0
        /// The C functions under way, in any order, with the numbers of their bundles.
        var functions: [UInt32: (bundle: UInt32, name: String)] = [:]
        /// Those that are unloaded; objects of them may live on.
        var former: [UInt32: Resident] = [:]
        /// What was registered, by the numbers with which it is called.
        var providers: [UInt32: LoadedReport.ReportedProvider] = [:]
        var confinement = Confinement()
        /// Until when it may end by itself, after it was asked to.
        var stopsBy: UInt64?
        /// Whether it knows that it is to end.
        var isDismissed = false
        /// When somebody last looked for a debugger.
        var lastDebuggerLook = MonotonicTime.now
        var stopWaits: [Deferred<CheckedContinuation<Void, Never>>] = []
        var isCleaned = false
        /// What is being measured on another thread.
        var measurements: Set<Measurement> = []
        /// When the call began that has had no answer for long.
        var unresponsiveSince: ContinuousClock.Instant?
        /// How many objects and calls keep it from being ended for lack of use.
        var holds = 0
        /// Since when nobody has used it; nil while somebody does.
        var unusedSince: UInt64?
        /// The paths of the bundles against which the end was counted.
        var blamed: Set<String> = []
        /// Those of them whose call had ended a worker before.
        var forgiven: Set<String> = []
        /// How many callers do not know yet that it ended while it performed their calls.
        var unawareCallers = 0
    }

    /// The number of the process, to show it; a later process can get the same number.
    public let processIdentifier: Int32
    let start: WorkerStart
    let sender: ControlSender
    let lanes: HostLanes
    let link: WorkerLink
    /// What its plug-ins log.
    let log: WorkerLog
    /// The objects of this process that the worker may use.
    let services = WorkerServices()
    let monitor: WorkerMonitor
    let values: Lock<Values>
    /// Given when it has ended and the callers whose calls it performed know it.
    let callersKnow = Reply<Void>()
    /// Given when its end is known and counted.
    let isCounted = Reply<Void>()
    private let forkGeneration = phs_fork_generation()

    init(
        _ start: WorkerStart, _ process: phs_worker, sender: ControlSender, window: LaneWindow, monitor: WorkerMonitor
    ) {
        self.start = start
        self.sender = sender
        let link = WorkerLink()
        self.link = link
        lanes = HostLanes(
            window: window, owner: link, server: services.server,
            times: HostLanes.Times(call: start.placement.callTime, cancel: start.placement.cancelTime))
        self.monitor = monitor
        log = WorkerLog(mostPerSecond: WorkerLimits.bytes(max(1, start.placement.limits.output)))
        processIdentifier = process.process
        values = Lock(Values(process: RemoteDescriptor(adopting: process.descriptor)))
        link.worker = self
    }

    /// What it does now.
    public var state: State {
        values.withLock { values in
            if let end = values.end { return .ended(end) }
            if values.stopsBy != nil || values.cause != nil { return .stopping }
            if !values.isReady { return .starting }
            if let since = values.unresponsiveSince { return .unresponsive(since: since) }
            let calls = lanes.calls.count
            return calls == 0 ? .idle : .busy(calls: calls)
        }
    }

    /// The bundles that are loaded in it, or being loaded.
    public var bundles: [PluginBundle] {
        let references = values.withLock { values in
            values.residents.sorted { $0.key < $1.key }.map(\.value.bundle)
        }
        return references.compactMap(\.object)
    }

    /// What keeps it from the rest of the machine.
    public var confinement: Confinement { values.withLock(\.confinement) }

    /// Why it ended; nil while it runs.
    var end: WorkerEnd? { values.withLock(\.end) }

    /// Whether this process is a fork of the one that started the worker.
    var isForked: Bool { forkGeneration != phs_fork_generation() }

    // MARK: All workers

    static let table = Lock<[ObjectIdentifier: PluginWorker]>([:])
    static let listeners = EventListeners<WorkerEvent>()

    /// The workers whose processes run.
    public static var all: [PluginWorker] {
        table.withLock { $0.values.map(\.self) }.filter { !$0.isForked }
            .sorted { $0.processIdentifier < $1.processIdentifier }
    }

    /// What happens to workers from now on.
    ///
    /// Each use returns a stream of its own. A stream that nobody reads keeps the newest 1,024 events.
    public static var events: AsyncStream<WorkerEvent> { listeners.stream() }

    func report(_ kind: WorkerEvent.Kind) {
        Self.listeners.put(WorkerEvent(kind: kind, worker: self))
        WorkerReports.deliver { Self.listeners.deliver() }
    }

    // MARK: Ending

    /// Ends the process, after the calls under way and the plug-ins' deactivation.
    ///
    /// No object is created any more. Calls of existing objects that begin before the last one has ended are waited for,
    /// too.
    ///
    /// Returns when the process has ended.
    ///
    /// - Parameter time: how long that may take; then the process is killed.
    public func stop(within time: Duration) async {
        guard !isForked else { return }
        await withCheckedContinuation { continuation in
            let waits = values.withLock { values in
                if values.isCleaned { return false }
                values.stopWaits.append(Deferred(continuation))
                return true
            }
            guard waits else { return continuation.resume() }
            stop(by: time)
        }
    }

    /// Asks the process to end, and returns at once. [any thread]
    ///
    /// - Parameter time: how long that may take; then the process is killed.
    func stop(by time: Duration) {
        guard !isForked else { return }
        values.withLock { values in
            let due = MonotonicTime.after(time)
            values.stopsBy = min(values.stopsBy ?? due, due)
        }
        lanes.reportsEnds.store(true, ordering: .sequentiallyConsistent)
        dismissIfIdle()
        monitor.wake()
    }

    /// Lets the process end if it was asked to and no call is under way; the end of the last call asks again.
    func dismissIfIdle() {
        let isDue = values.withLock { $0.stopsBy != nil && !$0.isDismissed }
        guard isDue, lanes.calls.isEmpty else { return }
        let isFirst = values.withLock { values in
            defer { values.isDismissed = true }
            return !values.isDismissed
        }
        // A message that is too large cannot be the reason of a failure: this one has no values.
        if isFirst { _ = try? sender.send(.bye) }
    }

    /// Kills the process, and those of its group.
    ///
    /// - Parameters:
    ///   - cause: counts if the worker has not ended and no other cause came first.
    ///   - call: the call that is the reason, if one is.
    ///   - isCallersDecision: whether the caller of the call no longer wants it, and the plug-in did not react.
    func kill(_ cause: WorkerEnd.Cause, during call: LaneCall? = nil, isCallersDecision: Bool = false) {
        guard !isForked else { return }
        values.withLock { values in
            guard values.end == nil, let process = values.process else { return }
            if values.cause == nil {
                values.cause = cause
                values.isCallersDecision = isCallersDecision
                // Their callers may have their errors before the process has ended.
                values.lastCalls = call.map { [$0] } ?? lanes.calls.filter(\.isInPlugin)
            }
            phs_worker_signal(process.descriptor, SIGKILL, true)
        }
    }
}

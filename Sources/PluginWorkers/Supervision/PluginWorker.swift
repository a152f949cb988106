import BundleReading
internal import CPluginSupport.Shims
internal import CSandbox
import Glibc
public import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// A process that runs plug-ins for this application.
///
/// The library starts workers when they are needed and ends them when they are not; ``all`` and ``events`` show them.
///
/// **Threads.** Every member may be used on any thread. **Lifetime.** The process ends with the application at the
/// latest, however the application ends. The object may be kept longer.
public final class PluginWorker: Sendable {
    /// What a worker does.
    public enum State: Sendable, Hashable {
        /// Its process runs and is not ready yet.
        case starting
        /// No call is under way.
        case idle
        /// This many calls are under way.
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
        let plugin: PluginInfo
        /// The step under way.
        var step: LoadStep?
        /// How many steps the worker has reported.
        var stepCount = 0
        var isUnloading = false
    }

    struct Values {
        /// Whether the worker has reported which library it has.
        var isKnown = false
        /// Whether the worker was accepted for use.
        var isReady = false
        /// Why the worker was not accepted, although it runs.
        var refusal: [PluginFinding] = []
        /// The first reason to end it.
        var cause: WorkerEnd.Cause?
        /// Whether the reason is that a caller no longer waits, and not what the plug-in did.
        var isCallersDecision = false
        /// The calls that the worker was performing at that time.
        var lastCalls: [LaneCall]?
        var end: WorkerEnd?
        /// Who caused the end.
        var origin: WorkerEnd.Origin?
        /// When it ended: nanoseconds since 1970; nil until it is first needed.
        var momentOfEnd: Int64?
        /// The paths of the bundles whose strike was written down.
        var noted: Set<String> = []
        /// How many calls the worker was performing at its end.
        var performedCalls = 0
        /// What its signal handler reported.
        var crash: WorkerCrash?
        /// The descriptor through which signals are sent; nil when nothing of the process is left.
        var process: RemoteDescriptor?
        var questions: [WorkerAnswer.Question: WorkerAnswer.Pending] = [:]
        var residents: [UInt32: Resident] = [:]
        var lastResident: UInt32 = 0
        var lastCall: UInt32 = 0
        /// The C functions under way, in any order, with the numbers of their bundles.
        var functions: [UInt32: (bundle: UInt32, name: String)] = [:]
        /// The bundles that were unloaded; their objects may still exist.
        var former: [UInt32: Resident] = [:]
        /// The registered providers, by the numbers with which they are called.
        var providers: [UInt32: LoadedReport.ReportedProvider] = [:]
        var confinement = Confinement()
        /// Until when the worker may end by itself, after it was asked to.
        var stopsBy: UInt64?
        /// Whether the message that ends the worker was sent.
        var isDismissed = false
        /// When the host last looked for a debugger.
        var lastDebuggerLook = MonotonicTime.now
        var stopWaits: [Deferred<CheckedContinuation<Void, Never>>] = []
        var isCleaned = false
        /// The measurements under way on another thread.
        var measurements: Set<Measurement> = []
        /// When the call began that has had no answer for too long.
        var unresponsiveSince: ContinuousClock.Instant?
        /// How many objects and calls keep the worker from being ended as unused.
        var holds = 0
        /// Since when the worker is unused; nil while it is in use.
        var unusedSince: UInt64?
        /// The paths of the bundles against which the end was counted.
        var blamed: Set<String> = []
        /// The paths of the bundles whose call had ended a worker before.
        var forgiven: Set<String> = []
        /// How many callers do not know yet that the worker ended while it performed their calls.
        var unawareCallers = 0
    }

    /// The number of the process, for display only: a later process can get the same number.
    public let processIdentifier: Int32
    let start: WorkerStart
    let sender: ControlSender
    let lanes: HostLanes
    let link: WorkerLink
    /// The log of its plug-ins.
    let log: WorkerLog
    /// The objects of this process that the worker may use.
    package let services = WorkerServices()
    let monitor: WorkerMonitor
    let values: Lock<Values>
    /// Completed once the worker has ended and every interrupted caller has its error.
    let callersKnow = Reply<Void>()
    /// Completed once its end is known and counted.
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
            times: HostLanes.Times(call: start.placement.settings.callTime, cancel: start.placement.settings.cancelTime)
        )
        self.monitor = monitor
        log = WorkerLog(
            mostPerSecond: WorkerLimits.bytes(max(1, start.placement.limits.output)), to: start.host.log)
        processIdentifier = process.process
        values = Lock(Values(process: RemoteDescriptor(adopting: process.descriptor)))
        link.worker = self
    }

    /// What the worker does now.
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

    /// The plug-ins that are loaded in it, or being loaded.
    package var plugins: [PluginInfo] {
        values.withLock { values in values.residents.sorted { $0.key < $1.key }.map(\.value.plugin) }
    }

    /// What separates the worker from the rest of the machine.
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

    /// The events of all workers, from now on.
    ///
    /// Each use returns a new stream. A stream that is not read keeps the newest 1,024 events.
    public static var events: AsyncStream<WorkerEvent> { listeners.stream() }

    func report(_ kind: WorkerEvent.Kind) {
        Self.listeners.put(WorkerEvent(kind: kind, worker: self))
        WorkerReports.deliver { Self.listeners.deliver() }
    }

    // MARK: Ending

    /// Ends the process, after waiting for the calls under way and the plug-ins' deactivation.
    ///
    /// No new objects are created. The wait includes calls of existing objects that begin before the last call has
    /// ended.
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

    /// Lets the process end if it was asked to and no call is under way.
    ///
    /// Called again when the last call ends.
    func dismissIfIdle() {
        let isDue = values.withLock { $0.stopsBy != nil && !$0.isDismissed }
        guard isDue, lanes.calls.isEmpty else { return }
        let isFirst = values.withLock { values in
            defer { values.isDismissed = true }
            return !values.isDismissed
        }
        // Sending fails only for a message that is too large, and this one has no values.
        if isFirst { _ = try? sender.send(.bye) }
    }

    /// Kills the process, and those of its group.
    ///
    /// - Parameters:
    ///   - cause: the cause of the end, unless the worker has ended already or another cause came first.
    ///   - call: the call that is the reason, if one is.
    ///   - isCallersDecision: whether the caller no longer wants the call, and the plug-in did not react.
    package func kill(_ cause: WorkerEnd.Cause, during call: LaneCall? = nil, isCallersDecision: Bool = false) {
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

package import BundleReading
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
    /// Changed settings that the socket had no room for, by the number of the bundle.
    let unsentSettings = Lock<[UInt32: SettingsUpdate]>([:])
    /// The changes of settings that its plug-ins request.
    let stores = Lock(StoreQueue())
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
            switch values.life {
            case .starting: return .starting
            case .stopping: return .stopping
            case .ended(let ended): return .ended(ended.end)
            case .ready:
                if let since = values.usage.unresponsiveSince { return .unresponsive(since: since) }
                let calls = lanes.calls.count
                return calls == 0 ? .idle : .busy(calls: calls)
            }
        }
    }

    /// The plug-ins that are loaded in it, or being loaded.
    package var plugins: [PluginInfo] {
        values.withLock { values in values.residents.loaded.sorted { $0.key < $1.key }.map(\.value.plugin) }
    }

    /// What separates the worker from the rest of the machine.
    public var confinement: Confinement { values.withLock(\.life.confinement) ?? Confinement() }

    /// Why it ended; nil while it runs.
    var end: WorkerEnd? { values.withLock(\.life.ended?.end) }

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
            values.life.stop { $0.deadline = min($0.deadline ?? due, due) }
        }
        lanes.reportsEnds.store(true, ordering: .sequentiallyConsistent)
        dismissIfIdle()
        monitor.wake()
    }

    /// Lets the process end if it was asked to and no call is under way.
    ///
    /// Called again when the last call ends.
    func dismissIfIdle() {
        let isDue = values.withLock { $0.life.stopping.map { $0.deadline != nil && !$0.isDismissed } ?? false }
        guard isDue, lanes.calls.isEmpty else { return }
        let isFirst = values.withLock { values in
            guard let stopping = values.life.stopping, !stopping.isDismissed else { return false }
            values.life.stop { $0.isDismissed = true }
            return true
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
            guard values.life.ended == nil, let process = values.process else { return }
            if values.life.kill == nil {
                // Their callers may have their errors before the process has ended.
                let calls = call.map { [$0] } ?? lanes.calls.filter(\.isInPlugin)
                values.life.stop {
                    $0.kill = WorkerLife.Kill(cause: cause, isCallersDecision: isCallersDecision, calls: calls)
                }
            }
            phs_worker_signal(process.descriptor, SIGKILL, true)
        }
    }
}

import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// The owner of the host's lanes.
///
/// It passes everything on to the worker.
///
/// A separate object, because lanes exist before their worker does.
final class WorkerLink: LaneOwner {
    private let reference = Lock(WeakReference<PluginWorker>(nil))
    /// Whether a lane waits for descriptors.
    private let awaits = Atomic(false)
    /// How long a debugger has been attached to the worker, in nanoseconds.
    let debuggedTime = Atomic<UInt64>(0)

    var worker: PluginWorker? {
        get { reference.withLock { $0 }.object }
        set { reference.withLock { $0 = WeakReference(newValue) } }
    }

    func release(_ object: UInt32) { worker?.release(object) }

    func violated(_ failure: RemoteFailure, in call: LaneCall?) {
        worker?.kill(.violation(failure.message), during: call)
    }

    var timeOfDebuggers: UInt64 { debuggedTime.load(ordering: .relaxed) }

    func lookForDebugger() -> UInt64 {
        worker?.lookForDebugger()
        return timeOfDebuggers
    }

    func lastCallEnded() { worker?.monitor.wake() }

    func timedOut(_ call: LaneCall, _ time: CallTime) {
        switch time {
        case .ofCall(let time): worker?.kill(.timeOut(time), during: call)
        case .afterCancelling(let time): worker?.kill(.timeOut(time), during: call, isCallersDecision: true)
        }
    }

    func send(_ descriptors: [Int32], lane: Int, turn: UInt32) throws {
        guard let worker else { throw LaneFailure.ended }
        try worker.send(descriptors, lane: lane, turn: turn)
    }

    func awaitDescriptors() -> Bool {
        guard let worker else { return false }
        awaits.store(true, ordering: .releasing)
        worker.monitor.wake()
        return true
    }

    /// Whether a lane has begun to wait for descriptors since the last call. [the monitor's thread]
    func takeAwaits() -> Bool {
        awaits.load(ordering: .relaxed) && awaits.exchange(false, ordering: .acquiring)
    }
}

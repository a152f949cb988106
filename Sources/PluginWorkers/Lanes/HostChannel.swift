internal import CSandbox
import Glibc
@_spi(PluginHost) package import PluginABI
import Synchronization

/// The host's side of one lane.
///
/// It carries one call of the host, and limits its time.
final class HostChannel: LaneChannel, @unchecked Sendable {
    // @unchecked for the reason stated in LaneChannel; what other threads use is atomic.
    private let times: HostLanes.Times
    /// By when the call must have ended; 0 for no limit.
    private var deadline: UInt64 = 0
    /// The value of ``LaneOwner/timeOfDebuggers`` when the call began.
    private var debuggedBefore: UInt64 = 0
    /// How long the time of the call was stopped, because a debugger was attached.
    private var debugged: UInt64 = 0
    /// How many requests of the host have no answer yet.
    ///
    /// Each one is in a callback of the one before it.
    private var depth = 0
    /// The thread that checks whether the call was cancelled, which is the one that began the call.
    ///
    /// Nil if the call cannot be cancelled, or already was.
    private var looker: pthread_t?

    /// The number of the turn that began the call; 0 before that turn.
    private let firstTurn = Atomic<UInt32>(0)
    /// When the call was cancelled; 0 if it was not.
    private let cancelTime = Atomic<UInt64>(0)

    // For reports of other threads. The count is odd while a call is under way.
    private let count = Atomic<UInt32>(0)
    private let kind = Atomic<UInt32>(0)
    private let bundle = Atomic<UInt32>(0)
    private let provider = Atomic<UInt32>(0)
    private let object = Atomic<UInt32>(0)
    private let method = Atomic<UInt32>(0)
    /// The count of the call during which the worker ended; 0 for none.
    private let endingCall = Atomic<UInt32>(0)

    init(_ index: Int, of window: LaneWindow, owner: any LaneOwner, times: HostLanes.Times) {
        self.times = times
        super.init(index, of: window, owner: owner)
    }

    /// Begins a call, and starts its time.
    func begin() {
        note(bundle: 0, provider: 0)
        deadline = times.call.map(MonotonicTime.after) ?? 0
        if times.call != nil || times.cancel != nil { debuggedBefore = owner?.timeOfDebuggers ?? 0 }
        debugged = 0
        depth = 0
        looker = PluginCall.isCancellable ? pthread_self() : nil
        phs_lane_look_after(lane, looker == nil ? 0 : HostLanes.lookTime)
        firstTurn.store(0, ordering: .relaxed)
        cancelTime.store(0, ordering: .relaxed)
    }

    /// Notes the numbers of the bundle and the provider of the call that begins; 0 for none.
    func note(bundle: UInt32, provider: UInt32) {
        self.bundle.store(bundle, ordering: .relaxed)
        self.provider.store(provider, ordering: .relaxed)
    }

    /// Notes that the worker has ended while it performed a call. [any thread]
    func isEnding(_ call: LaneCall) { endingCall.store(call.number, ordering: .releasing) }

    /// Ends a call.
    ///
    /// - Returns: whether the lane can be used for another call.
    func end() -> Bool {
        firstTurn.store(0, ordering: .relaxed)
        if isUnderWay { count.add(1, ordering: .sequentiallyConsistent) }
        mail.empty()
        if depth != 0, !hasFailed { _ = violation("A call ended in the middle of its conversation.") }
        return !hasFailed
    }

    /// Whether a call is under way and its request was sent. [any thread]
    var isUnderWay: Bool { count.load(ordering: .sequentiallyConsistent) % 2 == 1 }

    // The worker passes descriptors on the control socket before its turn, and the monitor notices if they are missing.
    // This limit is for a worker that keeps the socket full.
    override var descriptorTime: Duration? { .seconds(5) }

    /// Whether there has been a call. [any thread]
    var isUsed: Bool { count.load(ordering: .relaxed) != 0 }

    override var call: LaneCall? {
        let number = count.load(ordering: .acquiring)
        let call = LaneCall(
            lane: index, number: number, isOfMethod: kind.load(ordering: .relaxed) == RemoteHead.Kind.call.rawValue,
            bundle: bundle.load(ordering: .relaxed), provider: provider.load(ordering: .relaxed),
            object: object.load(ordering: .relaxed),
            method: method.load(ordering: .relaxed),
            isInPlugin: phs_lane_phase(lane) == LanePhase.plugin.rawValue)
        atomicMemoryFence(ordering: .acquiring)
        return number % 2 == 1 && count.load(ordering: .relaxed) == number ? call : nil
    }

    // MARK: Requests

    override func willSend(_ head: RemoteHead) {
        guard depth == 0 else { return }
        kind.store(head.kind, ordering: .relaxed)
        object.store(head.object, ordering: .relaxed)
        method.store(head.method, ordering: .relaxed)
        count.add(1, ordering: .releasing)
        // Set before the worker has the call, because its code may ask at once whether it is cancelled.
        let number = phs_lane_next_number(lane)
        phs_lane_begin_call(lane, number)
        // Either this thread or the one that cancels sees what the other has stored.
        firstTurn.store(number, ordering: .sequentiallyConsistent)
        if PluginCall.isCancelled { noteCancelling() }
        if cancelTime.load(ordering: .sequentiallyConsistent) != 0 { phs_lane_cancel(lane, number) }
    }

    override func didSend(_ head: RemoteHead) {
        if head.isRequest { depth += 1 }
    }

    override func willRead(_ head: RemoteHead, number: UInt32) { if head.isAnswer { depth -= 1 } }

    override func didNotRead(_ head: RemoteHead) { if head.isAnswer { depth += 1 } }

    // MARK: Time

    override func cancel() {
        let isFirst = noteCancelling()
        let number = firstTurn.load(ordering: .sequentiallyConsistent)
        if isFirst, number != 0 { phs_lane_cancel(lane, number) }
    }

    /// Notes the time of the first cancellation: the time of a cancelled call starts there.
    @discardableResult
    private func noteCancelling() -> Bool {
        cancelTime.compareExchange(
            expected: 0, desired: MonotonicTime.now, ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Cancels the call if its caller no longer wants it.
    ///
    /// A synchronous function has no other way to find out that its task was cancelled. A request in a callback may
    /// come from another thread, whose task is not that of the call.
    private func lookForCancelling() {
        guard let thread = looker, pthread_equal(thread, pthread_self()) != 0, PluginCall.isCancelled else { return }
        looker = nil
        phs_lane_look_after(lane, 0)
        cancel()
    }

    override func wait(for turn: inout phs_turn, isPiece: Bool) throws {
        while true {
            let limit = limit
            switch phs_lane_receive(lane, isPiece, limit.time, &turn) {
            case 0: return
            // The limit has changed.
            case ECANCELED: continue
            case EAGAIN: lookForCancelling()
            case ETIMEDOUT:
                guard let over = limit.over else {
                    cancel()
                    continue
                }
                if wasDebugged() { continue }
                hasFailed = true
                if let call { owner?.timedOut(call, over) }
                throw LaneFailure.timedOut
            case EPIPE where endingCall.load(ordering: .acquiring) == count.load(ordering: .relaxed):
                hasFailed = true
                throw LaneFailure.endedInCall
            case let error: throw failure(error)
            }
        }
    }

    /// Whether the call has more time than before, because a debugger was attached to the worker.
    private func wasDebugged() -> Bool {
        guard let owner else { return false }
        let time = owner.lookForDebugger() - debuggedBefore
        defer { debugged = time }
        return time > debugged
    }

    /// Until when to wait (0 for ever), and which time limit of the worker is over then; nil if the call is then only
    /// cancelled.
    private var limit: (time: UInt64, over: CallTime?) {
        let deadline = deadline == 0 ? 0 : MonotonicTime.time(deadline, plus: debugged)
        let whole = (deadline, CallTime.ofCall(times.call ?? .zero))
        let cancelled = cancelTime.load(ordering: .relaxed)
        if cancelled != 0 {
            guard let grace = times.cancel else { return whole }
            let end = MonotonicTime.time(MonotonicTime.time(cancelled, plus: grace), plus: debugged)
            return deadline != 0 && deadline <= end ? whole : (end, .afterCancelling(grace))
        }
        guard let within = PluginCall.deadline else { return whole }
        let end = MonotonicTime.after(within - .now)
        return deadline != 0 && deadline <= end ? whole : (end, nil)
    }
}

/// Notes the numbers of the bundle and the provider of the call that begins on a channel, if a worker performs it.
///
/// If the process ends, the call then has an owner and a name.
package func noteCall(on channel: any RemoteChannel, bundle: UInt32, provider: UInt32) {
    (channel as? HostChannel)?.note(bundle: bundle, provider: provider)
}

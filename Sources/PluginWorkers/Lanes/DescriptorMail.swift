import Dispatch
import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// Keeps descriptors that arrived on the control socket for a turn of one lane, until the lane takes them.
///
/// It keeps the descriptors of one turn only. A lane has one message at a time, so those of an earlier turn are
/// useless.
///
/// **Threads.** Any, but only one at a time may take descriptors.
final class DescriptorMail: Sendable {
    private struct State {
        var turn: UInt32 = 0
        var arrived: [RemoteDescriptor]?
        var waiting: DispatchSemaphore?
        var hasEnded = false
    }

    private let state = Lock(State())
    /// Whether descriptors have arrived that were not taken yet.
    private let isFull = Atomic(false)

    /// Keeps the descriptors that arrived, and closes those left over from another turn.
    ///
    /// - Returns: false if descriptors arrived for this turn before.
    func put(_ descriptors: [RemoteDescriptor], turn: UInt32) -> Bool {
        isFull.store(true, ordering: .sequentiallyConsistent)
        let (isFirst, old, waiting) = state.withLock { state in
            guard state.arrived == nil || state.turn != turn else {
                return (false, nil as [RemoteDescriptor]?, nil as DispatchSemaphore?)
            }
            let old = state.arrived
            (state.turn, state.arrived) = (turn, state.hasEnded ? nil : descriptors)
            return (true, old, state.waiting)
        }
        waiting?.signal()
        return withExtendedLifetime(old) { isFirst }
    }

    /// Closes the descriptors that were not taken. [any thread]
    func empty() {
        guard isFull.load(ordering: .sequentiallyConsistent) else { return }
        isFull.store(false, ordering: .sequentiallyConsistent)
        let old = state.withLock { $0.arrived.take() }
        withExtendedLifetime(old) {}
    }

    /// Ends all waiting, because the other side has ended and nothing arrives any more.
    func end() {
        let (old, waiting) = state.withLock { state in
            state.hasEnded = true
            return (state.arrived.take(), state.waiting)
        }
        waiting?.signal()
        withExtendedLifetime(old) {}
    }

    /// The semaphore of the thread that waits for descriptors; nil if no thread waits.
    ///
    /// A signal ends the wait: either the descriptors are there, or they will not come.
    var waiting: DispatchSemaphore? { state.withLock(\.waiting) }

    /// Takes the descriptors of a turn; waits until they are there.
    ///
    /// - Parameters:
    ///   - turn: the number of the turn.
    ///   - time: how long to wait at most; nil for no limit.
    ///   - canArrive: called before a wait; returns false if nothing can arrive.
    /// - Returns: the descriptors; nil if none came.
    /// - Throws: ``LaneFailure/ended``.
    func take(
        turn: UInt32, within time: Duration?, canArrive: () -> Bool
    ) throws(LaneFailure) -> [RemoteDescriptor]? {
        let semaphore = DispatchSemaphore(value: 0)
        if let arrived = try arrived(turn, elseWaiting: semaphore) { return arrived }
        if canArrive() {
            let end = time.map { DispatchTime(uptimeNanoseconds: MonotonicTime.after($0)) }
            _ = semaphore.wait(timeout: end ?? .distantFuture)
        }
        return try arrived(turn, elseWaiting: nil)
    }

    private func arrived(
        _ turn: UInt32, elseWaiting semaphore: DispatchSemaphore?
    ) throws(LaneFailure) -> [RemoteDescriptor]? {
        let (arrived, hasEnded) = state.withLock { state in
            let arrived = state.turn == turn ? state.arrived.take() : nil
            state.waiting = arrived == nil ? semaphore : nil
            return (arrived, state.hasEnded)
        }
        if arrived == nil, hasEnded { throw .ended }
        return arrived
    }
}

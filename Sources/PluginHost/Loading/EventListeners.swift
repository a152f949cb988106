import Synchronization

/// How many listen to events, of whatever kind. It is looked at before the listeners are: with none, which is the usual,
/// the look is all that a load pays.
private let listenerCount = Atomic(0)

/// Who listens to events of one kind.
///
/// An event is put down where it happens, under whatever lock keeps it in order with others, and delivered when no lock
/// is held, because a resumed task may run on an executor of the application's.
final class EventListeners<Event: Sendable>: Sendable {
    /// Whether anybody listens, be it to events of another kind.
    static var areWanted: Bool { listenerCount.load(ordering: .acquiring) > 0 }

    private struct State {
        /// With each goes, when it is the last reference, what its task has not read.
        var continuations: [Int: Deferred<AsyncStream<Event>.Continuation>] = [:]
        var created = 0
        var undelivered: [Deferred<(event: Event, to: [AsyncStream<Event>.Continuation])>] = []
        var isDelivering = false
    }

    private let state = Lock(State())

    /// How many events a stream keeps for a loop that is slower than they come. A stream that nobody reads then costs no
    /// more memory than this many events.
    static var bufferLimit: Int { 1024 }

    /// The events from this call on, for one loop.
    func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.bufferLimit))
        let number = state.withLock { state in
            state.created += 1
            state.continuations[state.created] = Deferred(continuation)
            return state.created
        }
        listenerCount.add(1, ordering: .acquiringAndReleasing)
        continuation.onTermination = { [self] _ in remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        let removed = state.withLock { $0.continuations.removeValue(forKey: number) }
        if removed != nil { listenerCount.subtract(1, ordering: .acquiringAndReleasing) }
    }

    /// Puts an event down for ``deliver()``. May be called under a lock.
    @inline(never)
    func put(_ event: Event) {
        state.withLock { state in
            if state.continuations.isEmpty { return }
            state.undelivered.append(Deferred((event, state.continuations.values.map(\.value))))
        }
    }

    /// Delivers what was put down, unless another thread is at it, which then takes it along. Called without a lock.
    @inline(never)
    func deliver() {
        HeldLocks.preconditionNone(before: "tasks that listen to events")
        let isFirst = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while true {
            let next = state.withLock { state in
                defer { state.undelivered = [] }
                state.isDelivering = !state.undelivered.isEmpty
                return state.undelivered
            }
            if next.isEmpty { return }
            for delivery in next {
                for continuation in delivery.value.to { continuation.yield(delivery.value.event) }
            }
        }
    }
}

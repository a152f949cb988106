import Synchronization

/// The number of listeners for all kinds of events.
///
/// It is checked first: usually there are no listeners, and this check is the whole cost for a load.
private let listenerCount = Atomic(0)

/// The listeners to events of one kind.
///
/// An event is queued where it happens, under the lock that keeps it in order with others. It is delivered when no lock
/// is held, because a resumed task may run on an executor of the application.
package final class EventListeners<Event: Sendable>: Sendable {
    /// Whether there is any listener, even if only to events of another kind.
    package static var areWanted: Bool { listenerCount.load(ordering: .acquiring) > 0 }

    private struct State {
        /// When the last reference to a continuation is released, so are the events that its task has not read.
        var continuations: [Int: Deferred<AsyncStream<Event>.Continuation>] = [:]
        var created = 0
        var undelivered: [Deferred<(event: Event, to: [AsyncStream<Event>.Continuation])>] = []
        var isDelivering = false
    }

    private let state = Lock(State())

    package init() {}

    /// How many events a stream keeps for a loop that reads more slowly than events arrive.
    ///
    /// It bounds the memory of a stream that nobody reads.
    package static var bufferLimit: Int { 1024 }

    /// A stream of all later events, for one loop.
    package func stream() -> AsyncStream<Event> {
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

    /// Queues an event for ``deliver()``.
    ///
    /// This may be called under a lock.
    @inline(never)
    package func put(_ event: Event) {
        state.withLock { state in
            if state.continuations.isEmpty { return }
            state.undelivered.append(Deferred((event, state.continuations.values.map(\.value))))
        }
    }

    /// Delivers the queued events, unless another thread is already delivering: it then delivers these too.
    ///
    /// Call this without a lock.
    @inline(never)
    package func deliver() {
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

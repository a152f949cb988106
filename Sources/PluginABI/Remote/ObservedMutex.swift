import Synchronization

/// The standard library's Mutex, with an order of accesses that the thread sanitiser can see.
///
/// A thread that has to wait acquires a Mutex inside the standard library, which is not built with the sanitiser. So
/// the sanitiser would report false races. The counter makes the same order visible.
struct ObservedMutex<State>: ~Copyable, @unchecked Sendable {
    // @unchecked like the standard library's Mutex: the state is accessed only under the lock.
    private let mutex: Mutex<State>
    #if THREAD_SANITIZER
    private let order = Atomic(0)
    #endif

    init(_ state: consuming sending State) { mutex = Mutex(state) }

    borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if THREAD_SANITIZER
        return try mutex.withLock { (state) throws(Failure) in
            order.add(1, ordering: .acquiringAndReleasing)
            defer { order.add(1, ordering: .acquiringAndReleasing) }
            return try body(&state)
        }
        #else
        return try mutex.withLock(body)
        #endif
    }
}

#if THREAD_SANITIZER
import Synchronization

/// The standard library's Mutex, in a form that the thread sanitiser understands. `make tsan` compiles it; it then
/// stands before the other one in every file of this module.
///
/// Where a thread has to wait, the standard library's lock is taken inside of its own library, which is not built with
/// the sanitiser: the sanitiser then does not know that the thread which held it before has let go, and reports what
/// the lock protects. The counter beside the lock is changed by code that is built with it, in the same order.
struct Mutex<Value>: ~Copyable, @unchecked Sendable {
    // @unchecked as the standard library's is: the value is reached under the lock only.
    private let mutex: Synchronization.Mutex<Value>
    private let order = Atomic(0)

    init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

    borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value) throws(Failure) in
            order.add(1, ordering: .acquiringAndReleasing)
            defer { order.add(1, ordering: .acquiringAndReleasing) }
            return try body(&value)
        }
    }
}
#endif

internal import CPluginSupport.Shims
import Synchronization

/// A value that one thread at a time may use: the only lock of this module.
///
/// **Rule.** While a thread holds a lock, nothing that is not ours runs on it: no code of a plug-in, no observer, no
/// closure of the application's, and no deinitialiser that could lead there. Such code may call the library again, and
/// then meets the lock that its own thread holds.
///
/// Nobody can see in a line of Swift which reference is the last one, so care is not enough. The rule holds by these parts:
/// - each lock counts itself for its thread (``HeldLocks``), so that everything below can ask whether one is held;
/// - what ends under a lock ends after it: ``PluginBundle``, ``CInstance`` and the boxes around objects of others postpone
///   their own end; a foreign closure or object in a lock's state stands in a ``Deferred``; a weak reference that is read
///   under a lock is a ``WeakReference``;
/// - each of the few places that call foreign code asks ``HeldLocks/preconditionNone(before:)`` first. A mistake stops
///   every test that walks there, and not one run in a thousand.
///
/// **Cost.** That of the standard library's Mutex, and two changes of a variable of the thread.
struct Lock<State>: ~Copyable, @unchecked Sendable {
    // @unchecked as the standard library's Mutex is: the state is reached under the lock only.
    private let mutex: Mutex<State>

    #if THREAD_SANITIZER
    /// Where a thread has to wait, Mutex is taken inside of the standard library, which is not built with the sanitiser.
    /// The sanitiser then does not see that the thread which held it before has let go, and reports what the lock protects.
    /// This counter is changed by code that is built with it, in the same order.
    private let order = Atomic(0)
    #endif

    init(_ state: consuming sending State) { mutex = Mutex(state) }

    /// Calls body while no other thread uses the state.
    ///
    /// An array or a dictionary of the state is copied out element by element (`map`), where it is still changed later: a
    /// copy of the whole shares its memory, which is changed in its place when the last other owner has let go, and the
    /// thread sanitiser does not see that order, because the count is kept by the Swift runtime.
    ///
    /// What the body and everything it calls postpones runs before this returns, if the thread then holds no lock.
    @inline(__always)
    borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        phs_note_lock()
        // After the mutex was released, because it runs when the function is left.
        defer { if phs_note_unlock() { HeldLocks.runPostponed() } }
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

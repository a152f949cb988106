public import CPluginSupport.Shims
public import Synchronization

/// A value that one thread at a time may use: the only kind of lock in this module.
///
/// **Rule.** While a thread holds a lock, it runs only our own code: no code of a plug-in, no observer, no closure of
/// the application, and no deinitialiser that could lead to such code. Such code may call the library again, and would
/// then wait for the lock that its own thread holds.
///
/// A line of Swift does not show which reference is the last one, so care is not enough. Three mechanisms enforce the
/// rule:
/// - each lock counts itself for its thread (``HeldLocks``), so that any code can check whether its thread holds one;
/// - an object that is released under a lock is deinitialised only after it: ``PluginBundle``, ``CInstance`` and the
///   boxes around objects of plug-ins do this; a closure or object of a plug-in or the application in a lock's state is
///   wrapped in a ``Deferred``; a weak reference that is read under a lock is a ``WeakReference``;
/// - the few places that call code of a plug-in or the application first check ``HeldLocks/preconditionNone(before:)``.
///   So a mistake stops every test that runs this code, instead of one run in a thousand.
///
/// **Cost.** The cost of the standard library's Mutex, plus two changes of a thread-local variable. Inlined into the other
/// modules, which specialise it for their state. This needs `@usableFromInline` on the type too: of a type that is only
/// `package`, the compiler inlines no member into another module, whatever the member says.
@usableFromInline package struct Lock<State>: ~Copyable, @unchecked Sendable {
    // @unchecked like the standard library's Mutex: the state is reached only under the lock.
    @usableFromInline let mutex: Mutex<State>

    #if THREAD_SANITIZER
    /// Makes the order in which threads hold the lock visible to the thread sanitiser.
    ///
    /// When a thread has to wait, the Mutex is taken inside the standard library, which is not built with the
    /// sanitiser. The sanitiser then does not see that the previous thread has released it, and reports false races.
    /// This counter is changed in the same order by code that is built with the sanitiser.
    @usableFromInline let order = Atomic(0)
    #endif

    @inlinable package init(_ state: consuming sending State) { mutex = Mutex(state) }

    /// Calls body while no other thread uses the state.
    ///
    /// Copy an array or a dictionary out of the state element by element (`map`) if it changes later. A copy of the
    /// whole shares its memory, which is changed in place after the last other owner has released it. The thread
    /// sanitiser does not see that order, because the Swift runtime keeps the count.
    ///
    /// Work postponed by the body, or by anything it calls, runs before this returns, unless the thread still holds a
    /// lock.
    @inlinable @inline(__always)
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        phs_note_lock()
        // Runs after the mutex is released, because a defer block runs when the function returns.
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

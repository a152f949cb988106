public import CPluginSupport.Shims

/// Whether the calling thread holds a ``Lock``, and the work that waits until it holds none.
///
/// **Fork.** A child process has one thread: a copy of the one that called fork(), with its count. That thread holds no
/// lock, because nothing that runs under a lock calls fork(). So the child starts with no lock and no postponed work.
/// Locks and postponed work of other threads are not counted in the child.
@usableFromInline package enum HeldLocks {
    @inlinable @inline(__always) package static var areNone: Bool { !phs_holds_lock() }

    /// Runs the work when this thread holds no lock: immediately, or after it has released the outermost lock.
    ///
    /// Postponed work runs in the order in which it was added.
    @inlinable @inline(__always)
    package static func afterRelease(_ work: @escaping () -> Void) {
        if areNone { work() } else { postpone(work) }
    }

    /// Keeps a value alive until this thread holds no lock, so that its last reference is not released under one.
    ///
    /// A deinitialiser calls it for the values that it owns.
    @inlinable @inline(__always)
    package static func keep<Value>(_ value: Value) {
        if !areNone { postpone { withExtendedLifetime(value) {} } }
    }

    /// Stops the process if this thread holds a lock.
    ///
    /// In release builds too: a thread that holds a lock here is close to a deadlock with itself. The code path is the
    /// same at each call, so tests find the mistake first.
    ///
    /// - Parameter what: the code of a plug-in or the application that is about to run, as the object of a sentence.
    @inlinable @inline(__always)
    package static func preconditionNone(before what: StaticString) {
        if !areNone { stop(what) }
    }

    @usableFromInline @inline(never)
    static func stop(_ what: StaticString) -> Never {
        fatalError(
            """
            PluginHost was about to run \(what) while this thread holds one of its locks. Nothing foreign runs under a \
            lock (Sources/HostBasics/Threads/Lock.swift): take it out of withLock, or use HeldLocks.afterRelease.
            """)
    }

    // MARK: What was postponed

    private final class List {
        var works: [() -> Void] = []
    }

    @usableFromInline @inline(never)
    static func postpone(_ work: @escaping () -> Void) {
        if let list = phs_postponed() {
            Unmanaged<List>.fromOpaque(list).takeUnretainedValue().works.append(work)
        } else {
            let list = List()
            list.works.append(work)
            phs_set_postponed(Unmanaged.passRetained(list).toOpaque())
        }
    }

    /// Called when the outermost lock was released.
    @usableFromInline @inline(never)
    static func runPostponed() {
        // The list is taken first: the work may take locks and then postpone more work.
        guard let list = phs_postponed() else { return }
        phs_set_postponed(nil)
        var works = Unmanaged<List>.fromOpaque(list).takeRetainedValue().works
        works.reverse()
        // Each piece of work is finished and released before the next begins.
        while let work = works.popLast() { work() }
    }
}

internal import CPluginSupport.Shims

/// Whether the calling thread holds a ``Lock``, and what waits until it holds none.
///
/// **Fork.** A child has one thread: a copy of the one that called fork(), with its count. That thread holds no lock,
/// because nothing that runs under one calls fork(), so the child starts with none and with nothing postponed. What other
/// threads held or had postponed is not counted in the child.
enum HeldLocks {
    static var areNone: Bool { @inline(__always) get { !phs_holds_lock() } }

    /// Does something when this thread holds no lock: at once, or when it has released the outermost one.
    ///
    /// What is postponed runs in the order in which it came.
    @inline(__always)
    static func afterRelease(_ work: @escaping () -> Void) {
        if areNone { work() } else { postpone(work) }
    }

    /// Keeps a value until this thread holds no lock, so that its last reference does not end under one. A deinitialiser
    /// calls it for what it owns.
    @inline(__always)
    static func keep<Value>(_ value: Value) {
        if !areNone { postpone { withExtendedLifetime(value) {} } }
    }

    /// Stops the process if this thread holds a lock.
    ///
    /// In release builds too: whoever holds a lock here is a step away from waiting for itself without end, and the walk
    /// is the same at each call, so that tests meet it first.
    ///
    /// - Parameter what: the foreign code that is about to run, as the end of a sentence.
    @inline(__always)
    static func preconditionNone(before what: StaticString) {
        if !areNone { stop(what) }
    }

    @inline(never)
    private static func stop(_ what: StaticString) -> Never {
        fatalError(
            """
            PluginHost was about to run \(what) while this thread holds one of its locks. Nothing foreign runs under a \
            lock (Sources/PluginHost/Locking/Lock.swift): take it out of withLock, or use HeldLocks.afterRelease.
            """)
    }

    // MARK: What was postponed

    private final class List {
        var works: [() -> Void] = []
    }

    @inline(never)
    private static func postpone(_ work: @escaping () -> Void) {
        if let list = phs_postponed() {
            Unmanaged<List>.fromOpaque(list).takeUnretainedValue().works.append(work)
        } else {
            let list = List()
            list.works.append(work)
            phs_set_postponed(Unmanaged.passRetained(list).toOpaque())
        }
    }

    /// Called when the outermost lock was released.
    @inline(never)
    static func runPostponed() {
        // Taken first: what runs may take locks, and postpone more until it has released them.
        guard let list = phs_postponed() else { return }
        phs_set_postponed(nil)
        var works = Unmanaged<List>.fromOpaque(list).takeRetainedValue().works
        works.reverse()
        // Each ends before the next begins.
        while let work = works.popLast() { work() }
    }
}

import Foundation
import TestSupport
import Testing

@testable import HostBasics

/// A release or a postponed call under a lock happens after the lock.
@Suite struct HeldLocksTests {
    /// Notes in its deinitialiser whether a lock was held.
    private final class Ending: Sendable {
        let ends: Noted
        init(_ ends: Noted) { self.ends = ends }
        deinit { ends.note() }
    }

    private final class Noted: Sendable {
        private let held = NSLock()
        nonisolated(unsafe) private var states: [Bool] = []  // under `held`
        func note() { held.withLock { states.append(HeldLocks.areNone) } }
        /// For each deinitialiser, whether no lock was held.
        var all: [Bool] { held.withLock { states } }
    }

    private struct Refusal: Error {}

    @Test func aLockCountsItselfEvenIfItsBodyThrows() {
        let outer = Lock(0)
        let inner = Lock(0)
        #expect(HeldLocks.areNone)
        outer.withLock { _ in
            #expect(!HeldLocks.areNone)
            inner.withLock { _ in #expect(!HeldLocks.areNone) }
            #expect(!HeldLocks.areNone)
        }
        #expect(HeldLocks.areNone)
        #expect(throws: Refusal.self) { try outer.withLock { _ in throw Refusal() } }
        #expect(HeldLocks.areNone)
    }

    @Test func theLastReferenceInADeferredEndsAfterTheOutermostLock() {
        let noted = Noted()
        let lock = Lock<Deferred<Ending>?>(Deferred(Ending(noted)))
        let outer = Lock(0)
        outer.withLock { _ in
            lock.withLock { $0 = nil }
            #expect(noted.all.isEmpty)
        }
        #expect(noted.all == [true])
        // Without a lock it ends immediately.
        var box: Deferred<Ending>? = Deferred(Ending(noted))
        withExtendedLifetime(box) {}
        box = nil
        #expect(noted.all == [true, true])
    }

    @Test func anObjectWhoseOwnerDropsItWhileItIsReadUnderALockEndsAfterIt() {
        let noted = Noted()
        var owner: Ending? = Ending(noted)
        let lock = Lock(WeakReference(owner))
        let found = lock.withLock { reference in
            let isThere = reference.object != nil
            owner = nil
            return (isThere, noted.all.count, reference.isAlive)
        }
        // The lock's own reference kept it for that time.
        #expect(found == (true, 0, true))
        #expect(noted.all == [true])
        #expect(lock.withLock { !$0.isAlive })
    }

    @Test func postponedCallsRunInOrderWithoutALockAndMayPostponeMore() {
        let outer = Lock(0)
        let inner = Lock(0)
        let order = Lock<[Int]>([])
        func note(_ number: Int) { order.withLock { $0.append(number) } }
        outer.withLock { _ in
            HeldLocks.afterRelease {
                note(1)
                inner.withLock { _ in HeldLocks.afterRelease { note(2) } }
                note(3)
            }
            HeldLocks.afterRelease { note(4) }
            inner.withLock { _ in HeldLocks.afterRelease { note(HeldLocks.areNone ? 5 : 0) } }
            #expect(order.withLock { $0 } == [])
        }
        #expect(order.withLock { $0 } == [1, 2, 3, 4, 5])
        HeldLocks.afterRelease { note(6) }
        #expect(order.withLock { $0.last } == 6)
    }

    @Test func aThreadIsNotConcernedByTheLocksOfOthers() {
        let noted = Noted()
        let done = DispatchSemaphore(value: 0)
        Lock(0).withLock { _ in
            Thread.detachNewThread {
                noted.note()
                done.signal()
            }
            done.wait(until: "the other thread has looked")
        }
        #expect(noted.all == [true])
    }

    @Test func aChildThatWasForkedWhileAnotherThreadHoldsALockHoldsNone() async {
        await #expect(processExitsWith: .success) {
            let held = DispatchSemaphore(value: 0)
            let finish = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                Lock(0).withLock { _ in
                    HeldLocks.afterRelease { _exit(9) }
                    held.signal()
                    finish.wait()
                }
            }
            held.wait(until: "the other thread holds the lock")
            let isRight = ForkedChild.succeeds {
                // Taking and releasing a lock must not run what the other thread had postponed.
                let before = HeldLocks.areNone
                Lock(0).withLock { _ in }
                return before && HeldLocks.areNone
            }
            if !isRight { _exit(1) }
            _ = finish
        }
    }
}

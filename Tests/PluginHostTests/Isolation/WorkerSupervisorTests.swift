import Foundation
import HostBasics
import TestSupport
import Testing

@testable import PluginHost

/// When the worker of a plug-in is started again.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WorkerSupervisorTests {
    private let second: UInt64 = 1_000_000_000

    private func history(_ times: UInt64...) -> EndHistory {
        var history = EndHistory()
        for time in times { history.note(at: time) }
        return history
    }

    private func decision(_ history: EndHistory, at now: UInt64, deaths: Int = 20) -> EndHistory.Decision {
        history.decision(at: now, deaths: deaths, within: .seconds(300), jitter: 0)
    }

    @Test func aWorkerIsReplacedAtOnceThenAfterTimesThatDouble() {
        #expect(decision(history(), at: 0) == .startNow)
        #expect(decision(history(second), at: second) == .startNow)
        var ends = history(second, second)
        var wait: UInt64 = 100_000_000
        for _ in 0..<12 {
            #expect(decision(ends, at: second) == .wait(wait))
            #expect(decision(ends, at: second + wait) == .startNow)
            ends.note(at: second)
            wait = min(wait * 2, 30 * second)
        }
        #expect(wait == 30 * second)
    }

    @Test func theWaitsOfSeveralPluginsDiffer() {
        let ends = history(second, second)
        let most = ends.decision(at: second, deaths: 9, within: .seconds(300), jitter: 1)
        #expect(most == .wait(110_000_000))
    }

    @Test func fault145_tooManyEndsWithinTheTimePutAPluginIntoQuarantine() {
        let ends = history(second, 2 * second, 3 * second)
        #expect(decision(ends, at: 4 * second, deaths: 3) == .quarantine(3))
        // The first end no longer counts.
        #expect(decision(ends, at: 302 * second, deaths: 3) == .startNow)
    }

    @Test func anEndThatIsForgivenDoesNotCount() throws {
        let fixtures = (NSObject(), NSObject())
        var ends = EndHistory()
        ends.note(at: second, of: fixtures.0)
        ends.note(at: 2 * second, of: fixtures.1)
        #expect(decision(ends, at: 3 * second, deaths: 2) == .quarantine(2))
        ends.forget(fixtures.1)
        #expect(decision(ends, at: 2 * second, deaths: 2) == .startNow)
    }

    @Test func theEndsOfWorkersThatAreGoneAreNotForgivenWithALaterOne() {
        var ends = EndHistory()
        // Each is likely to be where the one before was.
        for _ in 1...10 { ends.note(at: second, of: NSObject()) }
        let last = NSObject()
        ends.note(at: second, of: last)
        ends.forget(last)
        #expect(decision(ends, at: second, deaths: 2) == .quarantine(10))
    }

    @Test func fault440_theClockOfTheSystemDoesNotCount() {
        // A time since 1970 would be more than 50 years; the supervisor has that since the start of the machine.
        #expect(MonotonicTime.now < 20 * 365 * 86_400 * second)
        // And an end in the future, as a clock that was set back would show it, delays no longer than any other.
        let ends = history(second, second)
        #expect(decision(ends, at: 0) == .wait(second + 100_000_000))
    }

    // MARK: Processes

    @Test func aPluginThatEndsItsWorkersIsNotStartedAgain() async throws {
        let fixture = try WorkerFixture(execution: "isolated")
        let time = Lock<UInt64>(1_000 * second)
        let counted = Lock<[WorkerEnd]>([])
        let supervisor = WorkerSupervisor(now: { time.withLock { $0 } }) { end, _, _ in
            counted.withLock { $0.append(end) }
            return false
        }
        let path = fixture.bundle.bundlePath
        let end = WorkerEnd(cause: .signal(11), phase: .open)
        for count in 1...3 {
            let session = try supervisor.session(for: fixture.bundle)
            let worker = try #require(session as? PluginWorker)
            supervisor.note(end, of: path, fixture.bundle, in: worker)()
            await worker.stop(within: .seconds(10))
            time.withLock { $0 += second }
            if count < 3 { continue }
            let error = #expect(throws: PluginError.self) { try supervisor.session(for: fixture.bundle) }
            #expect(error?.code == .quarantined)
        }
        let limit = Wait.ofATest
        while counted.withLock(\.count) < 3, limit.sleep() {}
        #expect(counted.withLock { $0 } == [end, end, end])
        // Another version of the bundle begins anew.
        let manifest = fixture.bundle.manifestPath
        try Data(contentsOf: URL(filePath: manifest)).write(to: URL(filePath: manifest), options: .atomic)
        let worker = try #require(try supervisor.session(for: fixture.bundle) as? PluginWorker)
        await worker.stop(within: .seconds(10))
    }

    @Test func aPluginThatSomebodyTookOutOfQuarantineIsStartedAgain() async throws {
        let fixture = try WorkerFixture(execution: "isolated")
        let isCounted = Lock(false)
        let supervisor = WorkerSupervisor(now: { 1_000 * second }) { _, _, _ in
            isCounted.withLock { $0 = true }
            return true
        }
        let worker = try #require(try supervisor.session(for: fixture.bundle) as? PluginWorker)
        let end = WorkerEnd(cause: .signal(11), phase: .open)
        for _ in 1...3 { supervisor.note(end, of: fixture.bundle.bundlePath, fixture.bundle, in: worker)() }
        await worker.stop(within: .seconds(10))
        // No quarantine of an application has an entry here, as after it was cleared. The ends are counted on another thread.
        let limit = Wait.ofATest
        var next: PluginWorker?
        while next == nil, limit.sleep() { next = try? supervisor.session(for: fixture.bundle) as? PluginWorker }
        #expect(isCounted.withLock { $0 })
        let last = try #require(next)
        await last.stop(within: .seconds(10))
    }

    @Test func aSpareWorkerIsUsedForTheNextBundleWithTheSameRights() async throws {
        let fixture = try WorkerFixture()
        let spares = WorkerSpares()
        var placement = fixture.placement()
        placement.spares = 1
        let first = try spares.worker(for: placement, fixture.bundle)
        let limit = Wait.ofATest
        while spares.count < 1, limit.sleep() {}
        let ready = try #require(spares.workers.first)
        let other = try WorkerFixture()
        let second = try spares.worker(for: placement, other.bundle)
        #expect(second === ready)
        placement.limits.memory = 100
        let third = try spares.worker(for: placement, other.bundle)
        #expect(third !== ready)
        while spares.workers.first === ready || spares.count != 1, limit.sleep() {}
        for worker in [first, second, third] + spares.workers { await worker.stop(within: .seconds(10)) }
    }

    @Test func asManySpareWorkersAreKeptAsThePolicySays() async throws {
        let fixture = try WorkerFixture()
        let spares = WorkerSpares()
        var placement = fixture.placement()
        placement.spares = 2
        let used = try spares.worker(for: placement, fixture.bundle)
        let limit = Wait.ofATest
        while spares.count < 2, limit.sleep() {}
        #expect(spares.count == 2)
        let next = try spares.worker(for: placement, fixture.bundle)
        while spares.count < 2, limit.sleep() {}
        #expect(spares.count == 2)
        for worker in [used, next] + spares.workers { await worker.stop(within: .seconds(10)) }
    }
}

import Foundation
import HostBasics
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// When the worker of a plug-in is started again, with processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WorkerSupervisorTests {
    private let second: UInt64 = 1_000_000_000

    @Test func aPluginThatEndsItsWorkersIsNotStartedAgain() async throws {
        let fixture = try WorkerFixture(execution: "isolated")
        let time = Lock<UInt64>(1_000 * second)
        let counted = Lock<[WorkerEnd]>([])
        let supervisor = WorkerSupervisor(now: { time.withLock { $0 } }) { end, _, _ in
            counted.withLock { $0.append(end) }
            return false
        }
        let end = WorkerEnd(cause: .signal(11), phase: .open)
        for count in 1...3 {
            let worker = try supervisor.session(for: fixture.bundle)
            supervisor.note(end, of: fixture.bundle.info, in: worker)()
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
        let worker = try supervisor.session(for: fixture.bundle)
        await worker.stop(within: .seconds(10))
    }

    @Test func aPluginThatSomebodyTookOutOfQuarantineIsStartedAgain() async throws {
        let fixture = try WorkerFixture(execution: "isolated")
        let isCounted = Lock(false)
        let supervisor = WorkerSupervisor(now: { 1_000 * second }) { _, _, _ in
            isCounted.withLock { $0 = true }
            return true
        }
        let worker = try supervisor.session(for: fixture.bundle)
        let end = WorkerEnd(cause: .signal(11), phase: .open)
        for _ in 1...3 { supervisor.note(end, of: fixture.bundle.info, in: worker)() }
        await worker.stop(within: .seconds(10))
        // No quarantine of an application has an entry here, as after it was cleared. The ends are counted on another thread.
        let limit = Wait.ofATest
        var next: PluginWorker?
        while next == nil, limit.sleep() { next = try? supervisor.session(for: fixture.bundle) }
        #expect(isCounted.withLock { $0 })
        let last = try #require(next)
        await last.stop(within: .seconds(10))
    }

    @Test func aSpareWorkerIsUsedForTheNextBundleWithTheSameRights() async throws {
        let fixture = try WorkerFixture()
        let spares = WorkerSpares()
        var placement = fixture.placement()
        placement.settings.spares = 1
        let first = try spares.worker(for: placement, fixture.bundle.info) { .current }
        let limit = Wait.ofATest
        while spares.count < 1, limit.sleep() {}
        let ready = try #require(spares.workers.first)
        let other = try WorkerFixture()
        let second = try spares.worker(for: placement, other.bundle.info) { .current }
        #expect(second === ready)
        placement.limits.memory = 100
        let third = try spares.worker(for: placement, other.bundle.info) { .current }
        #expect(third !== ready)
        while spares.workers.first === ready || spares.count != 1, limit.sleep() {}
        for worker in [first, second, third] + spares.workers { await worker.stop(within: .seconds(10)) }
    }

    @Test func asManySpareWorkersAreKeptAsThePolicySays() async throws {
        let fixture = try WorkerFixture()
        let spares = WorkerSpares()
        var placement = fixture.placement()
        placement.settings.spares = 2
        let used = try spares.worker(for: placement, fixture.bundle.info) { .current }
        let limit = Wait.ofATest
        while spares.count < 2, limit.sleep() {}
        #expect(spares.count == 2)
        let next = try spares.worker(for: placement, fixture.bundle.info) { .current }
        while spares.count < 2, limit.sleep() {}
        #expect(spares.count == 2)
        for worker in [used, next] + spares.workers { await worker.stop(within: .seconds(10)) }
    }
}

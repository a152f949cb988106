import Glibc
import HostBasics
import TestSupport
import Testing

@testable import HostRecords
@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

@Suite struct CrashJournalTests {
    @Test func aPluginWithAStrikeAndRemotePointsIsDemandedToRunIsolated() async {
        await #expect(processExitsWith: .success) {
            let fixture = try QuarantineFixture()
            var evidence = try fixture.evidence()
            evidence.isRemote = true
            let one = try fixture.bundle(), two = try fixture.bundle("Two")
            setenv("XDG_STATE_HOME", fixture.tree("home"), 1)
            let quarantine = Quarantine.of(application: "app")
            let now = FileIdentity.now / 1_000_000_000
            quarantine.note(fixture.death(now), of: evidence, .ofApplication)
            quarantine.note(fixture.death(now), of: try fixture.evidence("Two"), .ofApplication)
            #expect(Strikes.demand(for: one) == .inProcess)
            let records = try CrashJournal.begin(application: "app", handlers: false)
            #expect(records == [])
            #expect(Strikes.demand(for: one) == .isolated)
            let placement = try one.placement()
            #expect(placement.execution == .isolated)
            #expect(Strikes.demand(for: two) == .inProcess)
        }
    }

    @Test func aStrikeIsForgottenAfterSevenDays() throws {
        let fixture = try QuarantineFixture()
        var entry = try fixture.evidence()
        entry.isRemote = true
        entry.deaths = [fixture.death(1_790_000_000)]
        let week: Int64 = 7 * 24 * 3600
        for (distance, isIsolated) in [(0, true), (week, true), (week + 1, false), (-week - 1, false)] {
            #expect(entry.mustRunElsewhere(at: (1_790_000_000 + distance) * 1_000_000_000) == isIsolated)
        }
        entry.deaths[0].isCertain = false
        #expect(!entry.mustRunElsewhere(at: 1_790_000_000 * 1_000_000_000))
    }

    @Test func aJournalIsBegunOnceAndForAnApplicationWithAName() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            setenv("XDG_STATE_HOME", tree.path, 1)
            func code(_ name: String) -> PluginError.Code? {
                do {
                    _ = try CrashJournal.begin(application: name, handlers: false)
                    return nil
                } catch { return (error as? PluginError)?.code }
            }
            #expect(code("a/b") == .journalUnusable)
            #expect(code("app") == nil)
            #expect(code("app") == .journalUnusable)
        }
    }
}

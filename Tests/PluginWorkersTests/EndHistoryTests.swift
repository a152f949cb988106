import Foundation
import Testing

@testable import PluginWorkers

/// When the worker of a plug-in is started again.
@Suite struct EndHistoryTests {
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

    @Test(.fault(145)) func tooManyEndsWithinTheTimePutAPluginIntoQuarantine() {
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

    @Test(.fault(440)) func theClockOfTheSystemDoesNotCount() {
        // A time since 1970 would be more than 50 years; the supervisor has that since the start of the machine.
        #expect(MonotonicTime.now < 20 * 365 * 86_400 * second)
        // And an end in the future, as a clock that was set back would show it, delays no longer than any other.
        let ends = history(second, second)
        #expect(decision(ends, at: 0) == .wait(second + 100_000_000))
    }
}

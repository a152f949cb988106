import Testing

@testable import HostBasics

/// The streams of events of loads, states, catalogues and watches.
@Suite struct EventListenersTests {
    private static let limit = EventListeners<Int>.bufferLimit

    @Test func aStreamThatNobodyReadsKeepsTheLatestEvents() async {
        let listeners = EventListeners<Int>()
        var events = listeners.stream().makeAsyncIterator()
        for number in 0..<(Self.limit + 100) {
            listeners.put(number)
            listeners.deliver()
        }
        for number in 100..<(Self.limit + 100) {
            let next = await events.next()
            guard next == number else {
                Issue.record("the event \(number) comes as \(String(describing: next))")
                return
            }
        }
        listeners.put(-1)
        listeners.deliver()
        #expect(await events.next() == -1)
    }

    @Test func eachStreamGetsEveryEvent() async {
        let listeners = EventListeners<Int>()
        var (first, second) = (listeners.stream().makeAsyncIterator(), listeners.stream().makeAsyncIterator())
        listeners.put(1)
        listeners.deliver()
        #expect(await first.next() == 1)
        #expect(await second.next() == 1)
    }
}

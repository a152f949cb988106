import Glibc
import Synchronization

/// The loads of the whole process that are under way, and which thread waits for which: where waiting would never
/// end, it is refused, and the circle is named.
final class LoadActivity: Sendable {
    static let shared = LoadActivity()

    private struct State {
        /// In the order in which they began.
        var active: [LoadTicket] = []
        var waiting: [pthread_t: LoadTicket] = [:]
    }

    private let state = Mutex(State())

    func begin(_ ticket: LoadTicket) { state.withLock { $0.active.append(ticket) } }

    func end(_ ticket: LoadTicket) {
        state.withLock { state in
            // Loads nest, so it is nearly always the last.
            if let index = state.active.lastIndex(where: { $0 === ticket }) { state.active.remove(at: index) }
        }
    }

    /// Waits for another load's outcome.
    ///
    /// - Throws: ``PluginError`` of code `loadReentered`, `dependencyCycle` or `loadInterrupted` instead of waiting for
    ///   ever.
    func wait(for ticket: LoadTicket) throws(PluginError) {
        if ticket.isAbandoned { throw interrupted(ticket) }
        let me = pthread_self()
        let circle: [String]? = state.withLock { state in
            if let closed = self.circle(from: ticket, to: me, in: state) { return closed }
            state.waiting[me] = ticket
            return nil
        }
        if let circle { throw cycle(circle) }
        let outcome = ticket.wait()
        state.withLock { _ = $0.waiting.removeValue(forKey: me) }
        try outcome.get()
    }

    /// The bundles from the one a thread wants, over those it would wait for, back to the first; nil if the wait ends.
    private func circle(from wanted: LoadTicket, to me: pthread_t, in state: State) -> [String]? {
        var chain: [String] = []
        var next = wanted
        while true {
            // A thread loads its bundles one inside the other: from the one that is waited for up to its last.
            chain += state.active.drop { $0 !== next }.filter { $0.thread == next.thread }.map(\.bundlePath)
            if next.thread == me { return chain + [wanted.bundlePath] }
            // Each thread waits for one ticket and each ticket has one thread, and a circle is refused when it would
            // close: so this walk ends.
            guard let further = state.waiting[next.thread] else { return nil }
            next = further
        }
    }

    private func cycle(_ circle: [String]) -> PluginError {
        let names = circle.map { quoted($0.split(separator: "/").last ?? "") }
        if circle.count == 2 {
            return PluginError(
                bundlePath: circle[0],
                PluginFinding(
                    .loadReentered, subject: names[0],
                    message: "\(names[0]) was asked to load while this thread is loading it.",
                    remedy: "Do not load a bundle from its own entry or a constructor; register what it offers instead."
                ))
        }
        return PluginError(
            bundlePath: circle[0],
            PluginFinding(
                .dependencyCycle, subject: circle[1],
                message: "Bundles wait for one another to load: \(names.joined(separator: " needs ")).",
                remedy: "Load one of them lazily, when its offer is first used, and not from an entry."))
    }

    private func interrupted(_ ticket: LoadTicket) -> PluginError {
        PluginError(
            bundlePath: ticket.bundlePath,
            PluginFinding(
                .loadInterrupted,
                message: "The bundle was being loaded by another thread when this process was forked.",
                remedy: "Load before fork(), or call exec() in the child."))
    }
}

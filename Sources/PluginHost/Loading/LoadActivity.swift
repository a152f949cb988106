import Glibc
import HostBasics
import Synchronization

/// All loads, unloads and creations of services in progress in this process, and which thread waits for which.
///
/// A wait that would never end is refused with an error that names the bundles in the circle.
final class LoadActivity: Sendable {
    static let shared = LoadActivity()

    private struct State {
        /// In the order in which they began.
        var active: [LoadTicket] = []
        var waiting: [pthread_t: LoadTicket] = [:]
    }

    private let state = Lock(State())

    func begin(_ ticket: LoadTicket) { state.withLock { $0.active.append(ticket) } }

    func end(_ ticket: LoadTicket) {
        state.withLock { state in
            // Loads are nested, so it is nearly always the last one.
            if let index = state.active.lastIndex(where: { $0 === ticket }) { state.active.remove(at: index) }
        }
    }

    /// Waits for another thread's work to finish, and returns its outcome.
    ///
    /// `wanted`: what the caller wants to do with the bundle afterwards. Throws ``PluginError`` of code
    /// `loadReentered`, `dependencyCycle` or `loadInterrupted` instead of waiting for ever.
    func wait(for ticket: LoadTicket, to wanted: LoadTicket.Work) throws(PluginError)
        -> Result<Void, PluginError>
    {
        HeldLocks.preconditionNone(before: "another thread's load, which is waited for,")
        if ticket.isAbandoned { throw interrupted(ticket) }
        let me = pthread_self()
        let circle: [LoadTicket]? = state.withLock { state in
            if let closed = self.circle(from: ticket, to: me, in: state) { return closed }
            state.waiting[me] = ticket
            return nil
        }
        if let circle {
            throw circle.count == 1 ? reentered(ticket, wanted) : cycle(circle)
        }
        let outcome = ticket.wait()
        state.withLock { _ = $0.waiting.removeValue(forKey: me) }
        return outcome
    }

    /// The chain of work from the wanted bundle, through everything that it waits for, back to this thread's own work;
    /// nil if the wait will end.
    private func circle(from wanted: LoadTicket, to me: pthread_t, in state: State) -> [LoadTicket]? {
        var chain: [LoadTicket] = []
        var next = wanted
        while true {
            // A thread's loads are nested: take them from the awaited one to the last.
            chain += state.active.drop { $0 !== next }.filter { $0.thread == next.thread }
            if next.thread == me { return chain }
            // Each thread waits for at most one ticket, each ticket has one thread, and a circle is refused before it
            // closes. So this loop ends.
            guard let further = state.waiting[next.thread] else { return nil }
            next = further
        }
    }

    private func reentered(_ ticket: LoadTicket, _ wanted: LoadTicket.Work) -> PluginError {
        let name = Self.name(ticket)
        if case .service = ticket.work {
            return PluginError(
                bundlePath: ticket.bundlePath,
                PluginFinding(
                    .dependencyCycle, subject: name,
                    message:
                        "\(name) was asked to \(wanted.infinitive) while this thread is \(ticket.work.participle).",
                    remedy: "Request a service when it is first needed, and not in an initialiser."))
        }
        return PluginError(
            bundlePath: ticket.bundlePath,
            PluginFinding(
                .loadReentered, subject: name,
                message: "\(name) was asked to \(wanted.infinitive) while this thread is \(ticket.work.participle).",
                remedy: "Do not load or unload a bundle from its own entry, hooks or constructors; register what it "
                    + "offers instead."))
    }

    private func cycle(_ circle: [LoadTicket]) -> PluginError {
        let names = (circle + [circle[0]]).map(Self.name)
        let isOfServices = circle.contains { if case .service = $0.work { true } else { false } }
        let work =
            isOfServices ? "offer services" : circle.contains { $0.work == .unload } ? "load and unload" : "load"
        return PluginError(
            bundlePath: circle[0].bundlePath,
            PluginFinding(
                .dependencyCycle, subject: names[1],
                message: "Bundles wait for one another to \(work): \(names.joined(separator: " needs ")).",
                remedy: isOfServices
                    ? "Request one of the services when it is first needed, and not in a hook or an initialiser."
                    : "Load one of them only when it is first needed, and not in an entry or a hook."))
    }

    private static func name(_ ticket: LoadTicket) -> String {
        quoted(ticket.bundlePath.split(separator: "/").last ?? "")
    }

    private func interrupted(_ ticket: LoadTicket) -> PluginError {
        PluginError(
            bundlePath: ticket.bundlePath,
            PluginFinding(
                .loadInterrupted,
                message: "When this process was forked, another thread was \(ticket.work.participle).",
                remedy: "Load before fork(), or call exec() in the child."))
    }
}

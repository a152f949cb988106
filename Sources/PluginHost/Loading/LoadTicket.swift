import CPluginSupport.Shims
import Dispatch
import Glibc
import Synchronization

/// One load or unload, or the making of a service, under way: who does it, and how others wait for its outcome.
final class LoadTicket: Sendable {
    private struct State {
        var outcome: Result<Void, PluginError>?
        /// Made by the first thread that waits; most loads have none.
        var waiters: DispatchGroup?
    }

    /// What is done.
    enum Work: Equatable {
        case load, unload
        /// Making the object that is shared at an extension point.
        case service(String)

        /// As in “was asked to load”.
        var infinitive: String {
            switch self {
            case .load: "load"
            case .unload: "unload"
            case .service(let point): "make the service \(quoted(point))"
            }
        }

        /// As in “this thread is loading it”.
        var participle: String {
            switch self {
            case .load: "loading it"
            case .unload: "unloading it"
            case .service(let point): "making its service \(quoted(point))"
            }
        }
    }

    let bundlePath: String
    let work: Work
    let thread = pthread_self()
    private let forkGeneration = phs_fork_generation()
    private let state = Lock(State())

    init(_ work: Work, of bundlePath: String) {
        self.work = work
        self.bundlePath = bundlePath
    }

    /// Whether this process was forked while it was under way: the thread that did it is not in this process.
    var isAbandoned: Bool { forkGeneration != phs_fork_generation() }

    /// Tells the outcome to everyone who waits.
    func finish(_ outcome: Result<Void, PluginError>) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            return state.waiters
        }
        waiters?.leave()
    }

    /// Waits for the outcome.
    func wait() -> Result<Void, PluginError> {
        let group: DispatchGroup? = state.withLock { state in
            if state.outcome != nil { return nil }
            if let group = state.waiters { return group }
            let group = DispatchGroup()
            group.enter()
            state.waiters = group
            return group
        }
        group?.wait()
        return state.withLock(\.outcome) ?? .success(())
    }
}

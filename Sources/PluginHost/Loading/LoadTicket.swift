import CPluginSupport.Shims
import Dispatch
import Glibc
import HostBasics
import Synchronization

/// A load, an unload, or the creation of a service that is in progress: which thread performs it, and how other threads
/// wait for it.
final class LoadTicket: Sendable {
    private struct State {
        var outcome: Result<Void, PluginError>?
        /// Created by the first thread that waits.
        ///
        /// Most loads have no waiting thread.
        var waiters: DispatchGroup?
    }

    /// The kind of work.
    enum Work: Equatable {
        case load, unload
        /// Creating the shared object of an extension point.
        case service(String)

        /// For “was asked to load”.
        var infinitive: String {
            switch self {
            case .load: "load"
            case .unload: "unload"
            case .service(let point): "make the service \(quoted(point))"
            }
        }

        /// For “this thread is loading it”.
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

    /// Whether this process was forked while the work was in progress, so that the work's thread does not exist here.
    var isAbandoned: Bool { forkGeneration != phs_fork_generation() }

    /// Passes the outcome to every waiting thread.
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

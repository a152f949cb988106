import HostBasics
import PluginWorkers

/// Provides the worker processes of bundles.
protocol WorkerSource: AnyObject, Sendable {
    /// A process for a bundle: a new one, or that of its group.
    func session(for bundle: PluginBundle) throws(PluginError) -> any WorkerSession
}

/// Sources that replace the system's processes for single bundles, in tests.
enum WorkerSources {
    private static let sources = Lock<[String: any WorkerSource]>([:])

    static subscript(path: String) -> (any WorkerSource)? {
        get { sources.withLock { $0[path] } }
        set { sources.withLock { $0[path] = newValue } }
    }
}

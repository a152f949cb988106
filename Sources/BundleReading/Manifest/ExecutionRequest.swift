package import PluginABI

/// `PHExecution`: where the bundle's code may run.
package enum ExecutionRequest: String, CaseIterable {
    /// Anywhere.
    case any
    /// In the application's process; it cannot run elsewhere.
    case inProcess = "in-process"
    /// In a separate process.
    case isolated
    /// In a separate process with restricted rights.
    case sandboxed

    /// The least safe place that the bundle allows.
    package var least: PluginExecution {
        switch self {
        case .any, .inProcess: .inProcess
        case .isolated: .isolated
        case .sandboxed: .sandboxed
        }
    }
}

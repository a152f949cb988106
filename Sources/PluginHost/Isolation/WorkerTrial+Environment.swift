import BundleReading
import HostBasics
public import PluginABI
public import PluginWorkers

extension WorkerTrial {
    /// Starts a worker without a plug-in, waits until it is ready and confined, and ends it.
    ///
    /// **Cost.** Starts a worker: some milliseconds, or ten seconds if it does not answer.
    @_spi(Tools) public init(_ execution: PluginExecution) {
        self.init(execution, HostEnvironment.current.isolation.settings, of: .current)
    }
}

import BundleReading
import HostBasics
import HostLogging
import PluginABI
import PluginWorkers

extension WorkerHost {
    /// The application as it is now.
    static var current: WorkerHost {
        let environment = HostEnvironment.current
        var host = WorkerHost(
            log: { level, bundleIdentifier, message in
                HostEnvironment.current.log(
                    HostLogRecord(level: level, bundleIdentifier: bundleIdentifier, message: message))
            }, counter: StrikeCounter())
        host.name = environment.name
        host.version = environment.version
        host.capabilities = environment.capabilities.sorted()
        host.languages = HostEnvironment.currentLanguages
        host.device = environment.device
        host.scale = environment.scale
        host.requiresDeclaredRegistrations = environment.requiresDeclaredRegistrations
        host.application = .current
        host.workerPath = environment.workerPath
        return host
    }
}

/// Counts the ends of workers in the application's ``Quarantine``.
private struct StrikeCounter: EndCounter {
    func keep(_ end: WorkerEnd, at moment: Int64, of plugin: PluginInfo, deaths: Int, within time: Duration) {
        Strikes.keep(end, at: moment, of: plugin, deaths: deaths, within: time)
    }

    func count(
        _ end: WorkerEnd, at moment: Int64, of plugin: PluginInfo, deaths: Int, within time: Duration
    ) -> PluginFinding? {
        Strikes.note(end, at: moment, of: plugin, deaths: deaths, within: time)
    }
}

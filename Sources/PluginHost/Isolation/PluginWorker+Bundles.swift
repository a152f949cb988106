import BundleReading
import HostBasics
public import PluginWorkers

extension PluginWorker {
    /// The bundles that are loaded in it, or being loaded.
    public var bundles: [PluginBundle] { plugins.compactMap { BundleTable.shared.bundle(atPath: $0.path) } }

    /// The bundle that has a number in the process.
    func bundle(numbered number: UInt32) -> PluginBundle? {
        plugin(numbered: number).flatMap { BundleTable.shared.bundle(atPath: $0.path) }
    }

    static func start(_ placement: Placement, for bundle: PluginBundle) throws(PluginError) -> PluginWorker {
        try start(WorkerStart(placement, for: bundle.info, of: .current))
    }

    /// Starts a worker for a bundle without loading it, for the benchmark.
    @_spi(Tools) public static func start(for bundle: PluginBundle) throws(PluginError) -> PluginWorker {
        try start(bundle.placement(), for: bundle)
    }
}

extension PluginBundle {
    /// What workers and lists need to know of the bundle.
    ///
    /// **Cost.** Looks for the executable.
    var info: PluginInfo {
        PluginInfo(
            identifier: displayIdentifier, path: bundlePath, executablePath: executablePath, manifestPath: manifestPath,
            copyOf: original)
    }
}

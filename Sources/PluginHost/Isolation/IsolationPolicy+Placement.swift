import BundleReading
import HostRecords
import PluginABI
@_spi(Tools) import PluginWorkers

extension IsolationPolicy {
    /// The least safe place that extension points with some names allow.
    func demand(ofPoints names: Set<String>) -> PluginExecution {
        points.lazy.filter { names.contains($0.name) }.map(\.execution).max() ?? .inProcess
    }

    /// Replaces the bundle's requirements with the application's decision, which is never less safe.
    func place(_ bundle: PluginBundle, _ placement: inout Placement) {
        let plugin = PluginDescription(of: bundle)
        var decided = execution(plugin)
        // The demand of a point is about the code of others; linked code is the application's own. See ExecutionDemand.
        if !points.isEmpty, !bundle.isLinked {
            let declared = Set(bundle.manifest.extensions.compactMap(\.extensionPoint))
            decided = max(decided, demand(ofPoints: declared))
        }
        placement.execution = max(placement.execution, decided)
        // The other settings do not matter to code in the application's process.
        if placement.execution == .inProcess { return ApplicationRecorder.shared.note(nil, of: plugin.identifier) }
        let asked = bundle.manifest.permissions
        if !asked.isEmpty {
            let application = HostEnvironment.current.name
            let places = PermissionPlaces(
                identifier: plugin.identifier, application: application, host: directories)
            placement.permissions = asked.granted(by: grant(plugin, asked), at: places)
            if placement.permissions.hasStateDirectory {
                placement.stateDirectory = StateDirectory(of: plugin.identifier, in: application)
            }
        }
        ApplicationRecorder.shared.note(
            .init(execution: decided, granted: placement.permissions.items), of: plugin.identifier)
        placement.limits = bundle.manifest.limits.limited(to: limits(plugin, bundle.manifest.limits))
        placement.group = group(plugin)
        placement.settings = settings
        placement.settings.user = user ?? (placement.execution == .sandboxed ? sandboxUser : nil)
    }
}

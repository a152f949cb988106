import CDemoAPI
import Glibc
import PluginHost

/// Where the plug-ins run: what `--isolate` and `--plugin` say.
struct Isolation {
    /// For every plug-in whose objects can be used from another process.
    var everywhere = PluginExecution.inProcess
    /// For single ones, by their identifiers.
    var plugins: [String: PluginExecution] = [:]

    /// Makes it the policy of the application.
    func apply() {
        // Without a policy, loading a plug-in costs nothing more.
        if everywhere == .inProcess, plugins.isEmpty { return }
        var policy = IsolationPolicy()
        policy.execution = { [everywhere, plugins] plugin in
            plugins[plugin.identifier] ?? (Self.canCross(plugin) ? everywhere : .inProcess)
        }
        policy.callTime = .seconds(5)
        // A confined process must not belong to root.
        if geteuid() == 0 { policy.user = "nobody" }
        HostEnvironment.current.isolation = policy
    }

    /// Whether everything that a plug-in declares has a remote interface.
    ///
    /// The checksums in C have none: their functions write into the memory of their caller, and a nib makes some of them.
    private static func canCross(_ plugin: PluginDescription) -> Bool {
        !plugin.extensions.contains { $0.extensionPoint == DEMO_CHECKSUM_POINT }
    }

    /// The value of an option.
    static func execution(_ name: String) throws(UsageError) -> PluginExecution {
        guard let execution = PluginExecution(name) else {
            let known = PluginExecution.allCases.map(\.description).joined(separator: ", ")
            throw UsageError(message: localized("There is no execution {0}; there are: {1}.", name, known))
        }
        return execution
    }
}

import PluginABI

final class Loud: Plugin {
    init(context: PluginContext) throws {}
}

/// Registers the class.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in plugin.register(Loud.self) }
}

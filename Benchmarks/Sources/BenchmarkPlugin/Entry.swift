import PluginABI

/// A host would have an interface of its own; the benchmark needs none.
final class Sample: Plugin {
    init(context: PluginContext) throws {}
}

/// Registers what the plug-in offers; the host calls it once.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.register(Sample.self)
    }
}

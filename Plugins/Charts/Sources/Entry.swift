import DemoAPI
public import PluginABI

/// Registers the plug-in's providers; the host calls it once.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.register(BarChart.self)
        plugin.register(LineChart.self)
        plugin.provide(.chart, named: "bars", displayName: "Bar charts", order: 0, BarChart.init)
        plugin.provide(.chart, named: "lines", displayName: "Line charts", order: 1, LineChart.init)
    }
}

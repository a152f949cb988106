import __NAME__API
public import PluginABI

/// Changes a text; write here what your plug-in does.
final class Filter: TextFilter {
    /// The plug-in's own strings, its log, and information about the host.
    private let context: PluginContext

    init(context: PluginContext) { self.context = context }

    func filter(_ text: String) -> String { "\(context.localizedString("Remember:")) \(text)" }
}

/// Registers what the plug-in provides, as Info.plist declares it under PHFactories.
///
/// The host calls it once, after it has checked and loaded the file.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.provide(.textFilter, named: "__PLUGIN_NAME__", displayName: "__PLUGIN_NAME__", Filter.init)
    }
}

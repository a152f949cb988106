import DemoAPI
public import PluginABI

/// Registers the plug-in's providers; the host calls it once.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        // Info.plist has no NSPrincipalClass: the first registered class is the principal class.
        plugin.register(SmartQuotes.self)
        plugin.register(Spacing.self)
        plugin.register(Dashes.self)
        plugin.register(Ellipsis.self)
        plugin.register(Uppercase.self)

        // Spaces come before quotes: whether a quotation mark opens or closes depends on the space next to it.
        plugin.provide(.textFilter, named: "spaces", displayName: "Spaces", order: 10, Spacing.init)
        plugin.provide(.textFilter, named: "smart-quotes", displayName: "Quotation marks", order: 20, SmartQuotes.init)
        plugin.provide(.textFilter, named: "dashes", displayName: "Dashes", order: 30, Dashes.init)
        plugin.provide(.textFilter, named: "ellipsis", displayName: "Ellipses", order: 40, Ellipsis.init)
        plugin.provide(.textFilter, named: "uppercase", displayName: "Capitals", order: 90, Uppercase.init)
    }
}

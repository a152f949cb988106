public import PluginABI

/// Greets the audience that the application provides.
///
/// Its interfaces are the standard library's, so the tests need no API package of an application.
final class Greeter: Plugin, CustomStringConvertible {
    let context: PluginContext
    let audience: any CustomStringConvertible & Sendable
    /// A mistake for the tests: with it, the object refers to itself.
    var itself: Greeter?

    init(context: PluginContext) throws {
        self.context = context
        audience = try context.service(ExtensionPoint<any CustomStringConvertible & Sendable>("org.example.audience"))
        if audience.description == "myself" { itself = self }
        context.logger.info("made for \(context.hostName) \(context.hostVersion)")
    }

    /// Remembers the last greeting if the user wants that.
    var description: String {
        let greeting = context.localizedString("Hello, %@", arguments: audience.description)
        guard context.settings[Setting<Bool>("remembers", default: false)] else { return greeting }
        do {
            try context.settings.set(Setting<String>("last", default: ""), to: greeting)
            return greeting
        } catch {
            return "\(error)"
        }
    }
}

/// Registers the class and the provider.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.register(Greeter.self)
        plugin.provide(ExtensionPoint<any CustomStringConvertible>("org.example.greeting"), named: "greeter") {
            try Greeter(context: $0)
        }
    }
}

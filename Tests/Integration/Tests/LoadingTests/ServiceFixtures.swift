import Fixtures
import Foundation
import PluginABI
import PluginHost

/// Plug-ins that offer and use services.
///
/// A service is a text here: “from” and the bundle's identifier.
enum ServiceFixture {
    typealias Ask = @Sendable () throws -> String

    /// A plug-in in Swift that may offer a service and request one.
    ///
    /// `offers`: the extension point at which the plug-in offers a service. `asks`: the point whose service it requests
    /// when ``ask(_:)`` runs. `early`: where it also requests the service: “activate”, “make”, or nowhere. `uses`:
    /// `PHUses`; nil for the point that it requests.
    static func swift(
        _ name: String, offers: String = "", order: Int = 0, asks: String = "", early: String = "",
        uses: [String: Int]? = nil
    ) throws -> BundleFixture {
        let source = """
            import PluginABI
            func ask(_ context: PluginContext) throws -> String {
                try context.service(ExtensionPoint<String>("\(asks)"))
            }
            final class Client: Plugin {
                init(context: PluginContext) throws {}
                static func activate(context: PluginContext) throws {
                    \(Hooks.reporting("Client.activate"))
                    \(early == "activate" ? "_ = try ask(context)" : "")
                }
            }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in
                    plugin.register(Client.self)
                    plugin.provide(ExtensionPoint<@Sendable () throws -> String>("org.example.ask"), named: "\(name)") {
                        context in { try ask(context) }
                    }
                    plugin.provide(ExtensionPoint<@Sendable () throws -> String?>("org.example.ask-if"), named: "\(name)") {
                        context in { try context.serviceIfAvailable(ExtensionPoint<String>("\(asks)")) }
                    }
                    \(offers.isEmpty ? "" : "plugin.provide(point, named: \"\(name)\", order: \(order), make)")
                }
            }
            let point = ExtensionPoint<String>("\(offers)")
            @Sendable func make(_ context: PluginContext) throws -> String {
                \(early == "make" ? "_ = try ask(context)" : "")
                \(Hooks.reporting("make"))
                return "from \\(context.bundleIdentifier)"
            }
            """
        let info: [String: any Sendable] = ["PHUses": uses ?? (asks.isEmpty ? [:] : [asks: 1])]
        return try BundleFixture(name, info: info, code: .swift(source))
    }

    /// Lets a plug-in request its service.
    static func ask(_ bundle: PluginBundle) throws -> String {
        try bundle.providers(of: ExtensionPoint<Ask>("org.example.ask"))[0].make()()
    }

    static func askIfAvailable(_ bundle: PluginBundle) throws -> String? {
        try bundle.providers(of: ExtensionPoint<@Sendable () throws -> String?>("org.example.ask-if"))[0].make()()
    }
}

import PluginABI
import PluginHost

/// Swift plug-ins that are linked into this program: providers, services and principal classes that can be released.
enum LinkedCode {
    static let servicePoint = "org.example.stress.service"

    /// The object that a plug-in makes.
    ///
    /// It calls the library in its initialiser and deinitialiser, on any thread.
    final class Thing: Plugin, Sendable {
        let path: String

        init(context: PluginContext) throws {
            path = context.bundlePath
            _ = context.localizedString("key1")
        }

        deinit {
            _ = PluginBundle(path: path)?.liveObjects
            _ = PluginBundle(identifier: "org.example.R1")
        }
    }

    typealias Ask = @Sendable () throws -> Thing

    static let things = ExtensionPoint<Thing>("org.example.stress.things")
    static let services = ExtensionPoint<Thing>(servicePoint)
    static let asking = ExtensionPoint<Ask>("org.example.stress.asking")

    /// One for each bundle, because an entry belongs to one bundle.
    static let entries: [@convention(c) (UnsafePointer<plugin_host>) -> plugin_status] = [
        { LinkedCode.enter($0, "L0") }, { LinkedCode.enter($0, "L1") }, { LinkedCode.enter($0, "L2") },
    ]

    private static func enter(_ host: UnsafePointer<plugin_host>, _ name: String) -> plugin_status {
        registerPlugin(with: host) { plugin in
            plugin.register(Thing.self)
            plugin.provide(things, named: name) { try Thing(context: $0) }
            plugin.provide(services, named: name) { try Thing(context: $0) }
            plugin.provide(asking, named: name) { context in { try context.service(services) } }
        }
    }

    /// Links the bundles of the world to their entries.
    static func link(_ paths: [String]) throws -> [PluginBundle] {
        try zip(paths, entries).map { try PluginBundle.linked(at: $0, entry: $1) }
    }
}

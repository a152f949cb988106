import Glibc
import HostBasics
import PluginABI
import Synchronization
import TestSupport

@testable import PluginHost

/// A plug-in in the tests' own program.
///
/// All of its code calls the library, as foreign code may wherever it runs.
enum CallingPlugin {
    /// How often its code ran, and how often a lock was held then.
    static let calls = Atomic(0)
    static let callsUnderLock = Atomic(0)

    /// Whether its code ran since the last call of this function, and never under a lock.
    static var ranWithoutLocks: Bool {
        calls.exchange(0, ordering: .acquiringAndReleasing) > 0 && callsUnderLock.load(ordering: .acquiring) == 0
    }

    /// Calls nearly everything that takes a lock.
    static func callLibrary() {
        calls.add(1, ordering: .acquiringAndReleasing)
        if !HeldLocks.areNone { callsUnderLock.add(1, ordering: .acquiringAndReleasing) }
        for bundle in PluginBundle.allBundles {
            _ = PluginBundle(path: bundle.bundlePath)?.bundlePath
            _ = (bundle.state, bundle.isLoaded, bundle.registrations.count, bundle.liveObjects.count)
            _ = bundle.localizedString(forKey: "key", value: nil, table: nil)
            _ = bundle.catalog?.refresh()
        }
        _ = PluginBundle(identifier: "org.example.nobody")
        HostEnvironment.current.scale = 1
        HostEnvironment.provide(ExtensionPoint<Int>("org.example.called"), named: "called") { 1 }.withdraw()
    }

    /// An object of the plug-in.
    final class Object: Plugin, Sendable {
        init(context: PluginContext) throws { callLibrary() }
        init() {}
        deinit { callLibrary() }
        static func activate(context: PluginContext) throws { callLibrary() }
        static func deactivate(context: PluginContext) { callLibrary() }
    }

    typealias Ask = @Sendable () throws -> Object

    static let service = ExtensionPoint<Object>("org.example.calling")
    static let asking = ExtensionPoint<Ask>("org.example.asking")
    static let list = """
        { CFBundleIdentifier = "org.example.Calling"; PHUses = { "org.example.calling" = 1; };
          CFBundleDevelopmentRegion = en; }
        """

    /// The plug-in as a bundle, in a folder that exists as long as the process.
    static func make() throws -> PluginBundle {
        let tree = try TemporaryTree(["Calling.bundle/Contents/Info.plist": list])
        _ = Unmanaged.passRetained(tree)
        return try PluginBundle.linked(at: tree("Calling.bundle"), entry: entry)
    }

    private static let entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
        let status = registerPlugin(with: host) { plugin in
            // Its closure belongs to the plug-in: it is destroyed with everything it holds.
            let held = Object()
            plugin.register(Object.self)
            plugin.provide(service, named: "calling") { context in
                _ = held
                return try Object(context: context)
            }
            plugin.provide(asking, named: "asking") { context in { try context.service(service) } }
        }
        guard status == PLUGIN_OK else { return status }
        var function = plugin_function()
        function.header.size = UInt32(MemoryLayout<plugin_function>.size)
        function.name = text("call")
        function.signature = text("() -> void")
        function.code = { CallingPlugin.callLibrary() }
        _ = host.pointee.register_function(host, &function)
        return host.pointee.register_factory(host, factory)
    }

    private static func text(_ text: StaticString) -> plugin_string {
        plugin_string(
            ptr: UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self), len: text.utf8CodeUnitCount)
    }

    /// The factory of the plug-in, which is never freed, as the ABI requires.
    ///
    /// Unsafe only for the compiler: it is written here and never again.
    nonisolated(unsafe) private static let factory: UnsafePointer<plugin_factory> = {
        let factory = UnsafeMutablePointer<plugin_factory>.allocate(capacity: 1)
        factory.initialize(to: plugin_factory())
        factory.pointee.header.size = UInt32(MemoryLayout<plugin_factory>.size)
        factory.pointee.name = text("c")
        factory.pointee.create = { _, _, instance in
            CallingPlugin.callLibrary()
            instance?.pointee = malloc(1)
            return plugin_status(PLUGIN_OK)
        }
        factory.pointee.release = { instance in
            CallingPlugin.callLibrary()
            free(instance)
        }
        return UnsafePointer(factory)
    }()
}

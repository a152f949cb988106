import Fixtures
import Foundation
import PluginHost

/// Bundles whose hooks report to the test, through the address of one of its C functions.
enum Hooks {
    /// The calls, in order: “First.activate”, by the bundle's identifier.
    private static let calls = Locked<[String: [String]]>([:])
    /// What a hook does besides being noted; true if it must fail.
    private static let actions = Locked<[String: @Sendable () -> Bool]>([:])

    static func calls(of fixture: BundleFixture) -> [String] { calls.withLock { $0[identifier(fixture), default: []] } }

    /// Sets what one hook of a bundle does afterwards.
    static func on(_ hook: String, of fixture: BundleFixture, _ action: @escaping @Sendable () -> Bool) {
        actions.withLock { $0["\(identifier(fixture)) \(hook)"] = action }
    }

    private static func identifier(_ fixture: BundleFixture) -> String { "org.example.\(fixture.name)" }

    private static let report: @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32 = { bundle, hook in
        let (bundle, hook) = (String(cString: bundle), String(cString: hook))
        calls.withLock { $0[bundle, default: []].append(hook) }
        let action = actions.withLock { $0["\(bundle) \(hook)"] }
        return action?() == true ? 1 : 0
    }

    private static var address: UInt { UInt(bitPattern: unsafeBitCast(report, to: UnsafeRawPointer.self)) }

    /// A Swift statement, where a `context` is known, that reports a call to the test.
    static func reporting(_ hook: String) -> String {
        """
        do {
            typealias Report = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
            _ = unsafeBitCast(UInt(\(address)), to: Report.self)(context.bundleIdentifier, "\(hook)")
        }
        """
    }

    /// Two classes with hooks and one without.
    static func swift(_ name: String, info: [String: any Sendable] = [:]) throws -> BundleFixture {
        let source = """
            import PluginABI
            func report(_ context: PluginContext, _ hook: String) -> Bool {
                typealias Report = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
                return unsafeBitCast(UInt(\(address)), to: Report.self)(context.bundleIdentifier, hook) != 0
            }
            public protocol Named: Plugin {}
            extension Named {
                public static func activate(context: PluginContext) throws {
                    if report(context, "\\(self).activate") {
                        throw PluginFailure("The licence has expired.", remedy: "Renew it.")
                    }
                }
                public static func deactivate(context: PluginContext) { _ = report(context, "\\(self).deactivate") }
            }
            final class First: Named { init(context: PluginContext) throws {} }
            final class Second: Named { init(context: PluginContext) throws {} }
            final class Plain: Plugin { init(context: PluginContext) throws {} }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in
                    plugin.register(First.self)
                    plugin.register(Plain.self)
                    plugin.register(Second.self)
                }
            }
            """
        // Compiled once: each bundle has a copy of its own.
        let code = try BundleFixture("Hooked", code: .swift(source))
        return try BundleFixture(name, info: info, code: .file(code.executable))
    }

    /// A bundle in C with two pairs of hooks and a factory at an extension point.
    ///
    /// Its function `calls()` counts calls of the entry.
    static func c(_ name: String) throws -> BundleFixture {
        let source =
            Source.factory + """
                typedef int (*report_function)(const char *, const char *);
                #define REPORT ((report_function)\(address)ul)
                #define BUNDLE "org.example.\(name)"
                FACTORY_AT(one, "\(name)", "org.example.hooked");
                static int entered;
                static unsigned entry_calls(void) { return entered; }
                static plugin_status on_activate(const plugin_host *host, void *user_data) {
                    if (REPORT(BUNDLE, user_data ? "second.activate" : "first.activate") == 0) return PLUGIN_OK;
                    if (user_data) host->set_error(host, PLUGIN_STRING(BUNDLE), 3,
                        PLUGIN_STRING("The scanner is not connected"), PLUGIN_STRING("Connect it"));
                    return PLUGIN_FAILED;
                }
                static void on_deactivate(const plugin_host *host, void *user_data) {
                    REPORT(BUNDLE, user_data ? "second.deactivate" : "first.deactivate");
                }
                static const plugin_hooks first = {{sizeof first, 1}, 0, on_activate, on_deactivate};
                static const plugin_hooks second = {{sizeof second, 1}, &entered, on_activate, on_deactivate};
                static const plugin_hooks without = {{sizeof without, 1}, 0, 0, 0};
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                    entered++;
                    const plugin_lifecycle *lifecycle = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
                    if (!lifecycle) return PLUGIN_NOT_FOUND;
                    lifecycle->register_hooks(host, &first);
                    lifecycle->register_hooks(host, &without);
                    lifecycle->register_hooks(host, &second);
                    plugin_function count = {{sizeof count, 1}, PLUGIN_STRING("entry_calls"),
                        PLUGIN_STRING("() -> uint32"), (plugin_code)entry_calls};
                    host->register_function(host, &count);
                    return host->register_factory(host, &one);
                }
                """
        return try BundleFixture(name, code: .c(source))
    }
}

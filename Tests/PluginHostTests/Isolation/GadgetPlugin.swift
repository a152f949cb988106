public import CPluginSupport
import Foundation
import Glibc
import HostBasics
@_spi(PluginHost) import PluginABI
import Testing

@_spi(Tools) @testable import PluginHost

/// An interface whose objects do what a test demands, in real worker processes.
protocol Gadget: Sendable {
    func process() throws -> Int32
    func perform(_ what: String) throws -> String
    func performLater(_ what: String) async throws -> String
}

final class GadgetProxy: Gadget {
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }
    func process() throws -> Int32 { try remote.call(0) }
    func perform(_ what: String) throws -> String { try remote.call(1, what) }
    func performLater(_ what: String) async throws -> String { try await remote.callAsync(2, what) }
    static let interface = RemoteInterface<any Gadget>(
        proxy: { GadgetProxy($0) },
        methods: [
            RemoteMethod("process()") { try $0.process() },
            RemoteMethod("perform(_:)") { try $0.perform($1) },
            RemoteMethod(async: "performLater(_:)") { try await $0.performLater($1) },
        ])
}

extension ExtensionPoint where Interface == any Gadget {
    static var gadget: Self { .init("org.example.gadget", version: 1, remote: GadgetProxy.interface) }
    /// Services with the same interface.
    static var helper: Self { .init("org.example.gadget-helper", version: 1, remote: GadgetProxy.interface) }
    /// A point whose plug-ins do not run in the application's process.
    static var guarded: Self {
        .init("org.example.gadget-guarded", remote: GadgetProxy.interface, execution: .isolated)
    }
    static var sealed: Self {
        .init("org.example.gadget-sealed", remote: GadgetProxy.interface, execution: .sandboxed)
    }

    /// The point of a provider, which its name begins with.
    static func of(_ name: String) -> Self {
        if name.hasPrefix("Helper") { return .helper }
        if name.hasPrefix("Guarded") { return .guarded }
        return name.hasPrefix("Sealed") ? .sealed : .gadget
    }
}

/// The plug-in's class.
final class RealGadget: Gadget, @unchecked Sendable {
    // @unchecked because each test uses an object on one thread at a time.
    private let context: PluginContext
    private let isHelper: Bool
    private var endsItsProcess = false

    init(_ context: PluginContext, isHelper: Bool) {
        self.context = context
        self.isHelper = isHelper
    }

    deinit { if endsItsProcess { abort() } }

    func process() throws -> Int32 { getpid() }

    func perform(_ what: String) throws -> String {
        switch what {
        case "string": return context.localizedString("language", value: "no string")
        case "image": return context.image("seal")?.path ?? "none"
        case "resource": return context.resourcePath("note", type: "txt") ?? "none"
        case "state": return context.stateDirectory ?? "none"
        case "abort when it is released":
            endsItsProcess = true
            return what
        case "abort", "abort again": abort()
        case _ where what.hasPrefix("settings "): return try SettingsUse(context).perform(what)
        case _ where isHelper: return "\(what) in \(getpid())"
        default: return try context.service(.helper).perform(what)
        }
    }

    func performLater(_ what: String) async throws -> String {
        try await Task.sleep(for: .milliseconds(1))
        let helper = try context.service(.helper)
        switch what {
        case "in order":
            let first = try helper.perform("1")
            let second = try await helper.performLater("2")
            return try first + second + helper.perform("3")
        case "later":
            // It has no call of the application any more when it asks.
            Task { [context] in
                try await Task.sleep(for: .milliseconds(100))
                let reason: String
                do { reason = try context.service(.helper).perform("late") } catch { reason = "\(error)" }
                let line = "It got: \(reason)\n"
                _ = Glibc.write(STDOUT_FILENO, line, line.utf8.count)
            }
            return what
        default: return try helper.perform(what)
        }
    }
}

/// A service of the application.
struct ApplicationGadget: Gadget {
    func process() throws -> Int32 { getpid() }
    func perform(_ what: String) throws -> String { "<\(what)>" }
    func performLater(_ what: String) async throws -> String {
        await Task.yield()
        return "<later \(what)>"
    }
}

/// The entry of the plug-ins.
///
/// Their executables are in C and call this function of the test program, which is the worker program too. So the objects
/// are real, and no package has to be built while the tests run.
@c(pluginhost_tests_entry)
public func testsEntry(_ host: UnsafePointer<plugin_host>, _ name: UnsafePointer<CChar>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        let name = String(cString: name)
        plugin.provide(.of(name), named: name) { RealGadget($0, isHelper: name.hasPrefix("Helper")) }
    }
}

/// A bundle that provides a gadget, at the point that its name begins with.
final class GadgetPlugin {
    let directory: URL
    let bundle: PluginBundle

    /// - Parameters:
    ///   - name: of the bundle and of its provider.
    ///   - execution: the value of `PHExecution`.
    ///   - toolchain: that of its note; nil for the one of these tests.
    ///   - declares: whether Info.plist declares the provider.
    ///   - storesSettings: whether its entry, its deactivation and an observer store a setting.
    /// - Throws: the error of writing it.
    init(
        _ name: String = "Gadget", execution: String = "isolated", toolchain: String? = nil, declares: Bool = true,
        storesSettings: Bool = false
    ) throws {
        let point = ExtensionPoint<any Gadget>.of(name).name
        let factories = declares ? "PHFactories = ({ name = \(name); extensionPoint = \"\(point)\"; });" : ""
        let info = """
            \(factories) PHExecution = "\(execution)";
            PHUses = { "org.example.gadget-helper" = 1; };
            """
        directory = try CPluginSource(name: name, info: info, text: Self.source)
            .build(
                ["-DNAME=\"\(name)\""] + (toolchain.map { ["-DTOOLCHAIN=\"\($0)\""] } ?? [])
                    + (storesSettings ? ["-DSTORES_SETTINGS"] : []))
        bundle = try PluginBundle.open(path: directory.appending(path: "\(name).bundle").path)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Installs other code, as a build does.
    func rebuild() throws {
        let name = Path.lastComponent(bundle.bundlePath).replacing(".bundle", with: "")
        let other = try CPluginSource(name: name, info: "", text: Self.source + "\nint second_build = 2;")
            .build(["-DNAME=\"\(name)\""])
        let code = "\(name).bundle/Contents/Linux/\(name)"
        try #require(rename(other.appending(path: code).path, directory.appending(path: code).path) == 0)
        try FileManager.default.removeItem(at: other)
    }

    func make() throws -> any Gadget { try bundle.providers(of: .gadget)[0].make() }

    /// Whether `deactivate` was called.
    var isDeactivated: Bool {
        FileManager.default.fileExists(atPath: bundle.bundlePath + "/Contents/deactivated")
    }

    static let source = """
        #define _GNU_SOURCE
        #include <plugin_abi.h>
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stddef.h>
        #include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        #ifdef TOOLCHAIN
        static const plugin_note note PLUGIN_NOTE_ATTRIBUTES = {
            sizeof(PLUGIN_NOTE_OWNER), (uint32_t)(sizeof(plugin_note) - offsetof(plugin_note, head)), PLUGIN_NOTE_TYPE,
            PLUGIN_NOTE_OWNER,
            {PLUGIN_NOTE_FORMAT, PLUGIN_ABI_MAJOR, PLUGIN_ABI_MINOR, PLUGIN_SWIFT_REVISION, PLUGIN_NOTE_SWIFT,
             sizeof("toolchain=" TOOLCHAIN "\\n") - 1}, "toolchain=" TOOLCHAIN "\\n"};
        #else
        PLUGIN_DECLARE_NOTE;
        #endif

        plugin_status pluginhost_tests_entry(const plugin_host *host, const char *name);

        static void store(const plugin_host *host, int64_t value) {
        #ifdef STORES_SETTINGS
            const plugin_settings *settings = host->get_extension(host, PLUGIN_STRING(PLUGIN_SETTINGS_ID));
            settings->set_integer(host, PLUGIN_STRING("count"), value, NULL);
        #endif
        }
        static void observe(const plugin_host *host, const plugin_string *keys, size_t count, void *data) {
            for (size_t i = 0; i < count; i++)
                if (keys[i].len == 2 && memcmp(keys[i].ptr, "on", 2) == 0) store(host, 13);
        }
        static plugin_status activate(const plugin_host *host, void *data) {
        #ifdef STORES_SETTINGS
            const plugin_settings *settings = host->get_extension(host, PLUGIN_STRING(PLUGIN_SETTINGS_ID));
            return settings->observe(host, observe, NULL);
        #else
            (void)observe;
            return PLUGIN_OK;
        #endif
        }
        static void deactivate(const plugin_host *host, void *data) {
            Dl_info info;
            char path[4096];
            store(host, 12);
            if (dladdr((void *)deactivate, &info) == 0) return;
            snprintf(path, sizeof path, "%s", info.dli_fname);
            char *end = strstr(path, "/Linux/");
            if (end == NULL) return;
            strcpy(end, "/deactivated");
            close(open(path, O_CREAT | O_WRONLY, 0600));
        }
        static const plugin_hooks hooks = {{sizeof hooks, 1}, 0, activate, deactivate};

        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            const plugin_lifecycle *life = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
            plugin_status status = life->register_hooks(host, &hooks);
            store(host, 11);
            return status == PLUGIN_OK ? pluginhost_tests_entry(host, NAME) : status;
        }
        """
}

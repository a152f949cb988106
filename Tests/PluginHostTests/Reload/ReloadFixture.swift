import Glibc
import HostBasics
import TestSupport

@_spi(Tools) @testable import PluginHost

/// A plug-in that is installed and then built again and again.
struct ReloadFixture {
    let tree: TemporaryTree
    let name: String
    var path: String { tree("\(name).bundle") }
    var identifier: String { "org.example.reload.\(name)" }

    /// The behaviour of a build.
    struct Build {
        /// The result of its function `version`.
        var version: Int
        /// The names of its factories, at a point of the test's own.
        var factories = ["thing"]
        var failsToActivate = false
        /// The address of a counter of its deactivations, or 0.
        var deactivations: UInt = 0
    }

    init(_ name: String, _ build: Build = Build(version: 1)) throws {
        tree = try TemporaryTree()
        self.name = name
        try write(info: "1.0")
        try tree.write("\(name).bundle/Contents/Resources/en.lproj/Localizable.strings", "\"key\" = \"first\";")
        try install(build)
    }

    func write(info version: String, extra: String = "") throws {
        let info = """
            {NSExecutable = \(name); CFBundleIdentifier = "\(identifier)"; CFBundleShortVersionString = "\(version)";
            \(extra)}
            """
        try tree.write("\(name).bundle/Contents/Info.plist", info)
    }

    func write(string: String) throws {
        try tree.write("\(name).bundle/Contents/Resources/en.lproj/Localizable.strings", "\"key\" = \"\(string)\";")
    }

    func install(_ build: Build) throws { try install(bytes: Self.compiled(build, point)) }

    /// As linkers and installers do: beside the old file, then renamed over it.
    func install(bytes: [UInt8]) throws {
        try tree.write("\(name).bundle/Contents/Linux/\(name).new", bytes: bytes)
        try tree.rename("\(name).bundle/Contents/Linux/\(name).new", to: "\(name).bundle/Contents/Linux/\(name)")
    }

    /// An extension point of this fixture alone.
    var point: String { "org.example.\(name)" }

    private static func compiled(_ build: Build, _ point: String) throws -> [UInt8] {
        let definitions = build.factories.enumerated().map { index, name in
            "static const plugin_factory f\(index) = {{sizeof(plugin_factory), 1}, PLUGIN_STRING(\"\(name)\"), "
                + "PLUGIN_STRING(\"\(point)\"), 1, 0, 0, 0, create, 0, release};"
        }
        let registrations = build.factories.indices.map { "if ((s = host->register_factory(host, &f\($0)))) return s;" }
        let source = """
            #include "plugin_abi.h"
            #include <stdlib.h>
            PLUGIN_DECLARE_NOTE;
            static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
                (void)f; (void)h; *out = malloc(1); return PLUGIN_OK;
            }
            static void release(void *p) { free(p); }
            \(definitions.joined(separator: "\n"))
            static unsigned version(void) { return \(build.version); }
            static plugin_status activate(const plugin_host *h, void *u) {
                (void)u;
                if (!\(build.failsToActivate ? 1 : 0)) return PLUGIN_OK;
                h->set_error(h, PLUGIN_STRING(""), 1, PLUGIN_STRING("it will not"), PLUGIN_STRING(""));
                return PLUGIN_FAILED;
            }
            static void deactivate(const plugin_host *h, void *u) {
                (void)h; (void)u;
                unsigned long address = \(build.deactivations)ul;
                if (address) __atomic_add_fetch((long *)address, 1, __ATOMIC_SEQ_CST);
            }
            static const plugin_hooks hooks = {{sizeof hooks, 1}, 0, activate, deactivate};
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                plugin_status s;
                plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("version"), PLUGIN_STRING("() -> uint32"),
                    (plugin_code)version};
                if ((s = host->register_function(host, &f))) return s;
                \(registrations.joined(separator: "\n    "))
                const plugin_lifecycle *life = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
                return life->register_hooks(host, &hooks);
            }
            """
        let file = try ELFFixtures.c("reload-\(UInt(bitPattern: source.hashValue)).so", source)
        return try OpenedFile(path: file).bytes(atMost: 1 << 24)
    }
}

extension PluginBundle {
    /// The result of the fixture's function.
    var builtVersion: Int {
        get throws { Int(try function("version", "() -> uint32")().uint64 ?? 0) }
    }
}

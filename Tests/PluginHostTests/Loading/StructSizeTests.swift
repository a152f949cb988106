import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Structs of the C ABI that are shorter or longer than those of this host.
@Suite struct StructSizeTests {
    /// The different versions of plugin_abi.h.
    private static let recorded: [String] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/headers").standardizedFileURL
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return versions.sorted().map { folder.appending(path: "\($0)/plugin_abi.h").path }
    }()

    @Test func theHeaderOfTheFirstVersionIsRecorded() {
        #expect(Self.recorded.contains { $0.hasSuffix("/1.0/plugin_abi.h") })
    }

    /// `change`: the number that is added to the sizes in the structs.
    private static func source(_ header: String, change: Int = 0) -> String {
        """
        #include "\(header)"
        #include <stdlib.h>
        PLUGIN_DECLARE_NOTE;
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
            (void)f; (void)h; *out = calloc(1, 1); return PLUGIN_OK;
        }
        static void release(void *p) { free(p); }
        static int activations;
        static int32_t answer(void) { return activations; }
        static plugin_status activate(const plugin_host *h, void *u) {
            (void)h; (void)u; activations++; return PLUGIN_OK;
        }
        static const plugin_factory factory = {{sizeof(plugin_factory) + (\(change)), 1}, {"thing", 5}, {"", 0}, 1, 0, 0, 0,
            create, 0, release};
        static const plugin_hooks hooks = {{sizeof(plugin_hooks) + (\(change)), 1}, 0, activate, 0};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            plugin_function f = {{sizeof f + (\(change)), 1}, PLUGIN_STRING("answer"), PLUGIN_STRING("() -> int32"),
                (plugin_code)answer};
            plugin_status s = host->register_function(host, &f);
            if (s == PLUGIN_OK) s = host->register_factory(host, &factory);
            if (s != PLUGIN_OK) return s;
            const plugin_lifecycle *life = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
            return life->register_hooks(host, &hooks);
        }
        """
    }

    /// A bundle of its own for each build.
    private static func bundle(_ name: String, _ source: String) throws -> (PluginBundle, TemporaryTree) {
        let file = try ELFFixtures.c("\(name).so", source)
        let tree = try TemporaryTree([
            "\(name).bundle/Contents/Info.plist":
                "{ NSExecutable = \(name); CFBundleIdentifier = \"org.example.\(name)\"; }"
        ])
        try tree.write(
            "\(name).bundle/Contents/Linux/\(name)", bytes: try OpenedFile(path: file).bytes(atMost: 1 << 24))
        return (try PluginBundle.open(path: tree("\(name).bundle")), tree)
    }

    @Test(arguments: recorded)
    func aPluginThatWasBuiltWithARecordedHeaderIsLoadedAndUsed(header: String) throws {
        let version = URL(filePath: header).deletingLastPathComponent().lastPathComponent
        let (bundle, tree) = try Self.bundle("Recorded\(version.replacing(".", with: ""))", Self.source(header))
        try withExtendedLifetime(tree) {
            try bundle.loadAndReturnError()
            _ = try bundle.cProviders()[0].make()
            #expect(try bundle.function("answer", "() -> int32")().int64 == 1)
        }
    }

    @Test(.fault(297)) func structsOfALaterVersionAreLongerAndTaken() throws {
        let (bundle, tree) = try Self.bundle("LaterStructs", Self.source("plugin_abi.h", change: 64))
        try withExtendedLifetime(tree) {
            _ = try bundle.cProviders()[0].make()
            #expect(try bundle.function("answer", "() -> int32")().int64 == 1)
        }
    }

    @Test(.fault(297)) func aStructThatIsShorterThanInTheFirstVersionIsRefused() throws {
        let (bundle, tree) = try Self.bundle("ShortStructs", Self.source("plugin_abi.h", change: -8))
        withExtendedLifetime(tree) {
            let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
            #expect(error?.code == .registrationInvalid)
            #expect(error?.description.contains("shorter than ABI 1.0's") == true)
        }
    }

    /// The result of `begin` for an identity of some size.
    @Test(arguments: [
        (PLUGIN_SWIFT_IDENTITY_SIZE_1_0, PLUGIN_OK), (PLUGIN_SWIFT_IDENTITY_SIZE_1_0 - 8, PLUGIN_INVALID_ARGUMENT),
        (PLUGIN_SWIFT_IDENTITY_SIZE_1_1, PLUGIN_OK), (PLUGIN_SWIFT_IDENTITY_SIZE_1_1 + 8, PLUGIN_OK),
    ])
    func theIdentityOfASwiftPluginMayHaveTheSizeOfAnyVersion(size: Int, status: Int) throws {
        let tree = try TemporaryTree([
            "Identity\(size).bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"org.example.Identity\(size)\"; }"
        ])
        try withExtendedLifetime(tree) {
            let bundle = try PluginBundle.open(path: tree("Identity\(size).bundle"))
            let table = HostTable(bundle: bundle)
            let host = table.pointer
            let swift = try #require(
                withPluginString(PLUGIN_SWIFT_ID) { host.pointee.get_extension(host, $0) }?
                    .assumingMemoryBound(to: plugin_swift_host.self))
            // Nothing after the end of a short one may be read.
            var identity = plugin_swift_identity()
            identity.header = plugin_header(size: UInt32(size), version: 1)
            identity.abi_identity = abiIdentity
            identity.toolchain = plugin_swift_toolchain()
            identity.revision = UInt32(PLUGIN_SWIFT_REVISION)
            if size < PLUGIN_SWIFT_IDENTITY_SIZE_1_1 {
                identity.conformances = UnsafeRawPointer(bitPattern: 8)
                identity.conformances_size = 4
            }
            #expect(swift.pointee.begin(host, &identity) == plugin_status(status))
        }
    }
}

import DemoAPI
import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// The whole message of each error code, as a user reads it. `{bundle}` and `{executable}` stand for the paths.
///
/// Those of other suites: `bundleNotFound` (BundleObjects), `loadInterrupted` (ForkedLoad).
@Suite struct ErrorMessages {
    private func expect(
        _ code: PluginError.Code, of fixture: BundleFixture, _ message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = try loadError(fixture, sourceLocation: sourceLocation)
        check(error, code, fixture, message, sourceLocation: sourceLocation)
    }

    private func check(
        _ error: PluginError, _ code: PluginError.Code, _ fixture: BundleFixture, _ message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error.code == code, sourceLocation: sourceLocation)
        let found = error.description
            .replacingOccurrences(of: "“\(fixture.executable.path)”", with: "{executable}")
            .replacingOccurrences(of: fixture.executable.path, with: "{executable}")
            .replacingOccurrences(of: "“\(fixture.path)”", with: "{bundle}")
            .replacingOccurrences(of: fixture.path, with: "{bundle}")
        #expect(found == message, sourceLocation: sourceLocation)
    }

    @Test func manifestUnreadable() throws {
        let fixture = try BundleFixture("CutOffInfoPlist", code: .none)
        try "<plist version=\"1.0\">\n<dict>\n<key>a</key>".write(
            to: fixture.infoList, atomically: true, encoding: .utf8)
        try expect(.manifestUnreadable, of: fixture, "")
    }

    @Test func manifestInvalid() throws {
        try expect(.manifestInvalid, of: BundleFixture("NumberAsName", info: ["CFBundleName": 7], code: .none), "")
    }

    @Test func executableMissing() throws {
        try expect(.executableMissing, of: BundleFixture("NothingThere", code: .none), "")
    }

    @Test func executableOutsideBundle() throws {
        try expect(
            .executableOutsideBundle, of: BundleFixture("PathOut", info: ["NSExecutable": "../../x"], code: .none), "")
    }

    @Test func notCode() throws {
        try expect(.notCode, of: BundleFixture("ResourcesOnly", info: ["NSExecutable": NSNull()], code: .none), "")
    }

    @Test func notLoadable() throws {
        let fixture = try BundleFixture("ShellScript", code: .none)
        try "#!/bin/sh\n".write(to: fixture.executable, atomically: true, encoding: .utf8)
        try expect(.notLoadable, of: fixture, "")
    }

    @Test func executableChanged() throws {
        let fixture = try BundleFixture("ReplacedAfterCheck", code: .c(Source.good + "/* first */"))
        // The dynamic linker knows the path already, and gives what was there then: as if the file had been replaced
        // between the check and the load.
        #expect(dlopen(fixture.executable.path, RTLD_NOW | RTLD_LOCAL) != nil)
        try fixture.install(.c(Source.factory + Source.good.dropFirst(Source.factory.count) + "int second[64] = {1};"))
        try expect(.executableChanged, of: fixture, "")
    }

    @Test func dependencyMissing() throws {
        let folder = Workspace.temporary.appending(path: "missing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = folder.appending(path: "libelsewhere.so.3").path
        try Tool.run(try Tool.find("clang"), ["-shared", "-fPIC", "-x", "c", "/dev/null", "-o", library])
        let fixture = try BundleFixture(
            "NeedsElsewhere",
            code: .c(Source.good, flags: ["-Wl,--no-as-needed", "-L\(folder.path)", "-l:libelsewhere.so.3"]))
        try FileManager.default.removeItem(at: folder)
        try expect(.dependencyMissing, of: fixture, "")
    }

    @Test func unsafeSearchPath() throws {
        try expect(
            .unsafeSearchPath,
            of: BundleFixture("RunpathDot", code: .c(Source.good, flags: ["-Wl,--enable-new-dtags,-rpath,."])), "")
    }

    @Test func symbolMissing() throws {
        try expect(.symbolMissing, of: BundleFixture("NoEntry", code: .c("int x;")), "")
    }

    @Test func abiMismatch() throws {
        try expect(.abiMismatch, of: BundleFixture("ABI2", code: .c(EntryFaults.anotherMajor)), "")
    }

    @Test func toolchainMismatch() throws {
        let source = """
            static const plugin_note note PLUGIN_NOTE_ATTRIBUTES = {sizeof(PLUGIN_NOTE_OWNER),
                (uint32_t)(sizeof(plugin_note) - offsetof(plugin_note, head)), PLUGIN_NOTE_TYPE, PLUGIN_NOTE_OWNER,
                {PLUGIN_NOTE_FORMAT, PLUGIN_ABI_MAJOR, PLUGIN_ABI_MINOR, PLUGIN_SWIFT_REVISION, PLUGIN_NOTE_SWIFT, 19},
                "toolchain=Swift 5\\n"};

            """ + Source.good
        try expect(.toolchainMismatch, of: BundleFixture("OtherToolchain", code: .c(source)), "")
    }

    @Test func alreadyEntered() throws {
        let first = try BundleFixture("FirstOwner", code: .c(Source.good + "/* owner */"))
        let second = try BundleFixture("SecondOwner", code: .none)
        try FileManager.default.linkItem(at: first.executable, to: second.executable)
        try PluginBundle.open(path: first.path).loadAndReturnError()
        let error = try loadError(second)
        #expect(error.code == .alreadyEntered)
        check(error, .alreadyEntered, second, "".replacing("{first}", with: first.path))
    }

    @Test func loadFailed() throws {
        // More thread-local memory than the dynamic linker keeps for libraries that are loaded late.
        let source = Source.good + "static __thread char much[1 << 20]; char *touch(void) { return much; }"
        try expect(
            .loadFailed, of: BundleFixture("TooMuchTLS", code: .c(source, flags: ["-ftls-model=initial-exec"])), "")
    }

    @Test func entryFailed() throws {
        let source = "PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return PLUGIN_FAILED; }"
        try expect(.entryFailed, of: BundleFixture("NoReason", code: .c(source)), "")
    }

    @Test func nothingRegistered() throws {
        let source = "PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return PLUGIN_OK; }"
        try expect(.nothingRegistered, of: BundleFixture("OffersNothing", code: .c(source)), "")
    }

    @Test func registrationInvalid() throws {
        let source =
            Source.factory + """
                FACTORY(nameless, "");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { return h->register_factory(h, &nameless); }
                """
        try expect(.registrationInvalid, of: BundleFixture("Nameless", code: .c(source)), "")
    }

    @Test func duplicateFactory() throws {
        let source =
            Source.factory + """
                FACTORY(one, "blur"); FACTORY(two, "blur");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    h->register_factory(h, &one);
                    return h->register_factory(h, &two);
                }
                """
        try expect(.duplicateFactory, of: BundleFixture("TwiceBlur", code: .c(source)), "")
    }

    @Test func principalClassMissing() throws {
        let fixture = try BundleFixture(
            "NoPrincipal", info: ["NSPrincipalClass": "Conductor"], code: .swift(BundleObjects.classes))
        let bundle = try PluginBundle.open(path: fixture.path)
        let error = try #require(#expect(throws: PluginError.self) { try bundle.makePrincipal(as: (any Plugin).self) })
        check(error, .principalClassMissing, fixture, "")
    }

    @Test func instantiationFailed() throws {
        let source = """
            static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
                (void)f; (void)out;
                h->set_error(h, PLUGIN_STRING(""), 0, PLUGIN_STRING("The device is busy"), PLUGIN_STRING("Try again later"));
                return PLUGIN_FAILED;
            }
            static void release(void *p) { (void)p; }
            static const plugin_factory f = {{sizeof(plugin_factory), 1}, {"device", 6}, {0, 0}, 1, 0, 0, 0, create, 0, release};
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { return h->register_factory(h, &f); }
            """
        let fixture = try BundleFixture("BusyDevice", code: .c(source))
        let factory = try #require(try PluginBundle.open(path: fixture.path).factories().first)
        let error = try #require(#expect(throws: PluginError.self) { try factory.make() })
        check(error, .instantiationFailed, fixture, "")
    }

    @Test func functionUnavailable() throws {
        let fixture = try BundleFixture("FewFunctions", code: .c(Source.good + "/* few */"))
        let bundle = try PluginBundle.open(path: fixture.path)
        let error = try #require(#expect(throws: PluginError.self) { try bundle.function("many") })
        check(error, .functionUnavailable, fixture, "")
    }
}

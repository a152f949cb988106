import DemoAPI
import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// The complete message of each error code, as a user reads it.
///
/// `{bundle}` and `{executable}` represent the paths, `{toolchain}` and `{machine}` the host's own, `{runtimes}` the folder
/// for those of other toolchains, `{places}` the places that this machine's linker searches.
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
            .replacingOccurrences(of: Self.toolchain, with: "{toolchain}")
            .replacingOccurrences(of: Self.machine, with: "{machine}")
            .replacing(/put it into “.*?”/, with: "put it into “{runtimes}”")
            .replacing(/Searched: .*?\. The/, with: "Searched: {places}. The")
        #expect(found == message, sourceLocation: sourceLocation)
    }

    private static let toolchain: String = {
        let text = plugin_swift_toolchain()
        return String(decoding: UnsafeRawBufferPointer(start: text.ptr, count: text.len), as: UTF8.self)
    }()

    private static let machine: String = {
        var names = utsname()
        uname(&names)
        return withUnsafeBytes(of: &names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }()

    @Test func manifestUnreadable() throws {
        let fixture = try BundleFixture("CutOffInfoPlist", code: .none)
        try "<plist version=\"1.0\">\n<dict>\n<key>a</key>".write(
            to: fixture.infoList, atomically: true, encoding: .utf8)
        try expect(
            .manifestUnreadable, of: fixture,
            "The bundle {bundle}: The property list “{bundle}/Contents/Info.plist” is not a property list: "
                + "line 3, column 13: The file ends before the <plist> that began the list is closed. Correct "
                + "the file, or install the bundle again.")
    }

    @Test func manifestInvalid() throws {
        try expect(
            .manifestInvalid, of: BundleFixture("NumberAsName", info: ["CFBundleName": 7], code: .none),
            "The bundle {bundle}: The key CFBundleName of “{bundle}/Contents/Info.plist” is an integer, "
                + "but a string is expected. Correct the key, or remove it; the page bundle-format.md lists the "
                + "keys and their types.")
    }

    @Test func executableMissing() throws {
        try expect(
            .executableMissing, of: BundleFixture("NothingThere", code: .none),
            "The bundle {bundle}: The executable “NothingThere” is missing; searched: "
                + "“{bundle}/Contents/Linux”, “{bundle}/Contents/Linux-{machine}”, "
                + "“{bundle}/Contents/{machine}-linux”, “{bundle}/Contents”. Build the plug-in's library and "
                + "copy it to {executable}.")
    }

    @Test func executableOutsideBundle() throws {
        try expect(
            .executableOutsideBundle, of: BundleFixture("PathOut", info: ["NSExecutable": "../../x"], code: .none),
            "The bundle {bundle}: The key NSExecutable of “{bundle}/Contents/Info.plist” is the path "
                + "“../../x”. Write the name of a file in the bundle's Contents/Linux directory, without a "
                + "slash.")
    }

    @Test func notCode() throws {
        try expect(
            .notCode, of: BundleFixture("ResourcesOnly", info: ["NSExecutable": NSNull()], code: .none),
            "The bundle {bundle}: The bundle has no code: its Info.plist names no executable and "
                + "{executable} does not exist. Use its resources without loading it, or name the executable "
                + "with the key NSExecutable.")
    }

    @Test func notLoadable() throws {
        let fixture = try BundleFixture("ShellScript", code: .none)
        try "#!/bin/sh\n".write(to: fixture.executable, atomically: true, encoding: .utf8)
        try expect(
            .notLoadable, of: fixture,
            "The bundle {bundle}: {executable} is a script (“#!/bin/sh”), not an ELF shared object. "
                + "Name the compiled library in Info.plist, under NSExecutable or CFBundleExecutable.")
    }

    @Test func executableChanged() throws {
        let fixture = try BundleFixture("ReplacedAfterCheck", code: .c(Source.good + "/* first */"))
        // The dynamic linker knows the path already, and returns what it loaded before, as if the file had been replaced
        // between the check and the load.
        #expect(dlopen(fixture.executable.path, RTLD_NOW | RTLD_LOCAL) != nil)
        try fixture.install(.c(Source.factory + Source.good.dropFirst(Source.factory.count) + "int second[64] = {1};"))
        try expect(
            .executableChanged, of: fixture,
            "The bundle {bundle}: The file {executable} was replaced after its check and before it was loaded; "
                + "its entry was not called. Load the bundle again when its installation is complete.")
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
        try expect(
            .dependencyMissing, of: fixture,
            "The bundle {bundle}: {executable} needs the library “libelsewhere.so.3”, which was not "
                + "found. Searched: {places}. The system said: libelsewhere.so.3: cannot open shared object "
                + "file: No such file or directory. Install the package that contains libelsewhere.so.3 (Debian, "
                + "Ubuntu: apt-file search libelsewhere.so.3; Fedora: dnf provides '*/libelsewhere.so.3'), or "
                + "put the library into Contents/Frameworks of the bundle and link the plug-in with -rpath "
                + "'$ORIGIN/../Frameworks'.")
    }

    @Test func unsafeSearchPath() throws {
        try expect(
            .unsafeSearchPath,
            of: BundleFixture("RunpathDot", code: .c(Source.good, flags: ["-Wl,--enable-new-dtags,-rpath,."])),
            "The bundle {bundle}: {executable} has the relative element “.” in its RUNPATH “.”: it is "
                + "relative to the host's current directory, where anybody may put a library. Link it with "
                + "-rpath '$ORIGIN' (swiftc: -Xlinker -rpath -Xlinker '$ORIGIN').")
    }

    @Test func symbolMissing() throws {
        try expect(
            .symbolMissing, of: BundleFixture("NoEntry", code: .c("int x;")),
            "The bundle {bundle}: {executable} does not export the function “plugin_entry”, so it is not a "
                + "plug-in for this host. Define it in Swift as: @c(plugin_entry) public func pluginEntry(_ "
                + "host: UnsafePointer<plugin_host>) -> plugin_status; in C as: PLUGIN_EXPORT plugin_status "
                + "plugin_entry(const plugin_host *host).")
    }

    @Test func abiMismatch() throws {
        try expect(
            .abiMismatch, of: BundleFixture("ABI2", code: .c(EntryFaults.anotherMajor)),
            "The bundle {bundle}: {executable} was built for version 7.3 of the plug-in ABI; this host "
                + "has version 1.1. Build the plug-in with the plugin_abi.h of the PluginHost that this host "
                + "uses, or install the version of the plug-in made for it.")
    }

    @Test func toolchainMismatch() throws {
        let source = """
            static const plugin_note note PLUGIN_NOTE_ATTRIBUTES = {sizeof(PLUGIN_NOTE_OWNER),
                (uint32_t)(sizeof(plugin_note) - offsetof(plugin_note, head)), PLUGIN_NOTE_TYPE, PLUGIN_NOTE_OWNER,
                {PLUGIN_NOTE_FORMAT, PLUGIN_ABI_MAJOR, PLUGIN_ABI_MINOR, PLUGIN_SWIFT_REVISION, PLUGIN_NOTE_SWIFT, 19},
                "toolchain=Swift 5\\n"};

            """ + Source.good
        try expect(
            .toolchainMismatch, of: BundleFixture("OtherToolchain", code: .c(source)),
            "The bundle {bundle}: {executable} was compiled by “Swift 5”, the application by “{toolchain}”, and no "
                + "runtime of that toolchain is installed. Build the plug-in with the toolchain of the application. Or "
                + "install its runtime, a directory with a “pluginhost-worker” that the toolchain of the plug-in built: "
                + "name it in HostEnvironment.runtimes, or put it into “{runtimes}”.")
    }

    @Test func alreadyEntered() throws {
        let first = try BundleFixture("FirstOwner", code: .c(Source.good + "/* owner */"))
        let second = try BundleFixture("SecondOwner", code: .none)
        try FileManager.default.linkItem(at: first.executable, to: second.executable)
        try PluginBundle.open(path: first.path).loadAndReturnError()
        let error = try loadError(second)
        #expect(error.code == .alreadyEntered)
        check(
            error, .alreadyEntered, second,
            ("The bundle {bundle}: The file {executable} is in the process already, as the executable of "
                + "the bundle “{first}”. Give each bundle its own copy of the file instead of a link.").replacing(
                    "{first}", with: first.path))
    }

    @Test func loadFailed() throws {
        // More thread-local memory than the dynamic linker reserves for libraries that are loaded late.
        let source = Source.good + "static __thread char much[1 << 20]; char *touch(void) { return much; }"
        try expect(
            .loadFailed, of: BundleFixture("TooMuchTLS", code: .c(source, flags: ["-ftls-model=initial-exec"])),
            "The bundle {bundle}: The dynamic linker cannot load {executable}. The system said: "
                + "{executable}: cannot allocate memory in static TLS block. One more problem: {executable} has "
                + "1048576 bytes of thread-local variables of the model initial-exec, but the dynamic linker "
                + "reserves only 512 bytes for all libraries opened late. Compile it without -ftls-model=initial-exec, "
                + "or start the application with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=1049088.")
    }

    @Test func entryFailed() throws {
        let source = "PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return PLUGIN_FAILED; }"
        try expect(
            .entryFailed, of: BundleFixture("NoReason", code: .c(source)),
            "The bundle {bundle}: The entry of {executable} returned -1 and gave no reason. The "
                + "plug-in's author should call set_error() before returning a failure.")
    }

    @Test func nothingRegistered() throws {
        let source = "PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return PLUGIN_OK; }"
        try expect(
            .nothingRegistered, of: BundleFixture("OffersNothing", code: .c(source)),
            "The bundle {bundle}: The entry of {executable} succeeded but registered nothing. Register "
                + "a class, a provider, a factory or a function in plugin_entry, or set NSPrincipalClass.")
    }

    @Test func registrationInvalid() throws {
        let source =
            Source.factory + """
                FACTORY(nameless, "");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { return h->register_factory(h, &nameless); }
                """
        try expect(
            .registrationInvalid, of: BundleFixture("Nameless", code: .c(source)),
            "The bundle {bundle}: The plug-in registered “”, which is empty, but a name is required. "
                + "Correct the registration in plugin_entry.")
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
        try expect(
            .duplicateFactory, of: BundleFixture("TwiceBlur", code: .c(source)),
            "The bundle {bundle}: The plug-in registered the name “blur” twice in one bundle. Give each "
                + "registration a different name.")
    }

    @Test func principalClassMissing() throws {
        let fixture = try BundleFixture(
            "NoPrincipal", info: ["NSPrincipalClass": "Conductor"], code: .swift(BundleObjects.classes))
        let bundle = try PluginBundle.open(path: fixture.path)
        let error = try #require(#expect(throws: PluginError.self) { try bundle.makePrincipal(as: (any Plugin).self) })
        check(
            error, .principalClassMissing, fixture,
            "The bundle {bundle}: NSPrincipalClass is “Conductor”, but the bundle has no class with that "
                + "name. Register the class in plugin_entry, or correct NSPrincipalClass: the bundle has "
                + "“NoPrincipal.First”, “NoPrincipal.Reporter”, “NoPrincipal.Reporter.Inner”.")
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
        let factory = try #require(try PluginBundle.open(path: fixture.path).cProviders().first)
        let error = try #require(#expect(throws: PluginError.self) { try factory.make() })
        check(
            error, .instantiationFailed, fixture,
            "The bundle {bundle}: Creating an object of the factory “device” failed: The device is busy. "
                + "Try again later.")
    }

    @Test func functionUnavailable() throws {
        let fixture = try BundleFixture("FewFunctions", code: .c(Source.good + "/* few */"))
        let bundle = try PluginBundle.open(path: fixture.path)
        let error = try #require(#expect(throws: PluginError.self) { try bundle.function("many") })
        check(
            error, .functionUnavailable, fixture,
            "The bundle {bundle}: The function “many” is not offered; the bundle offers entry_calls. "
                + "“pluginhost call --list” lists the bundle's functions and their signatures.")
    }
}

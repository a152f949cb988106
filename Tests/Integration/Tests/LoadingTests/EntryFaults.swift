import Fixtures
import Foundation
import PluginHost
import Testing

/// Faults in the entry and in the registrations.
///
/// Each fixture is named by its defect.
@Suite(.fault(86)) struct EntryFaults {
    /// A good plug-in with the note of ABI 7.3.
    static let anotherMajor = """
        static const plugin_note note PLUGIN_NOTE_ATTRIBUTES = {sizeof(PLUGIN_NOTE_OWNER),
            (uint32_t)(sizeof(plugin_note) - offsetof(plugin_note, head)), PLUGIN_NOTE_TYPE, PLUGIN_NOTE_OWNER,
            {PLUGIN_NOTE_FORMAT, 7, 3, 0, 0, sizeof(PLUGIN_NOTE_PAYLOAD) - 1}, PLUGIN_NOTE_PAYLOAD};

        """ + Source.good

    @Test(.fault(81)) func aMissingEntrySymbolIsReportedByName() throws {
        let error = try loadError(BundleFixture("MissingEntry", code: .c("int other(void) { return 1; }")))
        #expect(error.code == .symbolMissing)
        #expect(error.subject == "plugin_entry")
        #expect(error.description.contains("plugin_entry"))
    }

    @Test(.fault(82)) func anEntrySymbolThatIsDataIsNotCalled() throws {
        let error = try loadError(BundleFixture("EntryIsData", code: .c("int plugin_entry = 3;")))
        #expect(error.code == .symbolMissing)
        #expect(error.subject == "plugin_entry")
    }

    @Test(.fault(83)) func anotherABIMajorIsReportedWithBothVersions() throws {
        let error = try loadError(BundleFixture("ABI7", code: .c(Self.anotherMajor)))
        #expect(error.code == .abiMismatch)
        #expect(error.description.contains("7.3"))
        #expect(error.description.contains("this host has version 1."))
    }

    @Test(.fault(83)) func anEntryThatRefusesTheABITellsSo() throws {
        let error = try loadError(
            BundleFixture(
                "RefusesABI",
                code: .c(
                    "PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return PLUGIN_ABI_MISMATCH; }"
                )))
        #expect(error.code == .abiMismatch)
        #expect(error.description.contains("does not support the host's ABI 1.1"))
    }

    @Test(.fault(84)) func anEntryThatFailsTellsItsReasonAndRemedy() throws {
        let source = """
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                h->set_error(h, PLUGIN_STRING("org.example.license"), 7, PLUGIN_STRING("The licence has expired"),
                    PLUGIN_STRING("Renew it"));
                return PLUGIN_FAILED;
            }
            """
        let fixture = try BundleFixture("EntryFails", code: .c(source))
        let error = try loadError(fixture)
        #expect(error.code == .entryFailed)
        #expect(error.systemMessage == "The licence has expired")
        #expect(
            error.description == "The bundle “\(fixture.path)”: The entry of “\(fixture.executable.path)” failed "
                + "(org.example.license, code 7): The licence has expired. Renew it.")
    }

    @Test(.fault(84)) func anEntryThatFailsWithoutAReasonIsReportedWithItsStatus() throws {
        let error = try loadError(
            BundleFixture(
                "EntryFailsSilently",
                code: .c("PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return -42; }")))
        #expect(error.code == .entryFailed)
        #expect(error.description.contains("returned -42"))
        #expect(error.description.contains("set_error()"))
    }

    @Test(.fault(84)) func anErrorThrownByASwiftEntryIsTheLoadsError() throws {
        let source = """
            import PluginABI
            final class Unused: Plugin { init(context: PluginContext) throws {} }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in
                    plugin.register(Unused.self)
                    throw PluginFailure("The database is locked.", remedy: "Close the other program.", code: 5)
                }
            }
            """
        let error = try loadError(BundleFixture("EntryThrows", code: .swift(source)))
        #expect(error.code == .entryFailed)
        #expect(error.description.hasSuffix("failed: The database is locked. Close the other program."))
    }

    @Test(.fault(85)) func anEntryThatTrapsEndsTheHostAsDocumented() async throws {
        let path = try BundleFixture(
            "EntryTraps",
            code: .c("PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; __builtin_trap(); }")
        ).path
        await #expect(processExitsWith: .failure) { [path = path as String] in
            _ = try PluginBundle.open(path: path).load()
        }
    }

    @Test(.fault(87)) func theEntryOfAFileThatFailedIsNotCalledAgainUntilTheFileIsReplaced() throws {
        let failing = """
            static int calls;
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                char text[] = "call 0"; text[5] += ++calls;
                plugin_string message = {text, 6};
                h->set_error(h, message, 0, message, PLUGIN_STRING(""));
                return PLUGIN_FAILED;
            }
            """
        let fixture = try BundleFixture("FailsThenReplaced", code: .c(failing))
        let first = try loadError(fixture)
        #expect(first.systemMessage == "call 1")
        #expect(try loadError(fixture) == first)
        try fixture.install(.c(Source.good))
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.loadAndReturnError()
        #expect(bundle.registrations.map(\.name) == ["Thing", "entry_calls"])
    }

    @Test(.fault(87)) func unloadAndLoadDoNotCallTheEntryAgain() throws {
        let bundle = try PluginBundle.open(path: BundleFixture("LoadedOften", code: .c(Source.good)).path)
        for _ in 0..<100 {
            try bundle.loadAndReturnError()
            #expect(bundle.unload())
            #expect(!bundle.isLoaded)
            #expect(bundle.registrations.map(\.name).isEmpty)
        }
        #expect(try bundle.function("entry_calls")().uint64 == 1)
    }

    @Test(.fault(73, 87)) func twoBundlesWithOneFileAreRefused() throws {
        let first = try BundleFixture("HardLinkOne", code: .c(Source.good + "/* linked */"))
        let second = try BundleFixture("HardLinkTwo", code: .none)
        try FileManager.default.linkItem(at: first.executable, to: second.executable)
        try PluginBundle.open(path: first.path).loadAndReturnError()
        let error = try loadError(second)
        #expect(error.code == .alreadyEntered)
        #expect(error.subject == first.path)
    }

    @Test(.fault(88)) func anEntryThatRegistersNothingIsAnError() throws {
        let error = try loadError(
            BundleFixture(
                "RegistersNothing",
                code: .c("PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return 0; }")))
        #expect(error.code == .nothingRegistered)
    }

    @Test(.fault(89)) func aNameRegisteredTwiceInABundleIsAnErrorEvenIfThePluginIgnoresTheStatus() throws {
        let source =
            Source.factory + """
                FACTORY(one, "Same"); FACTORY(two, "Same");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    h->register_factory(h, &one);
                    if (h->register_factory(h, &two) != PLUGIN_DUPLICATE) return PLUGIN_FAILED;
                    return PLUGIN_OK;
                }
                """
        let error = try loadError(BundleFixture("DuplicateName", code: .c(source)))
        #expect(error.code == .duplicateFactory)
        #expect(error.subject == "Same")
    }

    @Test(.fault(90)) func aNameTakenAtAnExtensionPointNamesBothBundlesAndLoadsOnceItIsFree() throws {
        let source =
            Source.factory + """
                FACTORY_AT(one, "blur", "org.example.fault90");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { return h->register_factory(h, &one); }
                """
        let first = try BundleFixture("BlurOne", code: .c(source))
        let second = try BundleFixture("BlurTwo", code: .c(source))
        let owner = try PluginBundle.open(path: first.path)
        try owner.loadAndReturnError()
        let error = try loadError(second)
        #expect(error.code == .duplicateFactory)
        #expect(error.subject == "blur")
        #expect(error.description.contains(first.path) && error.description.contains(second.path))
        owner.unload()
        let other = try PluginBundle.open(path: second.path)
        try other.loadAndReturnError()
        #expect(other.registrations.map(\.name) == ["blur"])
        #expect(throws: PluginError.self) { try owner.loadAndReturnError() }
    }

    @Test(.fault(91)) func anEntryThatFailsHalfwayLeavesNothing() throws {
        let source =
            Source.factory + """
                FACTORY(one, "One"); FACTORY_AT(two, "Two", "org.example.fault91");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    h->register_factory(h, &one); h->register_factory(h, &two);
                    return PLUGIN_FAILED;
                }
                """
        _ = try loadError(BundleFixture("FailsHalfway", code: .c(source)))
        // The name at the extension point is free.
        let taker =
            Source.factory + """
                FACTORY_AT(two, "Two", "org.example.fault91");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { return h->register_factory(h, &two); }
                """
        try PluginBundle.open(path: BundleFixture("TakesTheName", code: .c(taker)).path).loadAndReturnError()
    }

    @Test(.fault(92)) func aHundredThousandFactoriesRegister() throws {
        let source =
            Source.factory + """
                #include <stdio.h>
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    plugin_factory *all = calloc(100000, sizeof *all);
                    char *names = malloc(100000 * 8);
                    for (int i = 0; i < 100000; i++) {
                        char *name = names + i * 8;
                        int length = snprintf(name, 8, "f%d", i);
                        all[i].header.size = sizeof *all; all[i].header.version = 1;
                        all[i].name.ptr = name; all[i].name.len = length;
                        all[i].create = create; all[i].release = release;
                        plugin_status status = h->register_factory(h, &all[i]);
                        if (status) return status;
                    }
                    return PLUGIN_OK;
                }
                """
        let bundle = try PluginBundle.open(path: BundleFixture("ManyFactories", code: .c(source)).path)
        let factories = try bundle.cProviders()
        #expect(factories.count == 100_000)
        #expect(factories[99_999].name == "f99999")
    }

    @Test(.fault(93)) func aRegistrationAfterTheEntryIsRefusedAndChangesNothing() throws {
        let source =
            Source.factory + """
                FACTORY(one, "One"); FACTORY(late, "Late");
                static const plugin_host *kept;
                static int register_late(void) { return kept->register_factory(kept, &late); }
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    kept = h;
                    plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("register_late"), PLUGIN_STRING("() -> int32"),
                        (plugin_code)register_late};
                    h->register_function(h, &f);
                    return h->register_factory(h, &one);
                }
                """
        let bundle = try PluginBundle.open(path: BundleFixture("RegistersLate", code: .c(source)).path)
        let late = try bundle.function("register_late")
        #expect(try late().int64 == -5)
        #expect(bundle.registrations.map(\.name) == ["One", "register_late"])
    }

    @Test(.fault(93)) func aRegistrationFromAnotherThreadFailsTheLoad() throws {
        let source =
            Source.factory + """
                #include <pthread.h>
                FACTORY(one, "One"); FACTORY(two, "Two");
                static void *other(void *h) { ((const plugin_host *)h)->register_factory(h, &two); return 0; }
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    pthread_t thread;
                    h->register_factory(h, &one);
                    pthread_create(&thread, 0, other, (void *)h);
                    pthread_join(thread, 0);
                    return PLUGIN_OK;
                }
                """
        let error = try loadError(BundleFixture("RegistersElsewhere", code: .c(source)))
        #expect(error.code == .registrationInvalid)
        #expect(error.description.contains("another thread"))
    }

    @Test(
        .fault(94),
        arguments: [
            ("EmptyName", "{\"\", 0}", "is empty"), ("NULInName", "{\"a\\0b\", 3}", "contains a NUL"),
            ("HugeName", "{big, 1 << 20}", "1048576 bytes"),
        ])
    func anUnusableNameIsReported(name: String, literal: String, complaint: String) throws {
        let source =
            Source.factory + """
                #include <string.h>
                static char big[1 << 20];
                static plugin_factory bad = {{sizeof(plugin_factory), 1}, {0, 0}, {0, 0}, 1, 0, 0, 0, create, 0, release};
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    memset(big, 'x', sizeof big);
                    bad.name = (plugin_string)\(literal);
                    return h->register_factory(h, &bad) == PLUGIN_INVALID_ARGUMENT ? PLUGIN_OK : PLUGIN_FAILED;
                }
                """
        let error = try loadError(BundleFixture(name, code: .c(source)))
        #expect(error.code == .registrationInvalid)
        #expect(error.description.contains(complaint))
        #expect(error.description.utf8.count < 2000)
    }

    @Test func aShortFactoryStructOrOneWithoutFunctionsIsReported() throws {
        let source =
            Source.factory + """
                static const plugin_factory shortened = {{8, 1}, {"a", 1}, {0, 0}, 1, 0, 0, 0, create, 0, release};
                static const plugin_factory empty = {{sizeof(plugin_factory), 1}, {"b", 1}, {0, 0}, 1, 0, 0, 0, 0, 0, 0};
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    h->register_factory(h, &shortened); h->register_factory(h, &empty); h->register_factory(h, 0);
                    return PLUGIN_OK;
                }
                """
        let error = try loadError(BundleFixture("ShortFactory", code: .c(source)))
        #expect(error.code == .registrationInvalid)
        #expect(error.findings.count == 3)
        #expect(error.description.hasSuffix("2 more problems were found."))
    }

    @Test func aFunctionWithABadSignatureIsReported() throws {
        let source = """
            static int f(void) { return 1; }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                plugin_function x = {{sizeof x, 1}, PLUGIN_STRING("f"), PLUGIN_STRING("(words) -> int32"), (plugin_code)f};
                h->register_function(h, &x);
                return PLUGIN_OK;
            }
            """
        let error = try loadError(BundleFixture("BadSignature", code: .c(source)))
        #expect(error.code == .registrationInvalid)
        #expect(error.subject == "f")
        #expect(error.description.contains("“words”"))
    }

    @Test(.fault(95)) func anObjectOutlivesTheUnload() throws {
        let bundle = try PluginBundle.open(
            path: BundleFixture("Outlived", code: .c(Source.good + "/* outlived */")).path)
        let factory = try bundle.cProviders()[0]
        let instance = try factory.make()
        bundle.unload()
        #expect(instance.functions(as: Int.self) == nil)
        // The factory that was handed out keeps working too: the code still exists.
        let second = try factory.make()
        #expect(instance.pointer != second.pointer)
    }
}

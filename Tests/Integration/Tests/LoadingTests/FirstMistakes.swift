import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Mistakes in a first plug-in: each error names the cause, and what to change.
@Suite struct FirstMistakes {
    private static let thing = """
        import PluginABI
        final class Thing: Plugin { init(context: PluginContext) throws {} }

        """
    private static let swiftEntry = """
        func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { $0.register(Thing.self) }
        }
        """

    // MARK: The entry

    @Test(.fault(81)) func anEntryWithoutPublicIsReportedAsHidden() throws {
        let fixture = try BundleFixture(
            "EntryNotPublic", code: .swift(Self.thing + "@c(plugin_entry)\n" + Self.swiftEntry))
        let error = try loadError(fixture)
        #expect(error.code == .symbolMissing && error.subject == "plugin_entry")
        #expect(
            error.findings[0].message
                == "“\(fixture.executable.path)” defines the function “plugin_entry” but does not export it.")
        #expect(error.findings[0].remedy.hasPrefix("Write “public” before the function"))
        try expectCheck(of: fixture, finds: error)
    }

    @Test(.fault(81)) func aHiddenEntryOfCIsReportedWithTheWordThatExportsIt() throws {
        let source = "plugin_status plugin_entry(const plugin_host *host) { (void)host; return PLUGIN_OK; }"
        let fixture = try BundleFixture(
            "EntryHidden",
            code: .c(source, flags: ["-Wl,--exclude-libs,ALL", "-Wl,--version-script=\(try hidingAll())"]))
        let error = try loadError(fixture)
        #expect(error.findings[0].message.hasSuffix("defines the function “plugin_entry” but does not export it."))
        #expect(error.findings[0].remedy.hasPrefix("Write PLUGIN_EXPORT before the function"))
    }

    private func hidingAll() throws -> String {
        let file = Workspace.temporary.appending(path: "hide-\(UUID().uuidString).map")
        try Data("{ local: *; };".utf8).write(to: file)
        return file.path
    }

    @Test(.fault(81)) func anEntryWithANameOfCPlusPlusIsReportedWithExternC() throws {
        // Not the parameter type of the header's declaration: another function, to which its extern "C" does not apply.
        let fixture = try BundleFixture(
            "EntryOfCPlusPlus",
            code: .cxx("plugin_status plugin_entry(plugin_host *host) { (void)host; return PLUGIN_OK; }"))
        let error = try loadError(fixture)
        #expect(error.code == .symbolMissing && error.subject == "plugin_entry")
        #expect(
            error.description.contains(
                "“plugin_entry(plugin_host*)” (“_Z12plugin_entryP11plugin_host”), a C++ function"))
        #expect(error.description.contains("extern \"C\""))
        try expectCheck(of: fixture, finds: error)
    }

    @Test(.fault(81)) func aSwiftEntryWithoutItsCNameIsReportedWithTheAttribute() throws {
        let source = Self.swiftEntry.replacingOccurrences(of: "pluginEntry", with: "plugin_entry")
        let fixture = try BundleFixture("EntryOfSwift", code: .swift(Self.thing + "public " + source))
        let error = try loadError(fixture)
        #expect(error.description.contains("a Swift function"))
        #expect(error.description.contains("Write @c(plugin_entry) before the function"))
    }

    // MARK: The note

    /// patchelf moves notes and corrects only the program headers; the code still has the old address.
    @Test(.fault(823)) func aNoteThatWasMovedIsFoundByItsContent() throws {
        let fixture = try BundleFixture(
            "NoteMoved", code: .swift(Self.thing + "@c(plugin_entry)\npublic " + Self.swiftEntry))
        // The two notes of the segment change places.
        var bytes = Array(try Data(contentsOf: fixture.executable))
        func size(_ start: Int) -> Int {
            bytes[start..<(start + 8)].withUnsafeBytes { head in
                (0..<2).reduce(12) { $0 + (Int(head.loadUnaligned(fromByteOffset: $1 * 4, as: UInt32.self)) + 3) & ~3 }
            }
        }
        let owner = Array("PluginHost\0".utf8)
        let name = try #require(
            bytes.indices.first { bytes[$0] == owner[0] && bytes[$0...].starts(with: owner) && bytes[$0 - 12] == 11 })
        let start = name - 12
        let middle = start + size(start)
        try #require(bytes[(middle + 12)...].starts(with: "GNU\0".utf8))
        let end = middle + size(middle)
        bytes.replaceSubrange(start..<end, with: bytes[middle..<end] + bytes[start..<middle])
        try Data(bytes).write(to: fixture.executable)
        let bundle = try PluginBundle.open(path: fixture.path)
        #expect(bundle.findings().filter { $0.severity == .error } == [])
        try bundle.loadAndReturnError()
    }

    @Test(arguments: ["objcopy", "llvm-objcopy"]) func aNoteThatWasRemovedIsNamed(tool: String) throws {
        let program = try Tool.find(tool)
        let fixture = try BundleFixture(
            "NoteRemoved", code: .swift(Self.thing + "@c(plugin_entry)\npublic " + Self.swiftEntry + "// \(tool)"))
        let result = fixture.executable.path + ".new"
        try Tool.run(program, ["--remove-section", ".note.pluginhost", fixture.executable.path, result])
        try FileManager.default.removeItem(at: fixture.executable)
        try FileManager.default.moveItem(atPath: result, toPath: fixture.executable.path)
        let error = try loadError(fixture)
        let finding = try #require(error.findings.first { $0.subject == ".note.pluginhost" })
        #expect(finding.code == .abiMismatch)
        #expect(finding.message.contains("has lost its note"))
        #expect(finding.remedy.contains("objcopy --remove-section"))
        #expect(!error.description.contains("is damaged"))
        try expectCheck(of: fixture, finds: error)
    }

    // MARK: Names

    @Test(.fault(55)) func aMisspeltExecutableIsReportedWithItsKeyAndTheExistingFile() throws {
        for key in ["NSExecutable", "CFBundleExecutable"] {
            let fixture = try BundleFixture(
                "Spelt", info: ["NSExecutable": NSNull()].merging([key: "Splet"]) { $1 }, code: .c(Source.good))
            let error = try loadError(fixture)
            #expect(error.code == .executableMissing && error.subject == "Splet")
            #expect(
                error.description.contains(
                    "The key \(key) of “\(fixture.infoList.path)” names “Splet”; found there: "
                        + "“\(fixture.executable.path)”."))
            #expect(error.description.hasSuffix("Correct \(key) in Info.plist, or give the file that name."))
        }
    }

    @Test func aWrongSignatureIsReportedWithARightOne() throws {
        let source = """
            static int f(void) { return 1; }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                plugin_function x = {{sizeof x, 1}, PLUGIN_STRING("f"), PLUGIN_STRING("int f(void)"), (plugin_code)f};
                h->register_function(h, &x);
                return PLUGIN_OK;
            }
            """
        let registered = try loadError(BundleFixture("SignatureOfC", code: .c(source)))
        #expect(registered.description.contains("as in “(bytes, uint32) -> uint32” or “() -> void”"))
        let bundle = try PluginBundle.open(path: BundleFixture("Signed", code: .c(Source.good)).path)
        let requested = #expect(throws: PluginError.self) { try bundle.function("entry_calls", "(int32) -> uint32") }
        #expect(requested?.description.hasSuffix("Request it as “() -> uint32”, or without a signature.") == true)
    }

    @Test func oneMoreProblemIsPrinted() throws {
        let error = try loadError(
            BundleFixture(
                "TwoProblems", info: ["CFBundleName": 7, "CFBundleVersion": [String]()], code: .c(Source.good)))
        #expect(error.findings.count == 2)
        for finding in error.findings { #expect(error.description.contains(finding.message)) }
        #expect(error.description.contains(" One more problem: "))
    }

    // MARK: Exceptions of C++

    private static let throwing = """
        #include <stdexcept>
        #include <string>
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **i) {
            (void)f; (void)h; (void)i; if (WHERE == 2) throw std::runtime_error("no memory left"); return PLUGIN_FAILED;
        }
        static void release(void *i) { (void)i; }
        static plugin_status activate(const plugin_host *h, void *d) {
            (void)h; (void)d; if (WHERE == 3) throw std::logic_error("not now"); return PLUGIN_OK;
        }
        static const plugin_hooks hooks = {{sizeof(plugin_hooks), 1}, nullptr, activate, nullptr};
        static const plugin_factory factory = {{sizeof(plugin_factory), 1}, {"maker", 5}, {nullptr, 0}, 1, 0, nullptr, nullptr,
            create, nullptr, release};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
            if (WHERE == 1) throw std::runtime_error("no licence");
            if (WHERE == 4) throw 7;
            auto *lifecycle = (const plugin_lifecycle *)h->get_extension(h, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
            plugin_status status = lifecycle->register_hooks(h, &hooks);
            return status ? status : h->register_factory(h, &factory);
        }
        """

    private func throwing(_ place: Int) throws -> BundleFixture {
        try BundleFixture("Throwing\(place)", code: .cxx(Self.throwing, flags: ["-DWHERE=\(place)"]))
    }

    @Test(.fault(292), arguments: [(1, "std::runtime_error: no licence"), (4, "int")])
    func anExceptionThatLeavesTheEntryIsAnErrorOfTheBundle(place: Int, text: String) throws {
        let fixture = try throwing(place)
        let error = try loadError(fixture)
        #expect(error.code == .entryFailed)
        #expect(error.systemMessage == text)
        #expect(
            error.description
                == "The bundle “\(fixture.path)”: The entry of “\(fixture.executable.path)” failed: it threw a "
                + "C++ exception, “\(text)”. The plug-in's author must catch all exceptions in plugin_entry and "
                + "return a failure after set_error().")
        // Its code is in the process and is not entered again.
        #expect(try loadError(fixture) == error)
    }

    @Test(.fault(292)) func anExceptionThatLeavesCreateIsAnErrorOfTheBundle() throws {
        let fixture = try throwing(2)
        let factory = try #require(try PluginBundle.open(path: fixture.path).cProviders().first)
        let error = #expect(throws: PluginError.self) { try factory.make() }
        #expect(error?.code == .instantiationFailed && error?.bundlePath == fixture.path)
        #expect(
            error?.description.contains("threw a C++ exception, “std::runtime_error: no memory left”") == true)
    }

    @Test(.fault(292)) func anExceptionThatLeavesActivateIsAnErrorOfTheBundle() throws {
        let fixture = try throwing(3)
        let error = try loadError(fixture)
        #expect(error.code == .activationFailed)
        #expect(error.description.contains("threw a C++ exception, “std::logic_error: not now”"))
    }

    // MARK: Where the code may run

    @Test(.fault(293)) func aBundleThatAsksForAProcessOfItsOwnNeverRunsInThisOne() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.worker = .program("/nowhere/pluginhost-worker")
            for value in ["isolated", "sandboxed"] {
                let fixture = try BundleFixture("Isolated", info: ["PHExecution": value], code: .c(Source.good))
                try FirstMistakes.requireRefusal(of: fixture)
                // Whether a process can be started is a matter of the moment, which no index may keep.
                let catalog = PluginCatalog(searchPaths: [fixture.url.deletingLastPathComponent().path])
                try #require(catalog.candidates.map(\.verdict) == [.usable])
                try #require(catalog.plugins.first?.execution == value)
            }
        }
    }

    @Test(.fault(293)) func aPolicyThatDemandsAProcessIsNeverIgnored() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.worker = .program("/nowhere/pluginhost-worker")
            let fixture = try BundleFixture("PolicyIsolates", code: .c(Source.good))
            for execution in [PluginExecution.isolated, .sandboxed] {
                HostEnvironment.current.isolation.execution = { _ in execution }
                try FirstMistakes.requireRefusal(of: fixture)
            }
            HostEnvironment.current.isolation.execution = { _ in .inProcess }
            try PluginBundle.open(path: fixture.path).loadAndReturnError()
        }
    }

    /// No worker can be started, and the code is not in this process instead.
    private static func requireRefusal(of fixture: BundleFixture) throws {
        let bundle = try PluginBundle.open(path: fixture.path)
        let error = try #require(throws: PluginError.self) { try bundle.loadAndReturnError() }
        try #require([.workerUnavailable, .sandboxUnavailable].contains(error.code), "\(error)")
        try #require(!bundle.isLoaded)
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        try #require(!maps.contains(fixture.executable.path))
    }

    @Test(.fault(293)) func codeThatIsPartOfTheProgramCannotBeIsolated() throws {
        let fixture = try BundleFixture("LinkedIsolated", info: ["PHExecution": "isolated"], code: .none)
        let bundle = try PluginBundle.linked(at: fixture.path) { _ in plugin_status(PLUGIN_OK) }
        let error = try loadError(fixture)
        #expect(error.code == .executionConflict && error.subject == "PHExecution" && !bundle.isLoaded)
        #expect(error.description.contains("the code is part of the program"))
    }

    @Test(.fault(293)) func anUnknownPlaceForTheCodeIsRefusedWithTheKnownOnes() throws {
        let error = try loadError(BundleFixture("Elsewhere", info: ["PHExecution": "moon"], code: .c(Source.good)))
        #expect(error.code == .manifestInvalid && error.subject == "PHExecution")
        #expect(error.description.contains("not one of its values: “any”, “in-process”, “isolated”, “sandboxed”"))
    }

    @Test(arguments: ["any", "in-process"]) func aBundleThatMayRunInTheProcessLoads(value: String) throws {
        let fixture = try BundleFixture("InProcess\(value.count)", info: ["PHExecution": value], code: .c(Source.good))
        try PluginBundle.open(path: fixture.path).loadAndReturnError()
    }

    // MARK: A check finds what a load finds

    /// The findings of a check include all errors that a load found.
    private func expectCheck(
        of fixture: BundleFixture, finds error: PluginError, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let messages = try PluginBundle.open(path: fixture.path).findings().map(\.message)
        for finding in error.findings where finding.severity == .error {
            #expect(messages.contains(finding.message), sourceLocation: sourceLocation)
        }
    }

    @Test func aLibraryWithoutSONAMEInFrameworksIsFoundByLoadAndCheck() throws {
        let name = "libunnamed\(Int.random(in: 1...999_999_999)).so"
        let part = try BundleFixture("Unnamed", code: .c("int unnamed(void) { return 1; }"))
        let folder = part.executable.deletingLastPathComponent()
        try FileManager.default.moveItem(at: part.executable, to: folder.appending(path: name))
        let fixture = try BundleFixture(
            "NeedsUnnamed",
            code: .c(
                "extern int unnamed(void); PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) "
                    + "{ (void)h; return unnamed(); }", flags: ["-L\(folder.path)", "-l:\(name)"]))
        let library = fixture.url.appending(path: "Contents/Frameworks/\(name)")
        try FileManager.default.createDirectory(
            at: library.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: folder.appending(path: name), to: library)
        let error = try loadError(fixture)
        #expect(error.code == .dependencyMissing && error.subject == name)
        #expect(error.description.contains("The file “\(library.path)” has no SONAME"))
        #expect(error.description.contains("-Wl,-soname,\(name)"))
        try expectCheck(of: fixture, finds: error)
    }

    @Test func aFileThatTheLinkerRefusesDoesNotPassTheCheck() throws {
        let source = Source.good + "static __thread char much[1 << 21]; char *touch(void) { return much; }"
        let fixture = try BundleFixture("MuchTLS", code: .c(source, flags: ["-ftls-model=initial-exec"]))
        #expect(try loadError(fixture).code == .loadFailed)
        let findings = try PluginBundle.open(path: fixture.path).findings()
        #expect(findings.map(\.code) == [.loadFailed])
        #expect(findings.first?.message.contains("has 2097152 bytes of thread-local variables") == true)
    }
}

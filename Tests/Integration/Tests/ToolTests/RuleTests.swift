import Fixtures
import Foundation
import Testing

/// The rules of `check` and `lint`: each has a bundle that breaks it, and sound plug-ins break none.
@Suite struct RuleTests {
    @Test func everyRuleHasABundleThatBreaksIt() throws {
        let document = try PluginHostTool.document("explain")
        let rules = try #require(document.object["rules"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        #expect(Set(Defect.all.map(\.rule)) == Set(rules))
        #expect(Defect.all.count == rules.count)
    }

    @Test(arguments: Defect.all) func theBundleThatBreaksARuleIsReported(_ defect: Defect) throws {
        let document = try PluginHostTool.document(of: defect.command + defect.make())
        let found = document.bundles.flatMap { $0["findings"] as? [[String: Any]] ?? [] }
        let finding = try #require(found.first { $0["code"] as? String == defect.rule }, "\(document.text)")
        #expect((finding["message"] as? String)?.isEmpty == false)
        // Notes are shown, but they are no problem; nothing is at the path of a bundle that is missing.
        let isSound = found.allSatisfy { $0["severity"] as? String == "note" }
        #expect(document.status == (defect.rule == "bundleNotFound" ? 2 : isSound ? 0 : 1))
    }

    @Test func aSoundPluginBreaksNoRule() throws {
        let document = try PluginHostTool.document("check", "--level", "strict", Defect.plugin("Sound").path)
        #expect(document.status == 0, "\(document.text)")
        #expect(document.findings.isEmpty && document.bundles.first?["fine"] as? Bool == true)
        #expect((document.bundles.first?["notRun"] as? [Any])?.isEmpty == true)
    }

    @Test func theSamplePluginsBreakNoRule() throws {
        let document = try PluginHostTool.document("check", "--level", "strict", Workspace.samplePlugins.get().path)
        #expect(document.status == 0, "\(document.text)")
        #expect(document.bundles.count > 4)
        for bundle in document.bundles {
            #expect((bundle["findings"] as? [Any])?.isEmpty == true, "\(bundle)")
            #expect((bundle["notRun"] as? [Any])?.isEmpty == true)
        }
    }

    // MARK: Levels

    @Test func aLevelReportsItsRulesAndThoseBefore() throws {
        let path = try Defect.plugin("PrintsAtEachLevel", entry: "puts(\"hello\");").path
        for (level, codes) in [("load", []), ("standard", []), ("strict", ["outputInEntry"])] {
            let document = try PluginHostTool.document("check", "--level", level, path)
            #expect(document.codes == codes && document.status == (codes.isEmpty ? 0 : 1), "\(level)")
            #expect(document.object["level"] as? String == level)
        }
        let fixture = try Defect.plugin("UnknownKey", info: ["PHFunction": "misspelt"])
        #expect(try PluginHostTool.document("check", "--level", "load", fixture.path).codes.isEmpty)
        let standard = try PluginHostTool.document("check", "--level", "standard", fixture.path)
        #expect(standard.codes == ["manifestInvalid"] && standard.status == 1)
        #expect(standard.findings.first?["line"] is Int)
    }

    @Test func withoutALevelNoCodeRuns() throws {
        let mark = Workspace.temporary.appending(path: "mark-\(UUID().uuidString)").path
        let constructor = "__attribute__((constructor)) static void begin(void) { fclose(fopen(\"\(mark)\", \"w\")); }"
        let fixture = try Defect.plugin("LeavesMark", outside: constructor)
        #expect(try PluginHostTool.run("check", "--strict", fixture.path).status == 0)
        #expect(!FileManager.default.fileExists(atPath: mark))
        #expect(try PluginHostTool.run("check", "--level", "load", fixture.path).status == 0)
        #expect(FileManager.default.fileExists(atPath: mark))
    }

    @Test func anUnknownLevelIsWrongUsage() throws {
        let output = try PluginHostTool.run("check", "--level", "harsh", "/tmp")
        #expect(output.status == 2 && output.standardError.contains("strict"))
    }

    // MARK: What could not be checked

    @Test func aRuleThatCouldNotBeCheckedIsNeverAPass() throws {
        let fixture = try Defect.plugin("EntryRefuses", result: "PLUGIN_FAILED")
        let document = try PluginHostTool.document("check", "--level", "strict", fixture.path)
        #expect(document.status == 1)
        let skipped = try #require(document.bundles.first?["notRun"] as? [[String: Any]])
        #expect(skipped.contains { $0["rule"] as? String == "objectsKept" })
        #expect(skipped.allSatisfy { ($0["reason"] as? String)?.isEmpty == false })
        let text = PluginHostTool.words(
            try PluginHostTool.run("check", "--level", "strict", fixture.path).standardOutput)
        #expect(text.contains("1 error, \(skipped.count) rules not checked"))
        #expect(text.contains("not checked lateRegistration,") && text.contains("because the load failed."))
    }

    @Test func aMissingServiceOfAnotherPluginIsAReasonAndNotAFinding() throws {
        let source = """
            import PluginABI
            final class Client { init(context: PluginContext) throws { _ = try context.service(ExtensionPoint<String>("org.example.text")) } }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in
                    plugin.provide(ExtensionPoint<AnyObject>("org.example.clients"), named: "client") { try Client(context: $0) }
                }
            }
            """
        let factory: [String: any Sendable] = ["name": "client", "extensionPoint": "org.example.clients"]
        let fixture = try BundleFixture(
            "NeedsText", info: ["PHUses": ["org.example.text": 1], "PHFactories": [factory]], code: .swift(source))
        let document = try PluginHostTool.document("check", "--level", "strict", fixture.path)
        #expect(document.status == 1 && document.codes.isEmpty)
        let skipped = try #require(document.bundles.first?["notRun"] as? [[String: Any]])
        #expect(
            Set(skipped.compactMap { $0["rule"] as? String }) == ["instantiationFailed", "objectsKept", "memoryKept"])
        #expect(skipped.allSatisfy { ($0["reason"] as? String)?.contains("org.example.text") == true })
    }

    @Test func theLoadFindsTheLibrariesOfTheApplication() throws {
        let charts = try Workspace.samplePlugins.get().appending(path: "Charts.bundle").path
        let host = Workspace.products.appending(path: "demo-host").path
        let document = try PluginHostTool.document(
            "check", "--level", "load", "--host", host, charts, environment: ["LD_LIBRARY_PATH": ""])
        #expect(document.status == 0 && document.codes.isEmpty)
        #expect((document.bundles.first?["notRun"] as? [[String: Any]])?.isEmpty == true)
    }

    @Test func whatTheCheckDidNotReachIsNotChecked() throws {
        let script = try #require(Defect.all.first { $0.rule == "notLoadable" }).make()
        let document = try PluginHostTool.document(of: ["check", "--level", "load"] + script)
        let skipped = try #require(document.bundles.first?["notRun"] as? [[String: Any]]).compactMap {
            $0["rule"] as? String
        }
        // The file is no shared object, so nobody looked for its symbols.
        #expect(
            document.codes == ["notLoadable"] && skipped.contains("symbolMissing") && skipped.contains("entryFailed"))
    }

    // MARK: Steps

    @Test(arguments: [
        (
            "CrashesInCreate", "abort();", "free(instance);",
            "while creating and releasing objects of the factory “maker”"
        ),
        ("CrashesInRelease", "", "abort();", "while creating and releasing objects of the factory “maker”"),
    ])
    func aCrashNamesTheStep(_ name: String, _ create: String, _ release: String, _ words: String) throws {
        let fixture = try Defect.plugin(name, create: create, release: release)
        let document = try PluginHostTool.document("check", "--level", "standard", fixture.path)
        #expect(document.status == 1 && document.codes == ["crashed"])
        #expect((document.findings.first?["message"] as? String)?.contains(words) == true, "\(document.text)")
        #expect((document.bundles.first?["notRun"] as? [Any])?.isEmpty == false)
        #expect(try PluginHostTool.document("check", "--level", "load", fixture.path).status == 0)
    }

    @Test func anExitAndAHangNameTheStep() throws {
        let deactivate = """
            static void leave(const plugin_host *host, void *data) { (void)host; (void)data; _exit(0); }
            static const plugin_hooks hooks = {.header = {sizeof hooks, 1}, .deactivate = leave};
            """
        let register = """
            const plugin_lifecycle *lifecycle = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
            lifecycle->register_hooks(host, &hooks);
            """
        let exits = try Defect.plugin("ExitsInDeactivate", outside: deactivate, entry: register)
        let document = try PluginHostTool.document("check", "--level", "standard", exits.path)
        #expect(document.status == 1 && document.codes == ["exited"])
        #expect((document.findings.first?["message"] as? String)?.contains("in deactivate") == true)
        let hangs = try Defect.plugin("HangsInCreate", create: "for (;;) pause();")
        let hung = try PluginHostTool.document("check", "--level", "standard", "--timeout", "2", hangs.path)
        #expect(hung.status == 1 && hung.codes == ["hung"])
        #expect(
            (hung.findings.first?["message"] as? String)?.hasPrefix("The use of the code had not ended after 2 s.")
                == true)
    }

    /// They supervise the worker.
    @Test(arguments: ["isolated", "sandboxed"])
    func threadsOfTheLibraryAreNotTakenForThoseOfCodeInAWorker(_ execution: String) throws {
        let fixture = try BundleFixture(
            "Elsewhere-\(execution)", info: ["PHExecution": execution, "CFBundleShortVersionString": "1.0"],
            code: .c(PluginSource.good))
        let document = try PluginHostTool.document("check", "--level", "strict", fixture.path)
        #expect(!document.codes.contains("threadInEntry"), "\(document.codes)")
    }

    @Test func aThreadThatRegistersAfterTheEntryIsReported() throws {
        let thread = """
            #include <pthread.h>
            static const plugin_host *kept;
            static void *run(void *data) {
                (void)data; usleep(50000); register_maker(kept);
                for (;;) pause();
                return NULL;
            }
            """
        let fixture = try Defect.plugin(
            "RegistersLate", outside: thread,
            entry: "kept = host; pthread_t thread; pthread_create(&thread, NULL, run, NULL);", flags: ["-pthread"])
        let document = try PluginHostTool.document("check", "--level", "strict", fixture.path)
        #expect(document.status == 1 && Set(document.codes) == ["lateRegistration", "threadInEntry"])
        #expect(document.findings.contains { $0["subject"] as? String == "the factory “maker”" })
    }
}

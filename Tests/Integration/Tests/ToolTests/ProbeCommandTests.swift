import Fixtures
import Foundation
import Testing

/// `pluginhost probe`, and `pluginhost load` with a worker.
@Suite(.timeLimit(.minutes(5))) struct ProbeCommandTests {
    /// A plug-in that offers a factory, and does something when that makes an object, or at its entry.
    private static func offering(_ statement: String, entry: String = "") -> String {
        """
        #include <fcntl.h>
        #include <stdlib.h>
        #include <unistd.h>
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **instance) {
            (void)f, (void)h;
            \(statement)
            *instance = malloc(1);
            return PLUGIN_OK;
        }
        static void release(void *instance) { free(instance); }
        static const plugin_factory maker = {
            .header = {sizeof(plugin_factory), 1}, .name = PLUGIN_STRING("maker"),
            .extension_point = PLUGIN_STRING("org.example.point"), .extension_version = 3, .create = create,
            .release = release};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
            \(entry)
            return h->register_factory(h, &maker);
        }
        """
    }

    private func steps(_ bundle: [String: Any]) -> [String] {
        (bundle["steps"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }

    @Test func aProbeMakesWhatABundleOffers() throws {
        let fixture = try BundleFixture("Probed", code: .c(PluginSource.good))
        let document = try PluginHostTool.document("probe", fixture.path)
        #expect(document.status == 0, "\(document)")
        let bundle = try #require(document.bundles.first)
        #expect(bundle["state"] as? String == "passed", "\(document)")
        #expect(steps(bundle) == ["start", "load", "activate", "make maker", "deactivate"])
        #expect(document.codes.isEmpty)
    }

    @Test func aProbeMakesTheProvidersOfAPluginInSwift() throws {
        let typography = try Workspace.samplePlugins.get().appending(path: "Typography.bundle").path
        let output = try PluginHostTool.run("probe", typography)
        #expect(output.status == 0, "\(output)")
        #expect(output.standardOutput.contains("Typography.bundle: passed"))
        #expect(output.standardOutput.contains("make uppercase"))
    }

    @Test func aCrashOfAFactoryIsTheFindingOfAProbe() throws {
        let fixture = try BundleFixture("Crashing", code: .c(Self.offering("abort();")))
        let document = try PluginHostTool.document("probe", fixture.path)
        #expect(document.status == 1)
        let bundle = try #require(document.bundles.first)
        #expect(bundle["state"] as? String == "failed")
        #expect(steps(bundle) == ["start", "load", "activate"])
        #expect(document.codes == ["workerEnded"])
        let output = try PluginHostTool.run("probe", fixture.path)
        #expect(output.standardOutput.contains("Crashing.bundle: failed"))
        #expect(PluginHostTool.words(output.standardOutput).contains("the signal SIGABRT"), "\(output)")
    }

    @Test func aRefusalOfAFactoryIsTheFindingOfAProbe() throws {
        let source = Self.offering(
            #"h->set_error(h, PLUGIN_STRING("org.example"), 7, PLUGIN_STRING("No licence"), PLUGIN_STRING("Buy one"));"#
                + "\nreturn PLUGIN_FAILED;")
        let document = try PluginHostTool.document("probe", BundleFixture("Refusing", code: .c(source)).path)
        #expect(document.status == 1)
        #expect(document.codes == ["instantiationFailed"], "\(document)")
    }

    @Test func aStepThatHangsEndsWithTheTimeOfTheProbe() throws {
        let fixture = try BundleFixture("Hanging", code: .c(Self.offering("for (;;) pause();")))
        let document = try PluginHostTool.document("probe", "--time", "1", fixture.path)
        #expect(document.status == 1)
        #expect(document.codes == ["callTimedOut"], "\(document)")
        #expect(document.bundles.first.map(steps) == ["start", "load", "activate"])
    }

    @Test func aBundleOfResourcesHasNothingToTry() throws {
        let fixture = try BundleFixture("NothingToTry", info: ["NSExecutable": NSNull()], code: .none)
        let document = try PluginHostTool.document("probe", fixture.path)
        #expect(document.status == 0)
        #expect(document.bundles.first?["state"] as? String == "noCode")
    }

    @Test func aMissingBundleCannotBeTried() throws {
        let output = try PluginHostTool.run("probe", "/nowhere/Missing.bundle")
        #expect(output.status == 2)
        #expect(try PluginHostTool.run("probe", "--time", "0", "/nowhere/Missing.bundle").status == 2)
    }

    // MARK: load

    @Test(arguments: ["isolated", "sandboxed"]) func aLoadInAWorkerReportsTheSame(execution: String) throws {
        let path = try BundleFixture("Elsewhere", code: .c(PluginSource.good)).path
        let here = try PluginHostTool.document("load", path)
        let there = try PluginHostTool.document("load", "--\(execution)", path)
        #expect(there.status == 0, "\(there)")
        let (one, other) = (try #require(here.bundles.first), try #require(there.bundles.first))
        #expect(one["execution"] as? String == "in-process")
        #expect(other["execution"] as? String == execution)
        for key in ["state", "registrations", "classes", "findings", "path", "identifier"] {
            #expect(one[key] as? NSObject == other[key] as? NSObject, "\(key)")
        }
        let output = try PluginHostTool.run("load", "--\(execution)", path)
        #expect(PluginHostTool.words(output.standardOutput).contains("Execution \(execution)"), "\(output)")
    }

    @Test func aBundleThatDemandsAWorkerIsLoadedInOne() throws {
        let fixture = try BundleFixture("Demanding", info: ["PHExecution": "sandboxed"], code: .c(PluginSource.good))
        let document = try PluginHostTool.document("load", fixture.path)
        #expect(document.status == 0, "\(document)")
        #expect(document.bundles.first?["execution"] as? String == "sandboxed")
    }

    @Test func aCrashInAWorkerIsAFinding() throws {
        let source = """
            __attribute__((noinline)) static void break_it(void) { __builtin_trap(); }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { break_it(); return PLUGIN_FAILED; }
            """
        let path = try BundleFixture("CrashingElsewhere", code: .c(source)).path
        for execution in ["isolated", "sandboxed"] {
            let document = try PluginHostTool.document("load", "--\(execution)", path)
            #expect(document.status == 1)
            #expect(document.codes == ["workerEnded"], "\(document)")
            // The innermost function of the plug-in that has a name.
            let stack = try #require(document.bundles.first?["stack"] as? [String])
            #expect(
                stack.contains { $0.hasPrefix("plugin_entry + ") || $0.hasPrefix("break_it + ") }, "\(document)")
            let text = try PluginHostTool.run("load", "--\(execution)", path).standardOutput
            #expect(text.contains("The stack of the worker, innermost first"), "\(text)")
            #expect(text.contains(" in Contents/Linux/CrashingElsewhere\n"), "\(text)")
            #expect(text.contains(" more, of the worker program") && !text.contains("libPluginHost"), "\(text)")
        }
        // Where nothing crashed, there is none.
        let good = try PluginHostTool.document(
            "load", "--isolated", BundleFixture("Whole", code: .c(PluginSource.good)).path)
        #expect(good.bundles.first?["stack"] as? [String] == [])
    }

    @Test func everyCommandConfinesABundleThatDemandsIt() throws {
        let path = try BundleFixture(
            "Confined", info: ["PHExecution": "sandboxed"], code: .c(PluginSource.good)
        ).path
        let call = try PluginHostTool.run("call", path, "twice", "21")
        #expect(call.status == 0 && call.standardOutput.contains("42"), "\(call)")
        for level in ["load", "standard", "strict"] {
            let document = try PluginHostTool.document("check", "--level", level, path)
            #expect(!document.codes.contains("sandboxUnavailable"), "\(level): \(document)")
        }
        #expect(try PluginHostTool.run("probe", path).status == 0)
    }

    // MARK: gdb

    /// Attaches to the process that its arguments name, says so, and leaves with the end of the process.
    private static let debugger = """
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/ptrace.h>
        #include <sys/wait.h>
        int main(int count, char **arguments) {
            int process = atoi(arguments[count - 1]), status;
            if (strcmp(arguments[count - 2], "--pid") || ptrace(PTRACE_SEIZE, process, 0, 0)) return 1;
            puts("the debugger is attached");
            fflush(stdout);
            while (waitpid(process, &status, __WALL) == process && WIFSTOPPED(status))
                ptrace(PTRACE_CONT, process, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
            return 0;
        }
        """

    @Test func theDebuggerIsAttachedBeforeTheCodeIsOpened() throws {
        let folder = Workspace.temporary.appending(path: "debugger-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let source = folder.appending(path: "gdb.c")
        try Data(Self.debugger.utf8).write(to: source)
        try Tool.run(try Tool.find("clang"), [source.path, "-o", folder.appending(path: "gdb").path])
        // The constructor is the first code that runs.
        let code = """
            #include <stdio.h>
            #include <string.h>
            __attribute__((constructor)) static void begin(void) {
                char line[256];
                FILE *status = fopen("/proc/self/status", "r");
                while (status && fgets(line, sizeof line, status))
                    if (!strncmp(line, "TracerPid:", 10)) dprintf(2, "%s to the constructor\\n", atoi(line + 10) ? "attached" : "alien");
            }
            \(PluginSource.good)
            """
        let path = try BundleFixture("Debugged", code: .c("#include <stdlib.h>\n" + code)).path
        for execution in ["isolated", "sandboxed"] {
            let output = try PluginHostTool.run(
                "load", "--\(execution)", "--gdb", path, environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
            #expect(output.status == 0, "\(output)")
            #expect(output.standardOutput.contains("the debugger is attached"), "\(output)")
            #expect(output.standardOutput.contains("maker"), "\(output)")
            #expect(output.standardError.contains("gdb attaches to the worker process"), "\(output)")
            if execution == "isolated" {
                #expect(output.standardError.contains("attached to the constructor"), "\(output)")
            }
        }
    }

    @Test func theDebuggerNeedsAWorkerATerminalAndOneBundle() throws {
        let path = try BundleFixture("Whole", code: .c(PluginSource.good)).path
        for (arguments, text) in [
            ([path], "--gdb needs a worker process"), (["--isolated", "--json", path], "cannot write --json"),
            (["--isolated", path, path], "takes one bundle"), (["--isolated", path], "There is no program gdb"),
        ] {
            let variables = text.contains("no program") ? ["PATH": "/nowhere"] : [:]
            let output = try PluginHostTool.run(["load", "--gdb"] + arguments, environment: variables)
            #expect(output.status == 2, "\(output)")
            #expect((output.standardError + output.standardOutput).contains(text), "\(output)")
        }
    }

    /// A plug-in whose entry fails if it cannot read a file.
    private static func reading(_ file: String) -> String {
        offering("", entry: "if (open(\"\(file)\", O_RDONLY) < 0) return PLUGIN_FAILED;")
    }

    @Test func aGrantOpensWhatTheBundleAsksFor() throws {
        let folder = Workspace.temporary.appending(path: "granted-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "file")
        try Data("content".utf8).write(to: file)
        let asked: [String: any Sendable] = ["files": [["path": folder.path, "access": "read"]]]
        let path = try BundleFixture(
            "Reading", info: ["PHPermissions": asked], code: .c(Self.reading(file.path))
        ).path
        #expect(try PluginHostTool.document("load", "--sandboxed", path).codes == ["entryFailed"])
        for grant in ["all", "files=\(folder.path)"] {
            let document = try PluginHostTool.document("load", "--sandboxed", "--grant", grant, path)
            #expect(document.status == 0, "\(grant): \(document)")
        }
        // Nobody gets what was not asked for.
        let modest = try BundleFixture("Modest", code: .c(Self.reading(file.path))).path
        #expect(
            try PluginHostTool.document("load", "--sandboxed", "--grant", "files=\(folder.path)", modest).codes
                == ["entryFailed"])
        #expect(try PluginHostTool.run("load", "--sandboxed", "--grant", "everything", path).status == 2)
    }

    @Test func theClassesOfNibsAreNotInThisProcess() throws {
        let path = try BundleFixture("WithoutNibs", code: .c(PluginSource.good)).path
        let output = try PluginHostTool.run("load", "--isolated", "--instantiate", path)
        #expect(output.status == 2)
        #expect(output.standardError.contains("need the classes of the code"))
    }
}

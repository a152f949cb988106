import Fixtures
import Foundation
import Glibc
import Testing

/// `pluginhost load` with code that harms its process: a finding about that bundle, and the next one is reported.
@Suite struct LoadChildTests {
    /// Code that misbehaves, and the finding about it.
    struct Harm: Sendable, CustomTestStringConvertible {
        let name: String
        let source: String
        let code: String
        var subject: String?
        let words: String
        var testDescription: String { name }
    }

    static func constructor(_ body: String) -> String {
        "\(includes)\n__attribute__((constructor)) static void begin(void) { \(body) }\n\(PluginSource.good)"
    }

    static func entry(_ body: String) -> String {
        """
        \(includes)
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) { (void)host; \(body) return PLUGIN_OK; }
        """
    }

    private static let includes = """
        #include <fcntl.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/wait.h>
        #include <unistd.h>
        """

    /// Offers one function, whose name no other bundle could offer.
    static let fine = """
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("f"), PLUGIN_STRING("() -> int32"), (plugin_code)&plugin_entry};
            return host->register_function(host, &f);
        }
        """

    static let activate = """
        \(includes)
        static plugin_status activate(const plugin_host *h, void *d) { (void)h; (void)d; __builtin_trap(); }
        static const plugin_hooks hooks = {.header = {sizeof hooks, 1}, .activate = activate};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            const plugin_lifecycle *lifecycle = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
            return lifecycle->register_hooks(host, &hooks);
        }
        """

    static let trap = "signal(SIGTRAP, SIG_DFL); __builtin_trap();"

    static let deaths = [
        Harm(name: "TrapInEntry", source: entry(trap), code: "crashed", words: "ended the process in plugin_entry."),
        Harm(
            name: "TrapInConstructor", source: constructor(trap), code: "crashed",
            words: "ended the process in a constructor or in the dynamic linker, before plugin_entry."),
        Harm(name: "TrapInActivate", source: activate, code: "crashed", words: "ended the process in activate."),
        Harm(
            name: "Aborts", source: entry("abort();"), code: "crashed", subject: "SIGABRT",
            words: "The signal SIGABRT ended the process in plugin_entry. abort() causes it"),
        Harm(
            name: "WildAddress", source: entry("*(volatile int *)8 = 1;"), code: "crashed", subject: "SIGSEGV",
            words: "The signal SIGSEGV ended the process in plugin_entry."),
        Harm(
            name: "KillsItself", source: entry("raise(SIGKILL);"), code: "crashed", subject: "SIGKILL",
            words: "The system sends it when memory runs out."),
        Harm(
            name: "TrapAtEnd",
            source: constructor("") + "\n__attribute__((destructor)) static void end(void) { abort(); }",
            code: "crashed", subject: "SIGABRT", words: "ended the process after the load, when the process ended."),
        Harm(
            name: "ExitsInConstructor", source: constructor("exit(0);"), code: "exited", subject: "0",
            words: "with status 0, in a constructor or in the dynamic linker, before plugin_entry"),
        Harm(
            name: "ExitsInEntry", source: entry("_exit(3);"), code: "exited", subject: "3",
            words: "with status 3, in plugin_entry"),
        Harm(
            name: "ClosesEverything", source: entry("for (int fd = 0; fd < 1024; fd++) close(fd);"),
            code: "reportLost", words: "closed a descriptor that is not its own, in plugin_entry"),
        Harm(
            name: "ClosesAndReopens",
            source: entry("for (int fd = 0; fd < 64; fd++) close(fd); while (open(\"/dev/null\", O_RDWR) < 60) {}"),
            code: "reportLost", words: "closed a descriptor that is not its own, in plugin_entry"),
        Harm(
            name: "EndlessLoop", source: entry("for (volatile int i = 0;; i++) {}"), code: "hung",
            words: "had not ended after 4 s. The tool killed the process in plugin_entry."),
        Harm(
            name: "SleepsInConstructor", source: constructor("for (;;) pause();"), code: "hung",
            words: "had not ended after 4 s. The tool killed the process in a constructor"),
        Harm(
            name: "StopsItself", source: entry("raise(SIGSTOP);"), code: "hung", subject: "SIGSTOP",
            words: "The signal SIGSTOP stopped the process in plugin_entry, and it had not continued after 4 s."),
        Harm(
            name: "HangsAtEnd",
            source: constructor("") + "\n__attribute__((destructor)) static void end(void) { for (;;) pause(); }",
            code: "hung", words: "killed the process after the load, when the process ended."),
        Harm(
            name: "BlocksSignals",
            source: entry("sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, NULL); for (;;) pause();"),
            code: "hung", words: "had not ended after 4 s."),
    ]

    @Test(.fault(270, 271, 272, 273), arguments: deaths)
    func theEndOfAProcessIsAFindingAndTheNextBundleIsReported(_ harm: Harm) throws {
        let bad = try BundleFixture(harm.name, code: .c(harm.source))
        let fine = try BundleFixture("After\(harm.name)", code: .c(Self.fine))
        // Long enough for a sound bundle beside many other tests; nobody waits for it if the process ends.
        let limit = harm.code == "hung" ? "4" : "60"
        let document = try PluginHostTool.document("load", "--timeout", limit, bad.path, fine.path)
        #expect(document.status == 1)
        try #require(document.bundles.count == 2)
        let finding = try #require(document.findings.first)
        #expect(finding["severity"] as? String == "error")
        #expect(finding["code"] as? String == harm.code)
        #expect(finding["file"] as? String == bad.executable.path)
        let message = try #require(finding["message"] as? String)
        #expect(message.contains(harm.words), "\(message)")
        #expect((finding["remedy"] as? String)?.isEmpty == false)
        if let subject = harm.subject { #expect(finding["subject"] as? String == subject) }
        // The load of a bundle that ends badly afterwards did succeed.
        let isLoaded = harm.name.hasSuffix("AtEnd")
        #expect(document.bundles[0]["state"] as? String == (isLoaded ? "loaded" : "failed"))
        #expect(document.bundles[1]["state"] as? String == "loaded")
        #expect((document.bundles[1]["findings"] as? [Any])?.isEmpty == true)
    }

    @Test func aTrapIsNamedAsPeopleReadIt() throws {
        let bad = try BundleFixture("TrapText", code: .c(Self.entry(Self.trap))).path
        let output = try PluginHostTool.run("load", bad)
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("TrapText.bundle: not loaded, 1 error"))
        #expect(output.standardOutput.contains("error crashed SIG"))
        let words = PluginHostTool.words(output.standardOutput)
        #expect(words.contains("A Swift trap causes it: a failed precondition"))
        #expect(words.contains("To do: Correct what plugin_entry does; a debugger shows the place."))
    }

    @Test func aSwiftTrapIsAFindingAndWhatWasPrintedBeforeIsShown() throws {
        let source = """
            import PluginABI
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                print("printed before the trap")
                let numbers = [Int](repeating: 0, count: CommandLine.arguments.count)
                return plugin_status(numbers[1000])
            }
            """
        let fixture = try BundleFixture("SwiftTrap", code: .swift(source))
        let output = try PluginHostTool.run(
            "load", "--json", fixture.path, environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("\"crashed\""))
        #expect(output.standardError.contains("printed before the trap"))
    }

    @Test(.fault(274)) func writingIntoEveryDescriptorIsAFindingAndTheOutcomeIsKnown() throws {
        let write = """
            for (int fd = 3; fd < 1024; fd++) { ssize_t n = write(fd, "wild words\\n", 11); (void)n; }
            plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("f"), PLUGIN_STRING("() -> int32"), (plugin_code)&abort};
            host->register_function(host, &f);
            """
        let fixture = try BundleFixture("WritesEverywhere", code: .c(Self.entry(write)))
        let fine = try BundleFixture("AfterWrites", code: .c(Self.fine))
        let document = try PluginHostTool.document("load", fixture.path, fine.path)
        #expect(document.status == 1)
        #expect(document.codes == ["descriptorMisused"])
        #expect(document.bundles.map { $0["state"] as? String } == ["loaded", "loaded"])
        let message = try #require(document.findings.first?["message"] as? String)
        #expect(message == "The code wrote 11 bytes into a descriptor that is not its own, in plugin_entry.")
        let text = try PluginHostTool.run("load", fixture.path)
        #expect(text.status == 1)
        #expect(text.standardOutput.contains(" ms, with 1 error"))
        // The child has neither the tool's descriptors nor those that the tool inherited.
        #expect(!text.standardOutput.contains("wild words"))
    }

    @Test(.fault(274)) func aWildFloodIntoEveryDescriptorEndsToo() throws {
        let flood = """
            static char page[4096]; memset(page, 'x', sizeof page);
            for (int turn = 0; turn < 5000; turn++)
                for (int fd = 3; fd < 64; fd++) { ssize_t n = write(fd, page, sizeof page); (void)n; }
            _exit(0);
            """
        let fixture = try BundleFixture("FloodsEverywhere", code: .c(Self.entry(flood)))
        let document = try PluginHostTool.document("load", fixture.path)
        #expect(document.status == 1)
        #expect(document.codes == ["exited", "descriptorMisused"])
        let message = try #require(document.findings.last?["message"] as? String)
        #expect(message.contains("wrote 20480000 bytes"))
    }

    @Test(.fault(275)) func aFloodOfOutputIsCutAndAWarning() throws {
        let flood = """
            static char page[65536]; memset(page, 'x', sizeof page);
            for (int turn = 0; turn < 1600; turn++) { ssize_t n = write(1, page, sizeof page); (void)n; }
            plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("f"), PLUGIN_STRING("() -> int32"), (plugin_code)&abort};
            host->register_function(host, &f);
            """
        let fixture = try BundleFixture("Floods", code: .c(Self.entry(flood)))
        let output = try PluginHostTool.run("load", "--json", fixture.path)
        #expect(output.status == 0)
        #expect(output.standardOutput.contains("\"outputFlooded\""))
        #expect(output.standardOutput.contains("wrote 104857600 bytes"))
        #expect(output.standardError.utf8.count == 1 << 20)
        #expect(try PluginHostTool.run("load", "--strict", fixture.path).status == 1)
    }

    @Test(.fault(276), arguments: ["", "setsid();"])
    func aProcessThatIsLeftBehindIsKilledAndAWarning(_ escape: String) throws {
        let mark = Workspace.temporary.appending(path: "grandchild-\(UUID().uuidString)")
        let leave = """
            if (fork() == 0) {
                \(escape)
                FILE *file = fopen("\(mark.path)", "w"); fprintf(file, "%d", getpid()); fclose(file);
                for (;;) pause();
            }
            while (access("\(mark.path)", F_OK) != 0) usleep(1000);
            plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("f"), PLUGIN_STRING("() -> int32"), (plugin_code)&abort};
            host->register_function(host, &f);
            """
        let fixture = try BundleFixture("LeavesProcess", code: .c(Self.entry(leave)))
        let document = try PluginHostTool.document("load", fixture.path)
        #expect(document.status == 0)
        #expect(document.codes == ["processesLeft"])
        #expect(document.bundles.first?["state"] as? String == "loaded")
        let process = try #require(Int32(String(contentsOf: mark, encoding: .utf8)))
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    @Test(.fault(277)) func theReportOfMoreThanTheToolReadsIsNotRead() throws {
        let many = """
            char *name = malloc(1000); memset(name, 'n', 1000);
            for (int i = 0; i < 40000; i++) {
                sprintf(name, "%05d", i); name[5] = 'n';
                plugin_function f = {{sizeof f, 1}, {name, 1000}, PLUGIN_STRING("() -> int32"), (plugin_code)&abort};
                host->register_function(host, &f);
            }
            """
        let fixture = try BundleFixture("ReportsTooMuch", code: .c(Self.entry(many)))
        let document = try PluginHostTool.document("load", fixture.path)
        #expect(document.status == 1)
        #expect(document.codes.first == "reportLost")
        #expect(
            document.findings.first?["message"] as? String
                == "The report of what the code registered would take more than 32 MiB.")
    }

    @Test(.fault(278)) func aNeededBundleIsLoadedInTheSameProcessAndNamedIfItFails() throws {
        let info: [String: any Sendable] = ["PHRequires": ["org.example.NeededTrap": ">=0"]]
        let needed = try BundleFixture("NeededTrap", code: .c(Self.entry(Self.trap)))
        let client = try BundleFixture("NeedsTrap", info: info, code: .c(PluginSource.good))
        let alone = try PluginHostTool.document("load", client.path)
        #expect(alone.status == 0)
        // In either order of the arguments.
        let both = try PluginHostTool.document("load", client.path, needed.path)
        #expect(both.status == 1)
        let message = try #require(both.findings.first?["message"] as? String)
        #expect(message.contains("in plugin_entry of the bundle “\(needed.path)”, which it needs."))
    }

    @Test(.fault(278)) func aBundleWhoseServiceIsUsedIsLoadedInTheSameProcessToo() throws {
        let offered: [String: any Sendable] = ["extensionPoint": "org.example.used-trap", "name": "trap", "version": 2]
        let offer = try BundleFixture("OffersTrap", info: ["PHFactories": [offered]], code: .c(Self.entry(Self.trap)))
        for (version, usesIt) in [(2, true), (1, false)] {
            let client = try BundleFixture(
                "UsesTrap\(version)", info: ["PHUses": ["org.example.used-trap": version]], code: .c(Self.entry("")))
            // A service of another version is not the one that it uses.
            let document = try PluginHostTool.document("load", client.path, offer.path)
            let findings = document.bundles.first?["findings"] as? [[String: Any]] ?? []
            let messages = findings.compactMap { $0["message"] as? String }
            let cause = "in plugin_entry of the bundle “\(offer.path)”, which it needs."
            #expect(messages.contains { $0.contains(cause) } == usesIt, "\(messages)")
        }
    }

    @Test(.fault(279), arguments: [SIGINT, SIGTERM, SIGKILL])
    func theEndOfTheToolEndsItsChildren(_ signal: Int32) throws {
        let mark = Workspace.temporary.appending(path: "child-\(UUID().uuidString)")
        let wait = """
            FILE *file = fopen("\(mark.path).new", "w"); fprintf(file, "%d", getpid()); fclose(file);
            rename("\(mark.path).new", "\(mark.path)");
            for (;;) pause();
            """
        let fixture = try BundleFixture("Waits", code: .c(Self.entry(wait)))
        let tool = Process()
        tool.executableURL = Workspace.products.appending(path: "pluginhost")
        tool.arguments = ["load", "--json", fixture.path]
        tool.standardOutput = FileHandle.nullDevice
        try tool.run()
        while !FileManager.default.fileExists(atPath: mark.path), tool.isRunning { usleep(1000) }
        let child = try #require(Int32(String(contentsOf: mark, encoding: .utf8)))
        #expect(kill(child, 0) == 0)
        kill(tool.processIdentifier, signal)
        tool.waitUntilExit()
        #expect(tool.terminationReason == .uncaughtSignal)
        #expect(tool.terminationStatus == signal)
        // After SIGKILL the kernel ends the child, and nobody has waited for that.
        for _ in 0..<60_000 where kill(child, 0) == 0 { usleep(1000) }
        #expect(kill(child, 0) == -1 && errno == ESRCH)
    }

    @Test func namesThatTwoBundlesOfferAreAProblemOfTheSecond() throws {
        let first = try BundleFixture("FirstOwner", code: .c(PluginSource.good))
        let second = try BundleFixture("SecondOwner", code: .c(PluginSource.good))
        let document = try PluginHostTool.document("load", first.path, second.path)
        #expect(document.status == 1)
        #expect(document.bundles.map { $0["state"] as? String } == ["loaded", "failed"])
        let finding = try #require((document.bundles[1]["findings"] as? [[String: Any]])?.first)
        #expect(finding["code"] as? String == "duplicateFactory")
        #expect((finding["message"] as? String)?.contains("“\(first.path)”") == true)
    }

    @Test func theChildHasNoDescriptorOfTheTool() throws {
        let look = """
            char names[1024] = ""; char number[16];
            for (int fd = 0; fd < 1024; fd++)
                if (fcntl(fd, F_GETFD) >= 0) { sprintf(number, "%d ", fd); strcat(names, number); }
            fprintf(stderr, "open: %s\\n", names); return PLUGIN_FAILED;
            """
        let fixture = try BundleFixture("Looks", code: .c(Self.entry(look)))
        let program = Workspace.products.appending(path: "pluginhost").path
        let output = try Tool.output(
            "/bin/sh", ["-c", "exec 7</dev/null 9</dev/null; exec \"$0\" load \"$1\"", program, fixture.path],
            environment: ["LD_LIBRARY_PATH": Workspace.products.path])
        #expect(output.standardError.contains("open: 0 1 2 3 \n"))
    }

    @Test(arguments: ["0", "-1", "nan", "inf", "86401", "soon"]) func aTimeThatIsNoneIsAWrongUse(_ time: String) throws
    {
        let output = try PluginHostTool.run("load", "--timeout=\(time)", "/nonexistent")
        #expect(output.status == 2)
        #expect(output.standardError.contains("--timeout"))
        #expect(output.standardOutput.isEmpty)
    }

    @Test func theChildsOwnCommandIsHiddenAndNothingToCall() throws {
        #expect(try !PluginHostTool.run("--help").standardOutput.contains("load-in-child"))
        let mark = String(repeating: "0", count: 32)
        #expect(try PluginHostTool.run("load-in-child", "--mark", mark, "/nonexistent").status == 2)
    }
}

import Fixtures
import Foundation
import Testing

/// An application that crashes in a plug-in, in a process of its own each time, and what its next start knows.
@Suite struct CrashJournals {
    /// Arguments: a folder of bundles, the bundle to use, and the way to crash.
    private static let host = """
        import Glibc
        import PluginABI
        import PluginHost

        // Not print(): what it has not written yet is lost in a crash.
        func say(_ text: String) {
            var line = text + "\\n"
            line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
        }
        let words = CommandLine.arguments
        if words[3] == "handler" { signal(SIGSEGV) { _ in _exit(77) } }
        let records = try CrashJournal.begin(application: "journal-host")
        for record in records {
            for suspect in record.blamed {
                say("blamed \\(suspect.identifier) \\(suspect.certainty) \\(suspect.step?.rawValue ?? "code") \\(record.end)")
            }
            if record.blamed.isEmpty { say("blamed nobody \\(record.end)") }
        }
        say("advice \\(CrashJournal.advice(records))")
        let catalog = PluginCatalog(
            searchPaths: [words[1]], options: .init(index: .none, quarantine: Quarantine.path(for: "journal-host")))
        for candidate in catalog.candidates { say("verdict \\(candidate.identifier) \\(candidate.verdict)") }
        for entry in Quarantine.of(application: "journal-host").entries { say("reason \\(entry.reason)") }

        func useC(_ way: Int32) throws {
            let bundle = try PluginBundle.open(path: words[1] + "/Crashing.bundle")
            let function = try bundle.function("crash", as: ((Int32) -> Void).self)
            try function(way)
        }
        func useSwift(_ way: String) throws {
            let bundle = try PluginBundle.open(path: words[1] + "/CrashingSwift.bundle")
            let point = ExtensionPoint<Int>("org.example.crash")
            _ = try bundle.providers(of: point).first { $0.name == way }?.make()
            sleep(10)
        }
        switch words[3] {
        case "nothing": break
        case "host":
            try useC(0)
            UnsafeMutablePointer<Int>(bitPattern: words.count)!.pointee = 1
        case "killed":
            try useC(0)
            kill(getpid(), SIGKILL)
        case "swift-trap", "swift-task", "swift-detached": try useSwift(words[3])
        case "load": try useC(0)
        case let way: try useC(Int32(way) ?? 2)
        }
        """

    private static let source = """
        #include <pthread.h>
        #include <signal.h>
        #include <stdlib.h>
        #include <string.h>
        static int *volatile nowhere;
        static void (*volatile no_function)(void);
        static volatile int zero;
        static void null_pointer(void) { *nowhere = 1; }
        static int overflow(int depth) {
            volatile char frame[1024];
            frame[depth & 1023] = (char)depth;
            if (zero != 0) return 0;
            return overflow(depth + 1) + frame[depth & 511];
        }
        static void *thread(void *unused) { null_pointer(); return unused; }
        static void *slow(void *unused) { raise(SIGKILL); return unused; }
        static void crash(int32_t way) {
            pthread_t other;
            switch (way) {
            case 0: return;
            case 2: null_pointer(); break;
            case 3: __builtin_trap(); break;
            case 4: abort();
            case 5: zero = (int)strlen((const char *)nowhere); break;
            case 6: no_function(); zero = 1; break;
            case 7: zero = overflow(0); break;
            case 8: pthread_create(&other, NULL, thread, NULL); pthread_join(other, NULL); break;
            case 9: exit(0);
            }
        }
        static int is(const char *place) {
            const char *wanted = getenv("CRASH_IN");
            return wanted != NULL && strcmp(wanted, place) == 0;
        }
        __attribute__((constructor)) static void construct(void) {
            if (is("constructor")) null_pointer();
            if (is("kill")) slow(NULL);
            if (is("exit")) exit(3);
        }
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            if (is("entry")) abort();
            plugin_function function = {{sizeof function, 1}, PLUGIN_STRING("crash"), PLUGIN_STRING("(int32) -> void"),
                (plugin_code)crash};
            return host->register_function(host, &function);
        }
        """

    private static let swiftSource = """
        import PluginABI
        @inline(never) func crash(_ number: Int?) -> Int { number! }
        @c(plugin_entry) public func entry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { plugin in
                let point = ExtensionPoint<Int>("org.example.crash")
                plugin.provide(point, named: "swift-trap") { _ in crash(nil) }
                plugin.provide(point, named: "swift-task") { _ in Task { _ = crash(nil) }; return 1 }
                plugin.provide(point, named: "swift-detached") { _ in
                    Task.detached { await Task.yield(); _ = crash(nil) }
                    return 1
                }
            }
        }
        """

    /// An installation of the application for one user.
    private struct Installation {
        let root: URL
        let program: String
        var plugins: String { root.appending(path: "plugins").path }
        var state: URL { root.appending(path: "state/journal-host") }

        init() throws {
            program = try Compiler.executable("JournalHost", source: host).path
            root = Workspace.temporary.appending(path: "journals/\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: root.appending(path: "plugins"), withIntermediateDirectories: true)
            let swift = ["swift-trap", "swift-task", "swift-detached"].map {
                ["name": $0, "extensionPoint": "org.example.crash"]
            }
            for fixture in [
                try BundleFixture("Crashing", code: .c(source, flags: ["-fomit-frame-pointer", "-lpthread"])),
                try BundleFixture("CrashingSwift", info: ["PHFactories": swift], code: .swift(swiftSource)),
            ] {
                try FileManager.default.copyItem(
                    at: fixture.url, to: root.appending(path: "plugins/\(fixture.name).bundle"))
            }
        }

        func run(_ way: String, crashIn place: String = "") throws -> Tool.Output {
            try Tool.output(
                program, [plugins, "", way],
                environment: [
                    "XDG_STATE_HOME": root.appending(path: "state").path, "HOME": root.path, "CRASH_IN": place,
                    "SWIFT_BACKTRACE": "enable=no",
                ])
        }

        /// The lines that a start prints that begin with a word, without it.
        func lines(_ word: String, of output: Tool.Output) -> [String] {
            output.standardOutput.split(separator: "\n").filter { $0.hasPrefix(word + " ") }
                .map { String($0.dropFirst(word.count + 1)) }
        }
    }

    private struct Way: Sendable, CustomTestStringConvertible {
        let name: String
        var place = ""
        let status: Int32
        let blamed: String
        var testDescription: String { name + place }
    }

    private static let ways = [
        Way(name: "2", status: -SIGSEGV, blamed: "org.example.Crashing faultingCode code signal(11)"),
        Way(name: "3", status: -trap, blamed: "org.example.Crashing faultingCode code signal(\(trap))"),
        Way(name: "4", status: -SIGABRT, blamed: "org.example.Crashing caller code signal(6)"),
        Way(name: "5", status: -SIGSEGV, blamed: "org.example.Crashing caller code signal(11)"),
        Way(name: "6", status: -SIGSEGV, blamed: "org.example.Crashing caller code signal(11)"),
        Way(name: "7", status: -SIGSEGV, blamed: "org.example.Crashing faultingCode code signal(11)"),
        Way(name: "8", status: -SIGSEGV, blamed: "org.example.Crashing faultingCode code signal(11)"),
        Way(name: "9", status: 0, blamed: "org.example.Crashing caller code exit"),
        Way(
            name: "load", place: "constructor", status: -SIGSEGV,
            blamed: "org.example.Crashing loading opening signal(11)"),
        Way(name: "load", place: "exit", status: 3, blamed: "org.example.Crashing loading opening exit"),
        Way(name: "load", place: "entry", status: -SIGABRT, blamed: "org.example.Crashing caller entry signal(6)"),
        Way(name: "load", place: "kill", status: -SIGKILL, blamed: "org.example.Crashing loading opening unknown"),
        Way(name: "swift-trap", status: -trap, blamed: "org.example.CrashingSwift faultingCode code signal(\(trap))"),
        Way(name: "swift-task", status: -trap, blamed: "org.example.CrashingSwift faultingCode code signal(\(trap))"),
        Way(
            name: "swift-detached", status: -trap,
            blamed: "org.example.CrashingSwift faultingCode code signal(\(trap))"),
    ]

    #if arch(arm64)
    private static let trap = SIGTRAP
    #else
    private static let trap = SIGILL
    #endif

    @Test(arguments: ways) private func theNextStartNamesThePluginThatEndedTheApplication(_ way: Way) throws {
        let installation = try Installation()
        #expect(try installation.run(way.name, crashIn: way.place).status == way.status)
        let next = try installation.run("nothing")
        #expect(installation.lines("blamed", of: next) == [way.blamed])
        let identifier = String(way.blamed.prefix { $0 != " " })
        #expect(installation.lines("advice", of: next) == ["without([\"\(identifier)\"])"])
        // One strike is no quarantine, and it is counted once.
        #expect(installation.lines("verdict", of: next).allSatisfy { $0.hasSuffix(" usable") })
        #expect(next.standardError.contains("The application ended at"))
        let third = try installation.run("nothing")
        #expect(installation.lines("blamed", of: third) == [] && installation.lines("advice", of: third) == ["normal"])
    }

    @Test func theSecondCrashPutsThePluginIntoQuarantineUntilItChanges() throws {
        let installation = try Installation()
        for _ in 0..<2 { #expect(try installation.run("4").status == -SIGABRT) }
        let third = try installation.run("nothing")
        #expect(
            installation.lines("verdict", of: third) == [
                "org.example.Crashing quarantined", "org.example.CrashingSwift usable",
            ])
        let reason = try #require(installation.lines("reason", of: third).first)
        #expect(reason.contains("twice") && reason.contains("SIGABRT") && reason.contains("while its code ran"))
        // Another build of it.
        let fixed = try BundleFixture(
            "Crashing", code: .c(Self.source + "\nconst char build[] = \"another\";\n", flags: ["-lpthread"]))
        let executable = "\(installation.plugins)/Crashing.bundle/Contents/Linux/Crashing"
        try FileManager.default.removeItem(atPath: executable)
        try FileManager.default.copyItem(atPath: fixed.executable.path, toPath: executable)
        #expect(
            installation.lines("verdict", of: try installation.run("nothing")).allSatisfy { $0.hasSuffix(" usable") })
    }

    @Test func aPluginThatWasReplacedAfterTheCrashHasNoStrike() throws {
        let installation = try Installation()
        for _ in 0..<2 {
            #expect(try installation.run("2").status == -SIGSEGV)
            let executable = "\(installation.plugins)/Crashing.bundle/Contents/Linux/Crashing"
            try Data(contentsOf: URL(filePath: executable)).write(to: URL(filePath: executable + ".new"))
            #expect(rename(executable + ".new", executable) == 0)
        }
        let third = try installation.run("nothing")
        #expect(installation.lines("verdict", of: third).allSatisfy { $0.hasSuffix(" usable") })
        #expect(installation.lines("blamed", of: third).count == 1)
    }

    @Test func aKilledApplicationAndItsOwnCrashBlameNobody() throws {
        let installation = try Installation()
        #expect(try installation.run("killed").status == -SIGKILL)
        let second = try installation.run("host")
        #expect(installation.lines("blamed", of: second) == ["nobody unknown"])
        #expect(second.status == -SIGSEGV)
        let third = try installation.run("nothing")
        #expect(!installation.lines("blamed", of: third).contains { $0.contains("faultingCode") })
        #expect(!installation.lines("blamed", of: third).contains { $0.contains("caller") })
        #expect(installation.lines("advice", of: third) == ["normal"])
        #expect(installation.lines("verdict", of: third).allSatisfy { $0.hasSuffix(" usable") })
    }

    @Test func twoCrashesThatNobodyCanBeBlamedForAdviseAStartWithoutPlugins() throws {
        let installation = try Installation()
        for _ in 0..<2 { #expect(try installation.run("host").status == -SIGSEGV) }
        #expect(installation.lines("advice", of: try installation.run("nothing")) == ["noPlugins"])
        // That start ended by itself, so the advice ends too.
        #expect(installation.lines("advice", of: try installation.run("nothing")) == ["normal"])
    }

    // MARK: Faults

    @Test(.fault(433)) func whatIsNoJournalIsIgnoredAndReported() throws {
        let installation = try Installation()
        #expect(try installation.run("2").status == -SIGSEGV)
        let journals = installation.state.appending(path: "journals")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: journals.path).first)
        let journal = journals.appending(path: name)
        let content = try Data(contentsOf: journal)
        var damaged = content
        damaged[0] ^= 1
        try damaged.write(to: journal)
        try content.prefix(100).write(to: journals.appending(path: "1"))
        try Data().write(to: journals.appending(path: "2"))
        try FileManager.default.createSymbolicLink(
            at: journals.appending(path: "3"), withDestinationURL: URL(filePath: "/etc/passwd"))
        #expect(mkfifo(journals.appending(path: "4").path, 0o600) == 0)
        try Data("mine".utf8).write(to: journals.appending(path: "notes.txt"))
        let next = try installation.run("nothing")
        #expect(next.status == 0 && installation.lines("blamed", of: next) == [])
        // The FIFO, 4, is no file, so it is passed over without a word; opening it would not end.
        for name in [name, "1", "2", "3"] {
            #expect(next.standardError.contains("journals/\(name)” "), "\(next.standardError)")
        }
        #expect(next.standardError.contains("is a link") && !next.standardError.contains("notes.txt"))
        #expect(FileManager.default.fileExists(atPath: journals.appending(path: "notes.txt").path))
        // It was reported once.
        #expect(!(try installation.run("nothing").standardError.contains("it is ignored")))
    }

    @Test(.fault(434)) func theLockAndNotTheNumberShowsThatAProcessLives() throws {
        let installation = try Installation()
        #expect(try installation.run("2").status == -SIGSEGV)
        let journals = installation.state.appending(path: "journals")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: journals.path).first)
        // The number of a process that lives, but that is not the one of the journal.
        let reused = journals.appending(path: "\(getpid())")
        try FileManager.default.moveItem(at: journals.appending(path: name), to: reused)
        let lock = open(reused.path, O_RDONLY)
        #expect(flock(lock, LOCK_EX) == 0)
        #expect(installation.lines("blamed", of: try installation.run("nothing")) == [])
        close(lock)
        #expect(installation.lines("blamed", of: try installation.run("nothing")).count == 1)
    }

    @Test(.fault(436)) func withoutAPlaceForItTheApplicationRunsWithoutAJournal() throws {
        let installation = try Installation()
        // A file where the directory should be: not even root can write there.
        try Data().write(to: installation.root.appending(path: "state"))
        let run = try installation.run("load")
        #expect(run.status == 0 && run.standardError.contains("No crash journal can be written in"))
        #expect(try installation.run("2").status == -SIGSEGV)
    }

    @Test(.fault(437)) func aHandlerThatWasThereBeforeRunsAndTheRecordStands() throws {
        let installation = try Installation()
        // It leaves the process with 77.
        #expect(try installation.run("handler").status == 77)
        let next = try installation.run("nothing")
        #expect(installation.lines("blamed", of: next) == ["org.example.Crashing faultingCode code signal(11)"])
    }

    @Test func twoApplicationsOfOneUserDoNotTakeEachOthersJournals() throws {
        let installation = try Installation()
        let program = try Compiler.executable(
            "OtherJournalHost", source: Self.host.replacing("journal-host", with: "other-host"))
        #expect(try installation.run("2").status == -SIGSEGV)
        let other = try Tool.output(
            program.path, [installation.plugins, "", "nothing"],
            environment: ["XDG_STATE_HOME": installation.root.appending(path: "state").path])
        #expect(installation.lines("blamed", of: other) == [])
        #expect(installation.lines("blamed", of: try installation.run("nothing")).count == 1)
    }
}

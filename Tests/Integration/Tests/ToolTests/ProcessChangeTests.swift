import Fixtures
import Foundation
import Testing

/// `pluginhost check --level strict`: what code changes in its process.
@Suite struct ProcessChangeTests {
    /// A change, and the words of its finding.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        /// Statements of the entry.
        var entry = ""
        /// Statements of `create`.
        var create = ""
        var subject: String
        /// Parts of the message.
        var words: [String]
        var testDescription: String { name }
    }

    static let state = [
        Change(
            name: "Locale", entry: "setlocale(LC_ALL, \"C.UTF-8\"); setlocale(LC_NUMERIC, \"C\");",
            subject: "locale", words: ["the locale was", "and is now", "LC_NUMERIC=C;"]),
        Change(
            name: "OwnLocale", entry: "uselocale(newlocale(LC_ALL_MASK, \"C\", (locale_t)0));",
            subject: "locale of the thread", words: ["was the process's and is now its own"]),
        Change(
            name: "Handler", entry: "signal(SIGUSR1, on_signal);", subject: "SIGUSR1",
            words: ["the action of SIGUSR1 was the default and is now", "Handler.bundle/"]),
        Change(
            name: "Mask",
            entry: "sigset_t set; sigemptyset(&set); sigaddset(&set, SIGTERM); sigprocmask(SIG_BLOCK, &set, NULL);",
            subject: "signal mask", words: ["was empty and is now SIGTERM"]),
        Change(
            name: "Stack",
            entry: """
                static char memory[65536]; stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
                sigaltstack(&stack, NULL);
                """,
            subject: "alternate signal stack", words: ["and is now 65536 bytes at 0x"]),
        Change(
            name: "Folder", entry: "if (chdir(\"/\") != 0) return PLUGIN_FAILED;", subject: "working directory",
            words: ["and is now /"]),
        Change(name: "Umask", entry: "umask(0001);", subject: "umask", words: ["and is now 0001"]),
        Change(
            name: "Variable", entry: "setenv(\"EXAMPLE_OF_CHANGE\", \"new\", 1);", subject: "EXAMPLE_OF_CHANGE",
            words: ["the environment variable EXAMPLE_OF_CHANGE was not set and is now “new”"]),
        Change(
            name: "Limit", entry: "struct rlimit limit = {0, 0}; setrlimit(RLIMIT_CORE, &limit);",
            subject: "RLIMIT_CORE",
            words: ["and is now 0 (at most 0)"]),
        Change(
            name: "Timer",
            entry: "struct itimerval timer = {{3600, 0}, {3600, 0}}; setitimer(ITIMER_VIRTUAL, &timer, NULL);",
            subject: "ITIMER_VIRTUAL", words: ["was off and is now on, every 3600.000000 seconds"]),
        Change(
            name: "Dumpable", entry: "prctl(PR_SET_DUMPABLE, 0);", subject: "PR_SET_DUMPABLE",
            words: ["was 1 and is now 0"]),
        Change(
            name: "Reaper", entry: "prctl(PR_SET_CHILD_SUBREAPER, 1);", subject: "PR_SET_CHILD_SUBREAPER",
            words: ["was 0 and is now 1"]),
        Change(
            name: "Personality", entry: "personality(0x0040000);", subject: "personality", words: ["and is now 0x40000"]
        ),
        // The host undoes only what happens while it loads or activates.
        Change(
            name: "RoundsInCreate", create: "fesetround(FE_UPWARD);", subject: "floating point",
            words: ["while it was used", "results round upward instead of to nearest"]),
        Change(
            name: "RoundsInEntry", entry: "fesetround(FE_UPWARD);", subject: "floating point",
            words: ["results round upward instead of to nearest. The host has undone it."]),
    ]

    static let descriptors = [
        Change(
            name: "Closes", entry: "close(0);", subject: "0",
            words: ["it closed the descriptor 0, which was “/dev/null”"]),
        Change(
            name: "Replaces", entry: "dup2(open(\"/dev/zero\", O_RDONLY | O_CLOEXEC), 0);", subject: "0",
            words: ["the descriptor 0 was “/dev/null” and is now “/dev/zero”"]),
        Change(
            name: "Leaks", entry: "static int opened; opened = open(\"/dev/zero\", O_RDONLY);", subject: "",
            words: ["it opened the descriptor ", "“/dev/zero”, without O_CLOEXEC"]),
        Change(
            name: "LeaksInUse", create: "static int opened; if (!opened) opened = open(\"/dev/full\", O_RDWR);",
            subject: "", words: ["while it was used", "“/dev/full”, without O_CLOEXEC"]),
    ]

    private static let outside = "static void on_signal(int number) { (void)number; }"
    private static let headers = [
        "fcntl", "fenv", "locale", "signal", "sys/personality", "sys/prctl", "sys/resource", "sys/stat", "sys/time",
    ]
    private static let flags = ["-D_GNU_SOURCE", "-lm"] + headers.flatMap { ["-include", $0 + ".h"] }

    private func plugin(_ name: String, entry: String = "", create: String = "") throws -> BundleFixture {
        try Defect.plugin(
            name, outside: Self.outside, entry: "(void)on_signal; " + entry, create: create,
            flags: Self.flags)
    }

    private func check(_ change: Change) throws {
        let path = try plugin(change.name, entry: change.entry, create: change.create).path
        let strict = try PluginHostTool.document("check", "--level", "strict", path)
        #expect(strict.codes == ["processChanged"] && strict.status == 1, "\(strict.text)")
        let finding = try #require(strict.findings.first)
        let message = finding["message"] as? String ?? ""
        for words in change.words { #expect(message.contains(words), "\(message)") }
        if !change.subject.isEmpty { #expect(finding["subject"] as? String == change.subject) }
        #expect((finding["remedy"] as? String)?.isEmpty == false)
        let standard = try PluginHostTool.document("check", "--level", "standard", path)
        #expect(standard.codes.isEmpty && standard.status == 0, "\(standard.text)")
    }

    @Test(.fault(723), arguments: state) func aChangeOfTheProcessIsOneFinding(_ change: Change) throws {
        try check(change)
    }

    @Test(.fault(724), arguments: descriptors) func aDescriptorThatIsLostOrLeakedIsOneFinding(_ change: Change) throws {
        try check(change)
    }

    @Test(.fault(725)) func aPluginThatChangesNothingHasNoFinding() throws {
        // Memory, threads' own masks and descriptors with O_CLOEXEC are the plug-in's own.
        let path = try plugin(
            "KeepsState",
            entry: """
                static int opened; opened = open("/dev/zero", O_RDONLY | O_CLOEXEC);
                sigset_t all, old; sigfillset(&all);
                sigprocmask(SIG_SETMASK, &all, &old); sigprocmask(SIG_SETMASK, &old, NULL);
                """
        ).path
        let document = try PluginHostTool.document("check", "--level", "strict", path)
        #expect(document.codes.isEmpty && document.status == 0, "\(document.text)")
    }

    @Test func codeInAProcessOfItsOwnIsNotCompared() throws {
        let fixture = try Defect.plugin(
            "IsolatedUmask", info: ["PHExecution": "isolated"], outside: Self.outside,
            entry: "(void)on_signal; umask(0);", flags: Self.flags)
        let document = try PluginHostTool.document("check", "--level", "strict", fixture.path)
        #expect(!document.codes.contains("processChanged"), "\(document.text)")
        // Only an application can describe the table of the factory.
        let skipped = try #require(document.bundles.first?["notRun"] as? [[String: Any]])
        #expect(skipped.compactMap { $0["rule"] as? String } == ["instantiationFailed", "memoryKept", "objectsKept"])
        #expect(skipped.allSatisfy { ($0["reason"] as? String)?.contains("does not describe the table") == true })
        #expect(!document.codes.contains("notRemote"), "\(document.text)")
    }
}

import Fixtures
import Foundation
import Testing

/// `pluginhost bisect`, mostly with a shell script as the application, which reads the choices of its run.
@Suite struct BisectCommandTests {
    /// An application with plug-ins P0, P1, … without code, and a user who has disabled another one.
    private struct User {
        let home = try! PluginFolder()
        var choices: URL { home.url.appending(path: "config/my-editor/plugins.plist") }
        var plugins: URL { home.url.appending(path: "share/my-editor/plugins") }
        /// Has one line for each run.
        var log: String { home.path + "/log" }
        var environment: [String: String] {
            [
                "XDG_DATA_HOME": home.path + "/share", "XDG_STATE_HOME": home.path + "/state",
                "XDG_CONFIG_HOME": home.path + "/config", "XDG_CACHE_HOME": home.path + "/cache",
                "XDG_DATA_DIRS": "/nowhere", "TMPDIR": home.path + "/tmp", "LOG": log,
            ]
        }

        init(_ count: Int, _ keys: [Int: [String: Any]] = [:]) throws {
            for folder in ["tmp", "config/my-editor", "share/my-editor/plugins"] {
                try FileManager.default.createDirectory(
                    at: home.url.appending(path: folder), withIntermediateDirectories: true)
            }
            for number in 0..<count { try add("P\(number)", keys[number] ?? [:]) }
            try Data("{ Disabled = (org.example.Other); Later = kept; }".utf8).write(to: choices)
            try add("Other")
        }

        func add(_ name: String, _ keys: [String: Any] = [:]) throws {
            let contents = plugins.appending(path: "\(name).bundle/Contents")
            try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
            let usual: [String: Any] = [
                "CFBundleIdentifier": "org.example.\(name)", "CFBundleShortVersionString": "1.0",
            ]
            try PropertyListSerialization.data(
                fromPropertyList: usual.merging(keys) { $1 }, format: .xml, options: 0
            ).write(to: contents.appending(path: "Info.plist"))
        }

        func bisect(_ script: String, _ more: String...) throws -> PluginHostTool.Document {
            let test = "echo run >>$LOG; \(BisectCommandTests.functions); \(script)"
            return try PluginHostTool.document(
                of: ["bisect", "--application", "my-editor", "--test", test] + more, environment: environment)
        }

        /// What remains after each search: nothing of it, and the user's choices.
        func expectNothingLeft() throws {
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/tmp") == [])
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: choices.deletingLastPathComponent().path) == [
                    "plugins.plist"
                ])
            #expect(
                try String(contentsOf: choices, encoding: .utf8) == "{ Disabled = (org.example.Other); Later = kept; }")
        }

        var runs: Int { (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n").count ?? 0 }
    }

    /// Functions of the script: whether plug-ins are all used, and how often the script ran.
    private static let functions = """
        used() { for name; do ! grep -q "<string>org.example.$name</string>" "$MY_EDITOR_PLUGIN_CHOICES" || return 1; done; }
        runs() { wc -l <$LOG; }
        """

    /// The names of the plug-ins that are at fault, for each cause.
    private func guilty(_ document: PluginHostTool.Document) -> [[String]] {
        (document.object["guilty"] as? [[String: Any]] ?? []).map { cause in
            (cause["plugins"] as? [[String: Any]] ?? [])
                .compactMap { ($0["identifier"] as? String)?.replacing("org.example.", with: "") }.sorted()
        }
    }

    // MARK: Figures

    @Test(arguments: [0, 1, 63, 99, 100, 150, 198, 199]) func oneOf200IsFoundWithTenRuns(_ number: Int) throws {
        let user = try User(200)
        let document = try user.bisect("! used P\(number)")
        #expect(document.status == 1 && document.object["result"] as? String == "found")
        #expect(guilty(document) == [["P\(number)"]])
        #expect(user.runs <= 10 && document.object["runs"] as? Int == user.runs, "\(user.runs)")
        // No set was tried twice, and all of them kept the user's own choice.
        let tries = try #require(document.object["tries"] as? [[String: Any]]).map { $0["used"] as? [String] ?? [] }
        #expect(Set(tries).count == tries.count && !tries.joined().contains("org.example.Other"))
        try user.expectNothingLeft()
    }

    @Test(
        "a guilty pair", .fault(688), arguments: [[0, 199], [0, 1], [99, 100], [17, 140], [120, 150], [198, 199]])
    func twoOf200ThatFailTogetherAreFoundWith40Runs(_ pair: [Int]) throws {
        let user = try User(200)
        let document = try user.bisect("! used P\(pair[0]) P\(pair[1])")
        #expect(document.status == 1, "\(document.text)")
        #expect(user.runs <= 40, "\(user.runs)")
        // If it was not tried alone, the report says so: it is enough to disable it.
        let cause = try #require((document.object["guilty"] as? [[String: Any]])?.first)
        if cause["failsAlone"] is NSNull {
            #expect(pair.map { [["P\($0)"]] }.contains(guilty(document)))
        } else {
            #expect(guilty(document) == [pair.map { "P\($0)" }.sorted()] && cause["failsAlone"] as? Bool == true)
        }
        try user.expectNothingLeft()
    }

    @Test func threeThatFailTogetherAreFound() throws {
        let user = try User(30)
        #expect(try guilty(user.bisect("! used P3 P12 P27")) == [["P12", "P27", "P3"]])
    }

    @Test func twoCausesAreFound() throws {
        let user = try User(30)
        let document = try user.bisect("! used P4 && ! used P20")
        #expect(document.status == 1 && Set(guilty(document)) == [["P4"], ["P20"]], "\(document.text)")
    }

    // MARK: What plug-ins need

    @Test("a guilty plug-in that all others require", .fault(688)) func theRequiredOneIsAtFaultAndNotTheOthers() throws
    {
        let needy: [String: Any] = ["PHRequires": ["org.example.P7": "1"]]
        let user = try User(20, Dictionary(uniqueKeysWithValues: (0..<20).filter { $0 != 7 }.map { ($0, needy) }))
        let document = try user.bisect("! used P7")
        #expect(document.status == 1 && guilty(document) == [["P7"]])
        // No run had a plug-in without the one that it requires.
        for run in try #require(document.object["tries"] as? [[String: Any]]) {
            let used = run["used"] as? [String] ?? []
            #expect(used.isEmpty || used.contains("org.example.P7"))
        }
    }

    @Test func aPluginIsTriedWithTheServicesThatItUses() throws {
        let user = try User(
            16,
            [
                2: ["PHUses": ["org.example.spelling": 1]],
                13: ["PHFactories": [PluginFolder.factory("words", at: "org.example.spelling")]],
            ])
        for (script, name) in [("! used P13", "P13"), ("! used P2", "P2")] {
            let document = try user.bisect(script)
            #expect(guilty(document) == [[name]])
            for run in try #require(document.object["tries"] as? [[String: Any]]) {
                let used = Set(run["used"] as? [String] ?? [])
                #expect(!used.contains("org.example.P2") || used.contains("org.example.P13"))
            }
        }
    }

    @Test func pluginsThatNeedEachOtherAreOneCause() throws {
        let user = try User(
            8,
            [
                2: ["PHUses": ["a": 1], "PHFactories": [PluginFolder.factory("b", at: "b")]],
                5: ["PHUses": ["b": 1], "PHFactories": [PluginFolder.factory("a", at: "a")]],
            ])
        #expect(try guilty(user.bisect("! used P5")) == [["P2", "P5"]])
    }

    @Test func whatEveryRunNeedsIsKept() throws {
        let user = try User(16)
        // Without P3 nothing can be judged.
        let document = try user.bisect("used P3 || exit 125; ! used P9", "--keep", "org.example.P3")
        #expect(document.status == 1 && guilty(document) == [["P9"]])
        #expect(document.object["kept"] as? [String] == ["org.example.P3"])
        let own = try user.bisect("! used P3", "--keep", "org.example.P3")
        #expect(own.status == 0 && own.object["result"] as? String == "application")
        #expect(try user.bisect("true", "--keep", "org.example.Nobody").status == 2)
    }

    @Test func whatIsNotUsedNowIsNotUsedInARun() throws {
        // P1 is not used because of its conflict with P0. Without P0 it would be.
        let user = try User(6, [1: ["PHConflicts": ["org.example.P0": "1"]]])
        let document = try user.bisect("used P1 && exit 1; ! used P4")
        #expect(document.status == 1 && guilty(document) == [["P4"]], "\(document.text)")
    }

    // MARK: Answers

    @Test func nothingIsFoundIfNothingFails() throws {
        let user = try User(10)
        let document = try user.bisect("true")
        #expect(document.status == 0 && document.object["result"] as? String == "nothing" && user.runs == 1)
        #expect(try User(0).bisect("false").status == 0)
    }

    @Test func theApplicationItselfMayBeAtFault() throws {
        let user = try User(10)
        let document = try user.bisect("false")
        #expect(document.status == 0 && document.object["result"] as? String == "application")
        #expect(document.object["guilty"] as? [String] == [])
    }

    @Test("a fault that is not always there", .fault(687)) func mostRunsDecide() throws {
        let user = try User(24)
        // Every fifth run works although it should not, and the others fail.
        let document = try user.bisect("used P5 || exit 0; test $(($(runs) % 5)) = 0", "--repeat", "3")
        #expect(document.status == 1 && guilty(document) == [["P5"]], "\(document.text)")
    }

    @Test("answers that contradict each other", .fault(687)) func aContradictionEndsTheSearch() throws {
        let user = try User(12)
        // P2 and P10 fail, and so does a run without any plug-in, but not one with others.
        let document = try user.bisect(
            "test $(grep -o '<string>' $MY_EDITOR_PLUGIN_CHOICES | wc -l) -ge 14 && exit 1; ! used P2 && ! used P10")
        #expect(document.status == 2 && document.object["result"] as? String == "contradiction", "\(document.text)")
        let (bad, good) = (document.object["bad"] as? [String] ?? [], document.object["good"] as? [String] ?? [])
        #expect(bad.isEmpty && !good.isEmpty)
        try user.expectNothingLeft()
    }

    @Test("runs that cannot be judged", .fault(687)) func skippedSetsAreAvoidedOrReported() throws {
        let user = try User(12)
        let all = try user.bisect("exit 125")
        #expect(all.status == 2 && all.object["result"] as? String == "undecided" && user.runs == 1)
        // The half with six plug-ins cannot be judged, but others can. The order is that of the names.
        let half = try user.bisect("used P0 P3 && ! used P5 && exit 125; ! used P4")
        #expect(half.status == 1 && guilty(half) == [["P4"]], "\(half.text)")
        let most = try user.bisect("used P0 P9 || exit 125; false")
        #expect(most.status == 2 && (most.object["remaining"] as? [String])?.count == 12)
    }

    @Test func theStatusOfTheCommandIsReadAsGitDoes() throws {
        let user = try User(6)
        for end in ["exit 1", "exit 3", "exit 255", "kill -SEGV $$"] {
            #expect(try guilty(user.bisect("used P1 || exit 0; \(end)")) == [["P1"]], "\(end)")
        }
        // A command that does not exist says nothing about plug-ins.
        let missing = try user.bisect("no-such-command-at-all")
        #expect(missing.status == 2 && missing.object["result"] as? String == "stopped")
    }

    // MARK: The user's files

    @Test("killed at each step", .fault(686)) func theUsersChoicesNeverChange() throws {
        let user = try User(12)
        let path = user.choices.path
        var before = stat()
        #expect(stat(path, &before) == 0)
        // The tool is the parent of the shell.
        for step in 1...5 {
            try? FileManager.default.removeItem(atPath: user.log)
            let test = "echo run >>$LOG; \(Self.functions); test $(runs) != \(step) || kill -9 $PPID; ! used P7"
            let output = try PluginHostTool.run(
                ["bisect", "--application", "my-editor", "--test", test], environment: user.environment)
            #expect(output.status == -SIGKILL && output.standardOutput.isEmpty, "\(step) \(output)")
            var after = stat()
            #expect(stat(path, &after) == 0)
            #expect(after.st_ino == before.st_ino && after.st_size == before.st_size)
            #expect(
                after.st_mtim.tv_sec == before.st_mtim.tv_sec && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec
                    && after.st_ctim.tv_sec == before.st_ctim.tv_sec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec)
            try? FileManager.default.removeItem(atPath: user.home.path + "/tmp")
            try FileManager.default.createDirectory(
                at: user.home.url.appending(path: "tmp"), withIntermediateDirectories: true)
        }
        try user.expectNothingLeft()
        // After an interrupt, nothing of the search is left either.
        try? FileManager.default.removeItem(atPath: user.log)
        let interrupted = try PluginHostTool.run(
            ["bisect", "--application", "my-editor", "--test", "echo run >>$LOG; kill -INT $PPID; sleep 5; false"],
            environment: user.environment)
        #expect(interrupted.status == -SIGINT && user.runs == 1, "\(interrupted)")
        try user.expectNothingLeft()
    }

    @Test("an installation during the search", .fault(689)) func aNewPluginIsNotUsedAndAChangedOneEndsTheSearch() throws
    {
        let user = try User(16)
        let plugins = user.plugins.path
        let copy =
            "cp -r \(plugins)/P0.bundle \(plugins)/New.bundle && sed -i s/org.example.P0/org.example.New/ "
            + "\(plugins)/New.bundle/Contents/Info.plist"
        // The new one would fail, too.
        let added = try user.bisect(
            "test $(runs) != 3 || { \(copy); }; test -e \(plugins)/New.bundle && used New && exit 1; ! used P9")
        #expect(added.status == 1 && guilty(added) == [["P9"]], "\(added.text)")
        #expect(added.object["installedMeanwhile"] as? [String] == ["org.example.New"])
        let removed = try user.bisect("test $(runs) -lt 12 || rm -rf \(plugins)/P2.bundle; ! used P9")
        #expect(removed.status == 2 && removed.object["result"] as? String == "stopped", "\(removed.text)")
        #expect((removed.object["sentence"] as? String)?.contains("org.example.P2 has changed") == true)
        try user.expectNothingLeft()
    }

    // MARK: The text

    @Test func theReportNamesThePluginItsPathAndTheCommand() throws {
        let user = try User(6)
        let output = try PluginHostTool.run(
            ["bisect", "--application", "my-editor", "--test", "echo noise; \(Self.functions); ! used P3"],
            environment: user.environment)
        let words = PluginHostTool.words(output.standardOutput)
        #expect(output.status == 1 && words.contains("This plug-in is at fault."), "\(output)")
        #expect(words.contains("org.example.P3 1.0") && words.contains("\(user.plugins.path)/P3.bundle"))
        #expect(words.contains("pluginhost disable org.example.P3 --application my-editor"))
        // The command's output and the progress are on standard error.
        #expect(!words.contains("noise") && output.standardError.contains("noise"))
        #expect(output.standardError.contains("Run 1: 6 of 6 plug-ins: bad"))
    }

    @Test func withoutACommandTheUserIsAsked() throws {
        let user = try User(4)
        let program = Workspace.products.appending(path: "pluginhost").path
        func answer(_ answers: String) throws -> Tool.Output {
            try Tool.output(
                "/bin/sh", ["-c", "printf '\(answers)' | \"$0\" bisect --application my-editor", program],
                environment: user.environment.merging(["LD_LIBRARY_PATH": Workspace.products.path]) { $1 })
        }
        // All, then P0 and P1, then P2, then all but P3, and P3 alone.
        let output = try answer("bad\\nwhat\\ngood\\ng\\ng\\nb\\n")
        #expect(output.status == 1 && output.standardOutput.contains("org.example.P3"), "\(output)")
        #expect(output.standardError.contains("MY_EDITOR_PLUGIN_CHOICES=\(user.home.path)/tmp/pluginhost-bisect-"))
        for answers in ["bad\\n", "bad\\nquit\\n", ""] { #expect(try answer(answers).status == 2) }
        try user.expectNothingLeft()
    }

    @Test(arguments: [
        [], ["--application", "a/b"], ["--application", "x", "--repeat", "0"], ["--application", "x", "--test", ""],
    ]) func aWrongUseIsTwo(_ arguments: [String]) throws {
        #expect(try PluginHostTool.run(["bisect"] + arguments).status == 2)
    }

    // MARK: A real application

    /// Loads all of its plug-ins, and prints the file with its choices.
    private static let host = """
        import Glibc
        import PluginHost

        let records = try CrashJournal.begin(application: "bisected-host")
        print(PluginCatalog.choicesPath(for: "bisected-host") ?? "none")
        let options = PluginCatalog.Options(index: .none, safeStart: CrashJournal.advice(records))
        let catalog = PluginCatalog(application: "bisected-host", options: options)
        for plugin in catalog.plugins {
            do {
                try catalog.activate(plugin.identifier)
            } catch {
                print(error)
                exit(3)
            }
        }
        print(catalog.plugins.map(\\.identifier).joined(separator: " "))
        """

    @Test func thePluginThatCrashesARealApplicationIsFoundAndGetsNoStrike() throws {
        let program = try Compiler.executable("BisectedHost", source: Self.host).path
        let user = try User(0)
        let plugins = user.home.url.appending(path: "share/bisected-host/plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        for number in 0..<6 {
            let end = number == 4 ? "abort();" : ""
            let maker = PluginSource.registering("maker\(number)", at: "org.example.point")
            let source = "#include <stdlib.h>\n" + maker.replacing("return host->", with: "\(end) return host->")
            let fixture = try BundleFixture("Bisected\(number)", code: .c(source))
            try FileManager.default.copyItem(at: fixture.url, to: plugins.appending(path: "Bisected\(number).bundle"))
        }
        let environment = user.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let usual = try Tool.output(program, environment: environment)
        #expect(usual.status == -SIGABRT, "\(usual)")
        try FileManager.default.removeItem(atPath: user.home.path + "/state")
        let document = try PluginHostTool.document(
            of: ["bisect", "--application", "bisected-host", "--test", program], environment: environment)
        #expect(document.status == 1 && guilty(document) == [["Bisected4"]], "\(document.text)")
        #expect(!FileManager.default.fileExists(atPath: user.home.path + "/state/bisected-host/quarantine"))
        #expect(!FileManager.default.fileExists(atPath: user.home.path + "/state/bisected-host/journals"))
        try user.expectNothingLeft()
    }

    @Test("a program with more rights than its user", .fault(690)) func theVariableIsThenIgnored() throws {
        let program = try Compiler.executable("BisectedHost", source: Self.host)
        let user = try User(0)
        let file = user.home.url.appending(path: "trial.plist")
        try Data("{ Disabled = (\"*\"); }".utf8).write(to: file)
        let environment = user.environment.merging(["BISECTED_HOST_PLUGIN_CHOICES": file.path]) { $1 }
        let usual = try Tool.output(program.path, environment: environment)
        #expect(usual.status == 0 && usual.standardOutput.hasPrefix(file.path + "\n"), "\(usual)")
        // A relative path, and a file that does not exist, are ignored too.
        for value in ["trial.plist", file.path + ".gone"] {
            let other = try Tool.output(
                program.path, environment: environment.merging(["BISECTED_HOST_PLUGIN_CHOICES": value]) { $1 })
            #expect(
                other.standardOutput.hasPrefix(user.home.path + "/config/bisected-host/plugins.plist\n"), "\(other)")
        }
        guard geteuid() == 0 else { return }
        let copy = URL(filePath: "/tmp/bisected-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copy) }
        try Tool.run("/bin/cp", [program.path, copy.path])
        #expect(chown(copy.path, 65534, 65534) == 0 && chmod(copy.path, 0o4755) == 0)
        let raised = try Tool.output(copy.path, environment: environment)
        #expect(!raised.standardOutput.isEmpty && !raised.standardOutput.contains(file.path), "\(raised)")
    }
}

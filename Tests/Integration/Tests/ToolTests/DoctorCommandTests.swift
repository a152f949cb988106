import Fixtures
import Foundation
import FoundationXML
import Testing

@Suite struct DoctorCommandTests {
    /// An environment without any problem, for one test.
    private func environment(_ more: [String: String] = [:]) throws -> [String: String] {
        let home = try PluginFolder()
        return [
            "HOME": home.path, "XDG_CACHE_HOME": home.path + "/cache", "XDG_DATA_HOME": "", "XDG_DATA_DIRS": "",
            "LANG": "en_GB.UTF-8", "LC_ALL": "", "LANGUAGE": "", "LC_MESSAGES": "",
        ].merging(more) { $1 }
    }

    private func findings(_ document: PluginHostTool.Document) -> [[String: Any]] {
        (document.object["checks"] as? [[String: Any]] ?? []).flatMap { $0["findings"] as? [[String: Any]] ?? [] }
    }

    private func run(_ arguments: [String], _ more: [String: String] = [:]) throws -> PluginHostTool.Document {
        let output = try PluginHostTool.run(["doctor", "--json"] + arguments, environment: try environment(more))
        let object = try JSONSerialization.jsonObject(with: Data(output.standardOutput.utf8))
        return .init(
            status: output.status, text: output.standardOutput, object: try #require(object as? [String: Any]))
    }

    @Test func aGoodFolderIsFine() throws {
        let folder = try PluginFolder(["Good": [:]])
        let document = try run([folder.path])
        #expect(document.status == 0)
        #expect(document.object["errors"] as? Int == 0)
        let keys: Set = [
            "format", "command", "searchPaths", "host", "strict", "fine", "errors", "warnings", "checks",
            "layers", "workers", "runtimes",
        ]
        #expect(Set(document.object.keys) == keys)
        let text = try PluginHostTool.run(["doctor", folder.path], environment: environment()).standardOutput
        #expect(text.contains("Good.bundle (org.example.Good 1.0): "))
    }

    /// The commonest mistake of all: “Notes” instead of “notes”.
    @Test func aFolderOfAnApplicationWithNearlyTheSameNameIsFound() throws {
        let data = try PluginFolder()
        let folder = data.url.appending(path: "Doctor-App/plugins")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Lost.bundle"), withIntermediateDirectories: true)
        let document = try run(["--application", "doctor-app"], ["XDG_DATA_HOME": data.path])
        let finding = try #require(
            findings(document).first { $0["file"] as? String == folder.path }, "\(document.text)")
        #expect(finding["code"] as? String == "bundleNotFound" && finding["severity"] as? String == "warning")
        #expect((finding["remedy"] as? String)?.contains("rename “Doctor-App” to “doctor-app”") ?? false)
        // Not for an application that has plug-ins.
        let own = data.url.appending(path: "doctor-app/plugins/Own.bundle")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        try Data("{ CFBundleIdentifier = \"org.example.Own\"; }".utf8).write(to: own.appending(path: "Info.plist"))
        let other = try run(["--application", "doctor-app"], ["XDG_DATA_HOME": data.path])
        #expect(!findings(other).contains { $0["file"] as? String == folder.path }, "\(other.text)")
    }

    @Test func entriesOfTheAdministratorThatAreMisspeltAreFound() throws {
        let home = try PluginFolder()
        let plugins = home.url.appending(path: "doctor-app/plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        for name in ["Charts", "Reporter"] {
            let made = try home.add(name, ["PHReplaces": ["org.example.Old\(name)"]])
            try FileManager.default.moveItem(at: made, to: plugins.appending(path: "\(name).bundle"))
        }
        let etc = try PluginFolder()
        let lists = etc.url.appending(path: "doctor-app")
        try FileManager.default.createDirectory(at: lists, withIntermediateDirectories: true)
        try Data(
            """
            { Plugins = {
                "org.example.Reportr" = isolated; "org.example.OldReporter" = isolated; "org.other" = isolated; "*" = isolated;
            }; }
            """.utf8
        ).write(to: lists.appending(path: "execution"))
        try Data("{ Plugins = ( { Identifier = \"org.example.Chart\"; } ); }".utf8)
            .write(to: lists.appending(path: "quarantine"))
        let document = try run(
            ["--application", "doctor-app"], ["XDG_DATA_HOME": home.path, "XDG_CONFIG_DIRS": etc.path])
        let missing = findings(document).filter { $0["code"] as? String == "pluginMissing" }
        #expect(missing.compactMap { $0["subject"] as? String } == ["org.example.Chart", "org.example.Reportr"])
        #expect(missing.last?["remedy"] as? String == "Did you mean “org.example.Reporter”?", "\(document.text)")
        let facts = (document.object["checks"] as? [[String: Any]] ?? []).flatMap { $0["facts"] as? [String] ?? [] }
        #expect(facts.contains("of these, 1 by the administrator: \(lists.path)/quarantine"), "\(facts)")
    }

    /// Two versions of an application: the second has no function for plug-ins any more.
    private func applications(in folder: PluginFolder) throws -> (old: String, new: String) {
        let compiler = try Tool.find("clang")
        func build(_ name: String, _ source: String) throws -> String {
            let file = folder.url.appending(path: "\(name).c")
            try source.write(to: file, atomically: true, encoding: .utf8)
            let program = folder.url.appending(path: name).path
            try Tool.run(compiler, ["-rdynamic", file.path, "-o", program])
            return program
        }
        return (
            try build("old", "int host_answer(void) { return 42; } int main(void) { return 0; }"),
            try build("new", "int main(void) { return 0; }")
        )
    }

    private static let caller = """
        int host_answer(void);
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            return host_answer() == 42 ? PLUGIN_OK : PLUGIN_FAILED;
        }
        """
    private static let other = "PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) { return PLUGIN_OK; }"

    @Test func theNextApplicationRefusesWhatTheOneOfTodayUses() throws {
        let folder = try PluginFolder()
        let (old, new) = try applications(in: folder)
        let plugins = folder.url.appending(path: "plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        for (name, source) in [("Caller", Self.caller), ("Plain", Self.other)] {
            let info: [String: any Sendable] =
                name == "Plain"
                ? [
                    "PHFactories": [
                        ["name": "plain", "extensionPoint": "org.example.filter", "version": 2]
                            as [String: any Sendable]
                    ]
                ] : [:]
            let bundle = try BundleFixture(name, info: info, code: .c(source))
            try FileManager.default.moveItem(at: bundle.url, to: plugins.appending(path: "\(name).bundle"))
        }
        let same = try run(["--host", old, "--next", old, plugins.path])
        let nothing = try #require(same.object["next"] as? [String: Any])
        #expect(same.status == 0 && (nothing["changes"] as? [Any])?.isEmpty == true, "\(same.text)")
        #expect((nothing["unchanged"] as? [String: Int]) == ["works": 2, "refused": 0])

        let document = try run(["--host", old, "--next", new, "--point", "org.example.filter=2", plugins.path])
        let next = try #require(document.object["next"] as? [String: Any])
        let changes = try #require(next["changes"] as? [[String: Any]])
        #expect(document.status == 1 && changes.count == 1, "\(document.text)")
        #expect(changes.first?["identifier"] as? String == "org.example.Caller")
        #expect(changes.first?["before"] as? String == "works" && changes.first?["after"] as? String == "refused")
        let codes = (changes.first?["findings"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
        #expect(codes.contains("symbolMissing"), "\(document.text)")
        let back = try run(["--host", new, "--next", old, plugins.path])
        #expect(back.status == 0 && back.text.contains("\"works\""), "\(back.text)")

        let point = try PluginHostTool.run(
            ["doctor", "--host", old, "--next", old, "--point", "org.example.filter=3", plugins.path],
            environment: environment())
        #expect(point.status == 1, "\(point)")
        #expect(
            PluginHostTool.words(point.standardOutput).contains(
                "“plain” is for version 2 of “org.example.filter”, and the next application has version 3"), "\(point)")
        #expect(point.standardOutput.contains("1 plug-in would be refused"), "\(point)")
    }

    /// The suites of a JUnit report by name, each with its tests by name: the element in them, or nothing.
    private func suites(_ text: String) throws -> [String: [String: String]] {
        let document = try XMLDocument(xmlString: text)
        let suites = try document.nodes(forXPath: "/testsuites/testsuite").compactMap { $0 as? XMLElement }
        func name(_ element: XMLElement) -> String { element.attribute(forName: "name")?.stringValue ?? "?" }
        return Dictionary(
            uniqueKeysWithValues: suites.map { suite in
                let tests = suite.elements(forName: "testcase")
                #expect(suite.attribute(forName: "tests")?.stringValue == "\(tests.count)" && !tests.isEmpty)
                let failures = tests.count { !$0.elements(forName: "failure").isEmpty }
                #expect(suite.attribute(forName: "failures")?.stringValue == "\(failures)")
                let content = tests.map { (name($0), $0.children?.first?.name ?? "") }
                return (name(suite), Dictionary(content, uniquingKeysWith: { first, _ in first }))
            })
    }

    private func sarif(_ text: String) throws -> [[String: Any]] {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require((object?["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]])
    }

    @Test func otherProgramsReadItsReport() throws {
        let folder = try PluginFolder(["Good": [:], "Waiting": ["PHRequires": ["org.example.absent": "1.0"]]])
        func report(_ form: String, _ more: String...) throws -> Tool.Output {
            try PluginHostTool.run(
                ["doctor", "--format", form] + more + [folder.path],
                environment: environment(["XDG_STATE_HOME": "relative"]))
        }
        let json = try report("json")
        let document = try JSONSerialization.jsonObject(with: Data(json.standardOutput.utf8)) as? [String: Any]
        #expect(json.status == 1 && document?["command"] as? String == "doctor", "\(json)")
        #expect(try report("text").standardOutput.contains("Found: "))

        let junit = try report("junit")
        let suites = try suites(junit.standardOutput)
        #expect(junit.status == 1)
        let waiting = try #require(suites.first { $0.key.hasSuffix("/Waiting.bundle") }?.value)
        #expect(waiting["requirementUnmet"] == "failure" || waiting.values.contains("failure"), "\(suites)")
        let good = try #require(suites.first { $0.key.hasSuffix("/Good.bundle") }?.value)
        #expect(good.count > 20 && good.values.allSatisfy { $0 != "failure" }, "\(good)")
        #expect(suites["Search paths"] == ["everything": ""], "\(suites)")

        let result = try report("sarif")
        let results = try sarif(result.standardOutput)
        let errors = results.filter { $0["level"] as? String == "error" }
        #expect(result.status == 1 && errors.count == waiting.values.count { $0 == "failure" }, "\(result)")
        // A finding about the machine is in no file.
        let variable = try #require(results.first { $0["ruleId"] as? String == "environment" })
        #expect(variable["level"] as? String == "warning" && (variable["locations"] as? [Any])?.isEmpty == true)
        #expect(suites["Environment"] == ["environment": "system-out"], "\(suites)")
        #expect(
            try PluginHostTool.run(
                ["doctor", "--format", "junit", "--json", folder.path], environment: environment()
            ).status == 2)
        #expect(try report("yaml").status == 2)
    }

    @Test func otherProgramsReadWhatTheNextApplicationRefuses() throws {
        // The second needs a plug-in that does not exist, today and with the next version.
        let folder = try PluginFolder([
            "Old": ["PHHostRequires": "<2.0"], "Never": ["PHRequires": ["org.example.absent": "1.0"]], "Plain": [:],
            "New": ["PHHostRequires": ">=2.0"],
        ])
        let (old, new) = try applications(in: folder)
        func report(_ form: String) throws -> Tool.Output {
            try PluginHostTool.run(
                ["doctor", "--host", old, "--next", new, "--host-version", "2.1", "--format", form, folder.path],
                environment: environment())
        }
        let junit = try report("junit")
        let suites = try suites(junit.standardOutput)
        #expect(junit.status == 1 && suites.count == 4, "\(junit)")
        func tests(_ name: String) throws -> [String: String] {
            try #require(suites.first { $0.key.hasSuffix("/\(name).bundle") }?.value)
        }
        #expect(try tests("Old").values.contains("failure"), "\(junit)")
        #expect(try Set(tests("Never").values) == ["system-out"], "\(junit)")
        #expect(try tests("Plain") == ["everything": ""] && tests("New") == ["everything": ""], "\(junit)")
        let result = try report("sarif")
        let results = try sarif(result.standardOutput)
        let levels = results.map { [$0["ruleId"], $0["level"]].map { $0 as? String ?? "?" } }
        #expect(result.status == 1 && levels.contains { $0[1] == "error" }, "\(result)")
        for result in results {
            let bundle = try #require((result["properties"] as? [String: Any])?["bundle"] as? String)
            #expect((result["level"] as? String == "error") == bundle.hasSuffix("/Old.bundle"), "\(levels)")
        }
    }

    @Test func theNextVersionIsComparedWithWhatPluginsRequire() throws {
        let folder = try PluginFolder(["Old": ["PHHostRequires": "<2.0"], "New": ["PHHostRequires": ">=2.0"]])
        let (old, new) = try applications(in: folder)
        let document = try run(["--host", old, "--next", new, "--host-version", "2.1", folder.path])
        let changes = (document.object["next"] as? [String: Any])?["changes"] as? [[String: Any]] ?? []
        #expect(
            document.status == 1 && changes.map { $0["identifier"] as? String } == ["org.example.Old"], "\(document)")
    }

    @Test(.fault(667)) func theNextApplicationWithoutPluginsChangesNothing() throws {
        let folder = try PluginFolder()
        let (old, new) = try applications(in: folder)
        let empty = folder.url.appending(path: "none")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        let output = try PluginHostTool.run(
            ["doctor", "--host", old, "--next", new, empty.path], environment: environment())
        #expect(output.status == 0 && output.standardOutput.contains("No plug-in changes."), "\(output)")
    }

    @Test(arguments: [["--point", "a=1"], ["--next", "/bin/true", "--point", "a"], ["--next", "/bin/true"]])
    func aWrongUseOfNextIsTwo(_ arguments: [String]) throws {
        let places = arguments.count == 2 && arguments[0] == "--next" ? [] : [try PluginFolder().path]
        let output = try PluginHostTool.run(["doctor"] + arguments + places, environment: environment())
        #expect(output.status == 2, "\(output)")
    }

    /// Two bundles whose libraries have one SONAME.
    private func carriers(_ values: [Int], linked: Bool = false) throws -> PluginFolder {
        let folder = try PluginFolder()
        var first: URL?
        var built: [Int: BundleFixture] = [:]
        for (number, value) in values.enumerated() {
            let library =
                try built[value]
                ?? BundleFixture(
                    "Helper\(value)",
                    code: .c("int help(void) { return \(value); }", flags: ["-Wl,-soname,libhelper.so.1"]))
            built[value] = library
            let frameworks = try folder.add("Carrier\(number)", [:]).appending(path: "Contents/Frameworks")
            try FileManager.default.createDirectory(at: frameworks, withIntermediateDirectories: true)
            let file = frameworks.appending(path: "libhelper.so.1")
            if let first, linked {
                try FileManager.default.linkItem(at: first, to: file)
            } else {
                try FileManager.default.copyItem(at: library.executable, to: file)
            }
            first = file
        }
        return folder
    }

    @Test(arguments: [([1, 2], "different"), ([1, 1], "equal")])
    func librariesOfOneNameAreInformation(values: [Int], content: String) throws {
        let folder = try carriers(values)
        let document = try run([folder.path])
        #expect(document.status == 0 && document.object["warnings"] as? Int == 0, "\(document.text)")
        let facts = (document.object["checks"] as? [[String: Any]] ?? []).flatMap { $0["facts"] as? [String] ?? [] }
        let sentence = """
            libhelper.so.1: org.example.Carrier0 and org.example.Carrier1 carry \(content) files under this SONAME. Each gets \
            its own, the later ones from a private copy. Give the library a SONAME of its own: \
            -Wl,-soname,libhelper-carrier1.so.1.
            """
        #expect(facts.contains(sentence), "\(facts)")
        let graph = try PluginHostTool.document("graph", folder.path)
        let libraries = try #require(graph.object["libraries"] as? [[String: Any]])
        #expect(libraries.count == 1 && libraries.first?["content"] as? String == content && graph.status == 0)
        #expect((libraries.first?["carriers"] as? [Any])?.count == 2)
        let text = try PluginHostTool.run("graph", folder.path).standardOutput
        #expect(text.contains("Library libhelper.so.1 \(content) files, loaded separately"), "\(text)")
    }

    @Test func oneFileOfTwoBundlesIsShared() throws {
        let document = try run([try carriers([1, 1], linked: true).path])
        let facts = (document.object["checks"] as? [[String: Any]] ?? []).flatMap { $0["facts"] as? [String] ?? [] }
        #expect(facts.contains { $0.hasSuffix("carry one file under this SONAME, and share it.") }, "\(facts)")
    }

    @Test func theLayersThatIsolatePluginsAreShownOneByOne() throws {
        let document = try run([])
        let layers = try #require(document.object["layers"] as? [String: [String: Any]])
        let names: Set = [
            "privileges", "files", "network", "signals", "systemCalls", "memory", "threads", "processes",
        ]
        #expect(Set(layers.keys) == names)
        let text = try PluginHostTool.run(["doctor"], environment: environment()).standardOutput
        // fault768: it does not rely on what the kernel says that it has.
        let workers = try #require(document.object["workers"] as? [String: [String: Any]])
        for name in ["isolated", "sandboxed"] {
            let worker = try #require(workers[name]), hasStarted = try #require(worker["started"] as? Bool)
            #expect(text.contains(hasStarted ? "the \(name) worker started" : "no \(name) worker could be started"))
            #expect((worker["enforced"] as? [String])?.isEmpty == !hasStarted)
        }
        #expect(workers["isolated"]?["started"] as? Bool == true)
        for (name, layer) in layers {
            let state = try #require(layer["enforced"] as? Bool) ? "enforced" : "missing"
            #expect(layer["missing"] is NSNull || layer["missing"] is String)
            let line = text.split(separator: "\n").first { $0.hasPrefix("  \(name) ") }
            #expect(line?.contains(" \(state)") == true, "\(name)")
        }
    }

    /// The note of the worker program is how an application finds the runtime of a toolchain.
    @Test func runtimesAreShownWithTheirToolchainAndOthersWithTheReason() throws {
        let folder = Workspace.temporary.appending(path: "runtimes-\(UUID().uuidString)")
        let empty = folder.appending(path: "empty").path, good = folder.appending(path: "good").path
        for path in [empty, good] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let program = Workspace.products.appending(path: "pluginhost-worker").path
        try #require(FileManager.default.fileExists(atPath: program), "build the product pluginhost-worker")
        try FileManager.default.copyItem(atPath: program, toPath: good + "/pluginhost-worker")
        let document = try run(["--runtime", good, "--runtime", empty])
        let runtimes = try #require(document.object["runtimes"] as? [[String: Any]])
        #expect(runtimes.map { $0["directory"] as? String } == [good, empty])
        let toolchain = try #require(runtimes.first?["toolchain"] as? String, "\(document)")
        #expect(runtimes.first?["problem"] is NSNull && runtimes.last?["toolchain"] is NSNull)
        #expect((runtimes.last?["problem"] as? String)?.contains("no program") == true)
        #expect(findings(document).filter { $0["code"] as? String == "runtimeUnusable" }.count == 1)
        let arguments = ["doctor", "--runtime", good, "--runtime", empty]
        let text = try PluginHostTool.run(arguments, environment: environment()).standardOutput
        #expect(PluginHostTool.words(text).contains("\(toolchain), in \(good)"), "\(text)")
    }

    @Test func everythingThatIsWrongIsToldAtOnce() throws {
        let folder = try PluginFolder([
            "Good": [:], "Old": ["CFBundleIdentifier": "org.example.Good", "CFBundleShortVersionString": "0.9"],
            "Twin": ["CFBundleIdentifier": "org.example.Good"], "Needy": ["PHRequires": ["org.example.Nobody": "1.0"]],
            "Asking": ["PHUses": ["org.example.spelling": 1]],
        ])
        try Data("<plist".utf8).write(to: folder.add("Bad", [:]).appending(path: "Contents/Info.plist"))
        try Data().write(to: folder.url.appending(path: "File.bundle"))
        let document = try run([folder.path])
        #expect(document.status == 1)
        let codes = findings(document).compactMap { $0["code"] as? String }
        for code in ["manifestUnreadable", "bundleNotFound", "requirementUnmet", "duplicateBundle", "serviceMissing"] {
            #expect(codes.contains(code), "\(code) is missing in \(codes)")
        }
        let twin = findings(document).first { $0["code"] as? String == "duplicateBundle" }
        #expect((twin?["remedy"] as? String)?.contains("another CFBundleIdentifier") == true)
    }

    /// The usual reason why a change of a plug-in shows no effect.
    @Test(arguments: [-3_600.0, 3_600.0]) func aCopyThatHidesANewerOneIsAWarning(_ seconds: Double) throws {
        let (user, program) = (try PluginFolder(["Good": [:]]), try PluginFolder(["Good": [:]]))
        let info = program.path + "/Good.bundle/Contents/Info.plist"
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now.addingTimeInterval(seconds)], ofItemAtPath: info)
        let document = try run([user.path, program.path])
        let found = findings(document).filter { $0["code"] as? String == "duplicateBundle" }
        #expect(document.status == 0 && found.count == (seconds > 0 ? 1 : 0), "\(document.text)")
        if let message = found.first?["message"] as? String {
            #expect(message.contains("“\(user.path)/Good.bundle” is used instead"), "\(message)")
            #expect(message.hasSuffix("The files of this one are newer."), "\(message)")
        }
        let text = try PluginHostTool.run(["doctor", user.path, program.path], environment: environment())
        let words = PluginHostTool.words(text.standardOutput)
        #expect(words.contains("remove the other, or give this one a higher version"), "\(words)")
    }

    @Test func eachUsablePluginIsCheckedCompletely() throws {
        let fixture = try BundleFixture("Entryless", code: .c(PluginSource.missingEntry))
        let document = try run([fixture.url.deletingLastPathComponent().path])
        #expect(document.status == 1)
        #expect(findings(document).contains { $0["code"] as? String == "symbolMissing" })
    }

    @Test func runsNoCode() throws {
        let mark = Workspace.temporary.appending(path: "mark-\(UUID().uuidString)").path
        let fixture = try BundleFixture("DoctorsMark", code: .c(PluginSource.leavingMark(at: mark)))
        let folder = fixture.url.deletingLastPathComponent().path
        for arguments in [
            ["doctor", folder], ["list", folder], ["scan", "--explain", folder], ["graph", folder],
            ["why", "org.example.DoctorsMark", "--in", folder],
        ] {
            #expect(try PluginHostTool.run(arguments, environment: environment()).status <= 1)
        }
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test func aFolderThatEverybodyMayWriteToIsAWarning() throws {
        let folder = try PluginFolder(["Good": [:]])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let document = try run([folder.path])
        #expect(document.status == 0)
        let finding = findings(document).first { $0["code"] as? String == "writableByOthers" }
        #expect(finding?["file"] as? String == folder.path)
        #expect(try run([folder.path, "--strict"]).status == 1)
    }

    @Test(arguments: [
        ("XDG_DATA_HOME", "share"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_DIRS", "/usr/share:local"),
        ("XDG_CONFIG_HOME", "config"), ("XDG_CONFIG_DIRS", "/etc/xdg:local"), ("XDG_STATE_HOME", "state"),
        ("HOME", "home"), ("HOME", "/nonexistent"), ("LD_LIBRARY_PATH", "/lib:"), ("LANG", ""), ("LC_ALL", "POSIX"),
        ("MY_EDITOR_PLUGIN_PATH", "plugins"), ("MY_EDITOR_PLUGIN_PATH", "/nonexistent/plugins"),
    ])
    func aVariableThatIsWrongIsAWarning(_ name: String, _ value: String) throws {
        let usual = name == "LD_LIBRARY_PATH" ? Workspace.products.path + ":" : value
        let document = try run(["--application", "my-editor"], [name: usual])
        let subjects = findings(document).filter { $0["code"] as? String == "environment" }
            .compactMap { $0["subject"] as? String }
        #expect(subjects == [name])
    }

    @Test(arguments: ["en_GB.UTF-8", "C.UTF-8", "C.utf8"]) func aRightEnvironmentHasNoWarning(_ locale: String) throws {
        let codes = findings(try run([], ["LANG": locale])).compactMap { $0["code"] as? String }
        #expect(!codes.contains("environment"))
    }

    @Test(.fault(851)) func aDamagedListOfTheAdministratorIsShownOnce() throws {
        let home = try PluginFolder()
        let directory = home.url.appending(path: "xdg/my-editor")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data("{{{".utf8).write(to: directory.appending(path: "quarantine"))
        let document = try run(
            ["--application", "my-editor"],
            ["XDG_CONFIG_DIRS": home.path + "/xdg", "XDG_STATE_HOME": home.path + "/state"])
        let shown = findings(document).filter { $0["code"] as? String == "quarantineUnusable" }
        #expect(document.status == 1 && shown.count == 1, "\(document.text)")
    }

    // MARK: The index

    @Test func damagedIndexFilesAreToldAndLeftAlone() throws {
        let home = try environment()
        let directory = URL(filePath: try #require(home["XDG_CACHE_HOME"])).appending(path: "pluginhost")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let damaged = directory.appending(path: "0123.index")
        try Data("nonsense".utf8).write(to: damaged)
        let link = directory.appending(path: "4567.index")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: damaged)
        let output = try PluginHostTool.run(["doctor", "--json"], environment: home)
        let object = try JSONSerialization.jsonObject(with: Data(output.standardOutput.utf8))
        let document = PluginHostTool.Document(
            status: output.status, text: output.standardOutput, object: try #require(object as? [String: Any]))
        let files = findings(document).filter { $0["code"] as? String == "indexUnusable" }
            .compactMap { $0["file"] as? String }
        #expect(files == [damaged.path, link.path])
        #expect(output.status == 0)
        #expect(try Data(contentsOf: damaged) == Data("nonsense".utf8))
        let text = try PluginHostTool.run(["doctor"], environment: home).standardOutput
        // Every path is complete, in the message and below it.
        let complete = text.components(separatedBy: damaged.path).count - 1
        #expect(complete == 2, "\(text)")
        #expect(text.components(separatedBy: damaged.path.dropFirst()).count - 1 == complete, "\(text)")
    }

    @Test func indexFilesOfAnotherVersionAreCountedInOneLine() throws {
        let home = try environment()
        let directory = URL(filePath: try #require(home["XDG_CACHE_HOME"])).appending(path: "pluginhost")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // “PHINDEX”, and a format that no version has. Its header may be shorter than this version's.
        let head = Data("PHINDEX\u{0}".utf8) + [0xFF, 0xFF, 0, 0, 0, 0, 0, 0]
        for number in 0..<20 { try (head + Data(count: 48)).write(to: directory.appending(path: "\(number).index")) }
        let output = try PluginHostTool.run(["doctor"], environment: home)
        #expect(output.status == 0 && output.standardOutput.contains("Nothing is wrong."), "\(output)")
        #expect(PluginHostTool.words(output.standardOutput).contains("20 files of another version"), "\(output)")
    }

    /// Root reads everything, and would find nothing.
    @Test(.enabled(if: geteuid() == 0, "only root installs for others"))
    func rootLearnsWhatUsersCannotRead() throws {
        let home = try PluginFolder()
        let bundle = home.url.appending(path: "system/my-editor/plugins/Loud.bundle/Contents")
        let settings = home.url.appending(path: "etc/my-editor/settings")
        for directory in [bundle, settings] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        try Data("{ CFBundleIdentifier = \"org.example.Loud\"; }".utf8).write(to: bundle.appending(path: "Info.plist"))
        func places() throws -> [String] {
            let document = try PluginHostTool.document(
                of: ["doctor", "--application", "my-editor"],
                environment: [
                    "HOME": home.path + "/home", "XDG_DATA_DIRS": home.path + "/system",
                    "XDG_CONFIG_DIRS": home.path + "/etc", "XDG_CACHE_HOME": home.path + "/cache",
                ])
            let checks = try #require(document.object["checks"] as? [[String: Any]])
            let found = checks.flatMap { $0["findings"] as? [[String: Any]] ?? [] }
            return found.filter { $0["code"] as? String == "unreadableForUsers" }.compactMap { $0["file"] as? String }
                .filter { $0.hasPrefix(home.path + "/") }
        }
        #expect(try places() == [])
        chmod(bundle.path + "/Info.plist", 0o600)
        chmod(settings.path, 0o700)
        #expect(try places() == [bundle.path + "/Info.plist", settings.path])
    }

    @Test func aMissingFolderIsTwo() throws {
        #expect(try PluginHostTool.run("doctor", "/nonexistent").status == 2)
    }
}

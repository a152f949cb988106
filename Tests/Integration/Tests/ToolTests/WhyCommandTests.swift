import Fixtures
import Foundation
import PluginHost
import Testing

@Suite struct WhyCommandTests {
    /// App requires Middle, which requires Base; there are two bundles of Base.
    private func chain() throws -> PluginFolder {
        try PluginFolder([
            "App": ["PHRequires": ["org.example.Middle": ">=1"]],
            "Middle": [
                "PHRequires": ["org.example.Base": "1.0"], "PHUses": ["org.example.spelling": 1],
                "PHFactories": [PluginFolder.factory("middle", at: "org.example.point")],
            ],
            "Base": ["CFBundleShortVersionString": "1.4"],
            "BaseOld": ["CFBundleIdentifier": "org.example.Base", "CFBundleShortVersionString": "1.2"],
            "Words": ["PHFactories": [PluginFolder.factory("english", at: "org.example.spelling")]],
        ])
    }

    @Test func showsForEveryCandidateWhetherItIsUsedAndByWhichRule() throws {
        let folder = try chain()
        let output = try PluginHostTool.run("why", "org.example.Base", "--in", folder.path)
        #expect(output.status == 0, "\(output)")
        let text = PluginHostTool.words(output.standardOutput)
        #expect(text.contains("Base.bundle 1.4 usable"))
        #expect(text.contains("BaseOld.bundle 1.2 shadowed"))
        #expect(text.contains("the same identifier and a higher version"))
        #expect(text.contains("Complete check: fine"))
    }

    /// The usual reason why a change of a plug-in shows no effect.
    @Test func anOldCopyInAnEarlierPlaceIsNamedWithTheNextStep() throws {
        let (user, program) = (try PluginFolder(["Good": [:]]), try PluginFolder(["Good": [:]]))
        let next = "To use this one, remove the other, or give this one a higher version."
        let why = try PluginHostTool.run("why", "org.example.Good", "--in", user.path, "--in", program.path)
        let words = PluginHostTool.words(why.standardOutput)
        #expect(
            words.contains("“\(user.path)/Good.bundle” is used instead: the same identifier and version"), "\(words)")
        #expect(words.contains("in an earlier search path. \(next)"), "\(words)")
        let doctor = try PluginHostTool.run("doctor", user.path, program.path)
        #expect(PluginHostTool.words(doctor.standardOutput).contains(next), "\(doctor)")
    }

    @Test func whatEachCandidateAsksForIsShown() throws {
        let folder = try PluginFolder([
            "Asking": ["PHExecution": "any", "PHPermissions": ["devices": ["/dev/snd/seq"]]]
        ])
        let output = try PluginHostTool.run("why", "org.example.Asking", "--in", folder.path)
        let text = PluginHostTool.words(output.standardOutput)
        #expect(text.contains("Execution any") && text.contains("devices /dev/snd/seq"), "\(text)")
        let document = try PluginHostTool.document("why", "org.example.Asking", "--in", folder.path)
        let asked = document.bundles.first?["permissions"] as? [String: Any]
        #expect(asked?["devices"] as? [String] == ["/dev/snd/seq"])
    }

    @Test func theChainOfItsNeedsIsShown() throws {
        let document = try PluginHostTool.document("why", "org.example.App", "--in", try chain().path)
        let middle = try #require((document.object["needs"] as? [[String: Any]])?.first)
        #expect(middle["identifier"] as? String == "org.example.Middle")
        #expect(middle["met"] as? Bool == true)
        let base = try #require((middle["needs"] as? [[String: Any]])?.first)
        #expect(base["identifier"] as? String == "org.example.Base")
        #expect(base["version"] as? String == "1.4")
        #expect(base["range"] as? String == "1.0")
    }

    @Test func servicesAreShownWithTheirProviders() throws {
        let document = try PluginHostTool.document("why", "org.example.Middle", "--in", try chain().path)
        let use = try #require((document.object["uses"] as? [[String: Any]])?.first)
        #expect(use["extensionPoint"] as? String == "org.example.spelling")
        #expect(use["offeredBy"] as? [String] == ["org.example.Words"])
    }

    @Test func whatNeedsItAndWhatWouldReplaceItIsShown() throws {
        let folder = try chain()
        let document = try PluginHostTool.document("why", "org.example.Base", "--in", folder.path)
        let neededBy = try #require((document.object["neededBy"] as? [[String: Any]])?.first)
        #expect(neededBy["identifier"] as? String == "org.example.Middle")
        let without = try #require(document.object["without"] as? [String: Any])
        let other = try #require((without["replaced"] as? [[String: Any]])?.first)
        #expect(other["path"] as? String == folder.path + "/BaseOld.bundle")
        let text = try PluginHostTool.run("why", "org.example.Base", "--in", folder.path).standardOutput
        #expect(PluginHostTool.words(text).contains("BaseOld.bundle 1.2 would be used in its place."))
    }

    @Test func aVersionOfTheApplicationThatIsNotKnownIsACondition() throws {
        let folder = try PluginFolder(["Later": ["PHHostRequires": ">=2"]])
        func answer(_ arguments: String...) throws -> Substring? {
            let command = ["why", "org.example.Later", "--in", folder.path] + arguments
            return try PluginHostTool.run(command).standardOutput.split(separator: "\n").first
        }
        #expect(try answer() == "org.example.Later used, if the application has version >=2")
        #expect(try answer("--host-version", "2.1") == "org.example.Later used")
        #expect(try answer("--host-version", "1.0") == "org.example.Later not used")
    }

    @Test func theCompleteCheckOfTheOneInUseDecides() throws {
        let fixture = try BundleFixture("Faulty", code: .c(PluginSource.missingEntry))
        let folder = fixture.url.deletingLastPathComponent().path
        let document = try PluginHostTool.document("why", "org.example.Faulty", "--in", folder)
        #expect(document.status == 1)
        #expect(document.object["used"] as? Bool == true)
        let codes = (document.object["findings"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
        #expect(codes.contains("symbolMissing"))
    }

    @Test func anUnusableBundleIsExplainedWithItsRemedy() throws {
        let folder = try PluginFolder(["Bad": [:]])
        try Data("<plist".utf8).write(to: folder.url.appending(path: "Bad.bundle/Contents/Info.plist"))
        let output = try PluginHostTool.run("why", "Bad", "--in", folder.path)
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("not used"))
        #expect(output.standardOutput.contains("manifestUnreadable"))
    }

    @Test func forAnUnknownIdentifierSimilarOnesAreSuggested() throws {
        let folder = try chain()
        for identifier in ["org.example.Bsae", "base", "org.example.base"] {
            let output = try PluginHostTool.run("why", identifier, "--in", folder.path)
            #expect(output.status == 1)
            #expect(output.standardOutput.contains("Did you mean org.example.Base?"), "\(output)")
        }
        let hostile = try PluginHostTool.run("why", "a\u{1B}[31m", "--in", folder.path).standardOutput
        #expect(!hostile.contains("\u{1B}"))
    }

    @Test func whatAnUpdateAsksForSinceTheUserDecidedIsNamed() throws {
        let home = try PluginFolder()
        let environment = [
            "XDG_DATA_HOME": home.path + "/share", "XDG_STATE_HOME": home.path + "/state", "XDG_DATA_DIRS": "/nowhere",
        ]
        let bundle = home.path + "/share/my-editor/plugins/Words.bundle"
        func write(_ text: String, to path: String) throws {
            let file = URL(filePath: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try write(
            """
            { CFBundleIdentifier = org.example.Words; CFBundleVersion = 2;
              PHPermissions = { network = any; environment = (LANG); reasons = { network = "It looks up words."; }; }; }
            """, to: bundle + "/Contents/Info.plist")
        func why() throws -> (unanswered: [String]?, text: String) {
            let arguments = ["why", "org.example.Words", "--application", "my-editor"]
            let document = try PluginHostTool.document(of: arguments, environment: environment)
            let text = try PluginHostTool.run(arguments, environment: environment).standardOutput
            return (document.object["unanswered"] as? [String], PluginHostTool.words(text))
        }
        let before = try why()
        #expect(before.unanswered == [] && !before.text.contains("asks for more"), "\(before)")
        try write(
            """
            { Plugins = ({ Identifier = org.example.Words; Path = "\(bundle)"; Asked = ("environment=LANG"); Allowed = (); }); }
            """, to: home.path + "/state/my-editor/consents")
        let after = try why()
        #expect(after.unanswered == ["network=any"])
        #expect(
            after.text.contains("It asks for more than when the user decided what it may reach: network=any."),
            "\(after)")
    }

    @Test func anApplicationThatTriedItInVainIsNamedWithTheReason() async throws {
        let source = "#include <stdlib.h>\nPLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { abort(); }"
        let fixture = try BundleFixture("Dying", code: .c(source))
        let (folder, cache) = (fixture.url.deletingLastPathComponent().path, try PluginFolder().path)
        // The application: a process that is not the tool.
        await #expect(processExitsWith: .success) { [folder = folder as String, cache = cache as String] in
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            let catalog = PluginCatalog(
                searchPaths: [folder], options: .init(index: .directory(cache + "/pluginhost"), requiresProbe: true))
            let error = #expect(throws: PluginError.self) { try catalog.activate("org.example.Dying") }
            #expect(error?.code == .probeFailed)
        }
        let arguments = ["why", "org.example.Dying", "--in", folder]
        let document = try PluginHostTool.document(of: arguments, environment: ["XDG_CACHE_HOME": cache])
        let probe = try #require((document.object["probes"] as? [[String: Any]])?.first, "\(document)")
        #expect(probe["passed"] as? Bool == false)
        let codes = (probe["findings"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
        #expect(codes == ["workerEnded"])
        let program = try #require(probe["program"] as? String)
        let text = PluginHostTool.words(
            try PluginHostTool.run(arguments, environment: ["XDG_CACHE_HOME": cache]).standardOutput)
        #expect(text.contains("does not load it, because it failed when it was tried before its first use"), "\(text)")
        #expect(text.contains((program as NSString).lastPathComponent) && text.contains("SIGABRT"), "\(text)")
        // Another file is not what was tried.
        try Data("other".utf8).write(to: fixture.url.appending(path: "Contents/Linux/Dying"))
        let changed = try PluginHostTool.document(of: arguments, environment: ["XDG_CACHE_HOME": cache])
        #expect((changed.object["probes"] as? [Any])?.isEmpty == true)
    }

    @Test func theDocumentHasEveryKey() throws {
        for identifier in ["org.example.Base", "nobody"] {
            let document = try PluginHostTool.document("why", identifier, "--in", try chain().path)
            let keys: Set = [
                "format", "command", "identifier", "used", "path", "sentence", "remedy", "bundles", "findings", "needs",
                "uses", "neededBy", "without", "similar", "strikes", "unanswered", "probes", "loads",
                "demandedExecution", "consent", "applicationVersion", "folders", "optional", "replacements",
                "settings",
            ]
            #expect(Set(document.object.keys) == keys)
        }
    }

    @Test func aWrongUseIsTwo() throws {
        for arguments in [["why"], ["why", "x"], ["why", "x", "--in", "/nonexistent"]] {
            #expect(try PluginHostTool.run(arguments).status == 2, "\(arguments)")
        }
    }

    @Test(.fault(809)) func aBundleWhoseCodeCannotBeLoadedIsNotOnlyUsed() throws {
        let folder = try PluginFolder(["Broken": ["NSExecutable": "Broken"], "Fine": [:]])
        let output = try PluginHostTool.run("why", "org.example.Broken", "--in", folder.path)
        #expect(output.status == 1)
        #expect(output.standardOutput.hasPrefix("org.example.Broken chosen, but its code cannot be loaded\n"))
        #expect(!output.standardOutput.contains("It is used."))
        let document = try PluginHostTool.document("why", "org.example.Broken", "--in", folder.path)
        #expect(document.object["loads"] as? Bool == false && document.object["used"] as? Bool == true)
        #expect((document.object["sentence"] as? String)?.contains("But its code cannot be loaded: ") == true)
        let fine = try PluginHostTool.document("why", "org.example.Fine", "--in", folder.path)
        #expect(fine.object["loads"] as? Bool == true)
        #expect((fine.object["sentence"] as? String)?.contains("But") == false)
    }

    @Test(.fault(810)) func aBrokenBundleOfAnotherNameDoesNotTakeOverTheAnswer() throws {
        let folder = try PluginFolder(["Fine": [:]])
        let broken = folder.url.appending(path: "Broken.bundle/Contents/Resources")
        try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: true)
        let unknown = try PluginHostTool.document("why", "org.example.Nobody", "--in", folder.path)
        #expect(
            unknown.object["sentence"] as? String
                == "No bundle with the identifier “org.example.Nobody” is in any search path.")
        // Its name is that of this identifier.
        let named = try PluginHostTool.document("why", "org.example.Broken", "--in", folder.path)
        #expect((named.object["sentence"] as? String)?.contains("There is no Info.plist") == true)
        for command in ["uninstall", "rollback"] {
            let output = try PluginHostTool.run(command, "org.example.Nobody", "--in", folder.path)
            let words = PluginHostTool.words(output.standardOutput)
            #expect(output.status == 1 && words.contains("“org.example.Nobody” is not installed in"), "\(words)")
        }
    }

    @Test(.fault(810)) func aBrokenBundleOfAnotherNameDoesNotTakeOverTheAnswerOfDisable() throws {
        let home = try PluginFolder()
        let environment = [
            "HOME": home.path, "XDG_DATA_HOME": home.path + "/share", "XDG_STATE_HOME": home.path + "/state",
            "XDG_CONFIG_HOME": home.path + "/config", "XDG_DATA_DIRS": "/nowhere",
        ]
        let broken = home.url.appending(path: "share/my-editor/plugins/Broken.bundle/Contents/Resources")
        try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: true)
        func answer(_ command: String, _ identifier: String) throws -> PluginHostTool.Document {
            try PluginHostTool.document(
                of: [command, identifier, "--application", "my-editor"], environment: environment)
        }
        for (command, isDisabled) in [("disable", true), ("enable", false)] {
            let document = try answer(command, "org.example.Nobody")
            #expect(document.status == 0 && document.object["done"] as? Bool == true, "\(document.text)")
            #expect(document.object["disabled"] as? Bool == isDisabled)
            #expect(document.object["installed"] as? Bool == false)
            #expect(
                document.object["explanation"] as? String
                    == "No bundle with the identifier “org.example.Nobody” is in any search path.")
            let text = try PluginHostTool.run(
                [command, "org.example.Nobody", "--application", "my-editor"], environment: environment)
            #expect(!text.standardOutput.contains("Broken") && !text.standardOutput.contains("Info.plist"), "\(text)")
        }
        // The bundle of this name may be the one that is meant.
        let named = try answer("disable", "org.example.Broken").object["explanation"] as? String
        #expect(named?.contains("There is no Info.plist") == true, "\(named ?? "none")")
    }

    /// Its name sorts before that of the plug-in, and is the plug-in's identifier.
    @Test(.fault(894)) func aBundleThatOnlyHasTheNameOfAnIdentifierIsNotThatPlugIn() throws {
        let source = try PluginFolder(["zeal": ["CFBundleIdentifier": "org.example.zeal"]])
        let plugin = source.url.appending(path: "zeal.bundle").path
        let folder = try PluginFolder([:])
        let impostor = folder.url.appending(path: "org.example.zeal.bundle")
        try FileManager.default.createDirectory(at: impostor, withIntermediateDirectories: true)
        for version in 1...2 {
            let output = try PluginHostTool.run("install", "--in", folder.path, plugin)
            #expect(output.status == 0, "version \(version): \(output)")
        }
        #expect(try PluginHostTool.run("rollback", "--in", folder.path, "org.example.zeal").status == 0)
        #expect(try PluginHostTool.run("uninstall", "--in", folder.path, "org.example.zeal").status == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        #expect(left == ["org.example.zeal.bundle"])
        // By its name it is found.
        #expect(try PluginHostTool.run("uninstall", "--in", folder.path, "org.example.zeal").status == 0)
        #expect(!FileManager.default.fileExists(atPath: impostor.path))
    }

    @Test(.fault(891)) func aSearchPathThatIsOneLevelOffIsInEachAnswer() throws {
        let above = try PluginFolder().path
        let name = "plugins"
        try FileManager.default.moveItem(atPath: PluginFolder(["Deep": [:]]).path, toPath: above + "/" + name)
        let commands = [["why", "org.example.Deep", "--in", above], ["scan", "--no-index", above], ["graph", above]]
        for command in commands {
            let output = try PluginHostTool.run(command)
            let words = PluginHostTool.words(output.standardOutput)
            #expect(words.contains("has no bundles, but its directory “\(name)” has"), "\(command): \(words)")
            let document = try PluginHostTool.document(of: command)
            let folders = document.object["folders"] as? [[String: Any]]
            #expect((folders?.first?["findings"] as? [Any])?.count == 1, "\(command)")
        }
    }
}

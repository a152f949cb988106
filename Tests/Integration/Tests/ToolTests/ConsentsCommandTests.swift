import Fixtures
import Foundation
import Testing

/// `pluginhost consents`, and what other commands show of the decisions of users, administrators and applications.
@Suite struct ConsentsCommandTests {
    /// The directories of a user with an application “my-editor” that has one plug-in.
    private struct User {
        let home = try! PluginFolder()
        let bundle: URL

        var environment: [String: String] {
            [
                "HOME": home.path, "XDG_DATA_HOME": home.path + "/share", "XDG_STATE_HOME": home.path + "/state",
                "XDG_CACHE_HOME": home.path + "/cache", "XDG_CONFIG_DIRS": home.path + "/etc",
                "XDG_DATA_DIRS": "/nowhere",
            ]
        }

        init(_ info: [String: Any] = [:]) throws {
            bundle = home.url.appending(path: "share/my-editor/plugins/Loud.bundle")
            let keys = ["CFBundleIdentifier": "org.example.Loud", "CFBundleShortVersionString": "1.0"] as [String: Any]
            try write(bundle.appending(path: "Contents/Info.plist"), keys.merging(info) { $1 })
        }

        private func write(_ url: URL, _ list: Any) throws {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0).write(to: url)
        }

        func write(_ path: String, _ list: Any) throws { try write(home.url.appending(path: path), list) }

        func run(_ arguments: [String]) throws -> Tool.Output {
            try PluginHostTool.run(arguments + ["--application", "my-editor"], environment: environment)
        }

        func words(_ arguments: String...) throws -> String {
            PluginHostTool.words(try run(arguments).standardOutput)
        }

        func document(_ arguments: String...) throws -> PluginHostTool.Document {
            try PluginHostTool.document(of: arguments + ["--application", "my-editor"], environment: environment)
        }
    }

    @Test(.fault(814)) func consentsAreListedShownAndRevoked() throws {
        let user = try User()
        let unanswered = try user.words("consents")
        #expect(unanswered.contains("The user was not asked about any plug-in."))
        #expect(unanswered.contains("Asks for") == false, "it asks for nothing")
        try user.write(
            "state/my-editor/consents",
            [
                "Plugins": [
                    [
                        "Identifier": "org.example.Loud", "Path": user.bundle.path,
                        "Asked": ["devices=/dev/snd/seq", "network=any"], "Allowed": ["network=any"],
                    ]
                ]
            ])
        let list = try user.document("consents", "list")
        let consent = try #require((list.object["consents"] as? [[String: Any]])?.first)
        #expect(list.status == 0 && consent["identifier"] as? String == "org.example.Loud")
        #expect(consent["allowed"] as? [String] == ["network=any"])
        let why = try user.words("why", "org.example.Loud")
        #expect(why.contains("The user allowed it, where it is sandboxed: network=any."), "\(why)")
        #expect(try user.words("doctor").contains("org.example.Loud: network=any"))
        let other = try user.document("consents", "revoke", "org.example.Other")
        #expect(other.status == 1 && other.object["done"] as? Bool == false)
        #expect(try user.words("consents", "revoke", "org.example.Lond").contains("Did you mean org.example.Loud?"))
        let mistaken = try PluginHostTool.run(
            "consents", "--application", "My-editor", environment: user.environment)
        #expect(
            PluginHostTool.words(mistaken.standardOutput).contains(
                "Nothing is known here of an application “My-editor”. Did you mean my-editor?"), "\(mistaken)")
        let revoked = try user.document("consents", "revoke", "org.example.Loud")
        #expect(revoked.status == 0 && revoked.object["done"] as? Bool == true)
        #expect((try user.document("consents", "list").object["consents"] as? [Any])?.isEmpty == true)
        #expect(try user.run(["consents", "revoke"]).status == 2)
    }

    private static var asking: [String: Any] {
        [
            "PHExecution": "sandboxed",
            "PHPermissions": ["network": ["connect": [443]], "files": [["path": "$HOME/Music", "access": "write"]]],
        ]
    }

    @Test func anAnswerIsGivenForTheUser() throws {
        let user = try User(Self.asking)
        let before = try user.words("consents")
        #expect(before.contains("Asks for") && before.contains("No answer yet"), "\(before)")
        #expect(before.contains("pluginhost consents give org.example.Loud all --application my-editor"), "\(before)")
        let some = try user.document(
            "consents", "give", "org.example.Loud", "files=$HOME/Music/A:read", "network=connect:443")
        #expect(some.status == 0 && some.object["done"] as? Bool == true, "\(some.text)")
        #expect(some.object["allowed"] as? [String] == ["files=$HOME/Music/A:read", "network=connect:443"])
        let unanswered = "No answer of the user is kept about what it may reach."
        #expect(!(try user.words("why", "org.example.Loud").contains(unanswered)))
        #expect(try user.run(["consents", "revoke", "org.example.Loud"]).status == 0)
        #expect(try user.words("why", "org.example.Loud").contains(unanswered))
        let all = try user.words("consents", "give", "org.example.Loud", "all")
        #expect(
            all == "org.example.Loud may reach, where it is sandboxed: files=$HOME/Music:write, network=connect:443.")
        #expect(
            try user.words("why", "org.example.Loud").contains("The user allowed it, where it is sandboxed: files="))
        #expect(try user.words("consents", "give", "org.example.Loud", "none").contains("it is sandboxed: nothing."))
        #expect(!(try user.words("consents").contains("No answer yet")))
        let list = try user.document("consents", "list").object["consents"] as? [[String: Any]]
        #expect(list?.count == 1 && (list?.first?["allowed"] as? [Any])?.isEmpty == true)
        #expect((list?.first?["asked"] as? [Any])?.count == 2)
    }

    @Test func whatAPluginDoesNotAskForCannotBeAllowed() throws {
        let user = try User(Self.asking)
        for surplus in ["network=any", "network=connect:80", "files=$HOME:write", "processes", "devices=/dev/snd/seq"] {
            let output = try user.run(["consents", "give", "org.example.Loud", surplus])
            #expect(output.status == 1, "\(output)")
            let words = PluginHostTool.words(output.standardOutput)
            #expect(
                words.contains("Nothing was changed.") && words.contains("It does not ask for \(surplus)"), "\(words)")
            #expect(words.contains("Choose among what it asks for: files=$HOME/Music:write, network=connect:443."))
        }
        let unknown = try user.document("consents", "give", "org.example.Other", "all")
        #expect(unknown.status == 1 && unknown.text.contains("pluginMissing"))
        #expect((try user.document("consents", "list").object["consents"] as? [Any])?.isEmpty == true)
        for wrong in [
            ["give", "org.example.Loud"], ["give", "org.example.Loud", "x"],
            ["give", "org.example.Loud", "all", "processes"],
        ] {
            let output = try user.run(["consents"] + wrong)
            #expect(output.status == 2 && output.standardError.contains("Usage: pluginhost consents give"), "\(output)")
        }
    }

    /// Where it runs, by which decision, in each command and in both forms.
    @Test func whereAPluginRunsAndWhyIsShownByFourCommands() throws {
        let user = try User(Self.asking)
        try user.write("etc/my-editor/execution", ["Plugins": ["org.example.Loud": "isolated"]])
        try user.write(
            "cache/pluginhost/my-editor.application",
            [
                "Executions": [
                    "org.example.Loud": ["Execution": "isolated", "Granted": ["network=connect:443"]]
                ]
            ])
        let sentences = [
            "PHExecution in its Info.plist asks for “sandboxed”.",
            "The administrator demands that it runs isolated, or safer.",
            "The application's policy decided “isolated” when it last ran the plug-in.",
            "the application granted it: network=connect:443.",
        ]
        for command in [["why", "org.example.Loud"], ["info", user.bundle.path], ["doctor"]] {
            let words = PluginHostTool.words(try user.run(command).standardOutput)
            for sentence in sentences { #expect(words.contains(sentence), "\(command) \(words)") }
            #expect(words.contains("sandboxed: in a process of its own"), "\(command) \(words)")
        }
        #expect(try user.words("list").contains("sandboxed; asks for files, network"))
        for command in [["why", "org.example.Loud"], ["info", user.bundle.path], ["list"], ["scan"]] {
            let document = try PluginHostTool.document(
                of: command + ["--application", "my-editor"], environment: user.environment)
            let placement = try #require(document.bundles.first?["placement"] as? [String: Any], "\(document.text)")
            #expect(placement["execution"] as? String == "sandboxed" && placement["conflict"] as? Bool == false)
            let reasons = placement["reasons"] as? [[String: String]] ?? []
            #expect(reasons.map { $0["by"] } == ["bundle", "administrator", "policy"])
            #expect(placement["granted"] as? [String] == ["network=connect:443"])
        }
    }

    @Test func decisionsThatContradictOneAnotherAreAProblem() throws {
        let user = try User(["PHExecution": "in-process"])
        try user.write("etc/my-editor/execution", ["Plugins": ["*": "sandboxed"]])
        let doctor = try user.run(["doctor"])
        #expect(doctor.status == 1 && doctor.standardOutput.contains("executionConflict"), "\(doctor)")
        #expect(try user.words("list").contains("does not load"))
        let placement = try user.document("list").bundles.first?["placement"] as? [String: Any]
        #expect(placement?["conflict"] as? Bool == true)
        // Without the application, nobody knows of the list.
        let info = try PluginHostTool.document(of: ["info", user.bundle.path], environment: user.environment)
        #expect((info.bundles.first?["placement"] as? [String: Any])?["conflict"] as? Bool == false)
    }

    @Test(.fault(815)) func theAdministratorsDemandAndTheConsequenceOfAStrikeAreShown() throws {
        let user = try User()
        try user.write("etc/my-editor/execution", ["Plugins": ["org.example.Loud": "sandboxed"]])
        let document = try user.document("why", "org.example.Loud")
        #expect(document.object["demandedExecution"] as? String == "sandboxed")
        #expect(try user.words("why", "org.example.Loud").contains("The administrator demands that it runs sandboxed"))
        #expect(try user.document("why", "org.example.Other").object["demandedExecution"] is NSNull)
    }

    /// What follows depends on what it ended.
    @Test(
        .fault(815),
        arguments: [
            (false, "ended the application once", "if it ends the application once more within seven days"),
            (true, "ended its process once", "If it ends its process several times within minutes"),
        ])
    func theConsequenceOfAStrikeIsShown(isOfWorker: Bool, reason: String, consequence: String) throws {
        let user = try User()
        let nanoseconds = Int64(Date().timeIntervalSince1970 * 1_000_000_000)
        try user.write(
            "state/my-editor/quarantine",
            [
                "Plugins": [
                    [
                        "Identifier": "org.example.Loud", "Path": user.bundle.path, "Count": 1, "Files": [Any](),
                        "Deaths": [
                            [
                                "Time": nanoseconds, "End": "the signal SIGSEGV", "Phase": "call", "Method": "shout",
                                "Certain": true, "InWorker": isOfWorker,
                            ]
                        ],
                    ]
                ]
            ])
        let doctor = try user.document("doctor")
        #expect(doctor.status == 0 && doctor.object["warnings"] as? Int == 1, "\(doctor.text)")
        #expect(doctor.text.contains("pluginhost quarantine clear org.example.Loud --application my-editor"))
        #expect(try user.run(["doctor", "--strict"]).status == 1)
        for command in [["why", "org.example.Loud"], ["doctor"]] {
            let words = PluginHostTool.words(try user.run(command).standardOutput)
            #expect(words.contains(reason) && words.contains("the signal SIGSEGV, in a call of shout"), "\(words)")
            #expect(words.contains(consequence), "\(command) \(words)")
        }
        let strikes = try user.document("why", "org.example.Loud").object["strikes"] as? String
        #expect(strikes?.contains(consequence) == true, "\(strikes ?? "none")")
        // It is used all the same, and nothing is said of another plug-in.
        #expect(try user.document("list").bundles.map { $0["verdict"] as? String } == ["usable"])
        #expect(try user.document("why", "org.example.Other").object["strikes"] is NSNull)
    }

    @Test(.fault(816)) func servicesAndTheVersionOfTheApplicationAreKnownFromItsLastStart() throws {
        let user = try User(["PHUses": ["org.example.spelling": 2], "PHHostRequires": ">=3"])
        #expect(try user.words("doctor").contains("serviceMissing"))
        #expect(try user.document("why", "org.example.Loud").object["applicationVersion"] is NSNull)
        try user.write(
            "cache/pluginhost/my-editor.application",
            [
                "Version": "3.1", "Program": "/nowhere/my-editor", "ProgramTime": "0",
                "Services": [["ExtensionPoint": "org.example.spelling", "Version": "2"]], "Requests": [],
            ])
        let doctor = try user.words("doctor")
        #expect(!doctor.contains("serviceMissing"), "\(doctor)")
        #expect(doctor.contains("its version was 3.1") && doctor.contains("org.example.spelling 2"))
        let why = try user.words("why", "org.example.Loud")
        #expect(why.contains("the service org.example.spelling 2: offered by the application"), "\(why)")
        #expect(why.contains("which is 3.1"))
        // Another version is what the command line says.
        let old = try user.run(["list", "--all", "--host-version", "2"])
        #expect(old.standardOutput.contains("incompatible"))
    }

    @Test(.fault(817)) func anExtensionPointOfAnotherVersionThanTheApplicationAsksForIsAWarning() throws {
        let user = try User(["PHFactories": [PluginFolder.factory("f", at: "org.example.filter", version: 1)]])
        func record(_ versions: [String]) throws {
            try user.write(
                "cache/pluginhost/my-editor.application",
                ["Requests": versions.map { ["ExtensionPoint": "org.example.filter", "Version": $0] }])
        }
        try record(["2"])
        for command in [["doctor"], ["why", "org.example.Loud"]] {
            let words = PluginHostTool.words(try user.run(command).standardOutput)
            #expect(words.contains("extensionPointVersion"), "\(words)")
            #expect(words.contains("asks for version 2, so it does not get them"), "\(words)")
            #expect(words.contains("write the new “version” into each of these entries of PHFactories"), "\(words)")
        }
        // An application that asks for both gets them.
        try record(["1", "2"])
        #expect(!(try user.words("doctor").contains("extensionPointVersion")))
    }

    @Test func anApplicationKeepsARecordBesideItsIndex() throws {
        let user = try User()
        let program = Workspace.products.appending(path: "demo-host").path
        let environment = ["LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": Workspace.products.path]
            .merging(user.environment) { $1 }
        _ = try Tool.output(program, [user.bundle.path + "/Contents/Info.plist"], environment: environment)
        let file = user.home.url.appending(path: "cache/pluginhost/demo-host.application")
        let record = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        let items = try #require(record as? [String: Any])
        #expect((items["Program"] as? String)?.hasSuffix("/demo-host") == true)
        #expect(items["Services"] is [Any] && items["Requests"] is [Any])
        // A second start changes nothing.
        let before = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
        _ = try Tool.output(program, [user.bundle.path + "/Contents/Info.plist"], environment: environment)
        let after = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
        #expect(before == after)
    }

    @Test(.fault(811)) func aRelativeElementOfTheApplicationsOwnListIsNeverDropped() throws {
        let user = try User()
        let document = try PluginHostTool.document(
            "doctor", "--application", "my-editor",
            environment: user.environment.merging(["MY_EDITOR_PLUGIN_PATH": "../nowhere-at-all:x/y"]) { $1 })
        let paths = document.object["searchPaths"] as? [String] ?? []
        #expect(paths.count == 2)
        #expect(paths.first?.hasSuffix("nowhere-at-all") == true && paths.last?.hasSuffix("/x/y") == true)
        #expect(document.text.contains("a relative path: what is found depends on the current directory"))
    }
}

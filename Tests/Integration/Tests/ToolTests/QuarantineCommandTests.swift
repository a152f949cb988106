import Foundation
import Testing

/// `pluginhost quarantine`, and what other commands say about a plug-in in quarantine.
@Suite struct QuarantineCommandTests {
    private struct User {
        let home = try! PluginFolder()
        var environment: [String: String] {
            [
                "XDG_DATA_HOME": home.path + "/share", "XDG_STATE_HOME": home.path + "/state",
                "XDG_CONFIG_HOME": home.path + "/config", "XDG_DATA_DIRS": "/nowhere",
            ]
        }
        var file: String { home.path + "/state/my-editor/quarantine" }

        init() throws {
            let folder = home.url.appending(path: "share/my-editor/plugins")
            for name in ["Loud", "Quiet"] {
                let contents = folder.appending(path: "\(name).bundle/Contents")
                try FileManager.default.createDirectory(
                    at: contents.appending(path: "Linux"), withIntermediateDirectories: true)
                try Data("{ CFBundleIdentifier = \"org.example.\(name)\"; CFBundleShortVersionString = 1.0; }".utf8)
                    .write(to: contents.appending(path: "Info.plist"))
                try Data("code of \(name)".utf8).write(to: contents.appending(path: "Linux/\(name)"))
            }
        }

        func document(_ arguments: String...) throws -> PluginHostTool.Document {
            try PluginHostTool.document(of: arguments + ["--application", "my-editor"], environment: environment)
        }

        func words(_ arguments: String...) throws -> String {
            let output = try PluginHostTool.run(arguments + ["--application", "my-editor"], environment: environment)
            return PluginHostTool.words(output.standardOutput)
        }
    }

    @Test func aPluginIsPutIntoQuarantineListedExplainedAndReleased() throws {
        let user = try User()
        #expect(try user.document("quarantine", "list").status == 0)
        let added = try user.document("quarantine", "add", "org.example.Loud", "--reason", "It spies")
        #expect(added.status == 0 && added.object["done"] as? Bool == true)
        #expect(FileManager.default.fileExists(atPath: user.file))
        let list = try user.document("quarantine", "list")
        let entry = try #require((list.object["entries"] as? [[String: Any]])?.first)
        #expect(list.status == 1 && entry["identifier"] as? String == "org.example.Loud")
        #expect(entry["origin"] as? String == "user" && entry["reason"] as? String == "It spies.")
        // Without a subcommand it lists.
        #expect(try user.words("quarantine").contains("org.example.Loud in quarantine"))
        let all = try user.document("list", "--all")
        #expect(all.status == 1 && all.bundles.map { $0["verdict"] as? String } == ["quarantined", "usable"])
        for command in [["why", "org.example.Loud"], ["list", "--all"], ["doctor"]] {
            let output = try PluginHostTool.run(
                command + ["--application", "my-editor"], environment: user.environment)
            let words = PluginHostTool.words(output.standardOutput)
            #expect(output.status == 1, "\(command)")
            #expect(words.contains("It spies.") && words.contains("quarantined"), "\(command) \(words)")
            #expect(
                words.contains("pluginhost quarantine clear org.example.Loud --application my-editor"), "\(command)")
        }
        #expect(try user.words("list").contains("It spies."))
        let cleared = try user.document("quarantine", "clear", "org.example.Loud")
        #expect(cleared.status == 0 && cleared.object["done"] as? Bool == true)
        #expect(try user.document("quarantine", "clear", "org.example.Loud").status == 1)
        #expect(try user.document("list").bundles.count == 2)
    }

    @Test func aBundleMayBeNamedByItsPath() throws {
        let user = try User()
        let path = user.home.path + "/share/my-editor/plugins/Quiet.bundle"
        #expect(try user.document("quarantine", "add", path).object["identifier"] as? String == "org.example.Quiet")
        let words = try user.words("why", "org.example.Quiet")
        #expect(words.contains("No reason was given."), "\(words)")
    }

    @Test(.fault(894)) func aBundleThatOnlyHasTheNameOfAnIdentifierIsNotAdded() throws {
        let user = try User()
        let folder = user.home.url.appending(path: "share/my-editor/plugins")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "org.example.Loud.bundle"), withIntermediateDirectories: true)
        let added = try user.document("quarantine", "add", "org.example.Loud")
        #expect(added.status == 0 && added.object["explanation"] as? String == "org.example.Loud is in quarantine.")
    }

    @Test func aChoiceAboutEveryPluginSaysWhatItMeans() throws {
        let user = try User()
        #expect(try user.words("disable", "*").contains("my-editor uses no plug-in until “pluginhost enable '*'"))
        #expect(try user.words("enable", "*").contains("disabled by their own identifiers stay disabled"))
    }

    @Test func whatIsNotInstalledAndWhatHasNoCodeCannotBeAdded() throws {
        let user = try User()
        let absent = try user.document("quarantine", "add", "org.example.Absent")
        #expect(absent.status == 1 && absent.object["done"] as? Bool == false)
        try FileManager.default.removeItem(
            atPath: user.home.path + "/share/my-editor/plugins/Loud.bundle/Contents/Linux/Loud")
        let empty = try user.document("quarantine", "add", "org.example.Loud")
        #expect(empty.status == 1 && !(empty.object["findings"] as? [Any] ?? []).isEmpty)
    }

    @Test func aDamagedFileIsReported() throws {
        let user = try User()
        #expect(try user.document("quarantine", "add", "org.example.Loud").status == 0)
        try Data("damage".utf8).write(to: URL(filePath: user.file))
        let doctor = try user.words("doctor")
        #expect(doctor.contains("quarantineUnusable") && doctor.contains("no plug-in is released"))
        #expect(
            try user.document("list", "--all").bundles.map { $0["verdict"] as? String } == ["quarantined", "usable"])
    }

    @Test func aChangeThatCannotBeWrittenIsAFailure() throws {
        let user = try User()
        try Data().write(to: user.home.url.appending(path: "state"))
        let added = try user.document("quarantine", "add", "org.example.Loud")
        #expect(added.status == 2 && added.object["done"] as? Bool == false)
    }

    @Test func wrongUseEndsWithTwo() throws {
        for arguments in [["quarantine"], ["quarantine", "clear", "--application", "x"], ["quarantine", "add", "x"]] {
            #expect(try PluginHostTool.run(arguments).status == 2, "\(arguments)")
        }
        #expect(try PluginHostTool.run("quarantine", "list", "--application", "a/b").status == 2)
    }
}

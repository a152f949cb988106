import Fixtures
import Foundation
import Glibc
import Testing

/// `pluginhost settings`: a plug-in's settings, with the layers of their values.
@Suite struct SettingsCommandTests {
    /// The directories of a user with an application “my-editor” that has one plug-in.
    private struct User {
        let home = try! PluginFolder()

        init() throws {
            let bundle = "share/my-editor/plugins/Loud.bundle/Contents"
            try write("\(bundle)/Info.plist", "{ CFBundleIdentifier = \"org.example.Loud\"; }")
            try write(
                "\(bundle)/Resources/Settings.bundle/Root.plist",
                """
                { PreferenceSpecifiers = (
                    { Type = PSSliderSpecifier; Key = rate; DefaultValue = <*R0.5>; },
                    { Type = PSToggleSwitchSpecifier; Key = pauses; },
                    { Type = PSTextFieldSpecifier; Key = password; IsSecure = <*BY>; }
                ); }
                """)
        }

        func write(_ path: String, _ text: String) throws {
            let url = home.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        func file(_ layer: String) -> String { home.path + "/\(layer)/my-editor/settings/org.example.Loud.plist" }

        var environment: [String: String] {
            [
                "HOME": home.path, "XDG_DATA_HOME": home.path + "/share", "XDG_STATE_HOME": home.path + "/state",
                "XDG_CACHE_HOME": home.path + "/cache", "XDG_CONFIG_DIRS": home.path + "/etc",
                "XDG_CONFIG_HOME": home.path + "/config", "XDG_DATA_DIRS": "/nowhere",
            ]
        }

        /// The first argument is the command.
        func document(_ arguments: String...) throws -> PluginHostTool.Document {
            try PluginHostTool.document(
                of: ["settings", arguments[0], "--application", "my-editor"] + arguments.dropFirst(),
                environment: environment)
        }

        func setting(_ key: String) throws -> [String: Any] {
            let plugins = try #require(try document("list").object["plugins"] as? [[String: Any]])
            let settings = try #require(plugins.first?["settings"] as? [[String: Any]])
            return try #require(settings.first { $0["key"] as? String == key })
        }
    }

    @Test func settingsAreListedStoredAndReset() throws {
        let user = try User()
        let rate = try user.setting("rate")
        #expect(rate["value"] as? Double == 0.5 && rate["layer"] as? String == "plugin")
        #expect(rate["allowed"] as? String == "a number from 0.0 to 1.0" && rate["type"] as? String == "real")
        let stored = try user.document("set", "org.example.Loud", "rate", "0.75")
        #expect(stored.status == 0 && stored.object["done"] as? Bool == true)
        #expect(try user.document("get", "org.example.Loud", "rate").object["value"] as? Double == 0.75)
        let now = try user.setting("rate")
        #expect(now["layer"] as? String == "user" && now["file"] as? String == user.file("config"))
        #expect(now["line"] as? Int != nil)
        let reset = try user.document("reset", "org.example.Loud")
        #expect(reset.status == 0 && (reset.object["changed"] as? [String])?.contains("rate") == true)
        #expect(try user.setting("rate")["layer"] as? String == "plugin")
        #expect(try user.document("reset", "org.example.Loud").object["changed"] as? [String] == [])
    }

    @Test func whatCannotBeStoredIsAProblem() throws {
        let user = try User()
        for arguments in [
            ["rate", "2"], ["rate", "fast"], ["pauses", "maybe"], ["none", "1"], ["password", "secret"],
        ] {
            let document = try user.document("set", "org.example.Loud", arguments[0], arguments[1])
            #expect(document.status == 1 && document.object["done"] as? Bool == false, "\(arguments)")
        }
        #expect(try user.document("set", "org.example.Other", "rate", "1").status == 1)
        #expect(try user.document("set", "--lock", "org.example.Loud", "rate", "1").status == 2)
        #expect(!FileManager.default.fileExists(atPath: user.file("config")))
        // A file in the place of the directory.
        try user.write("config", "")
        #expect(try user.document("set", "org.example.Loud", "rate", "1").status == 2)
    }

    /// A value may begin as an option does.
    @Test func aNegativeNumberIsAValueAndAMistypedOptionIsNone() throws {
        let user = try User()
        for value in ["-1", "-0.5"] {
            let document = try user.document("set", "org.example.Loud", "rate", value)
            let findings = try #require(document.object["findings"] as? [[String: Any]])
            #expect(findings.count == 1 && findings[0]["code"] as? String == "settingInvalid", "\(findings)")
        }
        let mistyped = try user.document("set", "org.example.Loud", "rate", "--sytem", "1")
        #expect(mistyped.status == 2 && mistyped.object["usageError"] as? String == "Unknown option “--sytem”.")
        let two = try user.document("set", "org.example.Loud", "rate", "0.5", "1")
        #expect(two.status == 2 && (two.object["usageError"] as? String)?.contains("one value") == true)
        let marked = try PluginHostTool.run(
            "settings", "set", "--application", "my-editor", "org.example.Loud", "rate", "--", "--1",
            environment: user.environment)
        #expect(marked.status == 1 && marked.standardOutput.contains("--1"), "\(marked)")
    }

    @Test func theAdministratorsValueIsForEverybodyAndMayBeLocked() throws {
        let user = try User()
        let stored = try user.document("set", "--system", "--lock", "org.example.Loud", "rate", "0.25")
        #expect(stored.status == 0)
        var found = stat()
        #expect(stat(user.file("etc"), &found) == 0 && found.st_mode & 0o777 == 0o644)
        let rate = try user.setting("rate")
        #expect(rate["value"] as? Double == 0.25 && rate["layer"] as? String == "administrator")
        // Only root's locks count.
        guard geteuid() == 0 else { return }
        #expect(rate["lock"] as? String == user.file("etc"))
        #expect(try user.document("set", "org.example.Loud", "rate", "1").status == 1)
        #expect(try user.document("reset", "--system", "org.example.Loud", "rate").status == 0)
        #expect(try user.document("set", "org.example.Loud", "rate", "1").status == 0)
    }

    /// With a directory that they cannot enter, a lock would not hold for them.
    @Test func usersMayReadTheAdministratorsValueWhateverHisUmaskIs() throws {
        let user = try User()
        let output = try Tool.output(
            "/bin/sh",
            [
                "-c",
                "umask 077; exec \"$0\" settings set --system --lock org.example.Loud rate 0.25 --application my-editor",
                Workspace.products.appending(path: "pluginhost").path,
            ], environment: user.environment)
        #expect(output.status == 0, "\(output)")
        for directory in ["etc", "etc/my-editor", "etc/my-editor/settings"] {
            var found = stat()
            #expect(
                stat(user.home.path + "/" + directory, &found) == 0 && found.st_mode & 0o777 == 0o755, "\(directory)")
        }
    }

    @Test func aResetOfAllSettingsGoesPastALockedOneAndNamesBoth() throws {
        let user = try User()
        for (key, value) in [("rate", "0.75"), ("pauses", "true")] {
            #expect(try user.document("set", "org.example.Loud", key, value).status == 0)
        }
        guard geteuid() == 0 else { return }
        #expect(try user.document("set", "--system", "--lock", "org.example.Loud", "rate", "0.25").status == 0)
        let reset = try user.document("reset", "org.example.Loud")
        #expect(reset.status == 1 && reset.object["done"] as? Bool == false)
        #expect(reset.object["changed"] as? [String] == ["pauses"])
        let findings = try #require(reset.object["findings"] as? [[String: Any]])
        #expect(findings.map { $0["code"] as? String } == ["settingLocked"])
        #expect(try user.setting("pauses")["layer"] as? String == "plugin")
    }

    @Test func uninstallKeepsAndNamesTheUsersFile() throws {
        let user = try User()
        func change(_ arguments: String...) throws -> PluginHostTool.Document {
            try PluginHostTool.document(
                of: arguments + ["--application", "my-editor"], environment: user.environment)
        }
        #expect(try user.document("set", "org.example.Loud", "rate", "0.75").status == 0)
        let removed = try change("uninstall", "org.example.Loud")
        #expect(removed.status == 0 && removed.object["keptSettings"] as? String == user.file("config"))
        #expect(FileManager.default.fileExists(atPath: user.file("config")))
    }

    /// Kills the tool at each system call of a change, once for every such call.
    @Test(.fault(571)) func aChangeKilledAtAnyCallLeavesTheOldFileOrTheNew() throws {
        let killer = try Killer.build(
            """
            CALL(ssize_t, write, (int a, const void *b, size_t c), (a, b, c))
            CALL(int, fsync, (int a), (a))
            CALL(int, rename, (const char *a, const char *b), (a, b))
            CALL(int, unlink, (const char *a), (a))

            """)
        let user = try User()
        #expect(try user.document("set", "org.example.Loud", "pauses", "true").status == 0)
        var seen: Set<Double> = []
        for call in 1...200 {
            #expect(try user.document("set", "org.example.Loud", "rate", "0.25").status == 0, "after call \(call - 1)")
            let killed = try PluginHostTool.run(
                ["settings", "set", "org.example.Loud", "rate", "0.75", "--application", "my-editor"],
                environment: user.environment.merging(["LD_PRELOAD": killer.path, "KILL_AT": "\(call)"]) { $1 })
            let list = try user.document("list")
            #expect(list.status == 0, "call \(call): \(list.text)")
            seen.insert(try #require(try user.setting("rate")["value"] as? Double))
            #expect(try user.setting("pauses")["value"] as? Bool == true, "call \(call)")
            if killed.status == 0 { break }
            #expect(killed.status == -9, "call \(call): \(killed)")
        }
        #expect(seen == [0.25, 0.75])
        // A change removes what one left that was killed more than an hour ago.
        let folder = URL(filePath: user.file("config")).deletingLastPathComponent()
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
        for name in try names() where name.hasSuffix(".new") {
            try FileManager.default.setAttributes(
                [.modificationDate: Date.now - 7_200], ofItemAtPath: folder.appending(path: name).path)
        }
        #expect(try user.document("set", "org.example.Loud", "rate", "0.5").status == 0)
        #expect(try names() == ["org.example.Loud.plist"])
    }

    @Test func doctorShowsTheFilesOfAllLayersAndWhatIsWrongInThem() throws {
        let user = try User()
        #expect(try user.document("set", "--system", "org.example.Loud", "rate", "0.25").status == 0)
        try user.write("config/my-editor/settings/org.example.Loud.plist", "{ Settings = {\n  rate = fast;\n}; }")
        let document = try PluginHostTool.document(
            of: ["doctor", "--application", "my-editor"], environment: user.environment)
        let checks = try #require(document.object["checks"] as? [[String: Any]])
        let check = try #require(checks.first { $0["name"] as? String == "Settings" })
        let facts = try #require(check["facts"] as? [String])
        #expect(facts.first == "org.example.Loud has 3 settings")
        #expect(facts.contains("  the administrator has the file \(user.file("etc"))"))
        #expect(facts.contains("  the user has the file \(user.file("config"))"))
        let findings = try #require(check["findings"] as? [[String: Any]])
        #expect(findings.map { $0["code"] as? String } == ["settingInvalid"])
        let message = findings.first?["message"] as? String
        #expect(message?.contains("The value of the administrator counts: 0.25") ?? false)
    }

    @Test func infoShowsTheSettingsAndWithAnApplicationWhoseTheyAre() throws {
        let user = try User()
        #expect(try user.document("set", "org.example.Loud", "rate", "0.75").status == 0)
        let path = user.home.path + "/share/my-editor/plugins/Loud.bundle"
        func rate(_ arguments: String...) throws -> [String: Any] {
            let document = try PluginHostTool.document(of: ["info", path] + arguments, environment: user.environment)
            let settings = try #require(document.bundles.first?["settings"] as? [String: Any])
            let rows = try #require(settings["settings"] as? [[String: Any]])
            #expect(rows.map { $0["key"] as? String } == ["rate", "pauses", "password"])
            #expect(rows[2]["secret"] as? Bool == true && rows[2]["value"] is NSNull)
            return rows[0]
        }
        let own = try rate()
        #expect(own["value"] as? Double == 0.5 && own["layer"] as? String == "plugin")
        let now = try rate("--application", "my-editor")
        #expect(now["value"] as? Double == 0.75 && now["layer"] as? String == "user")
        #expect(now["default"] as? Double == 0.5 && now["file"] as? String == user.file("config"))
        let output = try PluginHostTool.run(
            ["info", path, "--application", "my-editor"], environment: user.environment)
        let text = PluginHostTool.words(output.standardOutput)
        #expect(text.contains("rate 0.75 by the user default 0.5 a number from 0.0 to 1.0"), "\(text)")
        #expect(text.contains("password ••••"))
        #expect(text.contains("pluginhost settings list org.example.Loud --application my-editor"))
    }

    @Test func whyShowsWhatIsWrongWithTheSettingsOfAPlugInThatIsUsed() throws {
        let user = try User()
        try user.write("config/my-editor/settings/org.example.Loud.plist", "{ Settings = {\n  rate = fast;\n}; }")
        let arguments = ["why", "org.example.Loud", "--application", "my-editor"]
        let document = try PluginHostTool.document(of: arguments, environment: user.environment)
        // A wrong value keeps no plug-in from being used.
        #expect(document.status == 0)
        let settings = try #require(document.object["settings"] as? [String: Any])
        #expect((settings["settings"] as? [[String: Any]])?.count == 3)
        let findings = try #require(settings["findings"] as? [[String: Any]])
        #expect(findings.map { $0["code"] as? String } == ["settingInvalid"] && findings[0]["line"] as? Int == 2)
        let output = try PluginHostTool.run(arguments, environment: user.environment)
        let text = PluginHostTool.words(output.standardOutput)
        #expect(text.contains("Settings: 3 settings 1 warning") && text.contains("warning settingInvalid rate"))
        // Folders alone do not say which files count.
        let folder = user.home.path + "/share/my-editor/plugins"
        let own = try PluginHostTool.document(
            of: ["why", "org.example.Loud", "--in", folder], environment: user.environment)
        #expect(((own.object["settings"] as? [String: Any])?["findings"] as? [Any])?.isEmpty ?? false)
    }

    @Test func aWrongValueIsListedWithItsLine() throws {
        let user = try User()
        try user.write("config/my-editor/settings/org.example.Loud.plist", "{ Settings = {\n  rate = fast;\n}; }")
        let list = try user.document("list", "org.example.Loud")
        #expect(list.status == 1)
        let plugins = try #require(list.object["plugins"] as? [[String: Any]])
        let findings = try #require(plugins.first?["findings"] as? [[String: Any]])
        #expect(findings.first?["code"] as? String == "settingInvalid" && findings.first?["line"] as? Int == 2)
    }
}

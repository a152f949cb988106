import Fixtures
import Foundation
import Testing

@Suite struct ListCommandTests {
    private func folder() throws -> PluginFolder {
        try PluginFolder([
            "Charts": [
                "CFBundleName": "Charts", "CFBundleShortVersionString": "2.1",
                "PHFactories": [PluginFolder.factory("bars", at: "org.example.chart")],
            ],
            "Old": ["CFBundleIdentifier": "org.example.Charts", "CFBundleShortVersionString": "1.0"],
            "Picky": ["PHCapabilities": ["org.example.colour"]],
        ])
    }

    @Test func listsOneBundleForEachIdentifier() throws {
        let folder = try folder()
        let document = try PluginHostTool.document("list", folder.path)
        #expect(document.status == 0)
        #expect(document.object["command"] as? String == "list")
        #expect(
            document.bundles.compactMap { $0["identifier"] as? String } == ["org.example.Charts", "org.example.Picky"])
        #expect(document.bundles.first?["version"] as? String == "2.1")
        let text = try PluginHostTool.run("list", folder.path).standardOutput
        for part in ["org.example.Charts", "2.1", "Charts", "bars", "Charts.bundle", "1 more candidate is not used"] {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
    }

    @Test func allListsEveryCandidateWithItsVerdictAndRule() throws {
        let folder = try folder()
        let document = try PluginHostTool.document("list", "--all", folder.path)
        let verdicts = document.bundles.map { "\($0["verdict"] ?? "")" }
        #expect(verdicts == ["usable", "shadowed", "usable"])
        let old = try #require(document.bundles.dropFirst().first)
        #expect(old["rule"] as? String == "higherVersion")
        #expect(old["usedInstead"] as? String == folder.path + "/Charts.bundle")
        #expect(try PluginHostTool.run("list", "--all", folder.path).standardOutput.contains("shadowed"))
    }

    @Test func allGivesEachReason() throws {
        let folder = try folder()
        try folder.add("Needy", ["PHRequires": ["org.example.Nobody": "1.0"]])
        try folder.add("Twin", ["CFBundleIdentifier": "org.example.Charts", "CFBundleShortVersionString": "2.1"])
        try Data("<plist".utf8).write(to: folder.add("Bad", [:]).appending(path: "Contents/Info.plist"))
        try Data().write(to: folder.url.appending(path: "File.bundle"))
        let document = try PluginHostTool.document("list", "--all", "--capability", "other", folder.path)
        let verdicts = Set(document.bundles.compactMap { $0["verdict"] as? String })
        #expect(
            verdicts == ["usable", "shadowed", "duplicate", "incompatible", "unresolved", "malformed", "notABundle"])
        let text = PluginHostTool.words(
            try PluginHostTool.run("list", "--all", "--capability", "other", folder.path).standardOutput)
        for bundle in document.bundles where bundle["verdict"] as? String != "usable" {
            let findings = bundle["findings"] as? [[String: Any]] ?? []
            let reasons = findings.isEmpty ? [bundle["explanation"]] : findings.map { $0["remedy"] }
            for case let reason as String in reasons {
                #expect(!reason.isEmpty && text.contains(reason), "\(reason) is missing in \(text)")
            }
        }
    }

    @Test func anIdentifierThatIsWiderThanItsColumnSticksOut() throws {
        let folder = try PluginFolder([
            "First": ["CFBundleIdentifier": "com.example.department.application.plugins.First"],
            "Second": ["CFBundleIdentifier": "com.example.department.application.plugins.Second"],
        ])
        let output = try PluginHostTool.run("list", folder.path, environment: ["COLUMNS": "50"]).standardOutput
        for name in ["First", "Second"] {
            #expect(output.contains("com.example.department.application.plugins.\(name)"), "\(output)")
        }
    }

    @Test(arguments: ["C", "POSIX", "fr_FR.ISO-8859-1", "de_DE@euro"])
    func textIsASCIIIfTheLocaleIsNotUTF8(_ locale: String) throws {
        let folder = try PluginFolder([
            "Café": [
                "CFBundleIdentifier": "org.example.Cafe", "CFBundleName": "Café “au lait”",
                "PHRequires": ["org.example.Base": "1.0"],
            ],
            "Base": ["CFBundleIdentifier": "org.example.Base"],
            "Old": ["CFBundleIdentifier": "org.example.Base", "CFBundleShortVersionString": "0.1"],
        ])
        let plain = ["LC_ALL": locale, "COLUMNS": "60"]
        for arguments in [
            ["list", "--all"], ["info"], ["check"], ["lint"], ["graph"], ["doctor"],
            ["scan", "--explain", "--no-index"],
            ["why", "org.example.Nobody", "--in"],
        ] {
            let output = try PluginHostTool.run(arguments + [folder.path], environment: plain)
            let all = output.standardOutput + output.standardError
            #expect(!output.standardOutput.isEmpty)
            #expect(all.unicodeScalars.allSatisfy { $0.isASCII }, "\(arguments): \(all)")
        }
        let table = try PluginHostTool.run("list", folder.path, environment: plain).standardOutput
        #expect(table.contains(#"Caf\u{00E9} "#) && table.contains("..."), "\(table)")
        #expect(try PluginHostTool.run("chek", environment: plain).standardError.contains(#"no command "chek""#))
        // JSON is always UTF-8.
        let document = try PluginHostTool.document("list", folder.path, environment: plain)
        #expect(document.bundles.contains { $0["displayName"] as? String == "Café “au lait”" })
    }

    @Test(arguments: [
        ["LC_ALL": "C.UTF-8"], ["LC_ALL": "", "LC_CTYPE": "C.utf8"],
        ["LC_ALL": "", "LC_CTYPE": "", "LANG": "fr_FR.UTF-8@euro"],
    ])
    func textIsUTF8IfTheLocaleIs(_ environment: [String: String]) throws {
        let folder = try PluginFolder(["Cafe": ["CFBundleName": "Café"]])
        #expect(
            try PluginHostTool.run(["list", folder.path], environment: environment).standardOutput.contains("Café"))
    }

    @Test func theDocumentHasEveryKey() throws {
        let document = try PluginHostTool.document("list", PluginFolder(["Bare": [:]]).path)
        let keys: Set = [
            "path", "bundlePath", "searchPath", "identifier", "version", "displayName", "verdict", "rule",
            "usedInstead",
            "explanation", "factories", "extensionPoints", "requires", "hostRequires", "capabilities", "uses",
            "execution", "permissions", "limits", "findings", "metadata", "documentTypes",
            "optionalRequires", "conflicts", "replaces", "enabledByDefault", "placement",
        ]
        #expect(Set(try #require(document.bundles.first).keys) == keys)
        #expect(Set(document.object.keys) == ["format", "command", "bundles", "all", "folders", "opening"])
    }

    @Test func longAddsTheDescription() throws {
        let folder = try PluginFolder(["Notes": ["PHDescription": "Draws notes.\u{1B}[2J"], "Bare": [:]])
        let short = try PluginHostTool.run("list", folder.path).standardOutput
        let long = try PluginHostTool.run("list", "--long", folder.path).standardOutput
        #expect(!short.contains("Draws notes.") && long.contains("Draws notes.") && long.contains("Description"))
        #expect(!long.unicodeScalars.contains("\u{1B}"))
        let document = try PluginHostTool.document("list", folder.path)
        let metadata = document.bundles.compactMap { $0["metadata"] as? [String: Any] }
        #expect(metadata.map { $0["description"] as? String } == [nil, "Draws notes.\u{1B}[2J"])
    }

    @Test func openingListsWhoOpensAFileOrAType() throws {
        let folder = try PluginFolder([
            "Viewer": ["NSExtensions": ["mid"]],
            "Owner": [
                "CFBundleDocumentTypes": [["LSItemContentTypes": ["public.midi-audio"], "LSHandlerRank": "Owner"]]
            ],
            "Other": ["NSExtensions": ["txt"]],
        ])
        let found = ["org.example.Owner", "org.example.Viewer"]
        for question in ["scores/A.MID", "audio/midi", "public.midi-audio", "audio/*"] {
            let document = try PluginHostTool.document("list", "--opening", question, folder.path)
            #expect(document.bundles.compactMap { $0["identifier"] as? String } == found, "\(question)")
            #expect(document.status == 0 && document.object["opening"] as? String == question)
        }
        let text = try PluginHostTool.run("list", "--opening", "a.mid", folder.path).standardOutput
        #expect(text.contains("2 plug-ins to open “a.mid”") && !text.contains("org.example.Other"), "\(text)")
        let none = try PluginHostTool.run("list", "--opening", "a.xyz", folder.path)
        #expect(none.status == 0 && none.standardOutput.contains("no plug-in to open “a.xyz”"))
        #expect(try PluginHostTool.run("list", "--all", "--opening", "a", folder.path).status == 2)
    }

    @Test func whatPluginsAskForIsAColumnOnlyIfOneAsks() throws {
        let bare = try PluginHostTool.run("list", PluginFolder(["Bare": [:]]).path).standardOutput
        #expect(!bare.contains("Isolation"))
        let folder = try PluginFolder([
            "Bare": [:],
            "Asking": [
                "PHExecution": "sandboxed", "PHPermissions": ["network": "any", "processes": true],
                "PHLimits": ["memory": 64],
            ],
        ])
        let text = PluginHostTool.words(try PluginHostTool.run("list", folder.path).standardOutput)
        #expect(text.contains("Isolation") && text.contains("sandboxed; asks for network, processes; memory 64"))
    }

    @Test func somethingWrongIsStatusOne() throws {
        let folder = try folder()
        try Data("<plist".utf8).write(to: folder.add("Bad", [:]).appending(path: "Contents/Info.plist"))
        let output = try PluginHostTool.run("list", folder.path)
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("something is wrong with 1"))
    }

    @Test func givenCapabilitiesOfTheApplicationCount() throws {
        let folder = try folder()
        let offered = try PluginHostTool.document("list", "--capability", "org.example.colour", folder.path)
        #expect(offered.bundles.count == 2)
        let refused = try PluginHostTool.document("list", "--capability", "org.example.other", folder.path)
        #expect(refused.bundles.count == 1)
        #expect(refused.status == 1)
        try folder.add("Newer", ["PHHostRequires": ">=3"])
        #expect(try PluginHostTool.document("list", folder.path).bundles.count == 3)
        #expect(try PluginHostTool.document("list", "--host-version", "2.9", folder.path).bundles.count == 2)
    }

    @Test func anApplicationHasItsStandardSearchPaths() throws {
        let home = try PluginFolder()
        let plugins = home.url.appending(path: "share/my-editor/plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            at: try folder().url.appending(path: "Charts.bundle"), to: plugins.appending(path: "Charts.bundle"))
        let document = try PluginHostTool.document(
            "list", "--application", "my-editor", environment: ["XDG_DATA_HOME": home.path + "/share"])
        #expect(document.bundles.compactMap { $0["path"] as? String } == [plugins.path + "/Charts.bundle"])
        // Not those beside this tool, which is not the application.
        let folders = document.object["folders"] as? [[String: Any]] ?? []
        #expect(folders.count > 3)
        #expect(!folders.contains { "\($0["path"] ?? "")".hasPrefix(Workspace.products.path) })
    }

    @Test(arguments: [20, 40, 60, 80, 100, 200]) func tablesFitTheTerminal(_ columns: Int) throws {
        let folder = try folder()
        let output = try PluginHostTool.run(
            "list", "--all", folder.path, environment: ["COLUMNS": "\(columns)"]
        ).standardOutput
        let table = output.split(separator: "\n\n").first ?? ""
        #expect(table.split(separator: "\n").count == 4)
        #expect(table.split(separator: "\n").allSatisfy { $0.count <= max(columns, 40) }, "\(output)")
        #expect(output.contains("Charts"))
    }

    @Test func withoutATerminalNothingIsCut() throws {
        let name = String(repeating: "long", count: 40)
        let folder = try PluginFolder(["Long": ["CFBundleName": name]])
        let output = try PluginHostTool.run("list", folder.path).standardOutput
        #expect(output.contains(name) && output.contains(folder.path + "/Long.bundle"))
    }

    @Test func namesCannotCommandTheTerminal() throws {
        let folder = try PluginFolder(["Hostile": ["CFBundleName": "red\u{1B}[31m\nforged line"]])
        let output = try PluginHostTool.run("list", folder.path).standardOutput
        #expect(!output.contains("\u{1B}") && !output.contains("\nforged"))
    }

    @Test func namesAreInTheUsersLanguage() throws {
        let folder = try PluginFolder(["Charts": ["CFBundleName": "Charts"]])
        let table = folder.url.appending(path: "Charts.bundle/Contents/Resources/fr.lproj/InfoPlist.strings")
        try FileManager.default.createDirectory(
            at: table.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("CFBundleDisplayName = \"Diagrammes\";".utf8).write(to: table)
        let document = try PluginHostTool.document("list", folder.path, environment: ["LANGUAGE": "fr"])
        #expect(document.bundles.first?["displayName"] as? String == "Diagrammes")
    }

    @Test(arguments: [
        [], ["--application", "a/b"], ["--application", ""], ["--application", "x", "/tmp"], ["/nonexistent"],
    ])
    func aWrongUseIsTwo(_ arguments: [String]) throws {
        let output = try PluginHostTool.run(["list"] + arguments)
        #expect(output.status == 2)
        #expect(output.standardOutput.isEmpty && output.standardError.contains("Usage:"))
    }

    @Test(.fault(808)) func aLongCellDoesNotPadAllOthers() throws {
        let folder = try PluginFolder(["Long": ["CFBundleName": String(repeating: "x", count: 100_000)]])
        for number in 0..<200 { try folder.add("P\(number)", [:]) }
        let output = try PluginHostTool.run("list", folder.path)
        #expect(output.status == 0)
        #expect(output.standardOutput.utf8.count < 300_000, "\(output.standardOutput.utf8.count) bytes")
        #expect(output.standardOutput.contains(String(repeating: "x", count: 100_000)))
    }

    @Test func theDocumentIsAsAnEncoderWritesIt() throws {
        let folder = try PluginFolder([
            "One": ["PHFactories": [PluginFolder.factory("f", at: "org.example.point")]], "Two": [:],
        ])
        for command in [["list"], ["list", "--all"], ["scan", "--no-index"]] {
            let document = try PluginHostTool.document(of: command + [folder.path])
            #expect(document.bundles.count == 2)
            // Its members are sorted, and everything in it is indented by two blanks a level.
            let lines = document.text.split(separator: "\n")
            let top = lines.filter { $0.hasPrefix("  \"") }.map { $0.split(separator: "\"")[1] }
            #expect(top == top.sorted() && top.contains("bundles") && top.contains("format"), "\(top)")
            #expect(document.text.contains("\n    {\n      \"bundlePath\" : "))
            #expect(document.text.hasSuffix("\n}\n"))
        }
        let empty = try PluginHostTool.document("list", PluginFolder().path)
        #expect(empty.bundles.isEmpty && empty.object["bundles"] != nil)
    }

    @Test(.fault(819)) func anIdentifierIsCompleteOnANarrowTerminal() throws {
        let name = "AnalyserOfVeryLongNames"
        let folder = try PluginFolder([name: ["PHFactories": [PluginFolder.factory("first", at: "org.example.point")]]])
        let output = try PluginHostTool.run(
            ["list", "--all", folder.path], environment: ["COLUMNS": "80"])
        #expect(output.standardOutput.contains("org.example.\(name) "), "\(output.standardOutput)")
        // One that is wider than everything is complete too.
        let long = String(repeating: "long", count: 30)
        try folder.add(long, [:])
        let wide = try PluginHostTool.run(["list", folder.path], environment: ["COLUMNS": "80"])
        #expect(wide.standardOutput.contains("org.example.\(long)") && wide.standardOutput.contains("Version"))
    }
}

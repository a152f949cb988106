import Fixtures
import Foundation
import Testing

@Suite struct ExtractCommandTests {
    private static let files = [
        "Sources/a.swift": "NSLocalizedString(\"Open\", comment: \"A button\")\n",
        "X.bundle/Contents/Resources/en.lproj/Localizable.strings": "\"Gone\" = \"Gone\";\n",
        "X.bundle/Contents/Resources/de.lproj/Localizable.strings": "",
        "X.bundle/Contents/Info.plist":
            "<plist version=\"1.0\"><dict><key>CFBundleDevelopmentRegion</key><string>en</string></dict></plist>",
    ]

    @Test func extractionWritesTheTablesOfABundleOnce() throws {
        let folder = try Workspace.folder(Self.files)
        let arguments = ["strings", "extract", folder.path + "/Sources", "--output", folder.path + "/X.bundle"]
        let first = try PluginHostTool.run(arguments)
        #expect(first.status == 0, "\(first)")
        for line in [
            "en.lproj/Localizable.strings: written (1 key added, 1 key no longer used)",
            "de.lproj/Localizable.strings: written (1 key added, 1 untranslated)",
        ] {
            #expect(first.standardOutput.contains(line))
        }
        let german = folder.appending(path: "X.bundle/Contents/Resources/de.lproj/Localizable.strings")
        let text = try String(contentsOf: german, encoding: .utf8)
        #expect(text == "/* A button */\n/* Flag: untranslated */\n\"Open\" = \"Open\";\n")
        let second = try PluginHostTool.run(arguments)
        #expect(second.status == 0 && !second.standardOutput.contains("written"))
        #expect(
            try PluginHostTool.run("lint", "--sources", folder.path + "/Sources", folder.path + "/X.bundle").status == 0
        )
    }

    @Test func aKeyWithAnInterpolationIsShownAndMakesTheStatusOne() throws {
        let folder = try Workspace.folder(["a.swift": "let a = NSLocalizedString(\"x \\(y)\", comment: \"\")\n"])
        let output = try PluginHostTool.run("strings", "extract", folder.path, "-o", folder.path + "/en.lproj")
        #expect(output.status == 1)
        let message = "a.swift:1:27: error: The key of “NSLocalizedString” has an interpolation"
        #expect(output.standardOutput.contains(message))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/en.lproj"))
    }

    @Test func aTableThatCannotBeReadIsLeftAloneAndMakesTheStatusTwo() throws {
        var files = Self.files
        files["X.bundle/Contents/Resources/de.lproj/Localizable.strings"] = "\"Open\" \"x\";\n"
        let folder = try Workspace.folder(files)
        let document = try PluginHostTool.document(
            "strings", "extract", folder.path + "/Sources", "--output", folder.path + "/X.bundle")
        #expect(document.status == 2)
        #expect(document.object["written"] as? Bool == false)
        #expect((document.object["findings"] as? [[String: Any]])?.first?["code"] as? String == "missingSeparator")
        let english = folder.appending(path: "X.bundle/Contents/Resources/en.lproj/Localizable.strings")
        #expect(try String(contentsOf: english, encoding: .utf8) == "\"Gone\" = \"Gone\";\n")
    }

    @Test func jsonHasTheKeysWithTheirPlaces() throws {
        let folder = try Workspace.folder(Self.files)
        let document = try PluginHostTool.document(
            "strings", "extract", "--dry-run", folder.path + "/Sources", "--output", folder.path + "/X.bundle")
        #expect(document.status == 0)
        #expect(
            Set(document.object.keys) == ["format", "command", "sources", "written", "keys", "tables", "findings"])
        let key = try #require((document.object["keys"] as? [[String: Any]])?.first)
        #expect(key["key"] as? String == "Open" && key["comments"] as? [String] == ["A button"])
        let place = try #require((key["places"] as? [[String: Any]])?.first)
        #expect(place["line"] as? Int == 1 && place["column"] as? Int == 19)
        let table = try #require((document.object["tables"] as? [[String: Any]])?.first)
        #expect(
            Set(table.keys) == [
                "path", "name", "language", "changed", "added", "unused", "usedAgain", "untranslated",
            ])
        #expect(table["changed"] as? Bool == true)
        let german = folder.appending(path: "X.bundle/Contents/Resources/de.lproj/Localizable.strings")
        #expect(try Data(contentsOf: german).isEmpty)
    }

    @Test func missingSourcesAreTwo() throws {
        #expect(try PluginHostTool.run("strings", "extract", "/nonexistent").status == 2)
        #expect(try PluginHostTool.run("strings", "extract").status == 2)
        #expect(try PluginHostTool.run("strings", "extract", "-s", "a b", ".").status == 2)
    }

    @Test(.fault(782), arguments: ["../../x", "/tmp/x", "..", "a/b", "no language", "en\u{1B}[2J"])
    func nothingIsWrittenOutsideOfTheBundle(_ language: String) throws {
        var files = Self.files
        files["X.bundle/Contents/Resources/en.lproj/Localizable.strings"] = nil
        files["Y.bundle/Contents/Resources/a.txt"] = ""
        files["Y.bundle/Contents/Info.plist"] =
            "<plist version=\"1.0\"><dict><key>CFBundleDevelopmentRegion</key><string>"
            + language.replacing("\u{1B}", with: "") + "</string></dict></plist>"
        let folder = try Workspace.folder(files)
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        for arguments in [["X.bundle", "--language", language], ["Y.bundle"]] {
            let output = try PluginHostTool.run(
                ["strings", "extract", folder.path + "/Sources", "--output", folder.path + "/" + arguments[0]]
                    + arguments.dropFirst())
            #expect(output.status == 2 && output.standardError.contains("is not a language"), "\(output)")
            #expect(!output.standardError.contains("\u{1B}[2J"))
            #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
        }
    }

    @Test(.fault(782)) func aTableNameOfASourceLeadsNowhereElse() throws {
        var files = Self.files
        files["Sources/a.swift"] =
            "NSLocalizedString(\"Open\", tableName: \"../../../../evil\", comment: \"A button\")\n"
        let folder = try Workspace.folder(files)
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        let output = try PluginHostTool.run(
            "strings", "extract", folder.path + "/Sources", "--output", folder.path + "/X.bundle")
        #expect(output.status == 1 && output.standardOutput.contains("cannot be the name of a file"), "\(output)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
    }
}

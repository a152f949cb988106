import Fixtures
import Foundation
import Testing

@Suite struct StringsCommandTests {
    private func bundle() throws -> URL {
        try Workspace.folder([
            "X.bundle/Contents/Info.plist":
                "<plist version=\"1.0\"><dict><key>CFBundleDevelopmentRegion</key><string>en</string></dict></plist>",
            "X.bundle/Contents/Resources/en.lproj/Localizable.strings": "/* A button */\n\"Open\" = \"Open\";\n",
            "X.bundle/Contents/Resources/de.lproj/Localizable.strings": "\"Open\" = \"Öffnen\";\n",
        ]).appending(path: "X.bundle")
    }

    private func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    @Test func differencesAreShownAndMakeTheStatusOne() throws {
        let folder = try Workspace.folder([
            "a.strings": "\"k\" = \"%@\";\n", "b.strings": "\"k\" = \"%d\";\n\"n\" = \"1\";\n",
        ])
        let (a, b) = (folder.path + "/a.strings", folder.path + "/b.strings")
        let output = try PluginHostTool.run("strings", "diff", a, b)
        #expect(output.status == 1)
        let expected = "placeholders: “k”\n  - “%@”\n  + “%d”\nsurplus: “n”\n2 differences\n"
        #expect(output.standardOutput == expected)
        #expect(try PluginHostTool.run("strings", "diff", a, a).standardOutput == "no differences\n")
        let document = try PluginHostTool.document("strings", "diff", a, b)
        let differences = try #require(document.object["differences"] as? [[String: Any]])
        #expect(document.status == 1 && differences.map { $0["kind"] as? String } == ["placeholders", "surplus"])
        #expect(Set(differences[0].keys) == ["kind", "table", "key", "first", "second"])
        #expect(try PluginHostTool.run("strings", "diff", a, "/nonexistent").status == 2)
    }

    @Test func aConversionThatLosesCommentsNeedsConsent() throws {
        let folder = try Workspace.folder(["a.strings": "/* c */\n\"k\" = \"é\";\n"])
        let (table, binary) = (folder.path + "/a.strings", folder.path + "/b.plist")
        let refused = try PluginHostTool.run("strings", "convert", table, binary, "--to", "binary1")
        #expect(refused.status == 1 && refused.standardError.contains("1 entry has a comment"))
        #expect(!FileManager.default.fileExists(atPath: binary))
        #expect(try PluginHostTool.run("strings", "convert", table, binary, "--to", "binary1", "--lossy").status == 0)
        let back = try PluginHostTool.run("strings", "convert", binary, "-", "--to", "strings")
        #expect(back.status == 0 && back.standardOutput == "\"k\" = \"é\";\n")
        #expect(try PluginHostTool.run("strings", "convert", table, folder.path + "/x").status == 2)
        #expect(try PluginHostTool.run("strings", "convert", table, folder.path + "/x", "--to", "y").status == 2)
    }

    @Test(.fault(794)) func aCatalogueBecomesBothTablesAndAnAcceptedLossIsNoError() throws {
        let folder = try Workspace.folder([
            "a.xcstrings": """
            {"sourceLanguage": "en", "version": "1.0", "strings": {"Open": {"comment": "A button"}, "%lld files": {
            "comment": "A line", "localizations": {"en": {"variations": {"plural": {
            "one": {"stringUnit": {"state": "new", "value": "%lld file"}},
            "other": {"stringUnit": {"state": "new", "value": "%lld files"}}}}}}}}}
            """,
            "taken/T.stringsdict": "<plist version=\"1.0\"><dict/></plist>", "taken/T.strings": "\"old\" = \"x\";\n",
        ])
        let (catalogue, table) = (folder.path + "/a.xcstrings", folder.path + "/T.strings")
        let made = try PluginHostTool.document("strings", "convert", catalogue, table)
        let plurals = folder.path + "/T.stringsdict"
        #expect(made.status == 0 && made.object["tables"] as? [String] == [table, plurals])
        #expect(try text(URL(filePath: table)) == "/* A button */\n\"Open\" = \"Open\";\n")
        #expect(try text(URL(filePath: plurals)).contains("<!-- A line -->"))
        #expect(try PluginHostTool.run("lint", table, plurals).status == 0)
        // The texts of the catalogue would replace a table that was not named.
        let taken = folder.path + "/taken/T.stringsdict"
        let refused = try PluginHostTool.run("strings", "convert", catalogue, taken)
        #expect(refused.status == 1 && refused.standardError.contains("error:"))
        #expect(refused.standardError.contains("[replacedEntries]"))
        let accepted = try PluginHostTool.run("strings", "convert", "--lossy", catalogue, taken)
        #expect(accepted.status == 0 && accepted.standardError.contains("warning:"))
        #expect(!accepted.standardError.contains("error:"))
    }

    @Test(.fault(791)) func theDirectoryOfATranslationCanBeNamed() throws {
        let bundle = try bundle()
        let file = bundle.path + "/../de.xliff"
        _ = try PluginHostTool.run("strings", "export", "--language", "de", bundle.path, "-o", file)
        let xliff = try String(contentsOfFile: file, encoding: .utf8).replacing("\"de\"", with: "\"de-DE\"")
        try xliff.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try PluginHostTool.run("strings", "import", file, bundle.path).standardOutput == "nothing differs\n")
        let made = try PluginHostTool.run("strings", "import", file, bundle.path, "--into", "de-AT.lproj/")
        #expect(made.status == 0 && made.standardOutput.contains("de-AT.lproj/Localizable.strings: written"))
        #expect(made.standardOutput.contains("[missingLanguage]"))
        #expect(try PluginHostTool.run("strings", "import", file, bundle.path, "--into", "../x").status == 2)
    }

    @Test func aPseudoLanguageIsFoundLikeAnyOther() throws {
        let bundle = try bundle()
        let output = try PluginHostTool.run("strings", "pseudo", bundle.path)
        #expect(output.status == 0 && output.standardOutput.contains("en-XA.lproj/Localizable.strings: written"))
        let made = bundle.appending(path: "Contents/Resources/en-XA.lproj/Localizable.strings")
        #expect(try text(made) == "/* A button */\n\"Open\" = \"[Öþéñ~~]\";\n")
        #expect(try PluginHostTool.run("strings", "pseudo", "--rtl", bundle.path).status == 0)
        let info = try PluginHostTool.run("info", bundle.path).standardOutput
        #expect(info.contains("en-XA") && info.contains("ar-XB"))
        let table = bundle.path + "/Contents/Resources/en.lproj/Localizable.strings"
        #expect(try PluginHostTool.run("strings", "pseudo", table).standardOutput == text(made))
    }

    @Test func aTranslatorsFileComesBack() throws {
        let bundle = try bundle()
        let german = bundle.appending(path: "Contents/Resources/de.lproj/Localizable.strings")
        let file = bundle.path + "/../de.xliff"
        #expect(try PluginHostTool.run("strings", "export", "--language", "de", bundle.path, "-o", file).status == 0)
        let unchanged = try PluginHostTool.run("strings", "import", file, bundle.path)
        #expect(unchanged.status == 0 && unchanged.standardOutput == "nothing differs\n")
        let xliff = try String(contentsOfFile: file, encoding: .utf8)
        try xliff.replacing("Öffnen", with: "Aufmachen").write(toFile: file, atomically: true, encoding: .utf8)
        let document = try PluginHostTool.document("strings", "import", file, bundle.path)
        #expect(document.status == 0 && document.object["written"] as? Bool == true)
        #expect(try text(german) == "\"Open\" = \"Aufmachen\";\n")
        try xliff.replacing("id=\"Open\"", with: "id=\"Opne\"").write(toFile: file, atomically: true, encoding: .utf8)
        let refused = try PluginHostTool.run("strings", "import", file, bundle.path)
        #expect(refused.status == 1 && refused.standardOutput.contains("has no “Opne”. [undefinedKey]"))
        #expect(refused.standardOutput.hasSuffix("nothing was written\n"))
        try "<xliff".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try PluginHostTool.run("strings", "import", file, bundle.path).status == 2)
        #expect(try text(german) == "\"Open\" = \"Aufmachen\";\n")
    }
}

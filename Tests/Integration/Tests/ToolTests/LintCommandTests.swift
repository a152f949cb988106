import Fixtures
import Foundation
import Testing

@Suite struct LintCommandTests {
    /// A file in a folder of its own.
    private func file(_ name: String, _ content: Data) throws -> URL {
        let folder = Workspace.temporary.appending(path: "lint/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: name)
        try content.write(to: file)
        return file
    }

    private func file(_ name: String, _ content: String) throws -> URL { try file(name, Data(content.utf8)) }

    /// A bundle with tables, by their paths in Contents/Resources.
    private func bundle(_ name: String, _ tables: [String: String]) throws -> BundleFixture {
        let fixture = try BundleFixture(
            name, info: ["CFBundleDevelopmentRegion": "en", "NSExecutable": NSNull()], code: .none)
        for (path, content) in tables {
            let file = fixture.url.appending(path: "Contents/Resources/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        return fixture
    }

    @Test(arguments: [
        ("Main.storyboard", "a storyboard of Xcode"), ("Localizable.xcstrings", "a string catalogue of Xcode"),
        ("de.xliff", "an XLIFF file for translators"), ("de.XLF", "an XLIFF file for translators"),
    ]) func aFileThatNoBundleReadsIsCalledWhatItIs(_ name: String, _ what: String) throws {
        let output = try PluginHostTool.run("lint", file(name, "<document/>").path)
        #expect(output.status == 1 && output.standardOutput.contains("is \(what)"), "\(output)")
        #expect(output.standardOutput.contains("To do: "))
    }

    @Test func aFaultIsShownWithItsLineAndACaret() throws {
        let path = try file("Bad.strings", "\"a\" = \"1\";\n\t\"é\" \"2\";\n").path
        let output = try PluginHostTool.run("lint", path)
        #expect(output.status == 1)
        let expected = """
            \(path):2:6: error: Found "\\"" after the key "é"; "=" or ";" is expected. [missingSeparator]
                  "é" "2";
                      ^

            1 error in 1 file

            """
        #expect(output.standardOutput == expected)
    }

    @Test func wideAndCombiningCharactersKeepTheCaretInItsColumn() throws {
        let table = "\"日本\" \"x\";\n\"e\u{301}\" \"x\";\n\"\u{7}\" \"x\";\n"
        let lines = try PluginHostTool.run("lint", file("Wide.strings", table).path).standardOutput.split(
            separator: "\n")
        let carets = lines.filter { $0.hasSuffix("^") }.map(\.count)
        // An indent of two blanks; quotes, two wide characters, a blank: column 7. The escape \u{07} has six.
        #expect(carets == [2 + 8, 2 + 5, 2 + 10])
        #expect(lines.contains { $0.contains("\\u{07}") })
    }

    @Test func aLongLineIsCutAroundTheCaret() throws {
        let long = String(repeating: "x", count: 3000)
        let output = try PluginHostTool.run("lint", file("Long.strings", "\"\(long)\" \"\(long)\";").path)
            .standardOutput
        let lines = output.split(separator: "\n")
        let shown = try #require(lines.first { $0.hasPrefix("  …") })
        #expect(shown.count <= 80 && shown.hasSuffix("…"))
        let caret = try #require(lines.first { $0.hasSuffix("^") })
        #expect(Array(shown)[caret.count - 1] == "\"")
    }

    @Test func aFileInUTF16IsShownAsText() throws {
        let table = try #require("\"a\" \"日本\";".data(using: .utf16LittleEndian))
        let output = try PluginHostTool.run("lint", file("Wide.strings", Data([0xFF, 0xFE]) + table).path)
        #expect(output.standardOutput.contains("  \"a\" \"日本\";\n      ^\n"))
    }

    @Test func aBinaryListIsToldByItsByte() throws {
        let output = try PluginHostTool.run("lint", file("Bad.plist", "bplist00 nonsense").path)
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("Bad.plist: byte "))
    }

    @Test func equalKeysShowBothPlaces() throws {
        let path = try file("Twice.strings", "\"a\" = \"1\";\n\"a\" = \"2\";\n").path
        let output = try PluginHostTool.run("lint", path)
        #expect(output.status == 0)
        #expect(output.standardOutput.contains("\(path):2:1: warning: "))
        #expect(output.standardOutput.contains("\(path):1:1: note: The first one is here."))
        #expect(output.standardOutput.hasSuffix("1 warning in 1 file\n"))
        #expect(try PluginHostTool.run("lint", "--strict", path).status == 1)
    }

    @Test func jsonHasEveryKey() throws {
        let path = try file("Twice.strings", "\"a\" = \"1\";\n\"a\" = \"2\";\n").path
        let document = try PluginHostTool.document("lint", path)
        #expect(document.status == 0)
        #expect(Set(document.object.keys) == ["format", "command", "bundles", "files", "strict"])
        #expect(document.bundles.isEmpty)
        let file = try #require((document.object["files"] as? [[String: Any]])?.first)
        let keys: Set = ["path", "identifier", "fine", "files", "errors", "warnings", "notes", "findings"]
        #expect(Set(file.keys) == keys)
        #expect(file["warnings"] as? Int == 1)
        let finding = try #require((file["findings"] as? [[String: Any]])?.first)
        let findingKeys: Set = [
            "severity", "code", "file", "line", "column", "byte", "subject", "message", "remedy", "systemMessage",
            "related",
        ]
        #expect(Set(finding.keys) == findingKeys)
        #expect(finding["line"] as? Int == 2)
        #expect(finding["code"] as? String == "duplicateKey")
        let related = try #require((finding["related"] as? [[String: Any]])?.first)
        #expect(Set(related.keys) == ["file", "line", "column", "message"])
    }

    @Test func aBundlesLanguagesAreCompared() throws {
        let fixture = try bundle(
            "Languages",
            [
                "en.lproj/Localizable.strings": "\"a\" = \"%@ of %@\";\n\"b\" = \"2\";\n",
                "fr.lproj/Localizable.strings": "\"a\" = \"%@ de %d\";\n",
            ])
        let document = try PluginHostTool.document("lint", fixture.path)
        #expect(document.status == 1)
        #expect(document.codes == ["missingEntry", "placeholderMismatch"])
        #expect(document.bundles.first?["identifier"] as? String == "org.example.Languages")
        #expect(document.bundles.first?["files"] as? Int == 3)
        let text = try PluginHostTool.run("lint", fixture.path).standardOutput
        #expect(text.hasSuffix("1 error, 1 warning in 3 files\n"))
    }

    @Test func sourcesShowWhichKeysAreUsed() throws {
        let fixture = try bundle("Keys", ["en.lproj/Localizable.strings": "\"unused key\" = \"1\";\n"])
        let source = try file("Code.swift", "let a = NSLocalizedString(\"missing\", comment: \"\")\n")
        let document = try PluginHostTool.document(
            "lint", "--sources", source.deletingLastPathComponent().path, fixture.path)
        #expect(document.status == 0)
        #expect(Set(document.codes) == ["unusedKey", "undefinedKey"])
        #expect(try PluginHostTool.run("lint", "--sources", "/nowhere", fixture.path).status == 2)
    }

    @Test func standardInputNeedsAType() throws {
        #expect(try PluginHostTool.run("lint", "-").status == 2)
        let output = try PluginHostTool.run("lint", "--type", "plist", "-")
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("-: error: The file is empty. [empty]"))
        #expect(try PluginHostTool.run("lint", "--type", "text", "-").status == 2)
    }

    @Test func aTypeOverrulesTheName() throws {
        let path = try file("table.txt", "\"a\" = \"1\"\n\"b\" = \"2\";\n").path
        let output = try PluginHostTool.run("lint", "--type", "strings", path)
        #expect(output.standardOutput.contains("[missingSeparator]"))
    }

    @Test func aMissingPathIsWrongUsage() throws {
        let output = try PluginHostTool.run("lint", "/nowhere.plist")
        #expect(output.status == 2)
        #expect(output.standardOutput.contains("does not exist"))
        #expect(try PluginHostTool.run("lint").status == 2)
    }

    @Test func helpTellsTheOptions() throws {
        let output = try PluginHostTool.run("help", "lint")
        #expect(output.status == 0)
        for option in ["--type", "--sources", "--strict", "--json"] { #expect(output.standardOutput.contains(option)) }
    }

    /// The samples in their source folders, with their sources: only notes about keys that are built at run time.
    @Test(arguments: ["Charts", "Checksum", "Reporter", "Template", "Typography", "Wordlist"])
    func theSamplePluginsAreClean(name: String) throws {
        let folder = Workspace.project.appending(path: "Plugins/\(name)").path
        #expect(try PluginHostTool.document("lint", "--strict", folder).findings.isEmpty)
        let sources = folder + "/Sources"
        // One of the samples has only resources.
        guard FileManager.default.fileExists(atPath: sources) else {
            #expect(name == "Wordlist")
            return
        }
        let document = try PluginHostTool.document("lint", "--strict", "--sources", sources, folder)
        #expect(document.status == 0, "\(document.text)")
        #expect(Set(document.codes).isSubset(of: ["unusedKey"]))
    }

    @Test(.fault(893)) func whatNoBundleReadsIsAWarningAmongItsResources() throws {
        let names = ["Main.storyboard", "en.lproj/Localizable.xcstrings", "de.xliff", "deep/down/it.xlf"]
        var files = Dictionary(uniqueKeysWithValues: names.map { ("Resources/\($0)", "x") })
        files["Resources/en.lproj/Localizable.strings"] = "\"Hello\" = \"Hello\";\n"
        let document = try PluginHostTool.document("lint", BundleSourceFixture(files: files).path)
        #expect(document.status == 0 && document.codes.filter { $0 == "notChecked" }.count == names.count)
        #expect(document.findings.allSatisfy { $0["severity"] as? String == "warning" }, "\(document.text)")
    }

    @Test(.fault(812)) func aFolderOfSourcesIsMeantEvenIfItsBundleWasPackedIntoIt() throws {
        let source = try BundleSourceFixture(
            files: ["Resources/en.lproj/Localizable.strings": "\"Hello\" = \"Hello\";\n"])
        try #require(PluginHostTool.run("pack", "--output", source.path, source.path).status == 0)
        try source.add("Resources/en.lproj/Localizable.strings", "\"Hello\" \"Hello\";\n")
        try source.add("Sources/main.swift", "")
        let output = try PluginHostTool.run("lint", "--sources", source.path + "/Sources", source.path)
        #expect(output.status == 1 && output.standardOutput.contains("[missingSeparator]"), "\(output)")
        #expect(output.standardOutput.contains("\(source.name)/Resources/en.lproj"))
    }
}

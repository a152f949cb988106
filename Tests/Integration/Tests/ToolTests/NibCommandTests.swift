import Fixtures
import Foundation
import Testing

/// What the commands do with nibs.
@Suite struct NibCommandTests {
    private static func nib(_ objects: String) -> String {
        """
        <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0">
        <objects>
        \(objects)
        </objects>
        </document>

        """
    }

    private static let classes = """
        { IBClasses = (
            { CLASS = Card; OUTLETS = { words = Label; }; },
            { CLASS = Label; ELEMENT = (textField); ATTRIBUTES = { title = String; }; }
        ); }
        """

    private static let card = #"<customObject id="-2" customClass="Card"><connections>"#

    private func bundle(_ name: String, _ files: [String: String]) throws -> BundleFixture {
        try Defect.resources(name, files.mapValues { Array($0.utf8) })
    }

    private func copy(_ sample: String) throws -> URL {
        let folder = Workspace.temporary.appending(path: "nibs/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appending(path: "\(sample).bundle")
        try FileManager.default.copyItem(
            at: Workspace.samplePlugins.get().appending(path: "\(sample).bundle"), to: copy)
        return copy
    }

    // MARK: lint and check

    @Test func aFaultOfANibIsShownWithItsLineAndACaret() throws {
        let fixture = try bundle(
            "Caret",
            [
                "Card.xib": Self.nib(
                    Self.card + "\n<outlet property=\"wrods\" destination=\"w\" id=\"c\"/>"
                        + "<outlet property=\"words\" destination=\"w\" id=\"d\"/>\n</connections></customObject>\n"
                        + "<textField id=\"w\" title=\"Words\"/>"),
                "NibClasses.plist": Self.classes,
            ])
        let output = try PluginHostTool.run("lint", fixture.path)
        #expect(output.status == 1)
        let path = fixture.path + "/Contents/Resources/Card.xib"
        #expect(
            output.standardOutput.hasPrefix(
                """
                \(path):4:9: error: “Card” has no outlet “wrods”. [nibOutletInvalid]
                  <outlet property="wrods" destination="w" id="c"/><outlet property="words" des…
                          ^
                """), "\(output.standardOutput)")
        #expect(PluginHostTool.words(output.standardOutput).contains("To do: It has “words”; correct the property"))
    }

    @Test func checkReportsTheErrorsOfNibsAlone() throws {
        let fixture = try bundle(
            "ErrorsAlone",
            ["Card.xib": Self.nib("<view id=\"a\"/>\n<view id=\"a\"/>\n<textField id=\"t\" frame=\"x\"/>")])
        let document = try PluginHostTool.document("check", fixture.path)
        #expect(document.codes == ["nibReferenceInvalid"])
        #expect(document.status == 1)
        #expect(document.findings.first?["line"] as? Int == 4)
    }

    @Test func classesOfTheApplicationComeFromAFile() throws {
        let fixture = try bundle("Application", ["Card.xib": Self.nib("<slider id=\"s\"/>")])
        let list = Workspace.temporary.appending(path: "classes-\(UUID().uuidString).plist")
        try Data(Self.classes.utf8).write(to: list)
        let document = try PluginHostTool.document("lint", "--classes", list.path, fixture.path)
        #expect(document.codes == ["nibClassMissing"] && document.status == 1)
        #expect(try PluginHostTool.document("lint", fixture.path).codes == ["nibClassesUnknown"])
        let missing = try PluginHostTool.document("lint", "--classes", "/nowhere", fixture.path)
        #expect(missing.codes.contains("unreadable"))
    }

    @Test func aFileAndStandardInputAreReadAsNibs() throws {
        let fixture = try bundle("File", ["A.xib": Self.nib("<view id=\"a\"/><view id=\"a\"/>")])
        let file = fixture.path + "/Contents/Resources/A.xib"
        let output = try PluginHostTool.run("lint", file)
        #expect(output.status == 1 && output.standardOutput.contains("[nibReferenceInvalid]"))
        #expect(output.standardOutput.contains("[nibClassesUnknown]"))
        let program = Workspace.products.appending(path: "pluginhost").path
        let piped = try Tool.output("/bin/sh", ["-c", "exec \"$0\" lint --type xib - <\"$1\"", program, file])
        #expect(piped.status == 1, "\(piped)")
        #expect(
            piped.standardOutput.contains("-:3:") && piped.standardOutput.contains("[nibReferenceInvalid]"), "\(piped)")
    }

    // MARK: Limits

    /// `made`: the number of objects, or of connections of one object.
    private static func large(_ limit: String, _ made: Int) -> String {
        if limit == "objects" { return nib((0..<made).map { "<view id=\"v\($0)\"/>" }.joined(separator: "\n")) }
        let connections = (0..<made).map { "<outlet property=\"o\($0)\" destination=\"a\" id=\"c\($0)\"/>" }
        return nib("<view id=\"a\"><connections>\(connections.joined(separator: "\n"))</connections></view>")
    }

    /// A sample with code, because `load` leaves bundles without code alone, and the path of its large nib.
    private func largeBundle(_ limit: String, _ made: Int) throws -> (bundle: String, nib: String) {
        let copy = try copy("Template")
        let nib = copy.appending(path: "Contents/Resources/Large.xib")
        try Data(Self.large(limit, made).utf8).write(to: nib)
        return (copy.path, nib.path)
    }

    /// A nib over a limit is one finding of every command, a signal of none, and the option named there helps.
    @Test(.fault(857), arguments: [("objects", 4_096), ("connections", 20_000)])
    func everyCommandHasOneFindingForANibOverALimit(limit: String, most: Int) throws {
        let (path, nib) = try largeBundle(limit, most + 1)
        let option = ["--max-\(limit)", "\(most + 1)"]
        for command in ["lint", "check", "load"] {
            let document = try PluginHostTool.document(of: [command, path])
            let findings = document.findings.filter { $0["severity"] as? String != "note" }
            #expect(document.status == 1 && findings.count == 1, "\(command) \(document.text)")
            #expect(findings.first?["code"] as? String == "nibUnreadable" && findings.first?["line"] is Int)
            #expect((findings.first?["message"] as? String)?.contains("the limit is \(most).") == true)
            #expect((findings.first?["remedy"] as? String)?.contains("--max-\(limit)") == true)
            // Nothing declares the class of its objects, which the application may have.
            let raised = try PluginHostTool.document(of: [command] + option + [path])
            #expect(raised.status == 0 && !raised.codes.contains("nibUnreadable"), "\(command) \(raised.text)")
        }
        let lint = try PluginHostTool.run("lint", nib)
        #expect(lint.status == 1 && lint.standardOutput.components(separatedBy: "[nibUnreadable]").count == 2)
        let strings = try PluginHostTool.run("strings", nib)
        #expect(strings.status == 2 && strings.standardOutput.isEmpty)
        #expect(strings.standardError.components(separatedBy: "nibUnreadable").count == 2, "\(strings)")
        #expect(try PluginHostTool.run(["strings"] + option + [nib]).status == 0)
    }

    @Test(.fault(857), arguments: [("objects", 4_096), ("connections", 20_000)])
    func aNibExactlyAtALimitIsRead(limit: String, most: Int) throws {
        let (path, nib) = try largeBundle(limit, most)
        for command in ["lint", "check", "load"] {
            let document = try PluginHostTool.document(of: [command, path])
            #expect(document.status == 0 && !document.codes.contains("nibUnreadable"), "\(command) \(document.text)")
            // An application may allow less.
            let lowered = try PluginHostTool.document(of: [command, "--max-\(limit)", "\(most - 1)", path])
            #expect(lowered.status == 1 && lowered.codes.contains("nibUnreadable"), "\(command) \(lowered.text)")
        }
        #expect(try PluginHostTool.run("strings", nib).status == 0)
        #expect(try PluginHostTool.run("strings", "--max-\(limit)", "\(most - 1)", nib).status == 2)
    }

    /// What the application allows, `pack` puts into a bundle.
    @Test(.fault(857)) func packTakesTheLimitsOfTheApplication() throws {
        let source = Workspace.temporary.appending(path: "nibs/\(UUID().uuidString)/Large")
        let resources = source.appending(path: "Resources")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        try Data(Self.large("objects", 4_097).utf8).write(to: resources.appending(path: "Large.xib"))
        try Data("{ CFBundleIdentifier = org.example.Large; CFBundleShortVersionString = 1.0; }".utf8)
            .write(to: source.appending(path: "Info.plist"))
        let output = source.deletingLastPathComponent().appending(path: "out").path
        let refused = try PluginHostTool.run("pack", "--output", output, source.path)
        #expect(refused.status == 1 && refused.standardOutput.contains("nibUnreadable"), "\(refused)")
        let packed = try PluginHostTool.run("pack", "--output", output, "--max-objects", "5000", source.path)
        #expect(packed.status == 0, "\(packed)")
    }

    @Test func aLimitThatNoDocumentReachesIsAWrongUse() throws {
        let fixture = try bundle("WrongLimit", ["A.xib": Self.nib("")])
        for command in ["lint", "check", "load"] {
            for value in ["0", "-1", "100001", "many"] {
                #expect(try PluginHostTool.run(command, "--max-objects=\(value)", fixture.path).status == 2)
                #expect(try PluginHostTool.run(command, "--max-connections=\(value)", fixture.path).status == 2)
            }
        }
    }

    // MARK: info

    @Test func infoListsNibsWithOwnerLanguagesAndVariants() throws {
        let path = try Workspace.samplePlugins.get().appending(path: "Reporter.bundle").path
        let nibs = try #require(
            try PluginHostTool.document("info", path).bundles.first?["nibs"] as? [[String: Any]])
        #expect(nibs.count == 1)
        #expect(nibs.first?["name"] as? String == "Summary")
        #expect(nibs.first?["ownerClass"] as? String == "SummaryCard")
        #expect(nibs.first?["objects"] as? Int == 13)
        #expect(nibs.first?["languages"] as? [String] == ["Base", "de", "fr", "ja"])
        #expect(nibs.first?["variants"] as? [String] == ["~terminal"])
        let text = try PluginHostTool.run("info", path).standardOutput
        #expect(text.contains("owner SummaryCard"))
    }

    // MARK: load

    @Test func loadChecksNibsAgainstTheCode() throws {
        let samples = try Workspace.samplePlugins.get()
        let paths = ["Wordlist", "Checksum", "Reporter"].map { samples.appending(path: "\($0).bundle").path }
        let document = try PluginHostTool.document(of: ["load", "--strict"] + paths)
        #expect(document.status == 0, "\(document.text)")
        for bundle in document.bundles { #expect((bundle["findings"] as? [Any])?.isEmpty == true, "\(bundle)") }
    }

    @Test func aNibThatDoesNotFitTheCodeIsAnErrorOfLoad() throws {
        let copy = try copy("Template")
        let nib = copy.appending(path: "Contents/Resources/Ending.xib")
        let text = try String(contentsOf: nib, encoding: .utf8)
        try Data(text.replacing("property=\"rule\"", with: "property=\"ruler\"").utf8).write(to: nib)
        let document = try PluginHostTool.document("load", copy.path)
        #expect(Set(document.codes) == ["nibOutletInvalid", "nibOutletUnconnected"])
        #expect(document.status == 1)
        #expect(document.findings.allSatisfy { $0["line"] is Int })
    }

    @Test func elementsThatTheListLeavesOutAreNoErrorsOfLoad() throws {
        let copy = try copy("Template")
        let nib = copy.appending(path: "Contents/Resources/Ending.xib")
        let text = try String(contentsOf: nib, encoding: .utf8)
        try Data(text.replacing("</objects>", with: "<ruler id=\"left-out\"/></objects>").utf8).write(to: nib)
        #expect(try PluginHostTool.document("load", copy.path).codes == ["nibClassMissing"])
        // The application may have it: a note, which is no problem.
        let checked = try PluginHostTool.document("check", "--level", "strict", copy.path)
        #expect(checked.status == 0 && checked.findings.allSatisfy { $0["severity"] as? String == "note" })
        #expect(checked.codes.contains("nibClassMissing"))
        let list = copy.appending(path: "Contents/Resources/NibClasses.plist")
        try Data("{ IBClasses = (); LEAVEOUT = (ruler); }".utf8).write(to: list)
        #expect(try PluginHostTool.run("load", "--write-nib-classes", copy.path).status == 0)
        let document = try PluginHostTool.document("load", "--strict", copy.path)
        #expect(document.status == 0 && document.codes.isEmpty, "\(document.text)")
    }

    @Test func loadListsTheClassesInC() throws {
        let path = try Workspace.samplePlugins.get().appending(path: "Checksum.bundle").path
        let rows = try PluginHostTool.document("load", path).bundles.first?["registrations"] as? [[String: Any]]
        let classes = rows?.filter { $0["kind"] as? String == "class" }.compactMap { $0["name"] as? String }
        #expect(classes == ["CRC32"])
    }

    @Test func instantiateMakesTheObjectsOfANib() throws {
        let path = try Workspace.samplePlugins.get().appending(path: "Template.bundle").path
        let document = try PluginHostTool.document("load", "--instantiate", path)
        #expect(document.status == 0, "\(document.text)")
        let nibs = document.bundles.first?["nibs"] as? [String]
        #expect(nibs?.contains { $0.hasPrefix("Ending.xib: made and released") } == true, "\(document.text)")
    }

    @Test func theListOfClassesIsWrittenAndAnOldOneIsAWarning() throws {
        let copy = try copy("Template")
        let list = copy.appending(path: "Contents/Resources/NibClasses.plist")
        try Data("{ IBClasses = ({ CLASS = Rule; }, { CLASS = Kept; }); }".utf8).write(to: list)
        #expect(try PluginHostTool.document("load", copy.path).codes == ["nibClassesOutdated"])
        let load = try PluginHostTool.document("load", "--write-nib-classes", copy.path)
        #expect(load.status == 0 && load.codes.isEmpty, "the list that it wrote is not outdated")
        #expect((load.bundles.first?["nibs"] as? [String])?.first?.contains("copy it into") == true)
        let written = try String(contentsOf: list, encoding: .utf8)
        for text in ["LineNumbers", "Rule", "Kept", "<string>String</string>", "<string>Int</string>"] {
            #expect(written.contains(text), "\(written)")
        }
        #expect(try PluginHostTool.document("load", copy.path).codes.isEmpty)
        #expect(try PluginHostTool.document("lint", "--strict", copy.path).status == 0)
    }

    // MARK: strings

    @Test func theTableOfANibIsPrintedAndMerged() throws {
        let fixture = try bundle(
            "Strings",
            [
                "Base.lproj/Card.xib": Self.nib("<textField id=\"w\" title=\"Words\" label=\"Not a text\"/>"),
                "NibClasses.plist": Self.classes, "de.lproj/Card.strings": "\"old.title\" = \"Alt\";\n",
                "fr.lproj/Other.strings": "",
            ])
        let resources = fixture.path + "/Contents/Resources"
        let nib = resources + "/Base.lproj/Card.xib"
        // The list of the bundle says that the label is none.
        let printed = try PluginHostTool.run("strings", nib)
        let entry = "/* Class = \"Label\"; title = \"Words\"; ObjectID = \"w\"; */\n\"w.title\" = \"Words\";\n"
        #expect(printed.standardOutput == entry && printed.status == 0)
        let merged = try PluginHostTool.run("strings", "--merge", resources, nib)
        #expect(merged.status == 0 && merged.standardOutput.split(separator: "\n").count == 2)
        let german = try String(contentsOfFile: resources + "/de.lproj/Card.strings", encoding: .utf8)
        #expect(german.hasPrefix(entry) && german.contains("\"old.title\" = \"Alt\";"))
        #expect(try String(contentsOfFile: resources + "/fr.lproj/Card.strings", encoding: .utf8) == entry)
        let again = try PluginHostTool.run("strings", "--merge", resources, nib)
        #expect(again.standardOutput.isEmpty && again.status == 0)
        #expect(try PluginHostTool.run("strings", "/nowhere.xib").status == 2)
    }

    @Test(.fault(856)) func aTextThatNoTableCanTranslateIsAWarningOfLintAndStrings() throws {
        let id = String(repeating: "i", count: 1_100)
        let fixture = try bundle(
            "LongID",
            [
                "Base.lproj/Card.xib": Self.nib(
                    "<textField id=\"w\" title=\"Words\"/>\n<textField id=\"\(id)\" title=\"Never translated\"/>"),
                "NibClasses.plist": Self.classes,
            ])
        let lint = try PluginHostTool.document("lint", fixture.path)
        let finding = lint.findings.first { $0["code"] as? String == "nibAttributeInvalid" }
        #expect(finding?["severity"] as? String == "warning" && finding?["line"] as? Int == 4, "\(lint.text)")
        #expect(lint.status == 0)
        let strings = try PluginHostTool.run("strings", fixture.path + "/Contents/Resources/Base.lproj/Card.xib")
        #expect(strings.status == 0 && strings.standardOutput.contains("\"w.title\" = \"Words\";"))
        #expect(!strings.standardOutput.contains("Never") && strings.standardError.contains("nibAttributeInvalid"))
    }

    @Test func noTableIsWrittenIfOneHasAFault() throws {
        let fixture = try bundle(
            "FaultyTable",
            [
                "Base.lproj/Card.xib": Self.nib("<textField id=\"w\" title=\"Words\"/>"),
                "de.lproj/Card.strings": "\"w.title\" = \"Worte\";\n",
                "fr.lproj/Card.strings": "\"a\" = \"b\";\n\"c\" \"d\";\n",
            ])
        let resources = fixture.path + "/Contents/Resources"
        let output = try PluginHostTool.run("strings", "--merge", resources, resources + "/Base.lproj/Card.xib")
        #expect(output.status == 2 && output.standardError.contains("fr.lproj/Card.strings:2:"), "\(output)")
        let german = try String(contentsOfFile: resources + "/de.lproj/Card.strings", encoding: .utf8)
        #expect(german == "\"w.title\" = \"Worte\";\n")
    }
}

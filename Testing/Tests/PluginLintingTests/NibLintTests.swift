import PluginHost
import Testing

@testable import PluginLinting

/// Nibs; numbers in comments are those of docs/faults.md.
@Suite struct NibLintTests {
    /// A XIB document of some objects; they begin in line 3.
    private static func nib(_ objects: String, resources: String = "") -> String {
        """
        <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0">
        <objects>
        \(objects)
        </objects>
        \(resources)
        </document>

        """
    }

    private static let card = """
        <customObject id="-2" customClass="Card"><connections>
        <outlet property="words" destination="w" id="c1"/>
        </connections></customObject>
        """

    /// Classes: a card with a required outlet, a label and its subclass, a link with an event.
    private static let classes = LintFixture.list(
        """
        <key>IBClasses</key><array>
        <dict><key>CLASS</key><string>Card</string>
        <key>OUTLETS</key><dict><key>words</key><string>Label</string><key>other</key><string>*</string></dict>
        <key>COLLECTIONS</key><dict><key>rows</key><string>Label</string></dict>
        <key>REQUIRED</key><array><string>words</string></array>
        <key>ACTIONS</key><dict><key>open:</key><string>Link</string><key>close</key><string></string></dict></dict>
        <dict><key>CLASS</key><string>Label</string><key>ELEMENT</key><array><string>textField</string></array>
        <key>ATTRIBUTES</key><dict><key>title</key><string>String</string><key>tag</key><string>Int?</string>
        <key>image</key><string>Image</string><key>toolTip</key><string>String</string>
        <key>weight</key><string>Enum(light|bold)</string></dict></dict>
        <dict><key>CLASS</key><string>Big</string><key>SUPERCLASS</key><string>Label</string></dict>
        <dict><key>CLASS</key><string>Link</string><key>ELEMENT</key><array><string>button</string></array>
        <key>ATTRIBUTES</key><dict><key>title</key><string>String</string></dict>
        <key>EVENTS</key><dict><key></key><string>one</string></dict></dict>
        </array>
        """)

    /// The findings about a nib in a bundle with the classes above.
    private func findings(
        _ objects: String, resources: String = "", _ files: [String: String] = [:],
        severities: Set<String> = ["error", "warning"]
    ) throws -> [String] {
        let all = ["Card.xib": Self.nib(objects, resources: resources), "NibClasses.plist": Self.classes]
        return try LintFixture(all.merging(files) { $1 }).findings().filter { finding in
            severities.contains { finding.contains(" \($0) ") }
        }
    }

    @Test func aNibThatFitsItsClassesHasNoFindings() throws {
        let found = try findings(
            Self.card + """

                <textField id="w" title="Words" tag="3" weight="bold"/>
                """)
        #expect(found == [])
    }

    @Test(.fault(217, 224, 225, 230, 233, 235)) func everythingThatStopsAnInstantiationIsAnErrorWithItsPlace() throws {
        let found = try findings(
            """
            <customObject id="-2" customClass="Card"><connections>
              <outlet property="wrods" destination="w" id="c1"/>
              <outlet property="other" destination="w" id="c2"/>
            </connections></customObject>
            <textField id="w" title="Words" tag="3.5" weight="heavy"/>
            <customObject id="l" customClass="Lable"/>
            <button id="b"><connections>
              <action selector="shut" target="-2" id="a1"/>
            </connections></button>
            """)
        #expect(
            found == [
                "Card.xib:3:1 error nibOutletUnconnected words",
                "Card.xib:4:11 error nibOutletInvalid wrods",
                "Card.xib:7:33 error nibAttributeInvalid tag",
                "Card.xib:7:43 error nibAttributeInvalid weight", "Card.xib:8:22 error nibClassMissing Lable",
                "Card.xib:10:11 error nibActionInvalid shut",
            ])
    }

    @Test func anOutletTakesASubclassAndNoOtherClass() throws {
        let good = try findings(Self.card + "\n<customObject id=\"w\" customClass=\"Big\"/>")
        #expect(good == [])
        let bad = try findings(Self.card + "\n<button id=\"w\"/>")
        #expect(bad == ["Card.xib:4:9 error nibOutletInvalid words"])
    }

    @Test func aClassThatNobodyDeclaresIsANoteUntilTheApplicationsAreKnown() throws {
        let fixture = try LintFixture([
            "Card.xib": Self.nib("<slider id=\"s\"/>\n<slider id=\"t\"/>"), "NibClasses.plist": Self.classes,
        ])
        #expect(try fixture.findings() == ["Card.xib:3:1 note nibClassMissing slider"])
        try fixture.tree.write("app.plist", LintFixture.list("<key>IBClasses</key><array/>"))
        let strict = try fixture.findings(BundleLinter(classLists: [fixture.tree("app.plist")]))
        #expect(strict == ["Card.xib:3:1 error nibClassMissing slider", "Card.xib:4:1 error nibClassMissing slider"])
    }

    @Test(.fault(747)) func aClassThatOnlyTheBundleCanHaveIsAnErrorAlsoWithoutTheApplications() throws {
        let objects = """
            \(Self.card)
            <textField id="w"/>
            <customObject id="a" customClass="Lable"/>
            <customObject id="b" customClass="Thing"/>
            <customObject id="c" customClass="Gear" customModuleProvider="target"/>
            <customObject id="d" customClass="Lable"/>
            """
        let found = try findings(objects, severities: ["error", "warning", "note"]).filter { $0.contains("Missing") }
        #expect(
            found == [
                "Card.xib:7:22 error nibClassMissing Lable", "Card.xib:8:22 note nibClassMissing Thing",
                "Card.xib:9:22 error nibClassMissing Gear", "Card.xib:10:22 error nibClassMissing Lable",
            ])
        // Without a list of the bundle nobody knows its classes.
        let alone = try LintFixture(["Card.xib": Self.nib(objects)])
        #expect(try !alone.findings().contains { $0.contains("nibClassMissing") })
    }

    /// A name that is only similar may be one of the application's.
    @Test(.fault(858)) func aSimilarNameIsANote() throws {
        let list = LintFixture.list(
            "<key>IBClasses</key><array><dict><key>CLASS</key><string>ExportController</string></dict></array>")
        let objects = """
            <customObject id="a" customClass="ExportContrloler"/>
            <customObject id="b" customClass="ImportController"/>
            """
        let fixture = try LintFixture(["Card.xib": Self.nib(objects), "NibClasses.plist": list])
        let found = try fixture.findings().filter { $0.contains("Missing") }
        #expect(
            found.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == [
                "error nibClassMissing ExportContrloler", "note nibClassMissing ImportController",
            ])
    }

    @Test(.fault(876)) func aClassOfTheBundlesModuleIsAnErrorAndOneOfABundleWithoutClassesToo() throws {
        let objects = """
            <customObject id="a" customClass="Gear" customModule="Cards"/>
            <customObject id="b" customClass="Thing" customModule="Others"/>
            """
        let list = Self.classes.replacing(
            "<key>CLASS</key>", with: "<key>MODULE</key><string>Cards</string><key>CLASS</key>")
        let named = try LintFixture(["Card.xib": Self.nib(objects), "NibClasses.plist": list]).findings()
        #expect(
            named.filter { $0.contains("Missing") } == [
                "Card.xib:3:22 error nibClassMissing Gear", "Card.xib:4:22 note nibClassMissing Thing",
            ])
        let target = "<customObject id=\"a\" customClass=\"Gear\" customModuleProvider=\"target\"/>"
        let empty = try LintFixture([
            "Card.xib": Self.nib(target), "NibClasses.plist": LintFixture.list("<key>IBClasses</key><array/>"),
        ]).findings()
        #expect(empty.filter { $0.contains("Missing") } == ["Card.xib:3:22 error nibClassMissing Gear"])
    }

    @Test(.fault(875), arguments: ["{ a = b; }", "<a>{</b>", "", "<document"])
    func aNibThatCannotBeReadIsShownWithoutALine(_ text: String) {
        let found = BundleLinter().lint(Array(text.utf8), as: .nib, named: "-").findings
        #expect(found.map(\.code.rawValue) == ["nibUnreadable"])
        #expect(found.first?.place != nil && found.first?.place?.excerpt == nil)
    }

    /// 212, 214, 228: without classes the document is checked, and that is said.
    @Test func withoutClassesTheDocumentAloneIsChecked() throws {
        let text = Self.nib(
            """
            <view id="a"><connections>
            <outlet property="x" destination="zz" id="c1"/>
            <outlet property="y" destination="-1" id="c2"/>
            </connections></view>
            <customObject id="-1"/>
            <view id="a"/>
            """)
        let found = BundleLinter().lint(Array(text.utf8), as: .nib, named: "-").findings
        #expect(
            found.map { "\($0.place?.line ?? 0):\($0.place?.column ?? 0) \($0.severity) \($0.code)" } == [
                "0:0 note nibClassesUnknown", "4:22 error nibReferenceInvalid", "5:9 error nibOutletInvalid",
                "8:7 error nibReferenceInvalid",
            ])
        #expect(found.last?.place?.excerpt?.after == "id=\"a\"/>")
    }

    @Test(.fault(215)) func aRefusedFormatIsAnError() {
        let text = "<archive type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\" version=\"7.10\"/>"
        let found = BundleLinter().lint(Array(text.utf8), as: .nib, named: "-").findings
        #expect(found.map(\.code.rawValue).contains("nibUnsupported"))
        #expect(found.first?.severity == .error)
    }

    /// 236: at run time a warning.
    @Test func aMissingImageIsAnError() throws {
        let found = try findings(
            Self.card + "\n<textField id=\"w\"/>", resources: "<resources><image name=\"seal\"/></resources>")
        #expect(found == ["Card.xib:8:19 error nibResourceMissing seal"])
    }

    /// Seed 63: some class declares each action that is sent to First Responder.
    @Test func whatIsDeclaredAndNeverUsedIsNoted() throws {
        let found = try findings(
            Self.card + """

                <textField id="w" title="Words" frame="x"/>
                <customObject id="-1"/>
                <button id="b"><connections><action selector="undo:" target="-1" id="a1"/></connections></button>
                """, severities: ["note"])
        #expect(
            found == [
                "Card.xib:3:1 note nibActionUnused close", "Card.xib:3:1 note nibActionUnused open",
                "Card.xib:3:1 note nibOutletUnused other", "Card.xib:3:1 note nibOutletUnused rows",
                "Card.xib:6:33 note nibAttributeUndeclared frame", "Card.xib:8:37 note nibActionUnanswered undo:",
            ])
    }

    @Test func anOutletThatAnotherNibConnectsIsUsed() throws {
        let other = Self.nib(
            """
            <customObject id="-2" customClass="Card"><connections>
            <outlet property="words" destination="w" id="c1"/><outlet property="other" destination="w" id="c2"/>
            <outletCollection property="rows" destination="w" id="c3"/></connections></customObject>
            <textField id="w"/><button id="b"><connections><action selector="open:" target="-2" id="a1"/></connections></button>
            <customObject id="-1"/><button id="d"><connections><action selector="close" target="-1" id="a2"/></connections></button>
            """)
        let found = try findings(
            Self.card + "\n<textField id=\"w\"/>", ["Other.xib": other], severities: ["note", "warning", "error"])
        #expect(found == [])
    }

    /// Seed 19: nibs are small, and instantiated when they are needed.
    @Test func aLargeNibIsNoted() {
        let text = Self.nib((1...501).map { "<view id=\"v\($0)\"/>" }.joined())
        let found = BundleLinter().lint(Array(text.utf8), as: .nib, named: "-").findings
        #expect(found.map(\.code.rawValue) == ["nibClassesUnknown", "nibLarge"])
    }

    // MARK: Lists of classes

    @Test func faultsOfAListAreReported() throws {
        let list = LintFixture.list(
            """
            <key>IBClasses</key><array>
            <dict><key>CLASS</key><string>A</string><key>SUPERCLASS</key><string>B</string></dict>
            <dict><key>CLASS</key><string>B</string><key>SUPERCLASS</key><string>A</string></dict>
            <dict><key>CLASS</key><string>C</string><key>SUPERCLASS</key><string>Gone</string>
            <key>ATTRIBUTES</key><dict><key>x</key><string>Strng</string></dict>
            <key>OUTLETS</key><array/></dict>
            <dict/>
            </array>
            """)
        let found = try findings("<view id=\"v\" customClass=\"A\"/>", ["NibClasses.plist": list])
        #expect(
            found.sorted() == [
                "NibClasses.plist:3:1 error nibClassMissing A", "NibClasses.plist:3:1 error nibClassMissing B",
                "NibClasses.plist:3:1 error nibClassMissing C", "NibClasses.plist:3:1 error nibInterfaceInvalid C",
                "NibClasses.plist:3:1 error nibInterfaceInvalid C",
                "NibClasses.plist:3:1 error nibInterfaceInvalid IBClasses",
            ])
    }

    @Test func aRequiredBundleBesideTheBundleGivesItsClasses() throws {
        let fixture = try LintFixture(
            info: LintFixture.english
                + "<key>PHRequires</key><dict><key>org.example.other</key><string>1.0</string></dict>",
            ["Card.xib": Self.nib(Self.card + "\n<textField id=\"w\"/>")])
        try fixture.tree.write(
            "Other.bundle/Contents/Info.plist",
            LintFixture.list("<key>CFBundleIdentifier</key><string>org.example.other</string>"))
        try fixture.tree.write("Other.bundle/Contents/Resources/NibClasses.plist", Self.classes)
        let notes = try fixture.findings().filter { !$0.contains("nibOutletUnused") && !$0.contains("nibActionUnused") }
        #expect(notes == [])
        try fixture.tree.write("elsewhere/")
        #expect(try fixture.findings().contains { $0.contains("nibOutletUnused") })
    }

    // MARK: Languages

    private static let words = nib(card + "\n<textField id=\"w\" title=\"Some words\" toolTip=\"A tip\"/>")

    @Test(.fault(251)) func staleMissingAndEqualEntriesOfANibsTableAreReported() throws {
        let fixture = try LintFixture([
            "Base.lproj/Card.xib": Self.words, "NibClasses.plist": Self.classes,
            "de.lproj/Card.strings": "\"w.title\" = \"Some words\";\n\"gone.title\" = \"Weg\";\n",
            "fr.lproj/Card.strings": "\"w.title\" = \"Des mots\";\n\"w.toolTip\" = \"Une astuce\";\n",
        ])
        let found = try fixture.findings().filter { !$0.contains("nibOutletUnused") && !$0.contains("nibActionUnused") }
        #expect(
            found == [
                "de.lproj/Card.strings warning missingEntry w.ibShadowedToolTip",
                "de.lproj/Card.strings:1:1 note untranslated w.title",
                "de.lproj/Card.strings:2:1 warning staleTranslation gone.title",
            ])
    }

    /// The keys are those of real tables.
    @Test(.fault(748)) func whatInterfaceBuildersTablesNeverHaveIsNotMissingAndBindingsAreNotStale() throws {
        let nib = Self.nib(
            """
            <popUpButton id="p"><popUpButtonCell key="cell" title="Monthly" alternateTitle="Weekly" id="c"><menu key="menu" id="m">
            <items><menuItem title="Monthly" id="i"/></items></menu></popUpButtonCell>
            <constraints><constraint placeholder="YES" id="k"/></constraints>
            <connections><binding name="value" keyPath="x" id="b"><dictionary key="options">
            <string key="NSNullPlaceholder">None</string></dictionary></binding>
            <action selector="open:" target="p" id="a"/></connections></popUpButton>
            <textField id="t" placeholder="Name"/><searchBar id="s" placeholder="Find"/>
            """)
        let fixture = try LintFixture([
            "Base.lproj/Card.xib": nib,
            "de.lproj/Card.strings":
                "\"b.ibShadowedIsNilPlaceholder\" = \"Ohne\";\n\"a.title\" = \"Auf\";\n\"z.title\" = \"Weg\";\n",
        ])
        let found = try fixture.findings().filter { $0.contains("missingEntry") || $0.contains("stale") }
        #expect(
            found == [
                "de.lproj/Card.strings warning missingEntry i.title",
                "de.lproj/Card.strings warning missingEntry s.placeholder",
                "de.lproj/Card.strings warning missingEntry t.placeholder",
                "de.lproj/Card.strings:2:1 warning staleTranslation a.title",
                "de.lproj/Card.strings:3:1 warning staleTranslation z.title",
            ])
    }

    @Test func aLeaveOutThatIsNoArrayOfNamesIsAnError() throws {
        for value in ["<string>slider</string>", "<array><string>slider</string><integer>1</integer></array>"] {
            let list = LintFixture.list("<key>IBClasses</key><array/>\n<key>LEAVEOUT</key>\(value)")
            let found = try LintFixture(["Card.xib": Self.nib("<slider id=\"s\"/>"), "NibClasses.plist": list])
                .findings()
            #expect(
                found.contains { $0.hasPrefix("NibClasses.plist:") && $0.contains("error nibInterfaceInvalid") },
                "\(found)")
        }
        let list = LintFixture.list(
            "<key>IBClasses</key><array/>\n<key>LEAVEOUT</key><array><string>slider</string></array>")
        let found = try LintFixture(["Card.xib": Self.nib("<slider id=\"s\"/>"), "NibClasses.plist": list]).findings()
        #expect(found.isEmpty, "\(found)")
    }

    /// Editors write First Responder and Application differently, or not at all.
    @Test(.fault(860)) func placeholdersThatNothingIsConnectedToAreNoDifferenceOfLanguages() throws {
        let first = "<customObject id=\"-1\" customClass=\"FirstResponder\"/>"
        func action(_ target: String) -> String {
            """
            \(Self.card)<textField id="w"/><button id="b"><connections>
            <action selector="shut:" target="\(target)" id="c"/></connections></button>
            """
        }
        let fixture = try LintFixture([
            "Base.lproj/Card.xib": Self.nib(
                "\(Self.card)\(first)<customObject id=\"-3\" customClass=\"NSObject\"/><textField id=\"w\"/>"),
            "de.lproj/Card.xib": Self.nib("\(Self.card)<textField id=\"w\"/>"),
            "fr.lproj/Card.xib": Self.nib("\(Self.card)\(first)<customObject id=\"-3\"/><textField id=\"w\"/>"),
            // What is connected to one is a difference.
            "Base.lproj/Other.xib": Self.nib(action("-1") + first), "de.lproj/Other.xib": Self.nib(action("b")),
        ])
        let found = try fixture.findings().filter { $0.contains("nibLanguagesDiffer") }
        #expect(found == ["de.lproj/Other.xib warning nibLanguagesDiffer de"])
    }

    @Test(.fault(252, 253)) func aNibOfALanguageIsComparedAndNeedsNoTable() throws {
        let fixture = try LintFixture([
            "Base.lproj/Card.xib": Self.words, "NibClasses.plist": Self.classes,
            "de.lproj/Card.xib": Self.nib(Self.card + "\n<textField id=\"w\"/><textField id=\"x\"/>"),
            "de.lproj/Card.strings": "\"w.title\" = \"Worte\";\n",
            "fr.lproj/Card.xib": Self.words,
        ])
        let found = try fixture.findings().filter { !$0.contains("nibOutletUnused") && !$0.contains("nibActionUnused") }
        #expect(
            found == [
                "de.lproj/Card.strings warning tableUnused Card", "de.lproj/Card.xib warning nibLanguagesDiffer de",
            ])
    }
}

import Foundation
import PluginHost
import PluginLinting
import Testing

@testable import PluginTranslating

/// The strings tables of nibs.
@Suite struct NibTableTests {
    private static func nib(_ objects: String) -> String {
        """
        <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0">
        <objects>\(objects)</objects>
        </document>
        """
    }

    private static let label = "<textField id=\"w\" title=\"Some words\" toolTip=\"A tip\" face=\"A face\"/>"

    /// `face` is a text of no class of AppKit.
    private static let classes = """
        { IBClasses = ({ CLASS = Label; ELEMENT = (textField);
            ATTRIBUTES = { title = String; toolTip = String; face = String; }; }); }
        """

    private static let words = "/* Class = \"Label\"; title = \"Some words\"; ObjectID = \"w\"; */\n"
    private static let tip = """
        /* Class = "Label"; toolTip = "A tip"; ObjectID = "w"; */
        "w.ibShadowedToolTip" = "A tip";

        """
    private static let face = """
        /* Class = "Label"; face = "A face"; ObjectID = "w"; */
        "w.face" = "A face";

        """

    /// A bundle with a nib, the list of its classes, and tables.
    private static func tree(
        _ objects: String = label, _ german: String? = nil, _ files: [String: String] = [:]
    ) throws -> TranslationTree {
        let tree = try TranslationTree([
            "B.bundle/Info.plist": "{ CFBundleIdentifier = \"org.example.B\"; }",
            "B.bundle/Resources/NibClasses.plist": classes,
            "B.bundle/Resources/Base.lproj/Card.xib": nib(objects),
        ])
        for (name, text) in files { try tree.write("B.bundle/Resources/" + name, text) }
        if let german { try tree.write(file, german) }
        return tree
    }

    private static let file = "B.bundle/Resources/de.lproj/Card.strings"

    private func table(_ tree: TranslationTree, classLists: [String] = [], of name: String = "Card") throws -> NibTable
    {
        try NibTable(nib: tree("B.bundle/Resources/Base.lproj/\(name).xib"), classLists: classLists)
    }

    /// Merges the nib into the table in German, and once more, which changes nothing.
    private func merge(_ tree: TranslationTree, of name: String = "Card") throws {
        func files() throws -> [TableFile] {
            try table(tree, of: name).tables(in: [tree("B.bundle/Resources/de.lproj")])
        }
        for file in try files() { try file.write() }
        for file in try files() { #expect(!file.isChanged, "\(file.table.text)") }
    }

    @Test func theTableHasIbtoolsKeysAndComments() throws {
        let expected = Self.words + "\"w.title\" = \"Some words\";\n\n" + Self.tip + "\n" + Self.face
        #expect(try table(Self.tree()).text == expected)
        // Without the bundle and its list the texts are those of AppKit's and UIKit's classes.
        let alone = try TranslationTree(["Card~phone.xib": Self.nib(Self.label), "classes.plist": Self.classes])
        let nib = alone("Card~phone.xib")
        let known = try NibTable(nib: nib, classLists: []).text
        #expect(known.contains("\"w.title\"") && !known.contains("\"w.face\""))
        #expect(try NibTable(nib: nib, classLists: [alone("classes.plist")]).text == expected)
        #expect(throws: LintFinding.self) { try NibTable(nib: nib, classLists: [alone("none.plist")]) }
        try alone.write("classes.plist", "{")
        #expect(throws: LintFinding.self) { try NibTable(nib: nib, classLists: [alone("classes.plist")]) }
        #expect(throws: PluginError.self) { try NibTable(nib: alone("none.xib"), classLists: []) }
    }

    /// The attribute `face` is a text by the list of the bundle only.
    @Test func translationsOfTextsThatTheBundlesListDeclaresStay() throws {
        let german = "/* Mine. */\n\"w.face\" = \"Gesicht\";\n\n\"w.other\" = \"Anderes\";\n"
        let tree = try Self.tree(Self.label, german)
        try merge(tree)
        let merged = try tree.text(Self.file)
        #expect(!merged.contains("no such objects"), "\(merged)")
        // The translator's comment stays, below the nib's; an object that exists keeps its entries.
        #expect(
            merged.hasPrefix(
                "/* Class = \"Label\"; face = \"A face\"; ObjectID = \"w\"; */\n/* Mine. */\n\"w.face\" = \"Gesicht\";\n"
            ),
            "\(merged)")
        #expect(merged.contains("\n\n\"w.other\" = \"Anderes\";\n\n\(Self.words)\"w.title\" = \"Some words\";\n"))
    }

    @Test func aChangedTextChangesTheCommentOfItsEntryAlone() throws {
        let tree = try Self.tree()
        try tree.write(Self.file, try table(tree).text.replacing("= \"A tip\";\n", with: "= \"Ein Tip\"; // gut\n"))
        try tree.write(
            "B.bundle/Resources/Base.lproj/Card.xib", Self.nib(Self.label.replacing("A tip", with: "A hint */")))
        try merge(tree)
        let merged = try tree.text(Self.file)
        #expect(
            merged.contains(
                "\n\n/* Class = \"Label\"; toolTip = \"A hint * /\"; ObjectID = \"w\"; */\n\"w.ibShadowedToolTip\" = \"Ein Tip\"; // gut\n\n"
            ), "\(merged)")
    }

    @Test func entriesOfLostObjectsAreKeptInACommentAndReturn() throws {
        let mine = "/* Mine, with \\/ and *\\. */\n/* Flag: untranslated */\n\"x.title\" = \"Weg */ *\\\\/\";"
        let start = "/* By Ann. */\n\n\(mine)\n\n\"w.title\" = \"Worte\";\n/* The end. */\n"
        let tree = try Self.tree(Self.label, start)
        try merge(tree)
        let merged = try tree.text(Self.file)
        // A sorted table stays sorted.
        #expect(merged.hasPrefix("/* By Ann. */\n\n\(Self.face)\n\(Self.tip)\n\(Self.words)\"w.title\" = \"Worte\";\n"))
        #expect(
            merged.hasSuffix(
                """
                /* The end. */

                /* The nib has no such objects any more:
                /* Mine, with \\/ and *\\. *\\/
                /* Flag: untranslated *\\/
                "x.title" = "Weg *\\/ *\\\\\\/";
                */

                """), "\(merged)")
        #expect(Set(try TableText(reading: merged).values.keys) == ["w.title", "w.ibShadowedToolTip", "w.face"])
        // A table that somebody continued below the comment, and the object is there again.
        try tree.write(Self.file, merged + "\n\"gone.title\" = \"Auch weg\";\n")
        try tree.write(
            "B.bundle/Resources/Base.lproj/Card.xib", Self.nib(Self.label + "<textField id=\"x\" title=\"Off\"/>"))
        try merge(tree)
        let again = try tree.text(Self.file)
        #expect(
            again.contains("*/\n/* Mine, with \\/ and *\\. */\n/* Flag: untranslated */\n\"x.title\" = "), "\(again)")
        let values = try TableText(reading: again).values
        #expect(values["x.title"] == "Weg */ *\\/" && values["w.title"] == "Worte" && values["gone.title"] == nil)
        #expect(again.hasSuffix("any more:\n\"gone.title\" = \"Auch weg\";\n*/\n"), "\(again)")
    }

    @Test(.fault(748)) func aMergeKeepsTheEntriesOfBindingsAndAddsNoKeysThatIbtoolNeverWrites() throws {
        let objects = """
            <popUpButton id="p"><popUpButtonCell key="cell" title="Monthly" id="c"/><constraint id="k" placeholder="YES"/><connections>
            <binding name="value" id="b"><string key="NSNullPlaceholder">None</string></binding></connections></popUpButton>
            """
        let german = "/* By Ann. */\n\"b.ibShadowedIsNilPlaceholder\" = \"Ohne\";\n"
        let tree = try Self.tree(objects, german)
        try merge(tree)
        #expect(try tree.text(Self.file) == german)
        #expect(try table(tree).text.isEmpty)
    }

    /// As an entry without translation that was added while the comment had one.
    @Test func aKeptTranslationReplacesTheNibsTextAlone() throws {
        for (text, expected) in [("Some words", "Worte"), ("Wörter", "Wörter")] {
            let kept = "/* The nib has no such objects any more:\n\"w.title\" = \"Worte\";\n*/\n"
            let tree = try Self.tree(Self.label, "\"w.title\" = \"\(text)\";\n\n" + kept)
            try merge(tree)
            let merged = try tree.text(Self.file)
            #expect(try TableText(reading: merged).values["w.title"] == expected && !merged.contains("no such"))
        }
    }

    @Test func aCommentThatCannotBeReadStays() throws {
        let kept = "/* The nib has no such objects any more:\nsee Ann\n*/\n"
        let tree = try Self.tree(Self.label, "\"x.title\" = \"Weg\";\n\n" + kept)
        try merge(tree)
        let merged = try tree.text(Self.file)
        #expect(merged.contains(kept) && merged.hasSuffix("any more:\n\"x.title\" = \"Weg\";\n*/\n"), "\(merged)")
    }

    /// Text that only looks like a comment of its own is none.
    @Test func keptEntriesInOtherCommentsStayThere() throws {
        let kept = "/* The nib has no such objects any more:\n\"w.title\" = \"Worte\";\n"
        for other in ["/* See \(kept)*/\n", "// \(kept.split(separator: "\n")[0])\n"] {
            let tree = try Self.tree(Self.label, "\(other)\n\"w.title\" = \"Wort\";\n")
            try merge(tree)
            let merged = try tree.text(Self.file)
            #expect(merged.contains(other), "\(merged)")
            #expect(try TableText(reading: merged).values["w.title"] == "Wort")
        }
    }

    /// A table may hold any number of comments with kept entries, and of entries between comments.
    @Test(.fault(855)) func aMergeOfManyKeptEntriesIsLinear() throws {
        let count = 5_000
        let kept = (0..<count).map { number in
            "/* The nib has no such objects any more:\n\"x\(number).title\" = \"Weg\";\n*/\n"
        }.joined()
        let unread = "/* The nib has no such objects any more:\nsee Ann\n*/\n"
        let words = "\"w.title\" = \"Worte\";\n"
        for table in [kept, words + kept, kept + "\n" + words, unread + kept] {
            let tree = try Self.tree(Self.label, table)
            try merge(tree)
            let merged = try tree.text(Self.file)
            #expect(try TableText(reading: merged).values["w.title"] != nil)
            #expect(merged.components(separatedBy: "any more:\n\"x0.title\" = \"Weg\";\n\"x1.title\"").count == 2)
            #expect(merged.components(separatedBy: ".title\" = \"Weg\";").count == count + 1)
            #expect(merged.contains(unread) == table.hasPrefix(unread))
        }
        // Each entry is removed, and the comment before it stays.
        let tree = try Self.tree(
            Self.label, (0..<count).map { "/* Part \($0) */\n\n\"x\($0).title\" = \"Weg\";\n\n" }.joined())
        try merge(tree)
        let merged = try tree.text(Self.file)
        #expect(merged.hasPrefix("/* Part 0 */\n\n/* Part 1 */\n\n/* Part 2 */\n\n"))
        #expect(merged.components(separatedBy: "/* Part ").count == count + 1)
    }

    @Test func variantsOfANibHaveOneTable() throws {
        let tree = try Self.tree(
            Self.label, "\"p.title\" = \"Telefon\";\n\"x.title\" = \"Weg\";\n",
            ["Base.lproj/Card~phone.xib": Self.nib("<textField id=\"p\" title=\"Phone\"/>")])
        try merge(tree)
        var values = try TableText(reading: try tree.text(Self.file)).values
        #expect(values["p.title"] == "Telefon" && values["w.title"] == "Some words" && values["x.title"] == nil)
        try merge(tree, of: "Card~phone")
        values = try TableText(reading: try tree.text(Self.file)).values
        #expect(values["p.title"] == "Telefon" && values["w.title"] == "Some words")
    }

    @Test(arguments: [TableEncoding.utf8WithMark, .utf16, .utf16BigEndian])
    func encodingAndLineEndsStay(encoding: TableEncoding) throws {
        let tree = try Self.tree()
        let text = "/* Für alle */\r\n\r\n\"w.title\" = \"Wörter\";\r\n\r\n\"x.title\" = \"Weg\";\r\n"
        try tree.write(Self.file, encoding.bytes(of: text))
        try merge(tree)
        let merged = try #require(TableEncoding.text(of: try tree.bytes(Self.file)))
        #expect(merged.encoding == encoding && merged.text.hasPrefix("/* Für alle */\r\n\r\n/* Class"))
        #expect(merged.text.utf8.count { $0 == 0x0A } == merged.text.utf8.count { $0 == 0x0D })
        #expect(merged.text.hasSuffix("any more:\r\n\"x.title\" = \"Weg\";\r\n*/\r\n"), "\(merged.text)")
    }

    @Test func aTextWithPluralFormsNeedsNoEntry() throws {
        let tree = try Self.tree(Self.label, nil, ["de.lproj/Card.stringsdict": "{ \"w.title\" = {}; }"])
        try merge(tree)
        #expect(
            Set(try TableText(reading: try tree.text(Self.file)).values.keys) == ["w.ibShadowedToolTip", "w.face"])
    }

    @Test func aFaultyTableIsNotMergedAndHasItsLine() throws {
        let tree = try Self.tree(Self.label, "\"a\" = \"b\";\n\"c\" \"d\";\n", ["fr.lproj/Card.strings": ""])
        let folders = ["fr", "de"].map { tree("B.bundle/Resources/\($0).lproj") }
        let finding = #expect(throws: LintFinding.self) { try table(tree).tables(in: folders) }
        #expect(finding?.place?.line == 2 && finding?.filePath == tree(Self.file))
    }
}

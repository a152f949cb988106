@_spi(Tools) import PluginLinting
import PropertyLists
import Testing

@testable import PluginTranslating

@Suite struct TranslationExchangeTests {
    private static let plural = TableConversionTests.plural

    private func tree() throws -> TranslationTree {
        try TranslationTree([
            "R/en.lproj/T.strings":
                "/* A button */\n\"Open\" = \"Open\";\n\"%@ of %d\" = \"%1$@ of %2$d\";\n\"New\" = \"New\";\n/* Flag: unmatched */\n\"Old\" = \"Old\";\n",
            "R/en.lproj/P.stringsdict": Self.plural,
            "R/de.lproj/T.strings":
                "// von Hand\n\"Open\" = \"Öffnen\";\n/* Flag: untranslated */\n\"%@ of %d\" = \"%1$@ of %2$d\";\n",
        ])
    }

    private func export(_ tree: TranslationTree, _ language: String = "de") throws -> String {
        try TranslationExport(at: tree("R"), language: language).text
    }

    @discardableResult
    private func imported(_ text: String, _ tree: TranslationTree) throws -> TranslationImport {
        let other = try TranslationTree(["in.xliff": text])
        let made = try TranslationImport(file: other("in.xliff"), into: tree("R"))
        if made.findings.isEmpty { try made.write() }
        return made
    }

    @Test func theFileHasEveryTextWithItsStateAndComment() throws {
        let text = try export(tree())
        #expect(
            text.hasPrefix(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
                  <file original="en.lproj/P.stringsdict" source-language="en" target-language="de" datatype="plaintext">
                    <body>
                      <trans-unit id="/%d files:dict/NSStringLocalizedFormatKey:dict/:string" xml:space="preserve">
                        <source>%#@n@</source>
                      </trans-unit>
                      <trans-unit id="/%d files:dict/n:dict/one:dict/:string" xml:space="preserve">
                        <source>%d file</source>
                      </trans-unit>

                """))
        #expect(
            text.hasSuffix(
                """
                      <trans-unit id="Open" xml:space="preserve">
                        <source>Open</source>
                        <target state="translated">Öffnen</target>
                        <note>A button</note>
                      </trans-unit>
                      <trans-unit id="%@ of %d" xml:space="preserve">
                        <source>%1$@ of %2$d</source>
                        <target state="needs-translation">%1$@ of %2$d</target>
                      </trans-unit>
                      <trans-unit id="New" xml:space="preserve">
                        <source>New</source>
                      </trans-unit>
                    </body>
                  </file>
                </xliff>

                """))
    }

    @Test(arguments: ["de", "fr", "ru", "pt-BR"]) func anUnchangedFileChangesNothing(_ language: String) throws {
        let tree = try tree()
        let before = try tree.content()
        let made = try imported(export(tree, language), tree)
        #expect(made.findings.isEmpty && made.tables.isEmpty)
        #expect(try tree.content() == before)
    }

    @Test(arguments: 0..<40) func textsOfEveryKindSurviveTheExchange(_ seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        // XML cannot hold this character.
        let texts = (0..<20).map { _ in
            (random.text().replacing("\u{1}", with: ""), random.text().replacing("\u{1}", with: ""))
        }
        let entries = Dictionary(texts, uniquingKeysWith: { $1 }).sorted { $0.key < $1.key }.map {
            TableContent.Entry(key: $0.key, value: .string($0.value), comment: $0.value.trimmed)
        }
        let table = TableContent(entries).text.text
        let tree = try TranslationTree(["R/en.lproj/T.strings": table, "R/de.lproj/T.strings": table])
        let text = try export(tree)
        #expect(try imported(text, tree).tables.isEmpty)
        let empty = try TranslationTree(["R/en.lproj/T.strings": table])
        let made = try imported(text, empty)
        #expect(made.findings.isEmpty, "\(made.findings)")
        #expect(try TableText(reading: empty.text("R/de.lproj/T.strings")).values == TableText(reading: table).values)
    }

    @Test func aTranslationIsWrittenAndLosesItsMark() throws {
        let tree = try tree()
        var text = try export(tree)
        text = text.replacing(
            "<target state=\"needs-translation\">%1$@ of %2$d", with: "<target state=\"translated\">%2$d von %1$@")
        text = text.replacing("<source>New</source>", with: "<source>New</source><target>Neu</target>")
        let made = try imported(text, tree)
        #expect(made.tables.map(\.changed) == [["%@ of %d", "New"]])
        let expected = """
            // von Hand
            "Open" = "Öffnen";
            "%@ of %d" = "%2$d von %1$@";
            "New" = "Neu";

            """
        #expect(try tree.text("R/de.lproj/T.strings") == expected)
        #expect(try export(tree).contains("<target state=\"translated\">Neu</target>"))
    }

    @Test func theFormsOfTheTranslatorsLanguageAreExchanged() throws {
        let tree = try tree()
        var text = try export(tree, "ru")
        for form in ["one", "few", "many", "other"] {
            let id = "/%d files:dict/n:dict/\(form):dict/:string\" xml:space=\"preserve\">\n        <source>"
            #expect(text.contains(id), "\(form)")
            let parts = text.split(separator: id, maxSplits: 1)
            let rest = parts[1].split(separator: "</source>", maxSplits: 1)
            text = parts[0] + id + rest[0] + "</source><target>%d \(form)</target>" + rest[1]
        }
        #expect(try imported(text, tree).tables.map(\.changed) == [["%d files"]])
        let entry = try PropertyListReader.read(tree.bytes("R/ru.lproj/P.stringsdict")).value["%d files"]
        #expect(entry?["n"]?["few"]?.string == "%d few" && entry?["n"]?["NSStringFormatValueTypeKey"]?.string == "d")
        #expect(entry?["NSStringLocalizedFormatKey"]?.string == "%#@n@")
        #expect(try imported(export(tree, "ru"), tree).tables.isEmpty)
    }

    @Test(arguments: [
        ("id=\"Open\"", "id=\"Opne\"", "undefinedKey"), ("<source>Open<", "<source>Open!<", "otherSource"),
        ("T.strings\"", "X.strings\"", "missingTable"), ("original=\"en.lproj/T", "original=\"../../T.strings/T", "ok"),
        ("id=\"New\"", "id=\"Open\"", "duplicateUnit"), (" target-language=\"de\"", "", "notXLIFF"),
        (">Öffnen<", ">Öffnen %@<", "placeholderMismatch"),
        ("state=\"needs-translation\">%1$@", "state=\"final\">%1$d", "placeholderMismatch"),
    ])
    func aFileThatDoesNotFitWritesNothing(_ from: String, _ to: String, _ code: String) throws {
        let tree = try tree()
        let before = try tree.content()
        var text = try export(tree).replacing(from, with: to)
        // Something that would be written otherwise.
        text = text.replacing("<source>New</source>", with: "<source>New</source><target>Neu</target>")
        let made = try imported(text, tree)
        if code == "ok" { return #expect(made.findings.isEmpty && !made.tables.isEmpty) }
        #expect(made.findings.first?.code.rawValue == code, "\(made.findings)")
        #expect(made.findings.allSatisfy { $0.place?.line != nil } && made.tables.isEmpty)
        #expect(try tree.content() == before)
    }

    @Test(arguments: [
        ("<xliff version=\"1.2\"><file", "truncated"), ("<xliff version=\"2.0\"></xliff>", "notXLIFF"), ("", "empty"),
        ("<plist><dict/></plist>", "notXLIFF"), ("<xliff version=\"1.2\"></file></xliff>", "malformedMarkup"),
        ("<!DOCTYPE x [<!ENTITY a \"b\">]><xliff version=\"1.2\"/>", "documentTypeSubset"),
        ("<xliff version=\"1.2\">&nbsp;</xliff>", "malformedMarkup"),
        ("<xliff version=\"1.2\"/><a/>", "trailingContent"),
        ("<xliff version=\"1.2\"><trans-unit id=\"a\"/></xliff>", "notXLIFF"),
        (
            "<xliff version=\"1.2\"><file original=\"a\" source-language=\"en\"><trans-unit id=\"a\"/></file></xliff>",
            "notXLIFF"
        ),
        (
            "<xliff version=\"1.2\"><file original=\"a\" source-language=\"en\"><trans-unit id=\"a\"><source>a<g>b</g></source>"
                + "</trans-unit></file></xliff>", "notXLIFF"
        ),
        ("<xliff a=\"1\" a=\"2\"/>", "malformedMarkup"), ("<xliff a=1/>", "malformedMarkup"),
        (String(repeating: "<a>", count: 100), "notXLIFF"),
        ("<xliff version=\"1.2\">" + String(repeating: "<group>", count: 100), "tooDeep"),
        ("<xliff version=\"1.2\">&#1;</xliff>", "malformedMarkup"), ("<xliff version=\"1.2\"><!-- x", "truncated"),
    ])
    func aDamagedFileIsRefusedWithItsPlace(_ text: String, _ code: String) throws {
        let tree = try tree()
        let finding = #expect(throws: LintFinding.self) { try imported(text, tree) }
        #expect(finding?.code.rawValue == code, "\(String(describing: finding))")
        #expect(finding?.place?.line == 1)
    }

    @Test func aFileThatEndsAnywhereIsRefused() throws {
        let tree = try tree()
        let text = Array(try export(tree).utf8)
        for length in stride(from: 0, to: text.count - 2, by: 7) {
            #expect(throws: LintFinding.self, "\(length)") {
                try TranslationDocument(path: "/x", bytes: Array(text[..<length]))
            }
        }
    }

    /// Ten thousand texts take seconds; if each were searched for from the beginning, they would take minutes.
    @Test(.timeLimit(.minutes(1))) func aLargeFileIsImportedInLinearTime() throws {
        let table = (0..<10_000).map { "\"key \($0)\" = \"text \($0)\";\n" }.joined()
        let tree = try TranslationTree(["R/en.lproj/T.strings": table])
        let text = try export(tree).replacing("</source>", with: "</source><target>x</target>")
        #expect(try imported(text, tree).tables.map(\.changed.count) == [10_000])
    }

    @Test func aTextThatXMLCannotHoldIsNamed() throws {
        let tree = try TranslationTree(["R/en.lproj/T.strings": "\"bell\" = \"\\a\";"])
        let finding = #expect(throws: LintFinding.self) { try export(tree) }
        #expect(finding?.code == .notRepresentable && finding?.subject == "bell")
    }

    @Test(arguments: ["en", "../x", ""]) func aLanguageMustBeAnotherOne(_ language: String) throws {
        let tree = try tree()
        let finding = #expect(throws: LintFinding.self) { try export(tree, language) }
        #expect(finding?.code == .unknownLanguage)
    }
}

import Foundation
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

    /// A bundle with nibs.
    ///
    /// Base.lproj has one with a table of the development language, and a variant of it.
    @Test(.fault(859)) func theTextsOfNibsAreExchangedAsTablesOfTheirNames() throws {
        func nib(_ objects: String) -> String {
            "<document type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\" version=\"3.0\"><objects>\(objects)</objects></document>"
        }
        let files = [
            "R/Base.lproj/Card.xib": nib(
                "<textField id=\"a\" title=\"Words\"/><textField id=\"b\" title=\"Lines\"/><textField id=\"c\" title=\"%d files\"/>"
            ),
            "R/Base.lproj/Card~phone.xib": nib(
                "<textField id=\"a\" title=\"Words\"/><textField id=\"p\" title=\"Call\"/>"),
            "R/Base.lproj/Panel.xib": nib("<button id=\"x\" title=\"Open\"/>"),
            "R/de.lproj/Card.strings": "\"b.title\" = \"Zeilen\";\n",
            // It has its texts itself.
            "R/de.lproj/Panel.xib": nib("<button id=\"x\" title=\"Öffnen\"/>"),
        ]
        for hasEnglish in [false, true] {
            let tree = try TranslationTree(
                files.merging(
                    hasEnglish
                        ? [
                            "R/en.lproj/Card.strings": "\"a.title\" = \"Some words\";\n",
                            "R/en.lproj/Card.stringsdict": Self.plural.replacing(
                                "<key>%d files<", with: "<key>c.title<"),
                        ] : [:]
                ) { $1 })
            let text = try export(tree)
            let source = hasEnglish ? "Some words" : "Words"
            #expect(text.contains("<source>\(source)</source>"))
            #expect(text.contains("<source>Lines</source>") && text.contains(">Zeilen</target>"))
            #expect(text.contains("<source>Call</source>") && !text.contains("Open"), "\(text)")
            #expect(text.components(separatedBy: "id=\"a.title\"").count == 2)
            #expect(text.contains("id=\"c.title\"") != hasEnglish)
            #expect(try imported(text, tree).tables.isEmpty)
            let call = "<source>Call</source>"
            let new = text.replacing(call, with: "\(call)\n<target>Anruf</target>")
            let made = try imported(new, tree)
            #expect(made.findings.isEmpty && made.tables.map(\.changed) == [["p.title"]], "\(made.findings)")
            let table = try TableText(reading: try tree.text("R/de.lproj/Card.strings")).values
            #expect(table["p.title"] == "Anruf" && table["b.title"] == "Zeilen")
            let pseudo = try PseudoTables(at: tree("R"), PseudoTranslation(), output: nil)
            let names = pseudo.files.map { String($0.path.split(separator: "/").last!) }
            #expect(names.filter { $0.hasSuffix(".strings") } == ["Card.strings", "Panel.strings"])
        }
        let damaged = try TranslationTree(["R/Base.lproj/Card.xib": "<document", "R/en.lproj/T.strings": ""])
        let finding = #expect(throws: LintFinding.self) { try export(damaged) }
        #expect(finding?.code.rawValue == "nibUnreadable" && finding?.filePath.hasSuffix("Card.xib") == true)
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
        ("en.lproj/T.strings\"", "Base.lproj/T.xib\"", "ok"), ("en.lproj/T.strings\"", "\"", "missingTable"),
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

    // MARK: States

    /// A tree with one text of each kind in German.
    private func reviewed() throws -> TranslationTree {
        try TranslationTree([
            "R/en.lproj/T.strings": "\"a\" = \"Open %@\";\n\"b\" = \"Close\";\n",
            "R/de.lproj/T.strings": "\"a\" = \"%@ öffnen\";\n",
        ])
    }

    private func file(_ unit: String, language: String = "de", table: String = "T.strings") -> String {
        "<xliff version=\"1.2\"><file original=\"\(table)\" source-language=\"en\" target-language=\"\(language)\"><body>"
            + unit + "</body></file></xliff>"
    }

    private func unit(_ id: String, _ source: String, _ target: String, state: String?, approved: String? = nil)
        -> String
    {
        let approval = approved.map { " approved=\"\($0)\"" } ?? ""
        let state = state.map { " state=\"\($0)\"" } ?? ""
        return
            "<trans-unit id=\"\(id)\"\(approval)><source>\(source)</source><target\(state)>\(target)</target></trans-unit>"
    }

    @Test("a copy of the source is no translation", .fault(790), arguments: ["new", "needs-translation"])
    func aCopyOfTheSourceReplacesNothing(_ state: String) throws {
        let tree = try reviewed()
        let before = try tree.content()
        let made = try imported(
            file(
                unit("a", "Open %@", "Open %@", state: state, approved: "yes")
                    + unit("b", "Close", "Close", state: state)),
            tree)
        #expect(made.findings.isEmpty && made.tables.isEmpty)
        #expect(try tree.content() == before)
    }

    @Test(
        "what is not finished gets a mark, which the export gives back", .fault(790),
        arguments: [
            ("new", nil), ("needs-translation", nil), ("needs-review-translation", nil), ("needs-review-l10n", nil),
            ("needs-adaptation", nil), ("needs-l10n", nil), ("needs-review-adaptation", nil), ("translated", "no"),
            ("final", "no"), (nil, "no"), ("x-unheard-of", nil), ("needs-review-translation", "yes"),
        ] as [(String?, String?)])
    func aTranslationThatIsNotFinishedNeedsAReview(_ state: String?, _ approved: String?) throws {
        let tree = try reviewed()
        let text = file(
            unit("a", "Open %@", "%@ aufmachen", state: state, approved: approved)
                + unit("b", "Close", "Zu", state: state, approved: approved))
        #expect(try imported(text, tree).tables.map(\.changed) == [["a", "b"]])
        let expected = """
            /* Flag: needs-review */
            "a" = "%@ aufmachen";

            /* Flag: needs-review */
            "b" = "Zu";

            """
        #expect(try tree.text("R/de.lproj/T.strings") == expected)
        let exported = try export(tree)
        #expect(exported.contains("<target state=\"needs-review-translation\">Zu</target>"))
        #expect(try TranslationExport(at: tree("R"), language: "de").unfinishedCount == 2)
        #expect(try imported(exported, tree).tables.isEmpty)
        // A second file says that it is finished.
        let finished = exported.replacing("needs-review-translation", with: "signed-off")
        #expect(try imported(finished, tree).tables.map(\.changed) == [["a", "b"]])
        #expect(try tree.text("R/de.lproj/T.strings") == "\"a\" = \"%@ aufmachen\";\n\n\"b\" = \"Zu\";\n")
    }

    @Test(
        arguments: [
            ("translated", nil), ("final", nil), ("signed-off", nil), (nil, nil), (nil, "yes"), ("final", "yes"),
        ]
            as [(String?, String?)])
    func aFinishedTranslationHasNoMark(_ state: String?, _ approved: String?) throws {
        let tree = try reviewed()
        try tree.write(
            "R/de.lproj/T.strings",
            "/* Flag: needs-review */\n\"a\" = \"x %@\";\n/* Flag: untranslated */\n\"b\" = \"Close\";\n")
        let text = file(
            unit("a", "Open %@", "Open %@", state: state, approved: approved)
                + unit("b", "Close", "Zu", state: state, approved: approved))
        #expect(try imported(text, tree).findings.isEmpty)
        #expect(try tree.text("R/de.lproj/T.strings") == "\"a\" = \"Open %@\";\n\"b\" = \"Zu\";\n")
    }

    /// The source changed after an entry was marked: its export has another target than its source, and says so.
    @Test func anOldTextThatWaitsForItsTranslationChangesNothing() throws {
        let tree = try reviewed()
        try tree.write("R/de.lproj/T.strings", "/* Flag: untranslated */\n\"b\" = \"Shut\";\n")
        let before = try tree.content()
        #expect(try imported(export(tree), tree).tables.isEmpty)
        #expect(try tree.content() == before)
    }

    @Test func aPluralThatNeedsAReviewIsWrittenWithAWarning() throws {
        let tree = try tree()
        let text = try export(tree).replacing(
            "<source>%#@n@</source>", with: "<source>%#@n@</source><target>%#@n@</target>"
        ).replacing(
            "<source>%d file</source>",
            with: "<source>%d file</source><target state=\"needs-review-translation\">%d Datei</target>"
        ).replacing("<source>%d files</source>", with: "<source>%d files</source><target>%d Dateien</target>")
        let made = try imported(text, tree)
        #expect(made.findings.isEmpty && made.tables.map(\.changed) == [["%d files"]])
        #expect(made.warnings.map(\.code) == [.unmarkedReview])
        #expect(made.warnings.first?.severity == .warning)
        #expect(made.warnings.first?.subject == "%d files")
        #expect(try imported(export(tree), tree).warnings.isEmpty)
    }

    @Test func aFileThatNamesNoTableMeansTheOnlyOne() throws {
        let tree = try TranslationTree(["R/en.lproj/T.strings": "\"Open\" = \"Open\";\n"])
        let text = try export(tree).replacing("en.lproj/T.strings", with: "").replacing(
            "<source>Open</source>", with: "<source>Open</source><target>Öffnen</target>")
        #expect(try imported(text, tree).tables.map(\.changed) == [["Open"]])
    }

    @Test func theLossOfTheCommentsOfPluralsIsReported() throws {
        let tree = try TranslationTree([
            "R/en.lproj/P.stringsdict": Self.plural,
            "R/de.lproj/P.stringsdict": Self.plural.replacing(
                "<dict>", with: "<!-- Dateien --><dict>", maxReplacements: 1),
        ])
        let text = try export(tree)
        #expect(try imported(text, tree).warnings.isEmpty, "nothing is written")
        let warnings = try imported(
            text.replacing("<target state=\"translated\">%d files", with: "<target>%d Dateien"), tree
        ).warnings
        #expect(warnings.map(\.code) == [.comments] && warnings[0].place?.line != nil, "\(warnings)")
    }

    // MARK: Codes

    @Test(
        "an import finds the localisation that the code means", .fault(791),
        arguments: [
            ("zh-CN", "zh-Hans"), ("zh-TW", "zh-Hant"), ("zh-Hant-TW", "zh-Hant"), ("no", "nb"), ("nb-NO", "nb"),
            ("sr-RS@latin", "sr-Latn"), ("sr@latin", "sr-Latn"), ("pt", "pt-BR"), ("iw", "he"), ("tl", "fil"),
            ("de_DE", "German"), ("fr-FR", "fr"), ("ca@valencia", "ca-valencia"), ("deu", "de"),
        ])
    func aCodeOfATranslationToolFindsItsDirectory(_ code: String, _ directory: String) throws {
        let tree = try TranslationTree([
            "R/en.lproj/T.strings": "\"b\" = \"Close\";\n", "R/\(directory).lproj/T.strings": "\"b\" = \"?\";\n",
            // None of these is meant.
            "R/nn.lproj/T.strings": "", "R/sr.lproj/T.strings": "", "R/zh-HK.lproj/T.strings": "",
            "R/pt-PT.lproj/T.strings": "", "R/ca.lproj/T.strings": "", "R/fr-CA.lproj/T.strings": "",
        ])
        let made = try imported(file(unit("b", "Close", "x", state: nil), language: code), tree)
        #expect(made.findings.isEmpty && made.warnings.isEmpty, "\(made.findings)")
        #expect(made.tables.map(\.path) == [tree("R/\(directory).lproj/T.strings")])
        #expect(try tree.text("R/\(directory).lproj/T.strings") == "\"b\" = \"x\";\n")
        #expect(try export(tree, code).contains("target-language=\"\(code)\""))
    }

    @Test func aCodeThatSeveralDirectoriesMayHaveIsRefused() throws {
        let tree = try TranslationTree([
            "R/en.lproj/T.strings": "\"b\" = \"Close\";\n", "R/zh-CN.lproj/T.strings": "",
            "R/zh_CN.lproj/T.strings": "",
        ])
        let text = file(unit("b", "Close", "x", state: nil), language: "zh-Hans")
        let finding = #expect(throws: LintFinding.self) { try imported(text, tree) }
        #expect(finding?.code == .ambiguousLanguage)
        #expect(finding?.message.contains("“zh-CN”, “zh_CN”") == true)
        let other = try TranslationTree(["in.xliff": text])
        let made = try TranslationImport(file: other("in.xliff"), into: tree("R"), directory: "zh_CN")
        #expect(made.tables.map(\.language) == ["zh_CN"])
        // The same name is never ambiguous.
        #expect(try imported(text.replacing("zh-Hans", with: "zh-CN"), tree).tables.map(\.language) == ["zh-CN"])
    }

    @Test func aNewLocalisationIsReported() throws {
        let tree = try reviewed()
        let made = try imported(file(unit("b", "Close", "x", state: nil), language: "sr-RS@latin"), tree)
        #expect(made.warnings.map(\.code) == [.missingLanguage] && made.warnings.first?.severity == .note)
        #expect(made.tables.map(\.path) == [tree("R/sr-Latn-RS.lproj/T.strings")])
    }

    @Test func anotherFormOfTheDevelopmentLanguageNeedsItsDirectory() throws {
        let tree = try reviewed()
        let text = file(unit("b", "Close", "Shut", state: nil), language: "en-US")
        let finding = #expect(throws: LintFinding.self) { try imported(text, tree) }
        #expect(finding?.code == .unknownLanguage && finding?.remedy.contains("--into") == true)
        let other = try TranslationTree(["in.xliff": text])
        let made = try TranslationImport(file: other("in.xliff"), into: tree("R"), directory: "en-US")
        #expect(made.tables.map(\.language) == ["en-US"])
        for bad in ["en", "../x", "a/b", "", "Base", "de/../en"] {
            #expect(throws: LintFinding.self, "\(bad)") {
                try TranslationImport(file: other("in.xliff"), into: tree("R"), directory: bad)
            }
        }
    }

    @Test func twoCodesOfOneLocalisationAreOneTableTwice() throws {
        let tree = try reviewed()
        let text =
            file(unit("b", "Close", "x", state: nil), language: "de").replacing("</xliff>", with: "")
            + file(unit("b", "Close", "y", state: nil), language: "de-DE").replacing(
                "<xliff version=\"1.2\">", with: "")
        #expect(try imported(text, tree).findings.map(\.code) == [.duplicateUnit])
    }

    // MARK: Marks and placeholders

    @Test(
        "marks are transparent", .fault(792),
        arguments: [
            ("<mrk mtype=\"seg\" mid=\"1\">Zu</mrk>", "Zu"),
            ("<mrk mtype=\"seg\" mid=\"1\">A.</mrk> <mrk mtype=\"seg\" mid=\"2\">B.</mrk>", "A. B."),
            ("a<mrk mtype=\"x\">b<mrk mtype=\"y\">c</mrk>d</mrk>e<mrk/>", "abcde"),
            ("<x:mrk xmlns:x=\"u\" mtype=\"seg\">Zu</x:mrk>", "Zu"),
        ])
    func marksAreUnwrapped(_ target: String, _ expected: String) throws {
        let tree = try reviewed()
        let unit =
            "<trans-unit id=\"b\"><source><mrk mtype=\"seg\">Close</mrk></source>"
            + "<seg-source><mrk mtype=\"seg\" mid=\"1\">Close<g id=\"1\"/></mrk></seg-source><target>\(target)</target>"
            + "<alt-trans><target>no</target></alt-trans></trans-unit>"
        #expect(try imported(file(unit), tree).findings.isEmpty)
        #expect(try tree.text("R/de.lproj/T.strings").hasSuffix("\"b\" = \"\(expected)\";\n"))
    }

    @Test func otherElementsInATextAreRefusedWithTheUnit() throws {
        let tree = try reviewed()
        let text = file("\n\n" + unit("b", "Close", "<mrk mtype=\"seg\">Z<x id=\"1\"/>u</mrk>", state: nil))
        let finding = #expect(throws: LintFinding.self) { try imported(text, tree) }
        #expect(finding?.code == .notXLIFF && finding?.subject == "b" && finding?.place?.line == 3)
        #expect(finding?.remedy.contains("placeholders as plain text") == true)
        let unclosed = file(unit("b", "Close", "<mrk mtype=\"seg\">Zu", state: nil))
        #expect(throws: LintFinding.self) { try imported(unclosed, tree) }
    }

    @Test(
        "placeholders that are lacking, repeated or swapped", .fault(793),
        arguments: [
            ("%@ öffnen", true), ("öffnen", false), ("%1$@ %1$@", true), ("%@ %@", false), ("%d", false),
            ("% @ öffnen", false),
            ("100 % von %@", true), ("%%@", false),
        ])
    func aTranslationHasThePlaceholdersOfItsSource(_ target: String, _ fits: Bool) throws {
        let tree = try TranslationTree([
            "R/en.lproj/T.strings": "\"a\" = \"Open %@\";\n", "R/de.lproj/T.strings": "",
        ])
        let made = try imported(file(unit("a", "Open %@", target, state: nil)), tree)
        #expect(made.findings.map(\.code) == (fits ? [] : [.placeholderMismatch]))
    }

    @Test func aTableThatHasAMismatchAlreadyCanBeExchanged() throws {
        let tree = try reviewed()
        try tree.write("R/de.lproj/T.strings", "\"a\" = \"öffnen\";\n")
        #expect(try imported(export(tree), tree).findings.isEmpty)
    }

    @Test(arguments: [
        ("one", "eine Datei", true), ("other", "Dateien", false), ("one", "%d Datei", true), ("one", "%@", false),
    ])
    func onlyAFormForOneNumberMayLackIt(_ form: String, _ target: String, _ fits: Bool) throws {
        let tree = try tree()
        try tree.write("R/en.lproj/P.stringsdict", Self.plural.replacing("%d file<", with: "one file<"))
        var text = try export(tree)
        for (name, source) in [("one", "one file"), ("other", "%d files")] {
            let own = name == form ? target : name == "one" ? "eine Datei" : "%d Dateien"
            text = text.replacing(
                "<source>\(source)</source>", with: "<source>\(source)</source><target>\(own)</target>")
        }
        #expect(try imported(text, tree).findings.map(\.code) == (fits ? [] : [.placeholderMismatch]))
    }

    @Test func variablesOfAFormatMayNotBeSwappedOrLeftOut() throws {
        let format = "%#@n@ in %#@m@"
        let tree = try tree()
        let second =
            "<key>m</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>"
            + "<key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key><string>%d folders</string></dict>"
        try tree.write(
            "R/en.lproj/P.stringsdict",
            Self.plural.replacing("<string>%#@n@</string>", with: "<string>\(format)</string>\(second)"))
        for (target, fits) in [
            (format, true), ("%#@m@ in %#@n@", false), ("%2$#@m@: %1$#@n@", true), ("%#@n@", false),
            ("%#@x@ %#@n@", false),
        ] {
            let text = file(
                unit("/%d files:dict/NSStringLocalizedFormatKey:dict/:string", format, target, state: nil)
                    + unit("/%d files:dict/n:dict/other:dict/:string", "%d files", "%d Dateien", state: nil)
                    + unit("/%d files:dict/m:dict/other:dict/:string", "%d folders", "%d Ordner", state: nil),
                table: "P.stringsdict")
            let other = try TranslationTree(["in.xliff": text])
            let made = try TranslationImport(file: other("in.xliff"), into: tree("R"))
            #expect(made.findings.isEmpty == fits, "\(target) \(made.findings)")
        }
    }

    @Test(
        .fault(784),
        arguments: [
            ("\u{0}", "U+0000"), ("\u{1B}", "U+001B"), ("\u{7}", "U+0007"), ("\u{FFFE}", "U+FFFE"),
            ("\u{FFFF}", "U+FFFF"),
        ])
    func aCharacterThatXMLDoesNotAllowIsAFindingWithItsPlace(character: String, name: String) throws {
        let tree = try tree()
        let text = try export(tree).replacing("Öffnen", with: "Öff\(character)nen")
        #expect(text.contains(character))
        let finding = #expect(throws: LintFinding.self) { try imported(text, tree) }
        #expect(finding?.message.contains(name) ?? false && finding?.place != nil, "\(finding as Any)")
        // Also where nobody reads: in a comment and in an attribute.
        for place in ["<!-- \(character) -->", "<a b=\"\(character)\"/>"] {
            #expect(throws: LintFinding.self) {
                try imported(export(tree).replacing("<body>", with: "<body>" + place), tree)
            }
        }
    }
}

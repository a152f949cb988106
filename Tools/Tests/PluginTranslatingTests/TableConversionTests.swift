@_spi(Tools) import PluginLinting
import PropertyLists
import Testing

@testable import PluginTranslating

@Suite struct TableConversionTests {
    private func converted(
        _ text: String, _ name: String = "a.strings", to form: TableContent.Form, language: String? = nil
    ) throws -> (text: String, losses: [String]) {
        try converted(Array(text.utf8), name, to: form, language: language)
    }

    private func converted(
        _ bytes: [UInt8], _ name: String = "a.strings", to form: TableContent.Form, language: String? = nil
    ) throws -> (text: String, losses: [String]) {
        let conversion = try TableConversion(bytes, path: "/x/" + name, to: form, language: language)
        return (TableEncoding.text(of: conversion.bytes)?.text ?? "", conversion.losses.map(\.code.rawValue))
    }

    /// A table with every escape and characters that some form treats in a special way.
    private static func table(_ seed: UInt64) -> TableContent {
        var random = RandomValues(seed: seed)
        let texts = Dictionary((0..<20).map { _ in (random.text(), random.text()) }, uniquingKeysWith: { $1 })
        return TableContent(
            texts.sorted { $0.key < $1.key }.map { TableContent.Entry(key: $0.key, value: .string($0.value)) })
    }

    @Test(arguments: 0..<40, [TableContent.Form.strings, .utf16, .openstep, .xml1, .binary1, .json, .stringsdict])
    func aTableOfEveryEscapeSurvivesEveryForm(_ seed: UInt64, _ form: TableContent.Form) throws {
        let table = Self.table(seed)
        let text = Array(table.text.text.utf8)
        let other = try TableConversion(text, path: "/a.strings", to: form)
        #expect(other.losses.isEmpty)
        let name = form == .json ? "/a.json" : form == .stringsdict ? "/a.stringsdict" : "/a.strings"
        let back = try TableConversion(other.bytes, path: name, to: .strings)
        #expect(back.losses.isEmpty)
        #expect(back.bytes == text)
    }

    @Test func aTextStaysAsItsAuthorWroteIt() throws {
        let text = "/* b first */\n\"b\"=\"1\" ;\n\n// a\na = b;\n"
        #expect(try converted(text, to: .utf16).text == text)
        #expect(try converted(TableEncoding.utf16BigEndian.bytes(of: text), to: .strings).text == text)
    }

    @Test(arguments: [TableContent.Form.xml1, .binary1, .json, .stringsdict])
    func commentsAreALossInALList(_ form: TableContent.Form) throws {
        #expect(try converted("/* c */\n\"a\" = \"1\";", to: form).losses == ["comments"])
        #expect(try converted("\"a\" = \"1\";", to: form).losses.isEmpty)
    }

    @Test func commentsAreKeptInTexts() throws {
        #expect(try converted("/* c */\n\"a\" = \"1\";\n", to: .openstep).text == "{\n/* c */\n\"a\" = \"1\";\n}\n")
    }

    static let plural = """
        <plist version="1.0"><dict><key>%d files</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@n@</string>
        <key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
        <key>NSStringFormatValueTypeKey</key><string>d</string><key>one</key><string>%d file</string>
        <key>other</key><string>%d files</string></dict></dict></dict></plist>
        """

    @Test func commentsOfAnXMLListAreALoss() throws {
        let commented = Self.plural.replacing("<key>other", with: "<!-- many --><key>other")
        for form in [TableContent.Form.json, .stringsdict] {
            #expect(try converted(commented, "a.stringsdict", to: form).losses == ["comments"])
        }
    }

    @Test func pluralFormsAreALossInAText() throws {
        let (text, losses) = try converted(Self.plural, "a.stringsdict", to: .strings)
        #expect(text == "" && losses == ["pluralForms"])
        let json = try converted(Self.plural, "a.stringsdict", to: .json)
        #expect(json.losses.isEmpty)
        let back = try TableConversion(Array(json.text.utf8), path: "/a.json", to: .stringsdict).bytes
        let original = try PropertyListReader.read(Array(Self.plural.utf8)).value
        #expect(try PropertyListReader.read(back).value == original)
    }

    @Test func aFaultyPluralEntryIsRefused() {
        let faulty = Self.plural.replacing("other", with: "many")
        let finding = #expect(throws: LintFinding.self) { try converted(faulty, "a.stringsdict", to: .json) }
        #expect(finding?.code == .malformedPlural)
    }

    private static let catalogue = """
        {"sourceLanguage": "en", "version": "1.0", "strings": {
          "Open": {"comment": "A button", "localizations": {"de": {"stringUnit": {"state": "translated", "value": "Öffnen"}}}},
          "Old": {"extractionState": "stale", "localizations": {"de": {"stringUnit": {"state": "new", "value": "Old"}}}},
          "%lld files": {"localizations": {
            "en": {"variations": {"plural": {"one": {"stringUnit": {"state": "translated", "value": "%lld file"}},
              "other": {"stringUnit": {"state": "translated", "value": "%lld files"}}}}},
            "de": {"stringUnit": {"state": "translated", "value": "%#@n@ in %@"}, "substitutions": {"n": {"argNum": 1,
              "formatSpecifier": "lld", "variations": {"plural": {"one": {"stringUnit": {"value": "%arg Datei"}},
              "other": {"stringUnit": {"value": "%arg Dateien"}}}}}}}}}}}
        """

    @Test func oneLanguageOfACatalogueIsRead() throws {
        let german = try converted(Self.catalogue, "a.xcstrings", to: .strings, language: "de")
        #expect(
            german.text
                == "/* Flag: untranslated */\n/* Flag: unmatched */\n\"Old\" = \"Old\";\n\n/* A button */\n\"Open\" = \"Öffnen\";\n"
        )
        #expect(german.losses == ["pluralForms"])
        let plural = try TableConversion(
            Array(Self.catalogue.utf8), path: "/a.xcstrings", to: .stringsdict, language: "de")
        let list = try PropertyListReader.read(plural.bytes).value
        #expect(list["%lld files"]?["NSStringLocalizedFormatKey"]?.string == "%1$#@n@ in %@")
        #expect(list["%lld files"]?["n"]?["one"]?.string == "%lld Datei")
        #expect(list["Open"]?["NSStringLocalizedFormatKey"]?.string == "Öffnen")
    }

    @Test func theSourceLanguageOfACatalogueHasTheKeys() throws {
        let english = try TableConversion(Array(Self.catalogue.utf8), path: "/a.xcstrings", to: .stringsdict)
        let list = try PropertyListReader.read(english.bytes).value
        #expect(list["Open"]?["NSStringLocalizedFormatKey"]?.string == "Open")
        #expect(list["%lld files"]?["value"]?["NSStringFormatValueTypeKey"]?.string == "lld")
        #expect(list["%lld files"]?["NSStringLocalizedFormatKey"]?.string == "%#@value@")
    }

    @Test(arguments: [
        ("a.xcstrings", "{}", "notCatalog"), ("a.xcstrings", "{\"sourceLanguage\": \"en\"", "truncated"),
        ("a.json", "{\"a\": null}", "notRepresentable"), ("a.strings", "\"a\" \"b\";", "missingSeparator"),
        ("a.strings", "<plist version=\"1.0\"><dict><key>a</key></dict></plist>", "missingValue"),
    ])
    func aFaultyTableIsNotConverted(_ name: String, _ text: String, _ code: String) {
        let finding = #expect(throws: LintFinding.self) { try converted(text, name, to: .strings) }
        #expect(finding?.code.rawValue == code)
    }

    @Test func aLanguageThatACatalogueLacksIsRefused() {
        let finding = #expect(throws: LintFinding.self) {
            try converted(Self.catalogue, "a.xcstrings", to: .strings, language: "fr")
        }
        #expect(finding?.code == .missingLanguage)
    }

    // MARK: Both tables of a catalogue

    private static let both = """
        {"sourceLanguage": "en", "version": "1.0", "strings": {
        "Open": {"comment": "A -- button -", "localizations": {"de": {"stringUnit": {"state": "needs_review", "value": "Öffnen"}}}},
        "%lld files": {"comment": "In the list -", "extractionState": "stale", "localizations": {"de": {"variations": {"plural": {
        "one": {"stringUnit": {"state": "translated", "value": "%lld Datei"}},
        "other": {"stringUnit": {"state": "translated", "value": "%lld\\nDateien"}}}}}}}}}
        """

    private func both(_ form: TableContent.Form, _ output: String) throws -> CatalogConversion {
        try CatalogConversion(
            Array(Self.both.utf8), path: "/x/a.xcstrings", to: form, output: output, language: "de")
    }

    @Test(
        "a catalogue with comments and plural forms becomes both tables", .fault(794),
        arguments: [TableContent.Form.strings, .utf16, .stringsdict])
    func aCatalogueBecomesBothTables(_ form: TableContent.Form) throws {
        let tree = try TranslationTree()
        let name = form == .stringsdict ? "T.stringsdict" : "T.strings"
        let made = try both(form, tree("d/" + name))
        #expect(made.losses.isEmpty)
        #expect(Set(made.tables.map(\.path)) == [tree("d/T.strings"), tree("d/T.stringsdict")])
        #expect(made.tables.first?.path == tree("d/" + name))
        let texts = try #require(made.tables.first { $0.path.hasSuffix(".strings") }?.bytes)
        #expect(
            TableEncoding.text(of: texts)?.text
                == "/* A -- button - */\n/* Flag: needs-review */\n\"Open\" = \"Öffnen\";\n")
        #expect(TableEncoding.text(of: texts)?.encoding == (form == .utf16 ? .utf16 : .utf8))
        let plurals = try #require(made.tables.first { $0.path.hasSuffix(".stringsdict") }?.bytes)
        let text = String(decoding: plurals, as: UTF8.self)
        #expect(text.contains("\t<!-- In the list - -->\n\t<!-- Flag: unmatched -->\n\t<key>%lld files</key>"))
        let list = try PropertyListReader.read(plurals).value
        #expect(list["%lld files"]?["value"]?["other"]?.string == "%lld\nDateien")
        #expect(list.dictionary?.count == 1)
    }

    @Test(arguments: [
        ("V „%2$@“ nalezeno %1$lld shod.", "%#@value@", "lld", "V „%2$@“ nalezeno %1$lld shod."),
        ("%@: %lld files", "%2$#@value@", "lld", "%1$@: %2$lld files"), ("%.1f kg", "%#@value@", ".1f", "%.1f kg"),
        ("%2$d in %1$@", "%2$#@value@", "d", "%2$d in %1$@"), ("many", "%#@value@", "lld", "many"),
        ("%lld of %@", "%#@value@", "lld", "%lld of %@"),
    ])
    func theNumberOfAPluralIsTheFirstArgumentThatIsOne(
        _ text: String, _ format: String, _ type: String, _ expected: String
    ) throws {
        let catalogue = Self.both.replacing("%lld\\nDateien", with: text)
        let made = try CatalogConversion(
            Array(catalogue.utf8), path: "/x/a.xcstrings", to: .stringsdict, output: "/x/T.stringsdict", language: "de")
        let entry = try PropertyListReader.read(made.tables[0].bytes).value["%lld files"]
        #expect(entry?["NSStringLocalizedFormatKey"]?.string == format)
        #expect(entry?["value"]?["NSStringFormatValueTypeKey"]?.string == type)
        #expect(entry?["value"]?["other"]?.string == expected)
    }

    @Test(
        "the state of a plural form, a device or a substitution marks the entry", .fault(882),
        arguments: [
            (#"{"variations":{"plural":{"one":<U>,"other":<T>}}}"#, true),
            (#"{"variations":{"device":{"mac":<T>,"other":<U>}}}"#, true),
            (
                #"{"stringUnit":{"state":"translated","value":"%#@a@"},"substitutions":{"a":{"variations":{"plural":{"other":<U>}}}}}"#,
                true
            ),
            (#"{"variations":{"plural":{"one":<T>,"other":<T>}}}"#, false),
        ])
    func theStateOfAFormMarksTheEntry(_ localization: String, _ isMarked: Bool) throws {
        let translated = #"{"stringUnit":{"state":"translated","value":"%lld a"}}"#
        for (state, flag) in [("new", "untranslated"), ("needs_review", "needs-review")] {
            let forms = localization.replacing("<T>", with: translated)
                .replacing("<U>", with: translated.replacing("translated", with: state))
            let catalogue = #"{"sourceLanguage":"en","strings":{"%lld a":{"localizations":{"de":\#(forms)}}}}"#
            let made = try CatalogConversion(
                Array(catalogue.utf8), path: "/x/a.xcstrings", to: .stringsdict, output: "/x/T.stringsdict",
                language: "de")
            let text = String(decoding: made.tables[0].bytes, as: UTF8.self)
            #expect(text.contains("<!-- Flag: \(flag) -->") == isMarked, "\(text)")
            #expect(try PropertyListReader.read(made.tables[0].bytes).value["%lld a"] != nil)
        }
    }

    @Test func aCommentIsAllowedInXML() throws {
        let catalogue = Self.both.replacing("In the list -", with: "a---b\\nc<&>--")
        let made = try CatalogConversion(
            Array(catalogue.utf8), path: "/x/a.xcstrings", to: .stringsdict, output: "/x/T.stringsdict", language: "de")
        let text = String(decoding: made.tables[0].bytes, as: UTF8.self)
        #expect(text.contains("<!-- a- - -b\nc<&>- - -->"))
        #expect(try PropertyListReader.read(made.tables[0].bytes).value["%lld files"] != nil)
    }

    @Test func entriesOfTheOtherTableAreNotLostInSilence() throws {
        let tree = try TranslationTree(["d/T.stringsdict": Self.plural])
        let made = try both(.strings, tree("d/T.strings"))
        #expect(made.losses.map(\.code) == [.replacedEntries] && made.losses.first?.subject == "%d files")
        // The table that was named is the caller's to replace, and the same entries are no loss.
        try tree.write("d/T.stringsdict", made.tables[1].bytes)
        try tree.write("d/T.strings", "\"old\" = \"x\";")
        #expect(try both(.strings, tree("d/T.strings")).losses.isEmpty)
        try tree.write("d/T.stringsdict", "<plist>")
        #expect(throws: LintFinding.self) { try both(.strings, tree("d/T.strings")) }
    }
}

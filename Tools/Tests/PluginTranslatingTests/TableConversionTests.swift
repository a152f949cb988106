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
}

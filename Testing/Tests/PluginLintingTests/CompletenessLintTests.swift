import Testing

@_spi(Tools) @testable import PluginLinting

/// With `requiresAllTexts`, every localisation has a text for every key of every table.
@Suite struct CompletenessLintTests {
    private func gaps(info: String = LintFixture.english, _ resources: [String: String]) throws -> [String] {
        var linter = BundleLinter()
        linter.requiresAllTexts = true
        return try LintFixture(info: info, resources).findings(linter).filter { $0.contains(" missingText ") }
    }

    @Test func aTextThatOneLocalisationLacksIsAnErrorInEachDirection() throws {
        let found = try gaps([
            "en.lproj/Localizable.strings": "\"One word\" = \"One word\";\n\"a\" = \"A\";\n",
            "fr.lproj/Localizable.strings": "\"Two words\" = \"Deux mots\";\n\"a\" = \"\";\n",
            "fr.lproj/Only.strings": "\"b\" = \"B\";\n",
        ])
        #expect(
            found.sorted() == [
                "en.lproj error missingText b", "en.lproj/Localizable.strings error missingText Two words",
                "fr.lproj/Localizable.strings error missingText One word",
                "fr.lproj/Localizable.strings error missingText a",
            ])
    }

    @Test func broaderLocalisationsBaseAndPluralRulesSupplyTexts() throws {
        let plural = """
            <key>n</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@x@</string><key>x</key><dict>
            <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
            <key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key><string>%d</string></dict></dict>
            """
        let found = try gaps([
            "Base.lproj/Localizable.strings": "\"b\" = \"B\";\n",
            "en.lproj/Localizable.strings": "\"a\" = \"A\";\n\"n\" = \"%d\";\n",
            "pt.lproj/Localizable.strings": "\"a\" = \"A\";\n\"b\" = \"B\";\n",
            "pt.lproj/Localizable.stringsdict": LintFixture.list(plural),
            "pt-BR.lproj/Localizable.strings": "\"a\" = \"Á\";\n",
        ])
        #expect(found.isEmpty, "\(found)")
    }

    @Test func aNibHasTheTextsOfItsOwnLanguage() throws {
        let nib = "<document type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\" version=\"3.0\"><objects/></document>"
        let table = "\"1.title\" = \"Titre\";\n"
        let original = try gaps([
            "Base.lproj/Card.xib": nib, "en.lproj/Localizable.strings": "", "de.lproj/Localizable.strings": "",
            "fr.lproj/Card.strings": table,
        ])
        #expect(original == ["de.lproj error missingText 1.title"])
        let german = try gaps([
            "Card.xib": nib, "en.lproj/Localizable.strings": "", "de.lproj/Card.xib": nib,
            "fr.lproj/Card.strings": table,
        ])
        #expect(german.isEmpty, "\(german)")
    }

    @Test func spacesAreATextAndTheDefaultLooksForNoGaps() throws {
        let resources = [
            "en.lproj/Localizable.strings": "\"a\" = \"\";\n\"b c\" = \" \";\n",
            "fr.lproj/Localizable.strings": "\"b c\" = \"B\";\n\"d e\" = \"D\";\n",
        ]
        #expect(try gaps(resources) == ["en.lproj/Localizable.strings error missingText d e"])
        #expect(try LintFixture(resources).findings().allSatisfy { !$0.contains("missingText") })
    }
}

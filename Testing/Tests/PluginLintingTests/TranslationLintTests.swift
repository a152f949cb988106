import Testing

@_spi(Tools) @testable import PluginLinting

@Suite struct TranslationLintTests {
    @Test func tablesThatAgreeHaveNoFindings() throws {
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": "\"of\" = \"%@ of %d\";\n\"ok\" = \"OK\";\n",
            "fr.lproj/Localizable.strings": "\"of\" = \"%2$d de %1$@\";\n\"ok\" = \"OK\";\n",
        ])
        #expect(try fixture.findings().isEmpty)
        #expect(try fixture.report().files.count == 3)
    }

    @Test func anEntryThatATranslationLacksIsReported() throws {
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": "\"a\" = \"1\";\n\"b\" = \"2\";\n",
            "fr.lproj/Localizable.strings": "\"a\" = \"1\";\n",
        ])
        #expect(try fixture.findings() == ["fr.lproj/Localizable.strings warning missingEntry b"])
        let related = try fixture.report().findings[0].related
        #expect(related.map(\.place?.line) == [2])
        #expect(related.first?.filePath.hasSuffix("en.lproj/Localizable.strings") == true)
    }

    @Test func anEntryThatOnlyATranslationHasIsReported() throws {
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": "\"a\" = \"1\";\n",
            "fr.lproj/Localizable.strings": "\"a\" = \"1\";\n\"b\" = \"2\";\n",
        ])
        #expect(try fixture.findings() == ["fr.lproj/Localizable.strings:2:1 warning extraEntry b"])
    }

    @Test func withoutTheDevelopmentRegionAllTablesCount() throws {
        let fixture = try LintFixture([
            "de.lproj/Localizable.strings": "\"a\" = \"1\";\n\"b\" = \"2\";\n",
            "fr.lproj/Localizable.strings": "\"a\" = \"1\";\n\"c\" = \"3\";\n",
        ])
        let found = try fixture.findings()
        #expect(found.contains("de.lproj/Localizable.strings warning missingEntry c"))
        #expect(found.contains("fr.lproj/Localizable.strings warning missingEntry b"))
        #expect(found.contains("Info.plist:5:1 note missingLanguage en"))
        #expect(found.count == 3)
    }

    @Test func entriesOfABroaderLocalisationAreNotMissing() throws {
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": "\"a\" = \"1\";\n\"b\" = \"2\";\n",
            "en.lproj/Other.strings": "\"a\" = \"1\";\n",
            "en-GB.lproj/Localizable.strings": "\"b\" = \"3\";\n",
        ])
        #expect(try fixture.findings().isEmpty)
    }

    @Test func withoutADevelopmentRegionEnglishIsTheOriginal() throws {
        let fixture = try LintFixture(
            info: "",
            [
                "ar.lproj/A.strings": "\"k\" = \"%@\";\n", "en.lproj/A.strings": "\"k\" = \"%d\";\n",
                "fr.lproj/A.strings": "\"k\" = \"%d\";\n",
            ])
        #expect(try fixture.findings().last == "ar.lproj/A.strings:1:1 error placeholderMismatch k")
        #expect(try fixture.findings().count == 2)
    }

    @Test func aKeyThatIsATextIsTheOriginal() throws {
        let fixture = try LintFixture(
            info: "",
            [
                "de.lproj/A.strings": "\"%d of it\" = \"%@\";\n\"b c\" = \"x\";\n",
                "fr.lproj/A.strings": "\"%d of it\" = \"%@\";\n\"b c\" = \"x\";\n",
            ])
        #expect(try fixture.findings().count { $0.hasSuffix("placeholderMismatch %d of it") } == 2)
    }

    @Test func theMajorityOfLocalisationsIsTheOriginalOfTheRest() throws {
        var files = ["ar": "%@", "de": "%d", "fr": "%d", "ja": "%d"]
        #expect(try mismatches(files) == ["ar.lproj/A.strings:1:1 error placeholderMismatch k"])
        files["ja"] = "%@"
        // Nobody knows which of them are right.
        #expect(try mismatches(files).isEmpty)
    }

    private func mismatches(_ texts: [String: String]) throws -> [String] {
        let files = texts.map { ("\($0.key).lproj/A.strings", "\"k\" = \"\($0.value)\";\n") }
        let fixture = try LintFixture(info: "", Dictionary(uniqueKeysWithValues: files))
        return try fixture.findings().filter { $0.contains("placeholder") }
    }

    @Test func theOriginalOfAReasonForAPermissionIsInInfoPlist() throws {
        let reasons = """
            <key>PHPermissions</key><dict><key>network</key><string>any</string>
            <key>reasons</key><dict><key>network</key><string>To fetch fonts.</string></dict></dict>
            """
        let fixture = try LintFixture(
            info: LintFixture.english + reasons,
            [
                "en.lproj/InfoPlist.strings": "\"CFBundleName\" = \"Writer\";\n",
                "de.lproj/InfoPlist.strings":
                    "\"CFBundleName\" = \"Schreiber\";\n\"PHPermissions.network\" = \"Um Schriften zu holen.\";\n"
                    + "\"PHPermissions.files\" = \"Um Noten zu lesen.\";\n",
            ])
        #expect(
            try fixture.findings().filter { $0.contains("extraEntry") }
                == ["de.lproj/InfoPlist.strings:3:1 warning extraEntry PHPermissions.files"])
    }

    @Test func anEntryThatTheOriginalLacksIsOneGap() throws {
        let translation = "\"a\" = \"1\";\n\"b\" = \"2\";\n"
        let fixture = try LintFixture([
            "en.lproj/A.strings": "\"a\" = \"1\";\n", "de.lproj/A.strings": translation,
            "fr.lproj/A.strings": translation, "it.lproj/A.strings": translation + "\"c\" = \"3\";\n",
        ])
        let expected = ["en.lproj/A.strings note missingEntry b", "it.lproj/A.strings:3:1 warning extraEntry c"]
        #expect(try fixture.findings() == expected)
    }

    @Test(arguments: ["EAn-Ja-S1d.text", "6JHJJP"]) func anObjectOfAnInterfaceFileHasItsOriginalThere(key: String)
        throws
    {
        let fixture = try LintFixture([
            "en.lproj/A.strings": "\"a\" = \"1\";\n", "de.lproj/A.strings": "\"a\" = \"1\";\n\"\(key)\" = \"2\";\n",
        ])
        #expect(try fixture.findings().isEmpty)
    }

    @Test func aNameThatMostTranslationsKeepIsNotNoted() throws {
        let table = "\"a\" = \"Face Time\";\n\"b\" = \"Four words are no name\";\n"
        let files = ["en", "de", "fr", "it"].map { ("\($0).lproj/A.strings", table) }
        let found = try LintFixture(Dictionary(uniqueKeysWithValues: files)).findings()
        #expect(found == ["de", "fr", "it"].map { "\($0).lproj/A.strings:2:1 note untranslated b" })
    }

    @Test(arguments: [("%A %d %B", "%d. %B"), ("% of screen", "%-a des Schirms"), ("%d %A", "%A %d. %B")])
    func datesAndProseTakeNoArguments(original: String, translation: String) throws {
        let fixture = try LintFixture([
            "en.lproj/A.strings": "\"k\" = \"\(original)\";\n", "de.lproj/A.strings": "\"k\" = \"\(translation)\";\n",
        ])
        #expect(try fixture.findings().isEmpty)
    }

    @Test func pluralRulesAreEntriesOfTheirTable() throws {
        let rules = """
            <key>n</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@v@</string><key>v</key><dict>
            <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
            <key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key><string>%d x</string></dict></dict>
            """
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": "\"n\" = \"%d x\";\n",
            "ja.lproj/Localizable.stringsdict": LintFixture.list(rules),
            "ko.lproj/Localizable.stringsdict": LintFixture.list(
                rules.replacing(">d<", with: ">@<").replacing("%d", with: "%@")),
        ])
        let expected = ["ko.lproj/Localizable.stringsdict:3:1 error placeholderMismatch n"]
        #expect(try fixture.findings() == expected)
    }

    @Test(
        .fault(103),
        arguments: [
            ("%@", "%d", LintFinding.Severity.error), ("%@", "%@ %@", .error), ("%@ %@", "%@", .warning),
            ("%d", "%f", .error),
            ("{host}", "{hots}", .warning), ("%s", "%@", .error), ("%c", "%d", .error),
        ])
    func placeholdersThatDifferAreReported(original: String, translation: String, severity: LintFinding.Severity) throws
    {
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": "\"k\" = \"\(original)\";\n",
            "fr.lproj/Localizable.strings": "\n\"k\" = \"\(translation)\";\n",
        ])
        #expect(try fixture.findings() == ["fr.lproj/Localizable.strings:2:1 \(severity) placeholderMismatch k"])
    }

    @Test(arguments: [("%@ %@", "%2$@ %1$@"), ("%d", "%lu"), ("%d%%", "%d %%"), ("%@", "%1$@ %1$@"), ("50 %", "50")])
    func placeholdersThatAgreeAreNotReported(original: String, translation: String) throws {
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": "\"k\" = \"\(original)\";\n",
            "fr.lproj/Localizable.strings": "\"k\" = \"\(translation)\";\n",
        ])
        #expect(try fixture.findings().isEmpty)
    }

    @Test func aTextThatWasNotTranslatedIsNoted() throws {
        let table = "\"a\" = \"Not translated\";\n\"b\" = \"OK\";\n"
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": table, "fr.lproj/Localizable.strings": table,
            "en-GB.lproj/Localizable.strings": table,
        ])
        #expect(try fixture.findings() == ["fr.lproj/Localizable.strings:1:1 note untranslated a"])
    }

    @Test(arguments: [
        ("Two words", true), ("Word", false), ("%@ of %lld", false), ("{number} {unit}", false), ("12 %", false),
        ("これは翻訳されていない長い文章です", true), ("https://x.y", false), ("A to B", false),
        ("Duck.ai", false), ("AcceptRecommendedBolus", false),
    ])
    func moreThanAWordWouldBeTranslated(text: String, isExpected: Bool) {
        #expect(TranslationLint.wouldBeTranslated(text) == isExpected)
    }
}

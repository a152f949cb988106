import PluginHost
import Testing

@_spi(Tools) @testable import PluginLinting

@Suite struct LanguageLintTests {
    @Test func resourcesTooDeepInDirectoriesAreReportedAndTheOthersAreStillLinted() throws {
        let deep = String(repeating: "d/", count: 17)
        let fixture = try LintFixture([deep + "deep.strings": "\"a\" ", "near.strings": "\"a\" "])
        let found = try fixture.findings()
        #expect(found.contains("\(deep.dropLast()) warning tooManyFiles -"))
        #expect(found.contains { $0.hasPrefix("near.strings:") })
        #expect(!found.contains { $0.hasPrefix(deep) })
    }

    @Test func aDeclaredLanguageWithoutADirectoryIsReported() throws {
        let info =
            """
            \(LintFixture.english)
            <key>CFBundleLocalizations</key>
            <array><string>en</string><string>fr</string></array>
            """
        let fixture = try LintFixture(info: info, ["English.lproj/Localizable.strings": ""])
        #expect(try fixture.findings() == ["Info.plist:7:1 warning missingLanguage fr"])
    }

    @Test func aBundleWithoutDirectoriesMayDeclareLanguages() throws {
        let info = "<key>CFBundleLocalizations</key><array><string>fr</string></array>"
        #expect(try LintFixture(info: info, ["a.txt": ""]).findings().isEmpty)
    }

    @Test func aMissingDevelopmentRegionIsNoted() throws {
        let fixture = try LintFixture(info: "", ["fr.lproj/Localizable.strings": ""])
        #expect(try fixture.findings() == ["Info.plist note missingLanguage CFBundleDevelopmentRegion"])
    }

    @Test(arguments: ["en", "en_US", "English", "en-GB"]) func aDevelopmentRegionIsFoundByItsLanguage(region: String)
        throws
    {
        let info = "<key>CFBundleDevelopmentRegion</key><string>\(region)</string>"
        let fixture = try LintFixture(
            info: info,
            ["en.lproj/A.strings": "\"a\" = \"1\";", "fr.lproj/A.strings": "\"b\" = \"1\";"])
        let expected = ["fr.lproj/A.strings warning missingEntry a", "fr.lproj/A.strings:1:1 warning extraEntry b"]
        #expect(try fixture.findings() == expected)
    }

    @Test(.fault(291)) func aDirectoryThatIsNotALanguageIsReported() throws {
        let fixture = try LintFixture([
            "en.lproj/a.txt": "", "x y.lproj/a.txt": "", "Base.lproj/a.txt": "", "xyzzy.lproj/a.txt": "",
            "qz.lproj/a.txt": "", "brasilportuguese.lproj/a.txt": "",
        ])
        let unknown = ["brasilportuguese", "qz", "x y", "xyzzy"]
        #expect(try fixture.findings() == unknown.map { "\($0).lproj warning unknownLanguage \($0)" })
    }

    @Test func languagesOfEveryRegisterAreKnown() throws {
        let names = [
            "de", "sr_Latn", "zh-Hant-HK", "Hungarian", "TraditionalChinese", "dag", "szl", "iw", "tlh", "qqq", "en",
        ]
        let fixture = try LintFixture(Dictionary(uniqueKeysWithValues: names.map { ("\($0).lproj/a.txt", "") }))
        #expect(try fixture.findings().isEmpty)
    }

    @Test func oneLanguageInTwoDirectoriesIsReported() throws {
        let fixture = try LintFixture(["English.lproj/a.txt": "", "en.lproj/a.txt": ""])
        #expect(try fixture.findings() == ["en.lproj warning duplicateLanguage en"])
    }

    /// A variant is another language, which its language supplies.
    @Test(.fault(785)) func aVariantIsNotTheLanguageWithoutIt() throws {
        let fixture = try LintFixture([
            "ca.lproj/A.strings": "a = 1; b = 2;", "ca-valencia.lproj/A.strings": "a = 1;", "de.lproj/a.txt": "",
            "de-1901.lproj/a.txt": "", "ca_ES@valencia.lproj/a.txt": "",
        ])
        #expect(
            try fixture.findings().filter { $0.contains("duplicateLanguage") } == [
                "ca_ES@valencia.lproj warning duplicateLanguage ca_ES@valencia"
            ])
        #expect(try !fixture.findings().contains { $0.contains("missingEntry") })
    }

    @Test func aTableThatALocalisationLacksIsReported() throws {
        let fixture = try LintFixture([
            "en.lproj/A.strings": "a = 1;", "en.lproj/sub/B.strings": "b = 1;", "fr.lproj/A.strings": "a = 1;",
            "fr-CA.lproj/a.txt": "", "Base.lproj/a.txt": "", "de.lproj/A.strings": "a = 1;",
            "de.lproj/sub/B.strings": "b = 1;",
        ])
        let expected = ["fr-CA.lproj warning missingTable sub/B", "fr.lproj warning missingTable sub/B"]
        #expect(try fixture.findings() == expected)
    }

    @Test func aTableThatNobodyTranslatesOrFewHaveIsNotMissing() throws {
        let fixture = try LintFixture([
            "en.lproj/A.strings": "a = 1;", "de.lproj/B.strings": "b = 1;", "fr.lproj/a.txt": "", "it.lproj/a.txt": "",
            "qqq.lproj/a.txt": "",
        ])
        #expect(try fixture.findings().isEmpty)
    }

    @Test func infoListIsInTheDevelopmentLanguage() throws {
        let fixture = try LintFixture([
            "en.lproj/Localizable.strings": "", "fr.lproj/Localizable.strings": "",
            "fr.lproj/InfoPlist.strings": "\"CFBundleIdentifier\" = \"x\";",
        ])
        #expect(try fixture.findings().isEmpty)
    }

    @Test func aHiddenTableIsReported() throws {
        let fixture = try LintFixture(["Localizable.strings": "", "en.lproj/Localizable.strings": ""])
        #expect(try fixture.findings() == ["en.lproj/Localizable.strings warning hiddenTable Localizable"])
    }

    @Test func nestedBundlesAndLinkedDirectoriesAreLeftOut() throws {
        let fixture = try LintFixture(["en.lproj/a.txt": "", "Inner.bundle/Bad.strings": "= = ;", "sub/Bad.plist": "{"])
        try fixture.tree.link("X.bundle/Contents/Resources/loop", to: "..")
        #expect(try fixture.findings() == ["sub/Bad.plist:1:1 error truncated -"])
    }

    @Test(.fault(22)) func aBundleWithoutAnInfoListIsReported() throws {
        let tree = try TemporaryTree(["Y.bundle/Contents/Resources/en.lproj/A.strings": "= ;"])
        let report = BundleLinter().lint(try PluginBundle.open(path: tree("Y.bundle")))
        #expect(report.findings.map(\.code.rawValue) == ["manifestUnreadable", "unexpectedCharacter"])
    }

    @Test func anInfoListIsReadAgain() throws {
        let fixture = try LintFixture([:])
        let bundle = try PluginBundle.open(path: fixture.path)
        try fixture.tree.write("X.bundle/Contents/Info.plist", "<plist><dict><string/></dict></plist>")
        #expect(BundleLinter().lint(bundle).findings.map(\.code.rawValue) == ["keyNotString"])
    }
}

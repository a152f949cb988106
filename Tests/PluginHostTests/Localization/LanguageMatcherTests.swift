import Testing

@testable import PluginHost

@Suite("LanguageMatcher")
struct LanguageMatcherTests {
    /// One row of the table: available localisations, the user's languages, the localisations to use.
    struct Row: Sendable, CustomTestStringConvertible {
        let available: [String]
        let preferences: [String]
        let expected: [String]

        var testDescription: String { "\(available) for \(preferences)" }
    }

    static let rows: [Row] = {
        let table = try? textFile("../Fixtures/localization-matching.tsv")
        return (table ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { $0.split(separator: ",").map(String.init) }
            return Row(available: columns[0], preferences: columns[1], expected: columns[2])
        }
    }()

    @Test func theTableIsRead() {
        #expect(Self.rows.count == 75)
    }

    @Test(arguments: rows)
    func theTableIsMet(_ row: Row) {
        #expect(
            LanguageMatcher.preferredLocalizations(from: row.available, forPreferences: row.preferences)
                == row.expected)
    }

    @Test func theDevelopmentRegionComesBeforeEnglishAsLastResort() {
        func preferred(_ available: [String], _ region: String?) -> [String] {
            LanguageMatcher.preferredLocalizations(from: available, forPreferences: ["xx"], developmentRegion: region)
        }
        #expect(preferred(["en", "fr", "de"], "de") == ["de"])
        #expect(preferred(["en", "fr", "German"], "de") == ["German"])
        #expect(preferred(["fr", "en", "de"], "it") == ["en"])
        #expect(preferred(["fr", "English"], nil) == ["English"])
        #expect(preferred(["fr", "de"], "it") == ["fr"])
        #expect(preferred([], "it") == ["it"])
    }

    @Test func baseStandsForTheDevelopmentRegion() {
        func preferred(_ available: [String], _ languages: [String]) -> [String] {
            LanguageMatcher.preferredLocalizations(
                from: available, forPreferences: languages, developmentRegion: "en")
        }
        #expect(preferred(["Base", "fr"], ["en", "fr"]) == ["Base"])
        #expect(preferred(["Base", "fr"], ["fr", "en"]) == ["fr"])
        #expect(preferred(["Base", "en", "fr"], ["en"]) == ["en"])
        #expect(preferred(["Base", "English", "fr"], ["en"]) == ["English"])
    }

    /// What Apple's header for the matcher gives as examples.
    @Test(arguments: [
        ("zh_CN,zh_TW,zh_HK,zh_MO", "zh-Hant-MO", "zh_MO,zh_HK,zh_TW"),
        ("zh_CN,zh_TW,zh_HK", "zh-Hant-HK", "zh_HK,zh_TW"),
        ("zh_Hans,zh_Hant,zh_Hant_HK", "zh-HK", "zh_Hant_HK,zh_Hant"),
        ("zh_CN,zh_TW,zh_Hans,zh_Hant", "zh-CN", "zh_CN,zh_Hans"),
        ("zh_Hans,zh_Hant", "zh-SG", "zh_Hans"),
        ("en,en_AU,en_GB,en_001", "en-AU", "en_AU,en_GB,en_001,en"),
        ("en,en_AU,en_GB", "en-IL", "en"),
        ("en,en_AU,en_GB", "en-FR", "en_GB,en"),
        ("en,en_GB,en_001,en_150", "en-FR", "en_150,en_GB,en_001,en"),
        ("es,es_419,es_MX", "es-MX", "es_MX,es_419,es"),
        ("es,es_MX", "es-AR", "es"),
        ("es,es_419", "es-AR", "es_419,es"),
        ("pt,pt_BR", "pt-PT", "pt"),
        ("pt,pt_PT", "pt-MO", "pt_PT,pt"),
    ])
    func theExamplesAreMet(_ available: String, _ language: String, _ expected: String) {
        #expect(
            LanguageMatcher.preferredLocalizations(
                from: available.split(separator: ",").map(String.init), forPreferences: [language])
                == expected.split(separator: ",").map(String.init))
    }

    @Test func anotherRegionYieldsToALaterLanguageThatIsThere() {
        #expect(
            LanguageMatcher.preferredLocalizations(from: ["fr-FR", "fr-CA"], forPreferences: ["fr-CH", "fr-CA"])
                == ["fr-CA"])
        #expect(
            LanguageMatcher.preferredLocalizations(from: ["fr", "fr-CA"], forPreferences: ["fr-CH", "fr-CA"]) == ["fr"])
    }

    @Test func brazilianServesAPortugueseReaderOnlyAtLast() {
        #expect(
            LanguageMatcher.preferredLocalizations(from: ["pt-BR", "es"], forPreferences: ["pt-PT", "es"]) == ["es"])
        #expect(LanguageMatcher.preferredLocalizations(from: ["en", "pt-BR"], forPreferences: ["pt-PT"]) == ["pt-BR"])
    }

    @Test func scriptsWithoutACommonParentDoNotMatch() {
        for (available, language) in [
            ("sr", "sr-ME"), ("uz", "uz-Cyrl"), ("pa", "pa-PK"), ("az", "az-IR"), ("yue", "en"),
        ] {
            #expect(LanguageMatcher.localizations(for: language, from: [available]) == [])
        }
        #expect(LanguageMatcher.localizations(for: "sr-ME", from: ["sr-Latn"]) == ["sr-Latn"])
        #expect(LanguageMatcher.localizations(for: "yue", from: ["zh-Hans", "zh-Hant"]) == ["zh-Hant"])
    }

    @Test func namesThatAreNoLanguagesMatchThemselves() {
        #expect(LanguageMatcher.preferredLocalizations(from: ["en", "1337"], forPreferences: ["1337"]) == ["1337"])
        #expect(
            LanguageMatcher.preferredLocalizations(from: ["en", "Klingon"], forPreferences: ["klingon"]) == ["Klingon"])
    }
}

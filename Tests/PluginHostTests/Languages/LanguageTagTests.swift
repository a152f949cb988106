import Testing

@_spi(Tools) @testable import PluginHost

@Suite("LanguageTag")
struct LanguageTagTests {
    @Test(arguments: [
        ("fr", "fr"), ("FR", "fr"), ("fr_FR.UTF-8", "fr-FR"), ("fr-fr", "fr-FR"), ("sr_RS@latin", "sr-Latn-RS"),
        ("sr_RS.UTF-8@latin", "sr-Latn-RS"), ("uz_UZ@cyrillic", "uz-Cyrl-UZ"), ("de_DE@euro", "de-DE"),
        ("zh_hant_hk", "zh-Hant-HK"), ("es-419", "es-419"), ("zh-yue-HK", "yue-HK"), ("zh-u-co-pinyin", "zh"),
        ("de-DE-1996", "de-DE"), ("ca_ES@valencia", "ca-ES"), ("ja-JP-x-private", "ja-JP"), ("English", "english"),
        ("en__POSIX", "en"),
    ])
    func tagsAreReadHoweverTheyAreWritten(_ text: String, _ expected: String) {
        #expect(LanguageTag(text)?.description == expected)
    }

    @Test(arguments: ["", "a", "1337", "-", "_US", "x-y", "..", "é", "areallylongnameofalanguage"])
    func aNameThatIsNotALanguageIsRefused(_ text: String) {
        #expect(LanguageTag(text) == nil)
    }

    @Test(arguments: [
        ("iw", "he"), ("in", "id"), ("ji", "yi"), ("jw", "jv"), ("mo", "ro"), ("tl", "fil"), ("sh", "sr-Latn"),
        ("English", "en"), ("chinese", "zh"), ("Hungarian", "hu"), ("TraditionalChinese", "zh-Hant"),
        ("BrazilianPortuguese", "pt-BR"), ("Farsi", "fa"), ("NorwegianBokmal", "nb"), ("Esperanto", "eo"),
        ("Norwegian", "nb"), ("eng", "en"), ("deu", "de"), ("zho", "zh"),
        ("zh-TW", "zh-Hant-TW"), ("zh-CN", "zh-CN"), ("zh-Hans", "zh"), ("zh-Hant", "zh-Hant"), ("sr-Cyrl", "sr"),
        ("sr-Latn", "sr-Latn"), ("sr-ME", "sr-Latn-ME"), ("en-Latn-US", "en-US"), ("en-UK", "en-GB"), ("ur-Aran", "ur"),
        ("ja-Jpan", "ja"), ("az-IR", "az-Arab-IR"),
    ])
    func equalLanguagesHaveOneCanonicalForm(_ text: String, _ expected: String) {
        #expect(LanguageTag(text)?.canonical.description == expected)
    }

    @Test(arguments: [
        ("es-MX", ["es-MX", "es-419", "es"]), ("pt-AO", ["pt-AO", "pt-PT", "pt"]),
        ("en-AU", ["en-AU", "en-GB", "en-001", "en"]),
        ("en-NZ", ["en-NZ", "en-AU", "en-GB", "en-001", "en"]), ("en-US", ["en-US", "en"]),
        ("en-IL", ["en-IL", "en-001", "en"]),
        ("zh-MO", ["zh-Hant-MO", "zh-Hant-HK", "zh-Hant"]), ("zh-Hant", ["zh-Hant"]),
        ("sr-Latn-RS", ["sr-Latn-RS", "sr-Latn"]),
        ("nb", ["nb", "no"]), ("fr", ["fr"]),
    ])
    func parentsFollowCLDR(_ text: String, _ expected: [String]) {
        #expect(LanguageTag(text)?.canonical.ancestry.map(\.description) == expected)
    }

    @Test func parentsGoInNoCirclesAndAreCanonical() throws {
        let regional = [
            ("en", LanguageData.englishParents), ("es", LanguageData.spanishParents),
            ("pt", LanguageData.portugueseParents),
        ]
        for (language, table) in regional {
            for (parent, region) in table.entries {
                let child = LanguageTag(language: language, region: region)
                #expect(child.canonical == child)
                #expect(child.ancestry.count <= 5, "\(child)")
                #expect(child.ancestry.last?.description == language)
                let tag = try #require(LanguageTag(parent))
                #expect(tag.canonical == tag)
            }
        }
    }

    @Test func aliasesLeadToCodesInUse() throws {
        for language in ["iw", "sh", "mo", "tl", "deu", "cmn", "cnr", "prs", "english", "norwegian"] {
            let alias = try #require(LanguageData.alias(of: language).flatMap { LanguageTag($0) })
            #expect(LanguageData.alias(of: alias.language) == nil)
        }
        #expect(LanguageData.alias(of: "fr") == nil)
    }
}

import Testing

@testable import BundleReading

@Suite("LanguageTag")
struct LanguageTagTests {
    @Test(arguments: [
        ("fr", "fr"), ("FR", "fr"), ("fr_FR.UTF-8", "fr-FR"), ("fr-fr", "fr-FR"), ("sr_RS@latin", "sr-Latn-RS"),
        ("sr_RS.UTF-8@latin", "sr-Latn-RS"), ("uz_UZ@cyrillic", "uz-Cyrl-UZ"), ("de_DE@euro", "de-DE"),
        ("zh_hant_hk", "zh-Hant-HK"), ("es-419", "es-419"), ("zh-yue-HK", "yue-HK"), ("zh-u-co-pinyin", "zh"),
        ("de-DE-1996", "de-DE-1996"), ("ca_ES@valencia", "ca-ES-valencia"), ("ja-JP-x-private", "ja-JP"),
        ("English", "english"),
        ("en__POSIX", "en"), ("en-US-posix", "en-US"), ("sl_IT.UTF-8@nedis", "sl-IT-nedis"),
        ("be_BY@tarask", "be-BY-tarask"),
        ("SL-Rozaj-BISKE-1994", "sl-rozaj-biske-1994"), ("ca-valencia-Valencia", "ca-valencia"),
        ("ca-valencia-u-co-phonebk", "ca-valencia"), ("zh_TW@pinyin", "zh-TW"), ("sr-Latn-ekavsk", "sr-Latn-ekavsk"),
        ("de-123", "de-123"), ("de-12345678-123456789", "de-12345678"), ("ca-val", "val"), ("fr-abc1", "fr"),
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
        ("ja-Jpan", "ja"), ("az-IR", "az-Arab-IR"), ("ca_ES@valencia", "ca-valencia"), ("de-DE-1901", "de-1901"),
        ("de-AT-1901", "de-AT-1901"), ("zh-TW-pinyin", "zh-Hant-pinyin"), ("deu-1901", "de-1901"),
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
        ("nb", ["nb", "no"]), ("fr", ["fr"]), ("ca_ES@valencia", ["ca-valencia", "ca"]),
        ("sl-rozaj-biske", ["sl-rozaj-biske", "sl-rozaj", "sl"]),
        ("de-CH-1901", ["de-CH-1901", "de-CH", "de-1901", "de"]), ("zh-Hant-pinyin", ["zh-Hant-pinyin", "zh-Hant"]),
    ])
    func parentsFollowCLDR(_ text: String, _ expected: [String]) {
        #expect(LanguageTag(text)?.canonical.ancestry.map(\.description) == expected)
    }

    @Test(arguments: [
        ["zh-CN", "zh-Hans", "zh", "zh-Hans-CN", "zh_CN.UTF-8", "Chinese"], ["zh-TW", "zh-Hant", "zh-Hant-TW"],
        ["no", "nb", "nb-NO", "Norwegian"], ["sr-RS@latin", "sr-Latn", "sr-Latn-RS", "sh"], ["pt", "pt-BR"],
        ["en", "en-US", "English"], ["ca-valencia", "ca_ES@valencia"], ["iw", "he-IL"],
    ])
    func namesThatOtherSystemsGiveToOneLanguageAreLikelyTheSame(_ names: [String]) {
        #expect(Set(names.compactMap { LanguageTag($0)?.likely }).count == 1)
    }

    @Test func otherLanguagesAreNotLikelyTheSame() {
        let names = [
            "zh-Hans", "zh-Hant", "zh-HK", "nb", "nn", "sr", "sr-Latn", "sr-ME", "pt-BR", "pt-PT", "es", "es-419",
            "es-MX",
            "en", "en-GB", "ca", "ca-valencia", "de", "de-1901", "de-AT", "de-AT-1901",
        ]
        #expect(Set(names.compactMap { LanguageTag($0)?.likely }).count == names.count)
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

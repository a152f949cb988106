import TestSupport
import Testing

@testable import BundleReading

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

    @Test func baseRepresentsTheDevelopmentRegion() {
        func preferred(_ available: [String], _ languages: [String]) -> [String] {
            LanguageMatcher.preferredLocalizations(
                from: available, forPreferences: languages, developmentRegion: "en")
        }
        #expect(preferred(["Base", "fr"], ["en", "fr"]) == ["Base"])
        #expect(preferred(["Base", "fr"], ["fr", "en"]) == ["fr"])
        #expect(preferred(["Base", "en", "fr"], ["en"]) == ["en"])
        #expect(preferred(["Base", "English", "fr"], ["en"]) == ["English"])
    }

    /// The examples in Apple's header for the matcher.
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

    /// Scripts, parents and aliases of CLDR 46: likelySubtags, parentLocales, languageAlias.
    ///
    /// A result `en` for another language is the last resort: nothing matched.
    @Test(arguments: [
        // Scripts that the region implies, and scripts without a common parent.
        ("en,zh-Hant", "zh_Hant_MO", "zh-Hant"), ("en,zh-Hans,zh-Hant-HK", "zh-MO", "zh-Hant-HK"),
        ("en,zh-Hans,zh-Hant", "zh-AU", "zh-Hant"), ("en,zh-Hans,zh-Hant", "zh-Hans-HK", "zh-Hans"),
        ("en,zh-Hant-HK", "zh-TW", "zh-Hant-HK"), ("en,zh-Hans,zh-Hant", "zh-SG", "zh-Hans"),
        ("en,sr,sr-Latn", "sr-Cyrl-ME", "sr"), ("en,sr,sr-Latn", "sr-ME", "sr-Latn"), ("en,sr", "sr-ME", "en"),
        ("en,sr,sr-Latn", "sr-XK", "sr"), ("en,sr-Latn", "sr-BA", "en"), ("en,sr-Cyrl", "sr", "sr-Cyrl"),
        ("en,az", "az-Arab", "en"), ("en,az,az-Cyrl", "az-RU", "az-Cyrl"), ("en,az-Arab", "az-IR", "az-Arab"),
        ("en,uz,uz-Cyrl", "uz-Cyrl-UZ", "uz-Cyrl"), ("en,uz", "uz-AF", "en"), ("en,pa-Arab", "pa-PK", "pa-Arab"),
        ("en,pa", "pa-Guru-IN", "pa"), ("en,bs", "bs-Cyrl", "en"), ("en,mn", "mn-CN", "en"),
        ("en,kk", "kk-CN", "en"), ("en,yue-Hans", "yue-CN", "yue-Hans"), ("en,zh-Hans", "yue-CN", "zh-Hans"),
        ("en,ks", "ks-Deva", "en"), ("en,shi", "shi-Latn", "en"), ("en,ff", "ff-Adlm", "en"),
        ("en,ha", "ha-SD", "en"), ("en,ur", "ur-Aran-PK", "ur"), ("en,ja", "ja-Jpan-JP", "ja"),
        // Parents.
        ("en,es-419,es", "es-US", "es-419,es"), ("en,es,es-MX", "es-CO", "es"), ("en,es-419", "es-PR", "es-419"),
        ("en,es-419,es", "es-GQ", "es"), ("en,es-419,es", "es-PH", "es"),
        ("en,pt,pt-PT", "pt-MZ", "pt-PT,pt"), ("en,pt-BR,pt-PT", "pt-CH", "pt-PT"), ("en,pt-PT", "pt-BR", "pt-PT"),
        ("en,en-001", "en-GB", "en-001,en"), ("en,en-001", "en-DE", "en-001,en"),
        ("en,en-150,en-GB", "en-SE", "en-150,en-GB,en"),
        ("en,en-GB", "en-CY", "en-GB,en"), ("en,en-001,en-GB", "en-JP", "en"), ("en,en-GB", "en-CA", "en"),
        ("en,en-IN", "hi-Latn", "en-IN,en"), ("en,hi", "hi-Latn", "en"), ("en,fr", "ht", "fr"),
        ("en,no", "nn", "no"), ("en,nb,nn", "no", "nb"), ("en,nb,nn", "nn-NO", "nn"), ("en,no", "nb-NO", "no"),
        ("en,da", "nb", "en"), ("en,de", "gsw", "en"), ("en,ru", "be", "en"), ("en,hr", "sr-Latn", "en"),
        // Aliases, in either direction.
        ("en,fil", "tl", "fil"), ("en,tl", "fil-PH", "tl"), ("en,iw", "he-IL", "iw"), ("en,he", "iw_IL", "he"),
        ("en,in", "id", "in"), ("en,id", "in-ID", "id"), ("en,yi", "ji", "yi"), ("en,ji", "yi", "ji"),
        ("en,jv", "jw", "jv"), ("en,ro", "mo", "ro"), ("en,mo", "ro-MD", "mo"), ("en,sr-Latn", "sh", "sr-Latn"),
        ("en,sr", "sh", "en"), ("en,zh-Hans", "cmn-Hans-CN", "zh-Hans"), ("en,zh-Hans", "zh-cmn-Hans", "zh-Hans"),
        ("en,ar", "arb", "ar"), ("en,fa", "prs", "fa"), ("en,sw", "swc", "sw"), ("en,de", "deu-AT", "de"),
        ("en,fre", "fr", "fre"), ("en,ku", "kmr", "ku"), ("en,lv", "lvs", "lv"), ("en,no", "nor", "no"),
    ])
    func rowsOfCLDRAreMet(_ available: String, _ language: String, _ expected: String) {
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

    @Test func brazilianMatchesAPortugueseReaderOnlyAsALastResort() {
        #expect(
            LanguageMatcher.preferredLocalizations(from: ["pt-BR", "es"], forPreferences: ["pt-PT", "es"]) == ["es"])
        #expect(LanguageMatcher.preferredLocalizations(from: ["en", "pt-BR"], forPreferences: ["pt-PT"]) == ["pt-BR"])
    }

    /// As gettext does: each modifier has texts of its own.
    ///
    /// Each row also holds in the opposite order.
    @Test(
        "a modifier of a POSIX name is a script or a variant", .fault(877),
        arguments: [
            ("en,uz,uz-Cyrl", "uz@Cyrl", "uz-Cyrl"), ("en,sr,sr-Latn", "sr@Latn", "sr-Latn"),
            ("en,sr,sr@latn", "sr_RS", "sr"), ("en,az,az@arab", "az-IR", "az@arab"),
            ("en,sr,sr@ijekavian", "sr_RS", "sr"), ("en,sr,sr@ijekavian", "sr_BA@ijekavian", "sr@ijekavian,sr"),
            ("en,sr,sr-ijekavsk", "sr@ijekavian", "sr-ijekavsk,sr"),
            ("en,sr,sr-Latn,sr@ijekavianlatin", "sr@latin", "sr-Latn"),
            ("en,sr,sr-Latn,sr@ijekavianlatin", "sr_RS@ijekavianlatin", "sr@ijekavianlatin,sr-Latn"),
            ("en,en@shaw", "en_US", "en"), ("en,en@shaw", "en@shaw", "en@shaw"),
            ("en,aa,aa@saaho", "aa_ER", "aa"), ("en,aa,aa@saaho", "aa_ER@saaho", "aa@saaho,aa"),
            ("en,ca,ca@unheard", "ca_ES", "ca"), ("en,ca,ca@unheard", "ca@unheard", "ca@unheard,ca"),
            // These say nothing of the language.
            ("en,de,de-1901", "de_DE.UTF-8@euro", "de"), ("en,de", "de@collation=phonebook", "de"),
            ("en,zh-Hans,zh-Hant", "zh_TW@stroke", "zh-Hant"), ("en,de", "de_DE@", "de"), ("en,de", "de@a@b", "de"),
        ])
    func modifiersAreReadAsGettextReadsThem(_ available: String, _ language: String, _ expected: String) {
        variantsAreMatchedAsBCP47Says(available, language, expected)
    }

    @Test(
        "the other code of Norwegian comes before a variant that nobody asked for", .fault(883),
        arguments: [
            ("en,no,nb-hognorsk", "nb_NO", "no"), ("en,nb-NO,no-hognorsk", "no", "nb-NO"),
            ("en,nb,no-hognorsk", "no_NO", "nb"), ("en,no,nb-hognorsk", "nb-hognorsk", "nb-hognorsk,no"),
            // Nynorsk is another language.
            ("en,nn,nb-hognorsk", "nb", "nb-hognorsk"), ("en,nn,nb", "no", "nb"), ("en,no,nb", "nn", "no"),
        ])
    func bothCodesOfBokmalAreOneLanguage(_ available: String, _ language: String, _ expected: String) {
        variantsAreMatchedAsBCP47Says(available, language, expected)
    }

    @Test(
        "old tags, and variants in another order", .fault(878),
        arguments: [
            ("en,nb,nn", "no-nyn", "nn"), ("en,nn,nb", "no-bok", "nb"), ("en,nan,zh-Hans", "zh-min-nan", "nan"),
            ("en,hy,hyw", "hy-arevmda", "hyw"), ("en,hy-arevela", "hy", "hy-arevela"), ("en,hy", "hy-arevela", "hy"),
            ("en,sl,sl-nedis-rozaj", "sl-rozaj-nedis", "sl-nedis-rozaj,sl"), ("en,sl,sl-rozaj-nedis", "sl-nedis", "sl"),
        ])
    func oldTagsAndOrdersMeanTheSame(_ available: String, _ language: String, _ expected: String) {
        variantsAreMatchedAsBCP47Says(available, language, expected)
    }

    /// Each row also holds in the opposite order of the localisations: none is chosen because it comes first.
    @Test(
        "a variant that nobody asked for comes last", .fault(785),
        arguments: [
            // A variant that the reader did not ask for.
            ("en,ca,ca-valencia", "ca_ES", "ca"), ("en,de,de-1901", "de_DE", "de"), ("en,sl,sl-rozaj", "sl_SI", "sl"),
            ("en,ca-ES,ca-valencia", "ca", "ca-ES"), ("en,ca-valencia,ca-FR", "ca", "ca-FR"),
            ("en,de-AT,de-1901", "de-CH", "de-AT"), ("en,en-GB,en-GB-oxendict", "en-GB", "en-GB,en"),
            ("en,en-GB-oxendict", "en-GB", "en"), ("en,nn,nb-hognorsk", "nb", "nb-hognorsk"),
            // Nothing else of the language is there.
            ("en,ca-valencia", "ca", "ca-valencia"), ("en,ca-valencia", "ca_ES", "ca-valencia"),
            ("en,de-1901", "de-CH", "de-1901"), ("en,ca@valencia", "ca", "ca@valencia"),
            // The reader's own variant, then the language without one.
            ("en,ca,ca-valencia", "ca-valencia", "ca-valencia,ca"),
            ("en,ca,ca-valencia", "ca_ES.UTF-8@valencia", "ca-valencia,ca"),
            ("en,ca,ca@valencia", "ca-valencia", "ca@valencia,ca"),
            ("en,ca,ca_ES@valencia", "ca-valencia", "ca_ES@valencia,ca"), ("en,ca", "ca-valencia", "ca"),
            ("en,de,de-1901", "de-CH-1901", "de-1901,de"), ("en,de,de-1901,de-CH", "de-CH-1901", "de-CH,de"),
            ("en,de,de-1996", "de-1901", "de"), ("en,de-1996", "de-1901", "de-1996"),
            ("en,sl,sl-rozaj", "sl-rozaj-biske", "sl-rozaj,sl"), ("en,sl,sl-rozaj-biske", "sl-rozaj", "sl"),
            // A name of POSIX is no variant.
            ("de,en,en-GB", "en_US_POSIX", "en"), ("de,en-US-posix", "en", "en-US-posix"),
            ("en,sr-Latn,sr-Latn-ekavsk", "sr_RS@latin", "sr-Latn"),
        ])
    func variantsAreMatchedAsBCP47Says(_ available: String, _ language: String, _ expected: String) {
        let available = available.split(separator: ",").map(String.init)
        for available in [available, available.reversed()] {
            #expect(
                LanguageMatcher.preferredLocalizations(
                    from: available, forPreferences: [language], developmentRegion: "en")
                    == expected.split(separator: ",").map(String.init), "from \(available)")
        }
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

    @Test func namesThatAreNotLanguagesMatchThemselves() {
        #expect(LanguageMatcher.preferredLocalizations(from: ["en", "1337"], forPreferences: ["1337"]) == ["1337"])
        #expect(
            LanguageMatcher.preferredLocalizations(from: ["en", "Klingon"], forPreferences: ["klingon"]) == ["Klingon"])
    }
}

import Testing

@testable import BundleReading

@Suite("LanguagePreferences")
struct LanguagePreferencesTests {
    private func languages(
        override: [String]? = nil, defaults: [String]? = nil, _ environment: [String: String] = [:]
    ) -> [String] {
        LanguagePreferences.current(override: override, defaults: { defaults }, environment: { environment[$0] })
    }

    /// Each source with its languages, from the first to the last.
    static let variables = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]

    @Test(arguments: variables.indices)
    func theFirstVariableSetWins(_ first: Int) {
        let locales = ["fr:de", "it_IT.UTF-8", "es_MX", "sv"]
        let environment = Dictionary(uniqueKeysWithValues: zip(Self.variables, locales).dropFirst(first))
        #expect(languages(environment) == [["fr", "de"], ["it-IT"], ["es-MX"], ["sv"]][first])
    }

    @Test func theOverrideComesBeforeTheDefaultsBeforeTheEnvironment() {
        let environment = ["LANGUAGE": "fr"]
        #expect(languages(override: ["de"], defaults: ["it"], environment) == ["de"])
        #expect(languages(override: [], defaults: ["it"], environment) == [])
        #expect(languages(defaults: ["it", "es_MX"], environment) == ["it", "es-MX"])
        #expect(languages(defaults: [], environment) == ["fr"])
        #expect(languages([:]) == [])
    }

    @Test(arguments: ["C", "POSIX", "C.UTF-8", "posix", "C.utf8"])
    func theCLocaleIsNotALanguage(_ locale: String) {
        #expect(languages(["LC_ALL": locale, "LANG": "fr_FR"]) == [])
        #expect(languages(["LANGUAGE": "\(locale):fr", "LANG": locale]) == ["fr"])
        #expect(languages(override: [locale, "de"]) == ["de"])
    }

    @Test func anEmptyVariableIsNotSet() {
        #expect(languages(["LANGUAGE": "", "LC_ALL": "", "LC_MESSAGES": "", "LANG": "de_AT.UTF-8"]) == ["de-AT"])
    }

    @Test func languageCountsEvenInTheCLocale() {
        #expect(languages(["LANGUAGE": "de", "LC_ALL": "C"]) == ["de"])
    }

    @Test func scriptsAndOddNamesAreKept() {
        #expect(languages(["LANG": "sr_RS@latin"]) == ["sr-Latn-RS"])
        #expect(languages(["LANGUAGE": "fr:fr:::fr_FR:1337"]) == ["fr", "fr-FR", "1337"])
    }

    @Test func theOverrideNeedsNoEnvironment() {
        #expect(LanguagePreferences.current(override: ["zh_TW.UTF-8"]) == ["zh-TW"])
    }
}

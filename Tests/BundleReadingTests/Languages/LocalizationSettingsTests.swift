import TestSupport
import Testing

@testable import BundleReading

@Suite("LocalizationSettings: the main bundle's languages")
struct LocalizationSettingsTests {
    private func languages(_ languages: [String], restriction: [String]?, region: String? = nil) -> [String] {
        LocalizationSettings(languages: languages, restriction: restriction, restrictionRegion: region)
            .effectiveLanguages
    }

    @Test func aMainBundleWithoutLocalisationsRestrictsNothing() {
        #expect(languages(["de", "fr"], restriction: nil) == ["de", "fr"])
        #expect(languages(["de", "fr"], restriction: []) == ["de", "fr"])
    }

    @Test func languagesTheMainBundleLacksAreLeftOut() {
        #expect(languages(["de", "fr-CA", "it"], restriction: ["en", "fr", "Italian"]) == ["fr", "Italian"])
    }

    @Test func withoutACommonLanguageTheMainBundlesOwnFallbackHolds() {
        #expect(languages(["de"], restriction: ["fr", "en"]) == ["en"])
        #expect(languages(["de"], restriction: ["fr", "en"], region: "fr") == ["fr"])
    }

    @Test func aPlugInSpeaksTheLanguageOfTheApplication() throws {
        let tree = try TemporaryTree(["de.lproj/a.txt": "", "fr.lproj/a.txt": "", "en.lproj/a.txt": ""])
        let finder = finder(tree, languages: ["de", "fr"])
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("de.lproj/a.txt"))
        finder.settings.restriction = ["en", "fr"]
        #expect(finder.preferredLocalizations == ["fr"])
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a.txt"))
    }
}

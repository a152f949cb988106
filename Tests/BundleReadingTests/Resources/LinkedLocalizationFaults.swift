import TestSupport
import Testing

@testable import BundleReading

/// More localisations than there are languages.
@Suite struct LinkedLocalizationFaults {
    private func tree(links: Int) throws -> TemporaryTree {
        let tree = try TemporaryTree(["Real/a.txt": "", "en.lproj/a.txt": ""])
        for number in 0..<links { try tree.link("x\(number).lproj", to: "Real") }
        return tree
    }

    @Test(.fault(180)) func aLookUpFollowsFewOfManyLinkedLocalizations() throws {
        let tree = try tree(links: 5_000)
        let settings = LocalizationSettings(languages: ["en"])
        var search = ResourceSearch(directories: [tree.path], settings: settings, preference: VariantPreference())
        for name in ["a", "none"] {
            let meaning = try #require(ResourceQuery(name: name, type: "txt").meaning)
            var run = search.begin()
            let places = search.places(meaning, only: nil, &run)
            #expect((2...4).contains(places.count))
            // Each look-up examines again what an answer depends on: these directories and the links.
            #expect(run.seen.count <= places.count + ResourceSearch.mostLinkedLocalizations)
        }
        let finder = ResourceFinder(directory: tree.path, settings: settings)
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("en.lproj/a.txt"))
        #expect(finder.path(forResource: "none", ofType: "txt") == nil)
        #expect(finder.localizations.count <= SearchOrder.mostLocalizations)
    }

    @Test(.fault(180)) func linkedLocalizationsOfUsualNumberAreFound() throws {
        let tree = try tree(links: 100)
        try tree.link("fr.lproj", to: "Real")
        let finder = ResourceFinder(
            directory: tree.path, settings: LocalizationSettings(languages: ["fr"]))
        #expect(finder.localizations.count == 102)
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a.txt"))
    }

    @Test(.fault(180)) func declaredLocalizationsOfAnyNumberAreComparedInLinearTime() {
        let declared = (0..<90_000).map { "x\($0)" }
        let order = SearchOrder.order(
            LocalizationSettings(declared: declared, languages: ["fr", "de"]), folders: ["de.lproj"])
        #expect(order.localizations.count == SearchOrder.mostLocalizations)
        let names = (0..<900).map { "en-x-a\($0).lproj" }
        let same = SearchOrder.order(LocalizationSettings(languages: ["en"]), folders: names)
        #expect(same.localizations.count == 900)
        #expect(same.preferred.count <= 32)
    }
}

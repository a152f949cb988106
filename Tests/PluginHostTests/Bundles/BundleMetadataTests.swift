import PropertyLists
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// What a bundle says about itself, in the languages of people.
@Suite struct BundleMetadataTests {
    private static let list = """
        { CFBundleIdentifier = "org.example.notes"; CFBundleDevelopmentRegion = en; PHDescription = "Draws notes.";
          PHAuthors = ("A. Uthor"); PHKeywords = (notes, score); }
        """

    private func tree() throws -> TemporaryTree {
        let tree = try TemporaryTree()
        try tree.write("N.bundle/Contents/Info.plist", Self.list)
        try tree.write(
            "N.bundle/Contents/Resources/de.lproj/InfoPlist.strings",
            "PHDescription = \"Zeichnet Noten.\"; PHKeywords = \"Noten, Partitur\"; PHAuthors = \"Niemand\";")
        try tree.write("N.bundle/Contents/Resources/en.lproj/InfoPlist.strings", "CFBundleName = Notes;")
        return tree
    }

    @Test func theFirstKnownLanguageTranslates() throws {
        let tree = try tree()
        let bundle = try PluginBundle.open(path: tree("N.bundle"))
        let german = bundle.metadata(languages: ["xx", "de-AT", "en"])
        #expect(german.description == "Zeichnet Noten." && german.keywords == ["Noten", "Partitur"])
        #expect(german.authors == ["A. Uthor"])
        for languages in [["en"], ["fr"], []] {
            let english = bundle.metadata(languages: languages)
            #expect(english.description == "Draws notes." && english.keywords == ["notes", "score"], "\(languages)")
        }
    }

    @Test func aPluginsDescriptionHasTheSame() throws {
        let tree = try tree()
        let plugin = try #require(
            PluginCatalog(searchPaths: [tree.path], options: .init(index: .none)).plugin("org.example.notes"))
        #expect(plugin.metadata == (try PluginBundle.open(path: tree("N.bundle"))).metadata())
        #expect(plugin.metadata.authors == ["A. Uthor"])
    }

    @Test("a bundle that is gone", .fault(671)) func aMissingBundleHasNoMetadata() throws {
        let plugin: PluginDescription?
        do {
            let tree = try tree()
            plugin = PluginCatalog(searchPaths: [tree.path], options: .init(index: .none)).plugin("org.example.notes")
        }
        #expect(try #require(plugin).metadata.authors.isEmpty)
    }

    @Test("addresses and texts that are not shown", .fault(671, 672)) func whatIsNotShownIsAdvice() throws {
        let manifest = Manifest(
            dictionary: [
                "PHWebsite": .string("javascript:alert(1)"), "PHBugs": .string("mailto:a@b"),
                "PHDescription": .string(String(repeating: "a", count: 5_000)),
                "PHKeywords": .array(Array(repeating: .string("a"), count: 101)),
            ], path: "/x/Info.plist")
        let advice = PluginBundle.advice(on: manifest, path: "/x/Info.plist")
        #expect(advice.compactMap(\.subject) == ["PHWebsite", "PHDescription", "PHKeywords"])
        #expect(advice.allSatisfy { $0.severity == .warning && $0.code == .manifestInvalid })
    }
}

import PropertyLists
import Testing

@_spi(Tools) @testable import BundleReading
@testable import HostBasics

/// The keys of Info.plist that are for people.
@Suite struct MetadataTests {
    private func metadata(_ list: [String: PropertyList]) -> PluginMetadata {
        Manifest(dictionary: list, path: "/x/Info.plist").metadata.localized { _ in nil }
    }

    private static let all: [String: PropertyList] = [
        "PHDescription": .string("Draws notes."), "PHAuthors": .array([.string("A. Uthor <a@example.org>")]),
        "NSHumanReadableCopyright": .string("© 2026 A. Uthor"), "PHLicense": .string("MIT"),
        "PHWebsite": .string("https://example.org/notes"), "PHBugs": .string("mailto:bugs@example.org"),
        "LSApplicationCategoryType": .string("public.app-category.music"),
        "PHKeywords": .array([.string("notes"), .string("score")]),
    ]

    @Test func everyKeyIsRead() {
        let manifest = Manifest(dictionary: Self.all, path: nil)
        #expect(manifest.findings.isEmpty && manifest.unknownKeys.isEmpty)
        let metadata = metadata(Self.all)
        #expect(metadata.description == "Draws notes." && metadata.authors == ["A. Uthor <a@example.org>"])
        #expect(metadata.copyright == "© 2026 A. Uthor" && metadata.license == "MIT")
        #expect(metadata.website == "https://example.org/notes" && metadata.bugs == "mailto:bugs@example.org")
        #expect(metadata.category == "public.app-category.music" && metadata.keywords == ["notes", "score"])
        #expect(
            self.metadata([:]) == PluginMetadata() && self.metadata(["PHDescription": .string("")]) == PluginMetadata())
    }

    @Test("a value of another type", .fault(670), arguments: Self.all.keys.sorted())
    func anotherTypeIsAFinding(key: String) {
        for wrong in [PropertyList.integer(1), .dictionary([:]), .boolean(true)] {
            let manifest = Manifest(dictionary: [key: wrong], path: "/x/Info.plist")
            #expect(manifest.findings.map(\.code) == [.manifestInvalid] && manifest.findings[0].subject == key)
            #expect(manifest.metadata == PluginMetadata())
        }
    }

    @Test("a description of 1 MB with ESC", .fault(671)) func aLongTextIsCut() {
        let text = "\u{1B}[2J" + String(repeating: "é", count: 500_000)
        let metadata = metadata([
            "PHDescription": .string(text), "PHAuthors": .array(Array(repeating: .string("a"), count: 5_000)),
        ])
        let shown = metadata.description ?? ""
        #expect(shown.utf8.count <= 4_096 && shown.utf8.count > 4_090 && shown.hasSuffix("é…"))
        #expect(metadata.authors.count == 100)
        #expect(!displayed(shown).unicodeScalars.contains("\u{1B}"))
    }

    @Test(
        "an address that would do something else than show a page", .fault(672),
        arguments: [
            "javascript:alert(1)", "JavaScript:alert(1)", "file:///etc/passwd", "http://example.org", "https:",
            "https://",
            "https://a b", "https://a\n", " https://a", "mailto:", "example.org", "data:text/html,x", "",
        ])
    func anotherAddressIsNotShown(address: String) {
        let shown = metadata(["PHWebsite": .string(address), "PHBugs": .string(address)])
        #expect(shown.website == nil && shown.bugs == nil)
        #expect(PluginMetadata.isAddress("HTTPS://example.org") && PluginMetadata.isAddress("mailto:a@b"))
        // Nor does a translation bring it in.
        let translated = PluginMetadata().localized { $0 == "PHWebsite" ? address : nil }
        #expect(translated.website == nil)
    }

    @Test func everyKeyButTheAuthorsIsTranslated() {
        let metadata = Manifest(dictionary: Self.all, path: nil).metadata.localized { key in
            key == "PHKeywords" ? " Noten,, Partitur ,\n" : key == "PHWebsite" ? "https://de.example.org" : "de:" + key
        }
        #expect(metadata.description == "de:PHDescription" && metadata.copyright == "de:NSHumanReadableCopyright")
        #expect(metadata.keywords == ["Noten", "Partitur"] && metadata.website == "https://de.example.org")
        #expect(metadata.authors == ["A. Uthor <a@example.org>"])
    }
}

import BundleReading
import CatalogIndexing
import HostBasics
import PropertyLists
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Which plug-ins open a document, and in which order.
@Suite struct CatalogOpeningTests {
    private static func list(_ identifier: String, _ documents: String, _ more: String = "") -> String {
        CatalogTree.list(identifier, "1", documents.isEmpty ? more : "CFBundleDocumentTypes = (\(documents)); \(more)")
    }

    private static func type(_ keys: String, rank: String = "Default") -> String {
        "{ \(keys); LSHandlerRank = \(rank); }"
    }

    private func opening(_ lists: [String: String], _ name: String) throws -> [String] {
        let tree = try CatalogTree(lists)
        return tree.catalog("a", "b").plugins(opening: name).map(\.identifier)
    }

    private func openingType(_ lists: [String: String], _ type: String) throws -> [String] {
        let tree = try CatalogTree(lists)
        return tree.catalog("a", "b").plugins(openingType: type).map(\.identifier)
    }

    // MARK: Order

    @Test func theRankDecidesFirst() throws {
        let lists = [
            "a/1.bundle": Self.list("alternate", Self.type("CFBundleTypeExtensions = (\"tar.gz\")", rank: "Alternate")),
            "a/2.bundle": Self.list("default", Self.type("CFBundleTypeExtensions = (gz)")),
            "b/3.bundle": Self.list("owner", Self.type("CFBundleTypeExtensions = (gz)", rank: "Owner")),
            "a/4.bundle": Self.list("none", Self.type("CFBundleTypeExtensions = (gz)", rank: "None")),
            "a/5.bundle": Self.list("norole", Self.type("CFBundleTypeExtensions = (gz); CFBundleTypeRole = None")),
        ]
        #expect(try opening(lists, "/tmp/x.d/A.TAR.GZ") == ["owner", "default", "alternate"])
    }

    @Test func thenTheLongerExtensionThenTheTypeThenTheFolder() throws {
        let lists = [
            "a/1.bundle": Self.list("any", Self.type("CFBundleTypeExtensions = (\"*\")")),
            "a/2.bundle": Self.list("text", Self.type("LSItemContentTypes = (\"public.text\")")),
            "b/3.bundle": Self.list("plain", Self.type("LSItemContentTypes = (\"public.plain-text\")")),
            "b/4.bundle": Self.list("aa", "", "NSExtensions = (txt);"),
            "a/5.bundle": Self.list("zz", Self.type("CFBundleTypeExtensions = (TXT)")),
            "b/6.bundle": Self.list("score", "", "NSExtensions = { \"score.txt\" = x; };"),
        ]
        #expect(try opening(lists, "a.Score.txt") == ["score", "zz", "aa", "plain", "text", "any"])
        #expect(try opening(lists, ".txt") == ["any"] && opening(lists, "txt") == ["any"])
        #expect(try opening(lists, "") == ["any"] && opening(lists, "a.") == ["any"])
    }

    /// More questions than are kept, and texts that are the same characters in other bytes.
    @Test func aQuestionThatIsAskedAgainHasTheSameAnswer() throws {
        let composed = "\u{E9}", decomposed = "e\u{301}"
        let lists = [
            "a/1.bundle": Self.list("any", Self.type("CFBundleTypeExtensions = (\"*\")")),
            "a/2.bundle": Self.list("one", "", "NSExtensions = (x1, \"y.x1\");"),
            "a/3.bundle": Self.list("composed", "", "NSExtensions = (\"\(composed)\");"),
        ]
        let tree = try CatalogTree(lists)
        let catalog = tree.catalog("a")
        func opening(_ name: String) -> [String] { catalog.plugins(opening: name).map(\.identifier) }
        for _ in 0..<2 {
            for number in 0..<1_100 { #expect(opening("a.x\(number)") == (number == 1 ? ["one", "any"] : ["any"])) }
            #expect(opening("a.y.x1") == ["one", "any"] && opening("x1") == ["any"])
            #expect(catalog.plugins(openingType: "x1").isEmpty)
            #expect(opening("a.\(composed)") == ["composed", "any"])
            #expect(opening("a.\(decomposed)") == ["any"])
        }
    }

    @Test func aTypeIsFoundByItsMIMETypeFamilyAndIdentifier() throws {
        let lists = [
            "a/1.bundle": Self.list("mime", Self.type("CFBundleTypeMIMETypes = (\"audio/midi\")")),
            "a/2.bundle": Self.list("family", Self.type("CFBundleTypeMIMETypes = (\"audio/*\")", rank: "Alternate")),
            "a/3.bundle": Self.list("audio", Self.type("LSItemContentTypes = (\"public.audio\")", rank: "Alternate")),
            "a/4.bundle": Self.list("extension", "", "NSExtensions = (mid);"),
            "a/5.bundle": Self.list("text", "", "NSExtensions = (txt);"),
        ]
        #expect(try Set(openingType(lists, "AUDIO/midi")) == ["mime", "family", "audio", "extension"])
        #expect(try openingType(lists, "audio/*").contains("mime"))
        #expect(try !openingType(lists, "audio/*").contains("text"))
        #expect(try Set(openingType(lists, "public.midi-audio")) == ["mime", "family", "audio", "extension"])
        #expect(try Set(opening(lists, "a.mid")) == ["mime", "family", "audio", "extension"])
        #expect(try openingType(lists, "audio/x-unknown") == ["family"])
        for nothing in ["", "/", "*", "a/b/c", "public.video"] {
            #expect(try openingType(lists, nothing).isEmpty, "\(nothing)")
        }
    }

    @Test func aPluginsTypesServeAllPlugins() throws {
        let declares = """
            UTExportedTypeDeclarations = ({ UTTypeIdentifier = "org.example.score"; UTTypeConformsTo = ("public.xml");
            UTTypeTagSpecification = { "public.filename-extension" = score; "public.mime-type" = ("audio/x-score"); }; });
            """
        let lists = [
            "a/1.bundle": Self.list("declares", "", declares),
            "a/2.bundle": Self.list("opens", Self.type("LSItemContentTypes = (\"Org.Example.Score\")")),
            "a/3.bundle": Self.list("xml", Self.type("LSItemContentTypes = (\"public.xml\")")),
        ]
        #expect(try opening(lists, "a.score") == ["opens", "xml"])
        #expect(try openingType(lists, "audio/x-score") == ["opens", "xml"])
        // Without the plug-in that declares the type, nobody knows it.
        var fewer = lists
        fewer["a/1.bundle"] = Self.list("declares", "")
        #expect(try opening(fewer, "a.score").isEmpty && openingType(fewer, "org.example.score") == ["opens"])
    }

    @Test func onlyUsablePluginsOpenAnything() throws {
        let lists = [
            "a/1.bundle": Self.list("x", "", "NSExtensions = (mid); PHRequires = { missing = \"1\"; };"),
            "a/2.bundle": Self.list("y", "", "NSExtensions = (mid);"),
            "b/3.bundle": Self.list("y", "", "NSExtensions = (kar);"),
        ]
        #expect(try opening(lists, "a.mid") == ["y"] && opening(lists, "a.kar").isEmpty)
    }

    // MARK: The index

    @Test("two extensions with the same hash", .fault(675)) func theRecordDecidesOnEqualHashes() throws {
        // Find two extensions whose hashes are equal: with 32 bits, about 80,000 suffice.
        var seen: [UInt32: String] = [:]
        var pair: (String, String)?
        for number in 0..<2_000_000 where pair == nil {
            let text = "e\(number)"
            let hash = OpeningKey(.fileExtension, text).hash
            if let other = seen.updateValue(text, forKey: hash) { pair = (other, text) }
        }
        let (one, other) = try #require(pair)
        let lists = [
            "a/1.bundle": Self.list("one", "", "NSExtensions = (\(one));"),
            "a/2.bundle": Self.list("other", "", "NSExtensions = (\(other));"),
        ]
        #expect(try opening(lists, "a.\(one)") == ["one"] && opening(lists, "a.\(other)") == ["other"])
    }

    /// The header of older formats was 64 bytes long, so an index without plug-ins was not much longer.
    @Test("an index of an older format", .fault(685), arguments: [UInt8(5), 6, 7], [64, Int.max])
    func anOlderIndexIsCreatedAgain(format: UInt8, length: Int) throws {
        let tree = try CatalogTree(["a/1.bundle": Self.list("x", "", "NSExtensions = (mid);")])
        tree.settle()
        #expect(tree.catalog("a", index: true).plugins(opening: "a.mid").count == 1)
        let path = try tree.indexPath
        var bytes = try fileBytes(path)
        #expect(bytes[8] == 8)
        bytes[8] = format
        bytes.removeLast(max(0, bytes.count - length))
        let fault = #expect(throws: CatalogIndex.Fault.self) { try CatalogIndex(bytes: bytes) }
        #expect(fault?.isOfOtherFormat == true)
        try tree.tree.write("index/" + Path.lastComponent(path), bytes: bytes)
        let again = tree.catalog("a", index: true)
        #expect(try again.plugins(opening: "a.mid").count == 1 && fileBytes(path)[8] == 8)
        // And from the index alone, without reading the bundle.
        #expect(tree.catalog("a", validation: .folders, index: true).plugins(opening: "a.mid").count == 1)
    }

    @Test func aPluginTakesLessThan450BytesOfTheIndex() throws {
        var lists: [String: String] = [:]
        for number in 0..<200 {
            let identifier = "org.example.plugin\(number)"
            lists["a/P\(number).bundle"] = Self.list(
                identifier, Self.type("CFBundleTypeName = Score; CFBundleTypeExtensions = (e\(number))"),
                "PHFactories = ({ name = n\(number); extensionPoint = \"org.example.point\"; }); "
                    + "PHRequires = { \"org.example.plugin0\" = \">=1.0\"; }; CFBundleName = \"Plug-in \(number)\";")
        }
        // A plug-in cannot require itself.
        lists["a/P0.bundle"] = CatalogTree.list("org.example.plugin0")
        let index = try CatalogTree(lists).scan("a")
        #expect(index.pluginCount == 200 && index.bytes.count / 200 < 450, "\(index.bytes.count / 200) bytes")
    }

    @Test("a document type that nothing finds", .fault(673)) func whatOpensNothingIsAdvice() throws {
        func advice(_ type: [String: PropertyList]) -> [PluginFinding] {
            let manifest = Manifest(
                dictionary: ["CFBundleDocumentTypes": .array([.dictionary(type)])], path: "/x/Info.plist")
            return PluginBundle.advice(on: manifest, path: "/x/Info.plist")
        }
        for bad: [String: PropertyList] in [
            ["CFBundleTypeExtensions": .array([.string(".mid")])], ["CFBundleTypeMIMETypes": .array([.string("midi")])],
            ["CFBundleTypeExtensions": .array([.string("a")]), "LSItemContentTypes": .array([.string("public.text")])],
            ["CFBundleTypeRole": .string("Composer")], ["LSHandlerRank": .string("First")],
        ] {
            #expect(advice(bad).map(\.subject) == ["CFBundleDocumentTypes"], "\(bad)")
        }
        #expect(advice(["CFBundleTypeExtensions": .array([.string("*"), .string("tar.gz")])]).isEmpty)
    }
}

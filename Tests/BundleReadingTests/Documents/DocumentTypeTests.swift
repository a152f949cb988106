import PropertyLists
import Testing

@_spi(Tools) @testable import BundleReading
@testable import HostBasics

/// The documents that an Info.plist names, and the types that it declares.
@Suite struct DocumentTypeTests {
    private func manifest(_ key: String, _ value: PropertyList) -> Manifest {
        Manifest(dictionary: [key: value], path: "/x/Info.plist")
    }

    private func texts(_ texts: String...) -> PropertyList { .array(texts.map(PropertyList.string)) }

    @Test func everyKeyOfADocumentTypeIsRead() {
        let manifest = manifest(
            "CFBundleDocumentTypes",
            .array([
                .dictionary([
                    "CFBundleTypeName": .string("Score"), "CFBundleTypeExtensions": texts("mid", "tar.gz"),
                    "CFBundleTypeMIMETypes": texts("audio/midi"), "CFBundleTypeRole": .string("Editor"),
                    "LSHandlerRank": .string("Owner"), "CFBundleTypeIconFile": .string("score"),
                ]),
                .dictionary(["LSItemContentTypes": texts("public.midi-audio"), "CFBundleTypeRole": .string("?")]),
            ]))
        #expect(manifest.findings.isEmpty && manifest.documentTypes.count == 2)
        let (first, second) = (manifest.documentTypes[0], manifest.documentTypes[1])
        #expect(first.name == "Score" && first.extensions == ["mid", "tar.gz"] && first.mimeTypes == ["audio/midi"])
        #expect(first.role == .editor && first.rank == .owner && first.iconFile == "score")
        #expect(second.contentTypes == ["public.midi-audio"] && second.role == .viewer && second.rank == .default)
    }

    @Test func extensionsAloneAreOneMoreType() {
        for value in [texts("mid", "ly"), .dictionary(["ly": .string("x"), "mid": .dictionary([:])])] {
            let types = manifest("NSExtensions", value).documentTypes
            #expect(types.map { Set($0.extensions) } == [["mid", "ly"]] && types[0].rank == .default)
        }
        #expect(manifest("NSExtensions", .array([])).documentTypes.isEmpty)
    }

    @Test(
        "a document key of another type", .fault(673),
        arguments: [
            ("CFBundleDocumentTypes", .string("mid")), ("CFBundleDocumentTypes", .array([.string("mid")])),
            ("CFBundleDocumentTypes", .array([.dictionary(["CFBundleTypeExtensions": .string("mid")])])),
            ("NSExtensions", .integer(1)), ("UTExportedTypeDeclarations", .dictionary([:])),
            ("UTImportedTypeDeclarations", .array([.dictionary([:])])),
            ("UTExportedTypeDeclarations", .array([.dictionary(["UTTypeIdentifier": .integer(1)])])),
        ] as [(String, PropertyList)])
    func anotherTypeIsAFinding(key: String, value: PropertyList) {
        let findings = manifest(key, value).findings
        #expect(findings.map(\.code) == [.manifestInvalid] && findings.first?.subject == key)
    }

    @Test("10,000 document types", .fault(673)) func moreTypesThanTheLimitAreRefused() {
        let type = PropertyList.dictionary(["CFBundleTypeExtensions": texts("mid")])
        let many = manifest("CFBundleDocumentTypes", .array(Array(repeating: type, count: 10_000)))
        #expect(many.documentTypes.isEmpty && many.findings.map(\.code) == [.manifestInvalid])
        let most = manifest("CFBundleDocumentTypes", .array(Array(repeating: type, count: 1_000)))
        #expect(most.documentTypes.count == 1_000 && most.findings.isEmpty)
        let extensions = manifest("NSExtensions", .array(Array(repeating: .string("a"), count: 10_000)))
        #expect(extensions.documentTypes.isEmpty && extensions.findings.count == 1)
    }

    @Test(
        "an extension that no file's name has", .fault(673),
        arguments: [".mid", "mid.", "a/b", "", " mid", "mid\n", "a..b", String(repeating: "a", count: 256)])
    func anUnusableExtensionOpensNothing(text: String) {
        let type = Manifest.DocumentType(name: nil, extensions: [text])
        #expect(type.keys.isEmpty && !OpeningKey.isUsable(extension: text))
    }

    @Test func extensionsHaveNoEffectBesideContentTypes() {
        let type = Manifest.DocumentType(
            name: nil, extensions: ["mid"], mimeTypes: ["audio/midi"], contentTypes: ["Public.Text"])
        #expect(type.keys == [OpeningKey(.identifier, "public.text")])
        #expect(Manifest.DocumentType(name: nil, extensions: ["mid"], role: .none).keys.isEmpty)
        #expect(Manifest.DocumentType(name: nil, extensions: ["mid"], rank: .none).keys.isEmpty)
    }

    @Test func aTypeHasTagsAndWhatItConformsTo() {
        let manifest = manifest(
            "UTExportedTypeDeclarations",
            .array([
                .dictionary([
                    "UTTypeIdentifier": .string("org.example.score"), "UTTypeConformsTo": .string("public.data"),
                    "UTTypeTagSpecification": .dictionary([
                        "public.filename-extension": texts("score"), "public.mime-type": .string("audio/x-score"),
                    ]),
                ])
            ]))
        let type = manifest.typeDeclarations.first
        #expect(manifest.findings.isEmpty && type?.conformsTo == ["public.data"] && type?.isExported == true)
        #expect(type?.extensions == ["score"] && type?.mimeTypes == ["audio/x-score"])
        #expect(manifest.unknownTypes.isEmpty)
    }
}

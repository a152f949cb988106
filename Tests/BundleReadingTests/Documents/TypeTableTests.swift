import Testing

@_spi(Tools) @testable import BundleReading

@Suite struct TypeTableTests {
    private func declaration(
        _ identifier: String, _ conformsTo: [String] = [], extensions: [String] = [], mimeTypes: [String] = []
    ) -> Manifest.TypeDeclaration {
        Manifest.TypeDeclaration(
            identifier: identifier, conformsTo: conformsTo, extensions: extensions, mimeTypes: mimeTypes,
            isExported: true)
    }

    private func identifiers(_ table: TypeTable, from key: OpeningKey) -> [String] {
        table.steps(from: key).filter { $0.key.kind == .identifier }.map(\.key.text)
    }

    @Test func fortyEightOfApplesTypesAreKnown() {
        #expect(SystemTypes.declarations.count == 48)
        let table = TypeTable()
        #expect(SystemTypes.declarations.allSatisfy { $0.conformsTo.allSatisfy(table.knows) })
        #expect(table.knows("PUBLIC.Midi-Audio") && !table.knows("org.example.score"))
    }

    @Test func aTypeComesBeforeWhatItConformsTo() {
        let found = identifiers(TypeTable(), from: OpeningKey(.fileExtension, "MID"))
        #expect(found.prefix(3) == ["public.midi-audio", "public.audio", "public.audiovisual-content"])
        #expect(found.contains("public.data") && found.last == "public.item")
        let steps = TypeTable().steps(from: OpeningKey(.mimeType, "audio/midi"))
        #expect(steps.contains { $0.key == OpeningKey(.fileExtension, "mid") && $0.distance == 0 })
    }

    @Test func nobodyChangesAKnownType() {
        var table = TypeTable()
        table.add(declaration("Public.MIDI-audio", ["org.example.trap"], extensions: ["exe"]))
        #expect(!identifiers(table, from: OpeningKey(.identifier, "public.midi-audio")).contains("org.example.trap"))
        #expect(identifiers(table, from: OpeningKey(.fileExtension, "exe")).isEmpty)
    }

    @Test("types in a circle, and 64 deep", .fault(674)) func circlesAndDeepChainsEnd() {
        var table = TypeTable()
        table.add(declaration("a", ["b", "a"], extensions: ["x"]))
        table.add(declaration("b", ["c"]))
        table.add(declaration("c", ["a"]))
        #expect(identifiers(table, from: OpeningKey(.fileExtension, "x")) == ["a", "b", "c"])
        for number in 0..<200 { table.add(declaration("deep\(number)", ["deep\(number + 1)"])) }
        let deep = identifiers(table, from: OpeningKey(.identifier, "deep0"))
        #expect(deep.count == TypeTable.deepest + 1 && deep.last == "deep64")
        // One type that conforms to very many.
        table.add(declaration("wide", (0..<50_000).map { "wide\($0)" }))
        #expect(table.steps(from: OpeningKey(.identifier, "wide")).count <= 1_001)
    }
}

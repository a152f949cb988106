import Testing

@testable import PropertyLists

@Suite("List inspector")
struct ListInspectorTests {
    private func inspect(_ bytes: [UInt8], _ kind: ListInspector.Kind = .propertyList) -> InspectedList {
        bytes.withUnsafeBytes { ListInspector.inspect($0, as: kind, limits: .stringsTable) }
    }

    private func inspect(_ text: String, _ kind: ListInspector.Kind = .propertyList) -> InspectedList {
        inspect(Array(text.utf8), kind)
    }

    @Test func aGoodListIsReadAsByItsReader() throws {
        for list in DamageTests.lists {
            let inspected = inspect(list)
            #expect(inspected.faults.isEmpty)
            #expect(inspected.value == (try value(of: list)))
        }
    }

    @Test func damagedListsHaveTheReadersFaults() {
        var random = SeededGenerator(seed: 11)
        for list in DamageTests.lists {
            for _ in 0..<2_000 {
                var bytes = list
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                #expect(inspect(bytes).faults.isEmpty == (fault(of: bytes) == nil), "\(bytes)")
            }
        }
    }

    @Test func keysHaveTheirPlaces() {
        let list = inspect(
            xml("<dict>\n<key>a</key><dict>\n  <key>b</key><true/></dict>\n<key>b</key><true/>\n</dict>"))
        #expect(list.place(ofKey: ["a"])?.position == .text(line: 5, column: 1))
        #expect(list.place(ofKey: ["a", "b"])?.position == .text(line: 6, column: 3))
        #expect(list.place(ofKey: ["b"])?.position == .text(line: 7, column: 1))
        #expect(list.place(ofKey: ["c"]) == nil)
        let oldStyle = inspect("{ a = { b = 1; };\n b = ({ c = 2; }); }")
        #expect(oldStyle.place(ofKey: ["a", "b"])?.position == .text(line: 1, column: 9))
        #expect(oldStyle.place(ofKey: ["b", "", "c"])?.position == .text(line: 2, column: 9))
        #expect(
            inspect("a = 1;\n \"b\" = 2;", .stringsTable).place(ofKey: ["b"])?.position == .text(line: 2, column: 2))
    }

    @Test func theLastOfEqualKeysIsTheOneThatIsUsed() throws {
        let list = inspect("a = 1;\na = 2;\na = 3;\n", .stringsTable)
        #expect(list.value?["a"] == .string("3"))
        #expect(list.place(ofKey: ["a"])?.position == .text(line: 3, column: 1))
        #expect(list.faults.map(\.first?.position) == [.text(line: 1, column: 1), .text(line: 1, column: 1)])
    }

    @Test func equalKeysOfDifferentDictionariesAreNotDuplicates() {
        #expect(inspect("({ a = 1; }, { a = 2; })").faults.isEmpty)
        let list = inspect("({ a = 1; },\n{ a = 2;\n a = 3; })")
        #expect(list.faults.map(\.first?.position) == [.text(line: 2, column: 3)])
    }

    @Test func placesAreRightFarIntoALine() throws {
        let text = String(repeating: "é日\u{1F600}a", count: 20_000)
        let source = Array(text.utf8).withUnsafeBufferPointer { SourceText($0) }
        // Ten bytes and four scalars at a time.
        for piece in [0, 1, 1_637, 1_638, 1_639, 9_999, 19_999] {
            #expect(source.position(of: 10 * piece) == .text(line: 1, column: 4 * piece + 1))
            #expect(source.offset(line: 1, column: 4 * piece + 2) == 10 * piece + 2)
        }
        #expect(source.offset(line: 2, column: 1) == nil)
    }

    /// Found by the fuzzer: a stray byte that could continue a character was shown one place further on, or not at all.
    @Test(
        arguments: [
            ("ab\u{E9}", 0x80), ("ab", 0xBF), ("a\n", 0x89), ("a\r", 0x8A), ("日本\r\n\t", 0x80), ("a", 0xFF),
            ("a\n", 0xE2),
            (String(repeating: "é", count: 20_000), 0x80),
        ] as [(String, UInt8)])
    func aByteWithoutAMeaningIsShownWithItsPlace(before: String, byte: UInt8) throws {
        let list = inspect(Array(before.utf8) + [byte, byte, 0x63])
        let fault = try #require(list.faults.first)
        let line =
            before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).last.map(String.init) ?? ""
        #expect(fault.fault.code == .invalidEncoding)
        #expect(fault.excerpt?.before == (line.utf8.count > 400 ? String(line.suffix(200)) : line))
        #expect(fault.excerpt?.after.last == "c")
    }

    @Test func linesEndAsTheFaultsCountThem() {
        let source = Array("a\r\nb\rc\n\nd".utf8).withUnsafeBufferPointer { SourceText($0) }
        let places = (0...9).map { source.place(at: $0) }
        #expect(places[3].position == .text(line: 2, column: 1))
        #expect(places[5].position == .text(line: 3, column: 1))
        #expect(places[8].position == .text(line: 5, column: 1))
        #expect(places[0].excerpt.after == "a")
        #expect(places[5].excerpt == SourceExcerpt(before: "", after: "c", isCutBefore: false, isCutAfter: false))
        #expect(places[9].excerpt.before == "d")
    }

    @Test func anExcerptCutsNoCharacter() {
        let text = String(repeating: "日", count: 1_000)
        let source = Array(text.utf8).withUnsafeBufferPointer { SourceText($0) }
        let excerpt = source.excerpt(at: 1_500)
        #expect(excerpt.isCutBefore && excerpt.isCutAfter)
        #expect(!(excerpt.before + excerpt.after).contains("\u{FFFD}"))
    }

    @Test func theNumberOfUnlistedFaultsIsReported() {
        let list = inspect(String(repeating: "= ;\n", count: 3_000), .stringsTable)
        #expect(list.faults.count == StringsReader.mostFaults)
        #expect(list.faults.last?.fault.code == .furtherFaults)
        // Found by the fuzzer: the last one had a place and no line.
        #expect(list.faults.last?.fault.position == .text(line: ReadingBudget.mostFindings, column: 1))
        #expect(list.faults.last?.excerpt?.after == "= ;")
    }

    @Test func sizeIsLimited() {
        let list = [UInt8](repeating: 0x20, count: 100).withUnsafeBytes {
            ListInspector.inspect($0, as: .propertyList, limits: PropertyListLimits(size: 99))
        }
        #expect(list.faults.map(\.fault.code) == [.tooLarge])
    }

    @Test(
        "escapes of Swift and C are faults for a checker", .fault(787),
        arguments: [
            (#"Hello \(name)!"#, "Hello (name)!", 6), (#"a\x41"#, "ax41", 1),
            (#"\U0001F600"#, "\u{1}F600", 0), (#"\U000000e9"#, "\u{0}00e9", 0), (#"\(_x.y(1))"#, "(_x.y(1))", 0),
        ])
    func escapesOfOtherLanguagesAreReported(_ text: String, _ value: String, _ column: Int) {
        let bytes = Array(("\"k\" = \"" + text + "\";\nb = c;").utf8)
        let list = bytes.withUnsafeBytes { ListInspector.inspect($0, as: .stringsTable, limits: .stringsTable) }
        #expect(list.faults.map(\.fault.code) == [.foreignEscape])
        #expect(list.faults.first?.fault.position == .text(line: 1, column: 8 + column))
        #expect(list.value == .dictionary(["k": .string(value), "b": .string("c")]))
        // The host reads the entry as Apple's reader does, and reports nothing.
        let (entries, faults) = StringsReader.read(bytes)
        #expect(entries["k"] == value)
        #expect(faults.isEmpty)
    }

    @Test(
        arguments: [
            #"\(optional\)"#, #"\( a )"#, #"\(2)"#, #"\xyz"#, #"\U00e9ea"#, #"\U00e9eab4"#, #"\u0001F600"#,
            #"\\(name)"#,
            #"\\x41"#, #"\(name"#, #"\Ud83d\Ude00"#, #"\U000Abcde"#, #"\x"#, #"\U"#, #"(\"#,
        ])
    func otherEscapesAreNotSuspicious(_ text: String) {
        let bytes = Array(("\"k\" = \"" + text + "\";").utf8)
        let list = bytes.withUnsafeBytes { ListInspector.inspect($0, as: .stringsTable, limits: .stringsTable) }
        #expect(!list.faults.contains { $0.fault.code == .foreignEscape })
    }
}

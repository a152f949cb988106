import Testing

@testable import PropertyLists

/// Small lists that expand to much.
@Suite(.fault(37)) struct BudgetFaults {
    /// A binary list with as many objects as fit, each of which holds all later ones.
    static func overlapping(size: Int) -> [UInt8] {
        let count = size / 14
        let header = 6
        var bytes = Array("bplist00".utf8)
        // The array, with references of four bytes.
        bytes += [0xAF, 0x12] + BinaryList.bigEndian(UInt64(count), 4)
        for number in 1...count { bytes += BinaryList.bigEndian(UInt64(number), 4) }
        let first = bytes.count
        let end = first + count * header
        for number in 0..<count {
            bytes += [0x4F, 0x12] + BinaryList.bigEndian(UInt64(end - first - (number + 1) * header), 4)
        }
        let table = bytes.count
        for offset in [8] + (0..<count).map({ first + $0 * header }) {
            bytes += BinaryList.bigEndian(UInt64(offset), 4)
        }
        bytes += [0, 0, 0, 0, 0, 0, 4, 4] + BinaryList.bigEndian(UInt64(count + 1), 8)
        return bytes + BinaryList.bigEndian(0, 8) + BinaryList.bigEndian(UInt64(table), 8)
    }

    /// A dictionary with many keys for one value.
    static func shared(keys count: Int, value: [UInt8]) -> [UInt8] {
        var list = BinaryList([])
        list.offsetSize = 4
        list.referenceSize = 4
        let references =
            (0..<count).map { UInt64($0 + 2) } + Array(repeating: UInt64(1), count: count)
        list.objects = [
            [0xDF, 0x12] + BinaryList.bigEndian(UInt64(count), 4)
                + references.flatMap { BinaryList.bigEndian($0, 4) },
            value,
        ]
        for number in 0..<count { list.objects.append(BinaryList.ascii("k\(number)")) }
        return list.bytes
    }

    static func string(_ count: Int) -> [UInt8] {
        [0x5F, 0x12] + BinaryList.bigEndian(UInt64(count), 4) + [UInt8](repeating: 0x61, count: count)
    }

    @Test(.fault(172)) func objectsThatOverlapAreRefusedBeforeTheyFillTheMemory() throws {
        // A small file too: its objects would take much more than its size.
        for size in [1_200, 100_000, 1_000_000] {
            let bytes = Self.overlapping(size: size)
            #expect(bytes.count <= 1 << 20)
            // Each alone would be decoded: the sum is half the square of the size.
            let found = try #require(fault(of: bytes))
            #expect(found.code == .overBudget)
            #expect(found.message.contains("\(bytes.count) bytes"))
            let table = StringsReader.read(bytes)
            #expect(table.entries.isEmpty)
            #expect(table.faults.map(\.code) == [.overBudget])
        }
    }

    @Test func aStringThatIsListedTwiceIsRead() throws {
        var list = BinaryList([[0xA2, 1, 2], Self.string(300), []])
        // Both strings of the array come after it.
        list.offsets = [2: 11]
        #expect(try value(of: list.bytes).array?.count == 2)
    }

    @Test func oneStringThatIsReferredToTenThousandTimesIsRead() throws {
        let text = String(repeating: "a", count: 60)
        let list = try value(of: Self.shared(keys: 10_000, value: Self.string(60)))
        #expect(list.dictionary?.count == 10_000)
        #expect(list["k9999"] == .string(text))
    }

    @Test(.fault(174)) func aValueUnder33000KeysIsStoredOnceOrRefused() throws {
        // Within the budget: a value under many keys takes its memory once.
        let small = StringsReader.read(Self.shared(keys: 33_000, value: Self.string(200)))
        #expect(small.faults.isEmpty && small.entries.count == 33_000)
        let index = StringsIndex(small.entries)
        #expect(index.text.count < 33_000 * 6 + 300)
        #expect(index.dictionary == small.entries)
        #expect(index.adding(["x": "y"]).dictionary["k1"] == String(repeating: "a", count: 200))
        // Beyond it: 33,000 times 65,000 bytes are 2 GiB.
        let large = StringsReader.read(Self.shared(keys: 33_000, value: Self.string(65_000)))
        #expect(large.entries.isEmpty)
        #expect(large.faults.map(\.code) == [.overBudget])
    }

    @Test(.fault(176), arguments: ["<!--", "<?x", "<string><![CDATA["])
    func markupThatNeverEndsIsLookedForOnce(markup: String) {
        let entry = "<key>a</key>" + markup
        let count = 200_000 / entry.utf8.count
        let text = Array(("<dict>" + String(repeating: entry, count: count) + "</dict>").utf8)
        // Searching for the end of each from its beginning would take more steps than the budget has: one fault alone.
        let (_, faults) = StringsReader.read(text)
        #expect(faults.count == ReadingBudget.mostFindings + 1 && !faults.contains { $0.code == .overBudget })
        let inspected = text.withUnsafeBytes { ListInspector.inspect($0, as: .stringsTable, limits: .stringsTable) }
        #expect(inspected.faults.map(\.fault) == faults)
        text.withUnsafeBytes { bytes in
            var parser = XMLParser(bytes.bindMemory(to: UInt8.self), limits: .stringsTable, isLenient: true)
            let before = parser.builder.budget.steps
            _ = StringsReader.salvage(&parser, FaultList())
            // One search through the rest, and the price of each fault.
            let spent = before - parser.builder.budget.steps
            #expect(spent >= text.count / 2 && spent <= 2 * text.count + (count + 1) * FaultList.steps)
        }
    }

    @Test(.fault(176)) func commentsThatEndAreStillPassedOver() {
        let text = "<dict><key>a</key><!-- x --><string>1</string><!-- y <key>b</key><string>2</string></dict>"
        let (entries, faults) = StringsReader.read(Array(text.utf8))
        #expect(entries["a"] == "1")
        #expect(faults.map(\.code) == [.truncated])
    }

    @Test(.fault(177)) func aLongKeyAroundManyIsHashedOnce() throws {
        // Each path with the long key would be hashed separately: 10 GB.
        let inner = (0..<20_000).map { "<key>k\($0)</key><true/>" }.joined()
        let long = String(repeating: "x", count: 500_000)
        let text = Array("<dict><key>\(long)</key><dict>\(inner)</dict></dict>".utf8)
        let list = text.withUnsafeBytes { ListInspector.inspect($0, as: .propertyList, limits: .stringsTable) }
        #expect(list.faults.isEmpty)
        let places = list.keyPlaces()
        #expect(places.hashedBytes > long.utf8.count && places.hashedBytes <= text.count)
        #expect(list.place(ofKey: [long, "k19999"], in: places) != nil)
        #expect(list.place(ofKey: ["k19999"], in: places) == nil)
        #expect(list.place(ofKey: [long], in: places) != nil)
    }

    @Test func aKeyBehindAnArrayHasAPlaceWithAnEmptyName() {
        let text = Array("{ a = ( { b = c; }, { b = d; d = e; } ); b = x; }".utf8)
        let list = text.withUnsafeBytes { ListInspector.inspect($0, as: .propertyList, limits: .stringsTable) }
        #expect(list.place(ofKey: ["a", "", "b"])?.position == .text(line: 1, column: 23))
        #expect(list.place(ofKey: ["a", "", "d"])?.position == .text(line: 1, column: 30))
        #expect(list.place(ofKey: ["b"])?.position == .text(line: 1, column: 42))
        #expect(list.place(ofKey: ["a", ""]) == nil)
    }

    @Test func manyFaultsAreListedToAHundredAndCounted() throws {
        let table = Array((0..<5_000).map { "\"k\($0)\" = \"v\"\n" }.joined().utf8)
        let (entries, faults) = StringsReader.read(table)
        #expect(entries.count == 5_000)
        #expect(faults.count == 101)
        #expect(faults.last?.message == "There are 4900 more faults, which are not listed.")
        let inspected = table.withUnsafeBytes { ListInspector.inspect($0, as: .stringsTable, limits: .stringsTable) }
        #expect(inspected.faults.map(\.fault) == faults)
    }

    @Test(arguments: ["(a),", "{a=b;},", "{},", "<>,", "'a',"])
    func manyTinyContainersEndWithinTheBudgetOrWithAFault(element: String) throws {
        let text = Array(("(" + String(repeating: element, count: 300_000) + ")").utf8)
        let limits = PropertyListLimits.stringsTable
        if let found = fault(of: text, limits: limits) {
            #expect(found.code == .overBudget)
        } else {
            #expect(try value(of: text, limits: limits).array?.count == 300_000)
        }
    }

    @Test func aLongContainerIsReadAsAShortOneIs() throws {
        // Long ones are moved out of the stacks while they are read, in whatever they nest.
        let inner = (0..<3_000).map { "k\($0) = \($0);" }.joined()
        let first = (0..<2_500).map { "\($0)," }.joined()
        let last = (0..<3_000).map { "e\($0)," }.joined()
        let text = "( \(first) { \(inner) last = (\(last)); }, end )"
        let list = try value(of: text).array ?? []
        #expect(list.count == 2_502)
        #expect(list.first == .string("0") && list.last == .string("end"))
        #expect(list[2_500].dictionary?.count == 3_001)
        #expect(list[2_500]["k2999"] == .string("2999"))
        #expect(list[2_500]["last"]?.array?.count == 3_000)
        #expect(list[2_500]["last"]?.array?[7] == .string("e7"))
    }

    @Test func equalKeysFarApartInALongDictionaryAreFound() throws {
        let keys = (0..<5_000).map { "<key>k\($0)</key><true/>" }.joined()
        let text = "<dict>\(keys)<key>k3</key><false/></dict>"
        let read = try Array(text.utf8).withUnsafeBytes { try PropertyListReader.readAll($0) }
        #expect(read.value["k3"] == .boolean(true) && read.value.dictionary?.count == 5_000)
        #expect(read.duplicates.listed.map(\.name) == ["k3"] && read.duplicates.listed.map(\.outermost) == ["k3"])
        // A table keeps the last one, and continues after a fault in between.
        let texts = (0..<5_000).map { "<key>k\($0)</key><string>v</string>" }.joined()
        let table = "<dict>\(texts)<key>bad<key>k3</key><string>w</string></dict>"
        let (entries, faults) = StringsReader.read(Array(table.utf8))
        #expect(entries.count == 5_000 && entries["k3"] == "w" && entries["k4999"] == "v")
        #expect(faults.map(\.code).contains(.duplicateKey) && faults.count == 2)
    }

    @Test func aLargeFlatListOfEachFormIsRead() throws {
        let words = "(" + String(repeating: "a,", count: 99_999) + ")"
        #expect(try value(of: words).array?.count == 99_999)
        let numbers = "<array>" + String(repeating: "<true/>", count: 99_999) + "</array>"
        #expect(try value(of: numbers).array?.count == 99_999)
        var list = BinaryList([
            [0xAF, 0x12] + BinaryList.bigEndian(99_000, 4) + [UInt8](repeating: 1, count: 99_000), [9],
        ])
        list.offsetSize = 4
        #expect(try value(of: list.bytes).array?.count == 99_000)
    }
}

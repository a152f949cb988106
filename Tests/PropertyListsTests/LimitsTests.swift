import PropertyLists
import Testing

/// Numbers in names are those of the project's list of faults.
@Suite("Limits")
struct LimitsTests {
    static let xmlNest: @Sendable (Int) -> [UInt8] = { depth in
        Array((String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)).utf8)
    }
    static let xmlDictionaries: @Sendable (Int) -> [UInt8] = { depth in
        Array(
            (String(repeating: "<dict><key>k</key>", count: depth) + "<true/>"
                + String(repeating: "</dict>", count: depth)).utf8)
    }
    static let oldStyleNest: @Sendable (Int) -> [UInt8] = { depth in
        Array((String(repeating: "(", count: depth) + String(repeating: ")", count: depth)).utf8)
    }
    static let oldStyleDictionaries: @Sendable (Int) -> [UInt8] = { depth in
        Array((String(repeating: "{k=", count: depth) + "v" + String(repeating: "}", count: depth)).utf8)
    }
    static let binaryNest: @Sendable (Int) -> [UInt8] = { depth in
        var list = BinaryList((1..<depth).map { [0xA1] + BinaryList.bigEndian(UInt64($0), 4) } + [[0xA0]])
        list.referenceSize = 4
        list.offsetSize = 4
        return list.bytes
    }
    static let nests: [@Sendable (Int) -> [UInt8]] = [
        xmlNest, xmlDictionaries, oldStyleNest, oldStyleDictionaries, binaryNest,
    ]

    @Test("depth 64 is read, 65 is not", .fault(38), arguments: nests.indices)
    func depthOf64IsTheLimit(index: Int) throws {
        var nested = try value(of: Self.nests[index](64))
        var depth = 0
        while true {
            if case .array(let elements) = nested {
                depth += 1
                guard let first = elements.first else { break }
                nested = first
            } else if let first = nested.dictionary?.values.first {
                depth += 1
                nested = first
            } else {
                break
            }
        }
        #expect(depth == 64)
        #expect(fault(of: Self.nests[index](65))?.code == .tooDeep)
    }

    @Test("depth 10^3 and 10^6", .fault(38), arguments: nests.indices, [1_000, 1_000_000])
    func anyDepthIsReported(index: Int, depth: Int) {
        let limits = PropertyListLimits(size: .max, nodes: .max)
        #expect(fault(of: Self.nests[index](depth), limits: limits)?.code == .tooDeep)
    }

    @Test("the limit itself is limited, because values are released recursively", .fault(38), arguments: nests.indices)
    func depthBeyondTheSupportedOneHasNoEffect(index: Int) throws {
        let limits = PropertyListLimits(size: .max, depth: .max, nodes: .max)
        _ = try value(of: Self.nests[index](PropertyListLimits.deepestSupported), limits: limits)
        #expect(fault(of: Self.nests[index](PropertyListLimits.deepestSupported + 1), limits: limits)?.code == .tooDeep)
    }

    @Test func depthCanBeLowered() throws {
        for nest in Self.nests {
            _ = try value(of: nest(2), limits: PropertyListLimits(depth: 2))
            #expect(fault(of: nest(3), limits: PropertyListLimits(depth: 2))?.code == .tooDeep)
        }
        #expect(try value(of: "<true/>", limits: PropertyListLimits(depth: 0)) == .boolean(true))
        #expect(fault(of: "<array/>", limits: PropertyListLimits(depth: 0))?.code == .tooDeep)
    }

    @Test func sizeIsCheckedFirst() throws {
        let text = "<string>" + String(repeating: "x", count: (1 << 20) - 17) + "</string>"
        #expect(text.utf8.count == 1 << 20)
        _ = try value(of: text)
        let found = fault(of: text + " ")
        #expect(found?.code == .tooLarge)
        #expect(found?.description == "property list: The file has 1048577 bytes; the limit is 1048576.")
    }

    @Test("keys and values count, up to 100,000", arguments: [99_999, 100_000])
    func nodesAreCounted(count: Int) {
        let array = "(" + String(repeating: "a,", count: count) + ")"
        #expect((fault(of: array)?.code == .tooManyNodes) == (count == 100_000))
        let xml = "<array>" + String(repeating: "<true/>", count: count) + "</array>"
        #expect((fault(of: xml)?.code == .tooManyNodes) == (count == 100_000))
        let dictionary = (0..<count / 2).map { "k\($0);" }.joined()
        #expect((fault(of: dictionary)?.code == .tooManyNodes) == (count == 100_000))
    }

    @Test("nodes of a binary list are refused before slots for them are allocated")
    func manyObjectsAreRefusedByTheirCount() {
        var list = BinaryList([[0x09]])
        list.offsetSize = 1
        var bytes = list.bytes
        // 200,000 entries of the offset table, all for one object.
        bytes.replaceSubrange(9..<10, with: [UInt8](repeating: 8, count: 200_000))
        bytes.replaceSubrange(bytes.count - 24..<bytes.count - 16, with: BinaryList.bigEndian(200_000, 8))
        #expect(fault(of: bytes)?.code == .tooManyNodes)
    }

    @Test("a tag of 5 MB", .fault(53))
    func hugeTagIsRefusedForItsSize() throws {
        let huge = String(repeating: "x", count: 5_000_000)
        let raised = PropertyListLimits(size: 1 << 24)
        for tag in [
            "<\(huge)/>", "<true \(huge)='1'/>", "<true a='\(huge)'/>", "<\(huge)", "<true \(huge)", "<true a='\(huge)",
        ] {
            #expect(fault(of: tag)?.code == .tooLarge)
        }
        #expect(fault(of: "<\(huge)/>", limits: raised)?.code == .unknownElement)
        #expect(try value(of: "<true \(huge)='1'/>", limits: raised) == .boolean(true))
        #expect(try value(of: "<true a='\(huge)'/>", limits: raised) == .boolean(true))
        #expect(fault(of: "<true \(huge)", limits: raised)?.code == .truncated)
        #expect(try value(of: "<string>\(huge)</string>", limits: raised).string?.utf8.count == 5_000_000)
    }

    @Test("200,000 equal keys", .fault(54), arguments: ["<dict>", "{"])
    func manyEqualKeysAreOne(opening: String) throws {
        let isXML = opening == "<dict>"
        let text =
            opening + String(repeating: isXML ? "<key>k</key><true/>" : "k = v;", count: 200_000)
            + (isXML ? "</dict>" : "}")
        let limits = PropertyListLimits(size: 1 << 24, nodes: 1_000_000)
        #expect(try value(of: text, limits: limits).dictionary?.count == 1)
        let keys = try Array(text.utf8).withUnsafeBytes {
            try PropertyListReader.readAll($0, limits: limits).duplicates
        }
        #expect(keys.listed.count == ReadingBudget.mostFindings && keys.further == 199_999 - keys.listed.count)
        #expect(fault(of: text)?.code == .tooLarge)
    }

    @Test("200,000 equal keys of a binary list", .fault(54))
    func manyEqualKeysOfABinaryListAreOverItsBudget() {
        let references = [UInt8](repeating: 1, count: 200_000) + [UInt8](repeating: 2, count: 200_000)
        var list = BinaryList([
            [0xDF, 0x12] + BinaryList.bigEndian(200_000, 4) + references, BinaryList.ascii("k"), [0x09],
        ])
        list.offsetSize = 4
        #expect(fault(of: list.bytes)?.code == .tooManyNodes)
        #expect(fault(of: list.bytes, limits: PropertyListLimits(nodes: 1_000_000))?.code == .overBudget)
    }

    @Test func stringsTablesMayBeLarger() {
        #expect(PropertyListLimits.standard == PropertyListLimits())
        #expect(PropertyListLimits.standard.size == 1 << 20)
        #expect(PropertyListLimits.stringsTable.size == 32 << 20)
    }
}

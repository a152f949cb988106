import PropertyLists
import Testing

@Suite("Binary lists that are read")
struct BinaryReadingTests {
    @Test(
        arguments: [
            ([0x08], PropertyList.boolean(false)), ([0x09], .boolean(true)),
            ([0x10, 0xFF], .integer(255)), ([0x11, 0xFF, 0xFF], .integer(65_535)),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
            ([0x13] + [UInt8](repeating: 0xFF, count: 8), .integer(-1)),
            ([0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], .integer(.min)),
            ([0x14] + [UInt8](repeating: 0, count: 8) + [0x80, 0, 0, 0, 0, 0, 0, 0], .unsigned(1 << 63)),
            ([0x14] + [UInt8](repeating: 0, count: 15) + [5], .integer(5)),
            ([0x14] + [UInt8](repeating: 0xFF, count: 16), .integer(-1)),
            ([0x22, 0x3F, 0xC0, 0, 0], .real(1.5)), ([0x23, 0xBF, 0xF8, 0, 0, 0, 0, 0, 0], .real(-1.5)),
            ([0x33, 0x40, 0xF5, 0x18, 0, 0, 0, 0, 0], .date(86_400)),
            ([0x43, 1, 2, 3], .data([1, 2, 3])), ([0x40], .data([])), ([0x4F, 0x10, 2, 8, 9], .data([8, 9])),
            ([0x52, 0x68, 0x69], .string("hi")), ([0x50], .string("")),
            ([0x5F, 0x11, 0, 2, 0x68, 0x69], .string("hi")),
            ([0x62, 0x00, 0xE9, 0x4E, 0x2D], .string("é中")), ([0x62, 0xD8, 0x3D, 0xDE, 0x00], .string("😀")),
            ([0x80, 7], .uid(7)), ([0x83, 0, 0, 1, 0], .uid(256)), ([0xA0], .array([])), ([0xD0], .dictionary([:])),
        ] as [([UInt8], PropertyList)])
    func everyObjectGivesItsValue(object: [UInt8], expected: PropertyList) throws {
        let (value, format) = try PropertyListReader.read(BinaryList([object]).bytes)
        #expect(value == expected)
        #expect(format == .binary)
    }

    @Test func containersFollowTheirReferences() throws {
        let list = BinaryList([
            [0xD2, 1, 2, 3, 4], BinaryList.ascii("a"), BinaryList.ascii("b"), [0xA3, 4, 4, 5], [0x10, 1], [0xA0],
        ])
        #expect(
            try value(of: list.bytes)
                == .dictionary(["a": .array([.integer(1), .integer(1), .array([])]), "b": .integer(1)]))
    }

    @Test(arguments: 1...8)
    func offsetsAndReferencesOfAnySizeAreRead(size: UInt8) throws {
        var list = BinaryList([[0xA1] + BinaryList.bigEndian(1, Int(size)), [0x09]])
        list.referenceSize = size
        list.offsetSize = size
        #expect(try value(of: list.bytes) == .array([.boolean(true)]))
    }

    @Test func topObjectNeedNotBeTheFirst() throws {
        var list = BinaryList([[0x08], [0x09]])
        list.top = 1
        #expect(try value(of: list.bytes) == .boolean(true))
    }

    @Test func sharedPartsAppearEachTime() throws {
        #expect(
            try value(of: BinaryList([[0xA2, 1, 1], [0xA1, 2], BinaryList.ascii("x")]).bytes)
                == .array([.array([.string("x")]), .array([.string("x")])]))
    }
}

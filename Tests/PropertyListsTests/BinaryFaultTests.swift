import Testing

@testable import PropertyLists

/// Numbers in names are those of the project's list of faults.
@Suite("Binary lists that are refused")
struct BinaryFaultTests {
    @Test(
        "the header alone", .fault(30),
        arguments: ["bplist00", "bplist", "bplist0", "bplist00\u{8}", "bplist00" + String(repeating: "\0", count: 32)])
    func headerAloneIsTruncated(text: String) {
        #expect(fault(of: text)?.code == .truncated)
    }

    @Test(arguments: ["bplist01", "bplist15", "bplist1x", "bplistxx"])
    func otherVersionsAreNotRead(header: String) {
        let found = fault(of: Array(header.utf8) + BinaryList([[0x09]]).bytes.dropFirst(8))
        #expect(found?.code == .unsupportedVersion)
        #expect(found?.position == .byte(6))
    }

    @Test("trailer sizes 0, 9, 255", .fault(31), arguments: [0, 9, 255] as [UInt8])
    func sizesInTheTrailerAre1To8(size: UInt8) {
        var list = BinaryList([[0x09]])
        list.offsetSize = size
        #expect(fault(of: list.bytes)?.code == .invalidTrailer)
        list = BinaryList([[0x09]])
        list.referenceSize = size
        #expect(fault(of: list.bytes)?.code == .invalidTrailer)
    }

    @Test(
        "counts of objects that cannot be", .fault(32),
        arguments: [0, 2, 1 << 62, 1 << 63, UInt64.max, UInt64.max / 2 + 2])
    func countOfObjectsMustFillTheTable(count: UInt64) {
        var list = BinaryList([[0x09]])
        list.count = count
        #expect(fault(of: list.bytes)?.code == .invalidTrailer)
    }

    @Test(
        "lengths of objects that cannot be", .fault(32), arguments: [0x4F, 0x5F, 0x6F, 0xAF, 0xDF] as [UInt8],
        [3, 1000, 1 << 31, 1 << 60, 1 << 61, 1 << 62, UInt64(Int64.max)])
    func lengthsMustFitTheFile(marker: UInt8, length: UInt64) {
        #expect(fault(of: BinaryList([[marker, 0x13] + BinaryList.bigEndian(length, 8)]).bytes)?.code == .truncated)
    }

    @Test(
        "lengths -1 and 2^63", .fault(39), arguments: [0x4F, 0x5F, 0x6F, 0xAF, 0xDF] as [UInt8], [1 << 63, UInt64.max])
    func negativeLengthsAreRefused(marker: UInt8, length: UInt64) {
        #expect(
            fault(of: BinaryList([[marker, 0x13] + BinaryList.bigEndian(length, 8)]).bytes)?.code == .invalidObject)
    }

    @Test(
        "a length that is no integer", .fault(39),
        arguments: [[0x4F, 0x09], [0x4F, 0x51, 1], [0x4F, 0x14] + [UInt8](repeating: 0, count: 16)])
    func lengthsMustBeIntegers(object: [UInt8]) {
        #expect(fault(of: BinaryList([object]).bytes)?.code == .invalidObject)
    }

    @Test(
        "the offset table past the end", .fault(33),
        arguments: [0, 7, 8, 10, 1000, 1 << 62, UInt64.max, UInt64.max - 31])
    func offsetTableMustBeInTheFile(table: UInt64) {
        var list = BinaryList([[0x09]])
        list.table = table
        #expect(fault(of: list.bytes)?.code == .invalidTrailer)
    }

    @Test("offsets that lead out of the objects", .fault(34), arguments: [0, 7, 9, 10, 12, 40, 1 << 15])
    func offsetsMustLeadToObjects(offset: UInt64) {
        var list = BinaryList([[0x09]])
        list.offsets[0] = offset
        let found = fault(of: list.bytes)
        #expect(found?.code == .invalidReference)
        #expect(found?.position == .byte(9))
    }

    @Test("offsets of eight bytes that overflow", .fault(34), arguments: [1 << 62, 1 << 63, UInt64.max])
    func hugeOffsetsAreRefused(offset: UInt64) {
        var list = BinaryList([[0x09]])
        list.offsetSize = 8
        list.offsets[0] = offset
        #expect(fault(of: list.bytes)?.code == .invalidReference)
    }

    @Test func topObjectMustExist() {
        var list = BinaryList([[0x09]])
        for top in [1, 1 << 62, UInt64.max] {
            list.top = top
            #expect(fault(of: list.bytes)?.code == .invalidTrailer)
        }
    }

    @Test func referencesMustNameObjects() {
        #expect(fault(of: BinaryList([[0xA1, 1]]).bytes)?.code == .invalidReference)
        var list = BinaryList([[0xA1] + BinaryList.bigEndian(.max, 8)])
        list.referenceSize = 8
        #expect(fault(of: list.bytes)?.code == .invalidReference)
    }

    @Test(
        "an array or dictionary that contains itself", .fault(35),
        arguments: [[[0xA1, 0]], [[0xD1, 1, 0], [0x51, 0x6B]]] as [[[UInt8]]])
    func selfReferenceIsReportedAsACycle(objects: [[UInt8]]) {
        #expect(fault(of: BinaryList(objects).bytes)?.code == .cycle)
    }

    @Test("two containers that contain each other", .fault(36))
    func twoNodeCycleIsReported() {
        #expect(fault(of: BinaryList([[0xA1, 1], [0xA2, 2, 0], [0x09]]).bytes)?.code == .cycle)
        #expect(fault(of: BinaryList([[0xD1, 2, 1], [0xA1, 0], [0x51, 0x6B]]).bytes)?.code == .cycle)
    }

    @Test("shared references 40 deep, two each", .fault(37))
    func sharedReferencesCountEachTime() {
        let objects = (0..<40).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] as [UInt8] } + [[0x09]]
        BinaryList(objects).bytes.withUnsafeBytes { bytes in
            guard let heap = try? BinaryObjects(bytes) else {
                Issue.record("the fixture is not a binary list")
                return
            }
            var parser = BinaryParser(heap, limits: .standard)
            let before = parser.budget.bytes
            var code: PropertyListFault.Code?
            do throws(PropertyListFault) { _ = try parser.parse() } catch { code = error.code }
            #expect(code == .tooManyNodes)
            // Each of the 41 objects is decoded once.
            let spent = before - parser.budget.bytes
            #expect(spent > 0 && spent <= objects.count * 256)
        }
    }

    @Test("sharing within the limit is counted exactly", .fault(37))
    func expandedNodesAreCountedExactly() throws {
        // 2^n - 1 arrays and 2^n leaves at n = 4: 31 nodes.
        let objects = (0..<4).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] as [UInt8] } + [[0x09]]
        let bytes = BinaryList(objects).bytes
        _ = try value(of: bytes, limits: PropertyListLimits(nodes: 31))
        #expect(fault(of: bytes, limits: PropertyListLimits(nodes: 30))?.code == .tooManyNodes)
    }

    @Test("depth is that of every path, shared or not", .fault(38))
    func sharedPartIsMeasuredWhereItIsDeepest() throws {
        // The first element is 2 deep; the second leads to the same objects from one level further down.
        let bytes = BinaryList([[0xA2, 1, 3], [0xA1, 2], [0xA0], [0xA1, 1]]).bytes
        _ = try value(of: bytes, limits: PropertyListLimits(depth: 4))
        #expect(fault(of: bytes, limits: PropertyListLimits(depth: 3))?.code == .tooDeep)
    }

    @Test("UTF-16 cut in half by the table", .fault(40))
    func oddUTF16IsTruncated() {
        #expect(fault(of: BinaryList([[0x62, 0x00, 0x41, 0x00]]).bytes)?.code == .truncated)
    }

    @Test(
        "lone surrogates", .fault(41),
        arguments: [
            [0x61, 0xD8, 0x3D], [0x61, 0xDE, 0x00], [0x62, 0xD8, 0x3D, 0x00, 0x41], [0x62, 0xDE, 0x00, 0xD8, 0x3D],
        ] as [[UInt8]])
    func loneSurrogatesAreRefused(object: [UInt8]) {
        #expect(fault(of: BinaryList([object]).bytes)?.code == .invalidEncoding)
    }

    @Test func asciiStringsHoldASCIIOnly() {
        let found = fault(of: BinaryList([[0x52, 0x41, 0xE9]]).bytes)
        #expect(found?.code == .invalidEncoding)
        #expect(found?.position == .byte(10))
    }

    @Test(
        "a key that is no string", .fault(42),
        arguments: [[0x10, 1], [0x09], [0xA0], [0xD0], [0x41, 0x6B], [0x80, 1]] as [[UInt8]])
    func keysMustBeStrings(key: [UInt8]) {
        #expect(fault(of: BinaryList([[0xD1, 1, 1], key]).bytes)?.code == .keyNotString)
    }

    @Test("a container that is both value and key", .fault(42))
    func keyThatWasReadBeforeMustBeAStringToo() {
        #expect(fault(of: BinaryList([[0xA2, 2, 1], [0xD1, 2, 2], [0xA0]]).bytes)?.code == .keyNotString)
    }

    @Test("equal keys, the same object or two", .fault(43))
    func theFirstOfEqualKeysCounts() throws {
        let key = BinaryList.ascii("k")
        for other in [key, [0x61, 0, 0x6B]] {
            let list = BinaryList([[0xD2, 1, 2, 3, 4], key, other, [0x09], [0x08]]).bytes
            let read = try list.withUnsafeBytes { try PropertyListReader.readAll($0) }
            #expect(read.value == .dictionary(["k": .boolean(true)]))
            #expect(
                read.duplicates.listed == [
                    DuplicateKey(name: "k", outermost: "k", position: .byte(10), hasSameValue: false)
                ])
        }
        let same = BinaryList([[0xD2, 1, 1, 2, 2], key, [0x09]]).bytes
        #expect(
            try same.withUnsafeBytes { try PropertyListReader.readAll($0) }.duplicates.listed.map(\.hasSameValue) == [
                true
            ])
        let nested = BinaryList([[0xD1, 1, 2], BinaryList.ascii("o"), [0xD2, 3, 3, 4, 5], key, [0x09], [0x08]]).bytes
        #expect(
            try nested.withUnsafeBytes { try PropertyListReader.readAll($0) }.duplicates.listed.map(\.outermost) == [
                "o"
            ])
    }

    @Test(
        "integers of 16 bytes beyond 64 bits", .fault(50),
        arguments: [
            [UInt8](repeating: 0, count: 7) + [1] + [UInt8](repeating: 0, count: 8),
            [0x80] + [UInt8](repeating: 0, count: 15),
            [UInt8](repeating: 0xFF, count: 8) + [0x7F] + [UInt8](repeating: 0xFF, count: 7),
        ])
    func integersBeyond64BitsOverflow(payload: [UInt8]) {
        #expect(fault(of: BinaryList([[0x14] + payload]).bytes)?.code == .integerOverflow)
    }

    @Test(
        "numbers and dates that are not finite", .fault(50),
        arguments: [
            [0x22, 0x7F, 0x80, 0, 0], [0x22, 0x7F, 0xC0, 0, 0], [0x23, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0],
            [0x23, 0xFF, 0xF8, 0, 0, 0, 0, 0, 0],
            [0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func numbersAndDatesMustBeFinite(object: [UInt8]) {
        #expect(fault(of: BinaryList([object]).bytes)?.code == .notFinite)
    }

    @Test("bytes that no part of the list accounts for", .fault(51))
    func bytesMayNotBeHiddenBeforeTheTrailer() {
        var list = BinaryList([[0x09], [0x08]])
        list.count = 1
        #expect(fault(of: list.bytes)?.code == .invalidTrailer)
        #expect(fault(of: BinaryList([[0x09]]).bytes + [0]) != nil)
    }

    @Test(
        arguments: [
            [0x00], [0x01], [0x0F], [0x15], [0x1F], [0x20, 0], [0x21, 0, 0], [0x24], [0x30], [0x32], [0x34], [0x70],
            [0x90], [0xB0], [0xC0], [0xE0], [0xF0],
        ] as [[UInt8]])
    func otherObjectsDoNotExist(object: [UInt8]) {
        let found = fault(of: BinaryList([object + [UInt8](repeating: 0, count: 40)]).bytes)
        #expect(found?.code == .invalidObject)
        #expect(found?.position == .byte(8))
    }

    @Test func archiveReferencesBeyond64BitsOverflow() {
        #expect(fault(of: BinaryList([[0x88] + [UInt8](repeating: 1, count: 9)]).bytes)?.code == .integerOverflow)
    }

    @Test(
        arguments: [
            [0x11, 0], [0x13, 0], [0x14, 0], [0x22], [0x23, 0], [0x33], [0x42, 0], [0x52, 0x41], [0x81, 0], [0xA2, 0],
            [0xD1, 0], [0x4F], [0x4F, 0x11, 0],
        ] as [[UInt8]])
    func objectsMayNotReachIntoTheOffsetTable(object: [UInt8]) {
        #expect(fault(of: BinaryList([object]).bytes)?.code == .truncated)
    }

    @Test func longRunsOfCombiningMarksAreRefused() {
        let units = utf16(
            "a" + String(repeating: "\u{301}\u{316}", count: 15) + "\u{301}", bigEndian: true, mark: false)
        #expect(fault(of: BinaryList([[0x6F, 0x10, 32] + units]).bytes)?.code == .unsafeText)
    }
}

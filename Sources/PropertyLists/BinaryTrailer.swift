/// The last 32 bytes of a binary property list, which contain the positions of everything else.
///
/// They are checked against the file's size before they are used.
struct BinaryTrailer {
    /// The offset of the trailer itself.
    let offset: Int
    /// The size in bytes of an entry of the offset table.
    let offsetSize: Int
    /// The size in bytes of a reference inside a container.
    let referenceSize: Int
    let objectCount: Int
    let topObject: Int
    let tableOffset: Int

    static let headerSize = 8
    private static let size = 32

    init(_ bytes: UnsafeRawBufferPointer) throws(PropertyListFault) {
        try Self.checkHeader(bytes)
        offset = bytes.count - Self.size
        guard offset > Self.headerSize else {
            throw Self.fault(
                .truncated, bytes.count,
                "The binary list has \(bytes.count) bytes; its trailer alone takes 32 after the objects.")
        }
        offsetSize = try Self.itemSize(bytes, at: offset + 6, "offsets")
        referenceSize = try Self.itemSize(bytes, at: offset + 7, "references")
        let count = bytes.bigEndian(at: offset + 8, size: 8)
        let top = bytes.bigEndian(at: offset + 16, size: 8)
        let table = bytes.bigEndian(at: offset + 24, size: 8)
        guard table > UInt64(Self.headerSize), table < UInt64(offset) else {
            throw Self.fault(
                .invalidTrailer, offset + 24,
                "The trailer puts the offset table at byte \(table), "
                    + "outside the file's \(bytes.count) bytes or into the header.")
        }
        // The table must fill the space up to the trailer exactly; otherwise bytes would be hidden or read past the
        // end.
        let room = UInt64(offset) - table
        guard count > 0, room / UInt64(offsetSize) == count, room % UInt64(offsetSize) == 0 else {
            throw Self.fault(
                .invalidTrailer, offset + 8,
                "The trailer counts \(count) objects with offsets of \(offsetSize) bytes, "
                    + "but the offset table has \(room) bytes.")
        }
        guard top < count else {
            throw Self.fault(
                .invalidTrailer, offset + 16,
                "The trailer names object \(top) as the list's value; there are only \(count).")
        }
        objectCount = Int(count)
        topObject = Int(top)
        tableOffset = Int(table)
    }

    private static func checkHeader(_ bytes: UnsafeRawBufferPointer) throws(PropertyListFault) {
        guard bytes.count >= headerSize else {
            throw fault(.truncated, bytes.count, "The file ends inside the header \"bplist00\".")
        }
        guard bytes[6] == UInt8(ascii: "0"), bytes[7] == UInt8(ascii: "0") else {
            let version = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[6..<8])
            throw fault(
                .unsupportedVersion, 6, "The binary list has version \(Excerpt.of(version, 0..<2)); only 00 is read.")
        }
    }

    private static func itemSize(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, _ items: String
    ) throws(PropertyListFault) -> Int {
        let size = Int(bytes[offset])
        guard (1...8).contains(size) else {
            throw fault(.invalidTrailer, offset, "The trailer gives \(items) \(size) bytes; only 1 to 8 are allowed.")
        }
        return size
    }

    private static func fault(_ code: PropertyListFault.Code, _ offset: Int, _ message: String) -> PropertyListFault {
        PropertyListFault(code: code, position: .byte(offset), message: message)
    }
}

extension UnsafeRawBufferPointer {
    /// The unsigned number with up to eight bytes at a checked offset.
    @inline(__always)
    func bigEndian(at offset: Int, size: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<size { value = value << 8 | UInt64(self[offset + index]) }
        return value
    }
}

import Glibc

/// The first bytes of an index: its format, and where its parts begin.
package struct IndexHeader: Sendable {
    package static let size = 72
    /// “PHINDEX” and a zero byte.
    private static let magic: UInt64 = 0x0058_4544_4E49_4850
    /// Raise this when the format of the file or the rules for verdicts change.
    static let format: UInt64 = 8

    let candidateCount: Int
    let pluginCount: Int
    let extensionCount: Int
    let openingCount: Int
    let foldersOffset: Int

    var candidatesOffset: Int { Self.size }
    var pluginsOffset: Int { candidatesOffset + candidateCount * CandidateRow.size }
    var loadOrderOffset: Int { pluginsOffset + pluginCount * 4 }
    var extensionsOffset: Int { loadOrderOffset + pluginCount * 4 }
    var openingsOffset: Int { extensionsOffset + extensionCount * ExtensionRow.size }
    /// Where the texts begin.
    var textsOffset: Int { openingsOffset + openingCount * OpeningRow.size }

    init(candidateCount: Int, pluginCount: Int, extensionCount: Int, openingCount: Int, foldersOffset: Int) {
        self.candidateCount = candidateCount
        self.pluginCount = pluginCount
        self.extensionCount = extensionCount
        self.openingCount = openingCount
        self.foldersOffset = foldersOffset
    }

    /// - Throws: the reason why the bytes are not a valid index.
    init(checking bytes: UnsafeRawBufferPointer) throws(CatalogIndex.Fault) {
        func checkLength(_ length: Int) throws(CatalogIndex.Fault) {
            guard bytes.count >= length else {
                throw CatalogIndex.Fault(reason: "it is \(bytes.count) bytes long, shorter than its header")
            }
        }
        // The header of another format may be shorter than this one.
        try checkLength(16)
        func word(_ number: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * number, as: UInt64.self))
        }
        guard word(0) == Self.magic else { throw CatalogIndex.Fault(reason: "it does not begin like an index") }
        guard word(1) == Self.format else {
            throw CatalogIndex.Fault(
                reason: "its format is \(word(1)), and this version reads \(Self.format)", isOfOtherFormat: true)
        }
        try checkLength(Self.size)
        guard word(2) == UInt64(bytes.count) else {
            throw CatalogIndex.Fault(reason: "it is \(bytes.count) bytes long, but its header says \(word(2))")
        }
        guard word(3) == Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[32...])) else {
            throw CatalogIndex.Fault(reason: "its checksum does not match its content")
        }
        // No count can exceed the length, so none of the following calculations overflows.
        guard (4...8).allSatisfy({ word($0) <= UInt64(bytes.count) }) else {
            throw CatalogIndex.Fault(reason: "it claims to have more parts than bytes")
        }
        self.init(
            candidateCount: Int(word(4)), pluginCount: Int(word(5)), extensionCount: Int(word(6)),
            openingCount: Int(word(8)), foldersOffset: Int(word(7)))
        guard textsOffset <= foldersOffset else {
            throw CatalogIndex.Fault(reason: "its parts do not fit into it")
        }
    }

    /// Writes the header and the parts of fixed size into the space at the beginning of an index.
    ///
    /// `parts`: candidates, plug-ins, load order, extensionRows and openings.
    func complete(_ bytes: inout [UInt8], with parts: [UInt8]) {
        precondition(Self.size + parts.count == textsOffset)
        let words = [
            Self.magic, Self.format, UInt64(bytes.count), 0, UInt64(candidateCount), UInt64(pluginCount),
            UInt64(extensionCount), UInt64(foldersOffset), UInt64(openingCount),
        ]
        bytes.withUnsafeMutableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[Self.size...]).copyBytes(from: parts)
            for (place, word) in words.enumerated() {
                bytes.storeBytes(of: word.littleEndian, toByteOffset: 8 * place, as: UInt64.self)
            }
            let sum = Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[32...]))
            bytes.storeBytes(of: sum.littleEndian, toByteOffset: 24, as: UInt64.self)
        }
    }

    /// The checksum of an index, which detects damage.
    ///
    /// It does not detect forgery: the file belongs to the user. Each step changes the sum one-to-one, so a single
    /// different word is always detected. The rotation moves the highest bits to where they have an effect.
    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        var offset = 0
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum = sum << 29 | sum >> 35
        }
        while offset + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last: UInt64 = 0
        for byte in bytes[offset...] { last = last << 8 | UInt64(byte) }
        add(last)
        return sum
    }
}

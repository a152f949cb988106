/// Which sequences of four bytes occur in files, roughly: a text with one that does not occur is in none of the files.
///
/// A key that is in no file is thereby found out without a search through each of them. A sequence may be taken for
/// another one, so a text that may be in a file must be searched for.
struct ByteParts {
    /// The length of a sequence.
    static let length = 4
    private static let bits = 24

    /// A bit for each sequence; empty until there is a file.
    private var occurring: [UInt64] = []

    /// Adds the sequences of a file.
    mutating func add(_ bytes: [UInt8]) {
        if occurring.isEmpty { occurring = [UInt64](repeating: 0, count: 1 << (Self.bits - 6)) }
        Self.forEach(in: bytes) { word, bit in
            occurring[word] |= bit
            return true
        }
    }

    /// Whether each sequence of a text occurs.
    func mayContain(_ text: [UInt8]) -> Bool {
        !occurring.isEmpty && Self.forEach(in: text) { word, bit in occurring[word] & bit != 0 }
    }

    /// Calls a closure with the place of each sequence until it returns false.
    ///
    /// - Returns: whether it always returned true.
    @discardableResult private static func forEach(in bytes: [UInt8], _ body: (Int, UInt64) -> Bool) -> Bool {
        var sequence: UInt32 = 0
        for (index, byte) in bytes.enumerated() {
            sequence = sequence << 8 | UInt32(byte)
            guard index >= length - 1 else { continue }
            // Multiplicative hashing: the upper bits of the product depend on all bits of the sequence.
            let hash = (sequence &* 0x9E37_79B1) >> (32 - UInt32(bits))
            guard body(Int(hash >> 6), 1 << UInt64(hash & 63)) else { return false }
        }
        return true
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset of the next occurrence of either byte, from a position on; the count if there is none.
    ///
    /// Most of a list is text between two such bytes, so eight bytes are examined in one step.
    @inline(__always)
    func offset(of first: UInt8, or second: UInt8, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(self)
        var index = start
        while index + 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let hits = Self.zeroBytes(word ^ Self.repeated(first)) | Self.zeroBytes(word ^ Self.repeated(second))
            if hits != 0 { return index + hits.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < raw.count {
            if self[index] == first || self[index] == second { return index }
            index += 1
        }
        return raw.count
    }

    /// Eight bytes at an offset as one number, the first byte lowest; nil if fewer are left.
    @inline(__always)
    func word(at offset: Int) -> UInt64? {
        guard count - offset >= 8 else { return nil }
        return UInt64(littleEndian: UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// At most eight bytes at an offset as one number, the first byte lowest.
    @inline(__always)
    func word(at offset: Int, count: Int) -> UInt64 {
        if let word = word(at: offset) {
            return count < 8 ? word & ((1 &<< UInt64(truncatingIfNeeded: 8 &* count)) &- 1) : word
        }
        return (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(self[offset + $1]) }
    }

    /// Whether the bytes at two offsets are the same.
    @inline(__always)
    func areSame(_ first: Int, _ second: Int, count: Int) -> Bool {
        var index = 0
        while index < count {
            let length = Swift.min(8, count &- index)
            guard word(at: first &+ index, count: length) == word(at: second &+ index, count: length) else {
                return false
            }
            index &+= 8
        }
        return true
    }

    /// A byte in all eight positions of a word.
    @inline(__always)
    static func repeated(_ byte: UInt8) -> UInt64 {
        UInt64(byte) &* 0x0101_0101_0101_0101
    }

    /// The high bit of each zero byte.
    ///
    /// The result is exact up to the first zero byte, and callers use only that one.
    @inline(__always)
    static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }
}

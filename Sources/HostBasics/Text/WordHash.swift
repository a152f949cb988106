extension UnsafeRawBufferPointer {
    /// A hash for finding accidental differences, used only within the process; it is not a signature.
    ///
    /// It applies FNV-1a's step to words of eight bytes instead of single bytes, in four sums, so that the processor
    /// can compute four products at once. The last words overlap the ones before.
    package var wordHash: UInt64 {
        guard let start = baseAddress else { return 0 }
        func word(_ offset: Int) -> UInt64 { start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        func step(_ sum: inout UInt64, _ word: UInt64) { sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15 }
        var sums: (UInt64, UInt64, UInt64, UInt64) = (UInt64(count), 1, 2, 3)
        var offset = 0
        while offset <= count - 32 {
            step(&sums.0, word(offset))
            step(&sums.1, word(offset + 8))
            step(&sums.2, word(offset + 16))
            step(&sums.3, word(offset + 24))
            offset += 32
        }
        while offset <= count - 8 {
            step(&sums.0, word(offset))
            offset += 8
        }
        if count >= 8 {
            if offset < count { step(&sums.0, word(count - 8)) }
        } else {
            for byte in self { step(&sums.0, UInt64(byte)) }
        }
        // The low bits of a product depend only on low bits, so the high bits are mixed in before the next step.
        func fold(_ sum: UInt64) -> UInt64 { sum ^ sum >> 32 }
        step(&sums.0, fold(sums.1))
        step(&sums.0, fold(sums.2))
        step(&sums.0, fold(sums.3))
        return fold(sums.0)
    }
}

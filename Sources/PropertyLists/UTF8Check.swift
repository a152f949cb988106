/// Checks bytes before they become strings.
enum UTF8Check {
    /// The offset of the first byte that is not well-formed UTF-8, or nil.
    ///
    /// Overlong forms, surrogates and values above U+10FFFF are not well-formed. `refusingNUL` also stops at a zero
    /// byte, which no text list may contain.
    static func firstFault(in bytes: UnsafeBufferPointer<UInt8>, refusingNUL: Bool) -> Int? {
        let count = bytes.count
        var index = 0
        while index < count {
            // Skips eight bytes at a time, up to the first byte that is not ASCII or, if refused, is zero.
            if let word = bytes.word(at: index) {
                var stops = word & 0x8080_8080_8080_8080
                if refusingNUL { stops |= UnsafeBufferPointer<UInt8>.zeroBytes(word) }
                guard stops != 0 else {
                    index &+= 8
                    continue
                }
                index &+= stops.trailingZeroBitCount / 8
            }
            let lead = bytes[index]
            if lead < 0x80 {
                if lead == 0 && refusingNUL { return index }
                index &+= 1
            } else if lead &- 0xC2 < 0x1E, index &+ 1 < count, bytes[index &+ 1] & 0xC0 == 0x80 {
                index &+= 2
            } else {
                let length = sequenceLength(bytes, at: index)
                guard length > 0 else { return index }
                index &+= length
            }
        }
        return nil
    }

    /// Whether all bytes are ASCII characters that XML allows, and none is a carriage return.
    ///
    /// **Cost.** Reads all bytes, in a tenth of the time of the other checks. A text that passes this check passes the
    /// others too.
    static func isPlainXML(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = 0
        var seen = SIMD16<UInt8>(repeating: 0)
        while index &+ 16 <= raw.count {
            let block = raw.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            // Uses only arithmetic, because masks of SIMD types are slow. The high bit is set for a byte above 0x7F,
            // for one below a tab, and for one from 0x0B to 0x1F.
            let aboveLineFeed = (block &- 0x0B) ^ 0xFF
            seen |= block | (block &- 0x09) | ((block &- 0x20) & aboveLineFeed)
            index &+= 16
        }
        guard (seen & 0x80) == SIMD16(repeating: 0) else { return false }
        return raw[index...].allSatisfy { $0 &- 0x20 < 0x60 || $0 == 0x0A || $0 == 0x09 }
    }

    /// The offset of the first character that no XML document may contain (XML 1.0, section 2.2), or nil.
    ///
    /// `bytes`: well-formed UTF-8.
    static func firstForbiddenInXML(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            if let word = bytes.word(at: index) {
                let rare = (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
                let lead = UnsafeBufferPointer<UInt8>.zeroBytes(word ^ UnsafeBufferPointer<UInt8>.repeated(0xEF))
                guard rare | lead != 0 else {
                    index &+= 8
                    continue
                }
            }
            let end = min(index &+ 8, bytes.count)
            while index < end {
                if isForbiddenInXML(bytes, at: index) { return index }
                index &+= 1
            }
        }
        return nil
    }

    /// Whether the character at an offset is a forbidden control character, U+FFFE or U+FFFF.
    static func isForbiddenInXML(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let byte = bytes[index]
        if byte < 0x20 { return byte != 0x09 && byte != 0x0A && byte != 0x0D }
        return byte == 0xEF && index + 2 < bytes.count && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
    }

    /// The first byte that is not ASCII, or nil.
    static func firstNonASCII(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        bytes.firstIndex { $0 >= 0x80 }
    }

    /// The length of the well-formed sequence at an offset, or 0.
    private static func sequenceLength(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        let lead = bytes[index]
        let length: Int
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if lead == 0xE0 { lowest = 0xA0 }
            if lead == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            length = 4
            if lead == 0xF0 { lowest = 0x90 }
            if lead == 0xF4 { highest = 0x8F }
        default: return 0
        }
        guard index + length <= bytes.count else { return 0 }
        guard lowest <= bytes[index + 1], bytes[index + 1] <= highest else { return 0 }
        for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// Whether comparing the text takes linear time.
    ///
    /// Swift compares strings by canonical equivalence, which sorts each run of combining marks by insertion; half a
    /// megabyte of marks as a key would take minutes. Unicode's stream-safe text format (UAX #15, section 13) allows 30
    /// marks in a row, more than any script uses.
    static func isStreamSafe(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Each mark takes two bytes or more.
        guard bytes.count > 2 * longestRunOfMarks else { return true }
        // The first mark is U+0300, lead byte 0xCC; text without such bytes has none.
        return !holdsLeadByteOfMarks(bytes) || hasShortRunsOfMarks(bytes)
    }

    // Why a separate function: at its beginning, the compiler loads two runtime types for the properties. Otherwise
    // every text would pay for that.
    @inline(never)
    private static func hasShortRunsOfMarks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var run = 0
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            // The ranges of Latin, Greek and Cyrillic, kana, ideographs and Hangul are checked first: reading the
            // properties of these characters would take most of the time.
            if scalar.value < 0x300 || (0x370...0x482).contains(scalar.value)
                || (0x309B...0xA66E).contains(scalar.value) || (0x3030...0x3098).contains(scalar.value)
                || (0xAC00...0xD7FF).contains(scalar.value)
                || scalar.properties.canonicalCombiningClass == .notReordered
            {
                run = 0
            } else {
                run += 1
                if run > longestRunOfMarks { return false }
            }
        }
        return true
    }

    /// Whether any byte can begin a combining mark.
    static func holdsLeadByteOfMarks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        // Eight bytes at a time; one by one only if any byte has both high bits, as every lead byte does.
        while let word = bytes.word(at: index) {
            if word & (word << 1) & 0x8080_8080_8080_8080 != 0, bytes[index..<index + 8].contains(where: isLeadOfMarks)
            {
                return true
            }
            index += 8
        }
        return bytes[index...].contains(where: isLeadOfMarks)
    }

    private static func isLeadOfMarks(_ byte: UInt8) -> Bool { byte >= 0xCC }

    private static let longestRunOfMarks = 30
}

/// The backslash sequences of old-style strings.
struct EscapeReader {
    enum Escape {
        case scalar(UInt32)
        /// An invalid sequence: the replacement that a lenient reader uses, and the problem.
        case invalid(replacement: UInt32, message: String)
    }

    let text: UnsafeBufferPointer<UInt8>
    var position = 0

    init(text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// Moves to the next backslash and returns its offset.
    mutating func nextBackslash() -> Int? {
        while position < text.count, text[position] != UInt8(ascii: "\\") { position += 1 }
        return position < text.count ? position : nil
    }

    /// Reads the sequence whose backslash is at the position.
    mutating func readEscape() -> Escape {
        position += 1
        guard position < text.count else {
            return .invalid(
                replacement: 0x5C, message: "A backslash ends the string; it must be followed by a character.")
        }
        let letter = text[position]
        switch letter {
        case UInt8(ascii: "U"), UInt8(ascii: "u"):
            position += 1
            return readUnicode()
        case UInt8(ascii: "0")...UInt8(ascii: "7"): return readOctal()
        case UInt8(ascii: "n"): return simple(0x0A)
        case UInt8(ascii: "t"): return simple(0x09)
        case UInt8(ascii: "r"): return simple(0x0D)
        case UInt8(ascii: "a"): return simple(0x07)
        case UInt8(ascii: "b"): return simple(0x08)
        case UInt8(ascii: "f"): return simple(0x0C)
        case UInt8(ascii: "v"): return simple(0x0B)
        default: return readItself()
        }
    }

    private mutating func simple(_ scalar: UInt32) -> Escape {
        position += 1
        return .scalar(scalar)
    }

    /// Any other character represents itself, including a line end.
    private mutating func readItself() -> Escape {
        let lead = text[position]
        guard lead >= 0x80 else { return simple(UInt32(lead)) }
        // The text is valid UTF-8: the lead byte determines the length, and all bytes exist.
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        var scalar = UInt32(lead) & (0xFF >> UInt32(length + 1))
        for index in position + 1..<min(position + length, text.count) {
            scalar = scalar << 6 | UInt32(text[index] & 0x3F)
        }
        position += length
        return .scalar(scalar)
    }

    /// Up to three octal digits: a character of the NeXTSTEP encoding.
    private mutating func readOctal() -> Escape {
        var code = 0
        var digits = 0
        while digits < 3, position < text.count, case let digit = text[position] &- 0x30, digit < 8 {
            code = code * 8 + Int(digit)
            position += 1
            digits += 1
        }
        guard code <= 0xFF else {
            return .invalid(
                replacement: 0xFFFD,
                message: "The octal escape \\\(String(code, radix: 8)) exceeds \\377, the last character.")
        }
        return .scalar(NextStepLatin.scalar(UInt8(code)))
    }

    /// Reads a UTF-16 unit, written as one to four hexadecimal digits.
    ///
    /// Two surrogates in a row make one character.
    private mutating func readUnicode() -> Escape {
        guard let unit = readUnit() else {
            return .invalid(
                replacement: UInt32(text[position - 1]), message: "\\U is not followed by a hexadecimal digit.")
        }
        guard unit & 0xF800 == 0xD800 else { return .scalar(unit) }
        let afterFirst = position
        if unit < 0xDC00, position + 1 < text.count, text[position] == UInt8(ascii: "\\"),
            text[position + 1] | 0x20 == UInt8(ascii: "u")
        {
            position += 2
            if let low = readUnit(), low & 0xFC00 == 0xDC00 {
                return .scalar(0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF))
            }
            position = afterFirst
        }
        return .invalid(
            replacement: 0xFFFD, message: "\\U\(String(unit, radix: 16)) is a lone surrogate, which is not a character."
        )
    }

    private mutating func readUnit() -> UInt32? {
        var unit: UInt32 = 0
        var digits = 0
        while digits < 4, position < text.count, let digit = NumberText.hexadecimalDigit(text[position]) {
            unit = unit << 4 | UInt32(digit)
            position += 1
            digits += 1
        }
        return digits > 0 ? unit : nil
    }
}

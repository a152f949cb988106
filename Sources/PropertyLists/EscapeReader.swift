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

    /// A message about the sequence whose backslash is at the position, if authors often mean something else by it;
    /// otherwise nil.
    ///
    /// Authors copy such sequences from source code: `\(name)` from Swift, `\x41` and `\U0001F600` from C.
    func foreignMeaning() -> String? {
        func digits(_ range: Range<Int>) -> Bool {
            range.upperBound <= text.count && range.allSatisfy { NumberText.hexadecimalDigit(text[$0]) != nil }
        }
        let start = position + 1
        guard start + 1 < text.count else { return nil }
        switch text[start] {
        case UInt8(ascii: "("): return isInterpolation(from: start + 1) ? Self.interpolation : nil
        case UInt8(ascii: "x") where digits(start + 1..<start + 2):
            return "In a table, \\x stands for the letter x, and its digits are text."
        case UInt8(ascii: "U") where digits(start + 1..<start + 9):
            // Up to \U0003…: the first four digits alone would be a control character, which no text has.
            guard text[start + 1..<start + 4].allSatisfy({ $0 == UInt8(ascii: "0") }), text[start + 4] <= 0x33,
                let scalar = UInt32(String(decoding: text[start + 1..<start + 9], as: UTF8.self), radix: 16),
                let character = Unicode.Scalar(scalar)
            else { return nil }
            let units = String(character).utf16.map { unit in
                let hexadecimal = String(unit, radix: 16)
                return "\\U" + String(repeating: "0", count: 4 - hexadecimal.utf8.count) + hexadecimal
            }
            return "In a table, \\U has at most four digits, and the others are text; "
                + "this character is written \(units.joined())."
        default: return nil
        }
    }

    private static let interpolation =
        "In a table, “\\(” stands for a parenthesis, and what follows is text: nothing is interpolated."

    /// Whether a name begins here, and the parenthesis is closed without a backslash.
    private func isInterpolation(from start: Int) -> Bool {
        let first = text[start] | 0x20
        guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) || text[start] == UInt8(ascii: "_") else {
            return false
        }
        let end = text[start...].prefix(Self.longestInterpolation).firstIndex(of: UInt8(ascii: ")"))
        return end.map { text[$0 - 1] != UInt8(ascii: "\\") } ?? false
    }

    private static let longestInterpolation = 200

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

/// The text of a literal while it is read.
struct LiteralContent {
    private var pieces: [[UInt8]] = [[]]
    /// Where the source has a line break, so that the indent of the lines can be removed.
    private var lines: [Line] = []

    private struct Line {
        let piece: Int
        let offset: Int
        /// Whether the break belongs to the text.
        ///
        /// A break after a backslash does not.
        let isInText: Bool
    }

    mutating func append(_ byte: UInt8) { pieces[pieces.count - 1].append(byte) }

    /// An unpaired UTF-16 surrogate is left out.
    ///
    /// No literal that compiles has one.
    mutating func append(scalar value: UInt32) {
        if let scalar = Unicode.Scalar(value) { pieces[pieces.count - 1] += Array(String(scalar).utf8) }
    }

    mutating func interpolate() { pieces.append([]) }

    mutating func breakLine(isInText: Bool = true) {
        if isInText { append(0x0A) }
        lines.append(Line(piece: pieces.count - 1, offset: pieces[pieces.count - 1].count, isInText: isInText))
    }

    /// The pieces.
    ///
    /// A literal of several lines loses the line breaks at its ends. Each line loses the indent of the last line.
    consuming func finish(isMultiline: Bool) -> [String] {
        var pieces = pieces
        var lines = lines
        if isMultiline, let last = lines.popLast(), last.piece == pieces.count - 1 {
            let indent = Array(pieces[last.piece][last.offset...])
            pieces[last.piece].removeSubrange((last.offset - (last.isInText ? 1 : 0))...)
            for line in lines.reversed() where pieces[line.piece][line.offset...].starts(with: indent) {
                pieces[line.piece].removeSubrange(line.offset..<line.offset + indent.count)
            }
            if !lines.isEmpty, pieces[0].first == 0x0A { pieces[0].removeFirst() }
        }
        return pieces.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension SourceTokens {
    /// Reads what follows a backslash in a literal.
    mutating func readEscape(into content: inout LiteralContent) {
        if skipLineBreak(of: &content) { return }
        let letter = byte(0)
        index += 1
        switch letter {
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "a") where !isSwift: content.append(0x07)
        case UInt8(ascii: "b") where !isSwift: content.append(0x08)
        case UInt8(ascii: "f") where !isSwift: content.append(0x0C)
        case UInt8(ascii: "v") where !isSwift: content.append(0x0B)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            index -= 1
            content.append(UInt8(truncatingIfNeeded: readDigits(radix: 8, atMost: isSwift ? 1 : 3)))
        case UInt8(ascii: "x"): content.append(UInt8(truncatingIfNeeded: readDigits(radix: 16, atMost: 8)))
        case UInt8(ascii: "u") where byte(0) == UInt8(ascii: "{"):
            index += 1
            content.append(scalar: readDigits(radix: 16, atMost: 8))
            if byte(0) == UInt8(ascii: "}") { index += 1 }
        case UInt8(ascii: "u"): content.append(scalar: readDigits(radix: 16, atMost: 4))
        case UInt8(ascii: "U"): content.append(scalar: readDigits(radix: 16, atMost: 8))
        default: content.append(letter)
        }
    }

    /// A backslash at the end of a line joins it with the next one.
    ///
    /// In Swift, blanks may follow the backslash.
    private mutating func skipLineBreak(of content: inout LiteralContent) -> Bool {
        var blanks = 0
        while isSwift, byte(blanks) == 0x20 || byte(blanks) == 0x09 { blanks += 1 }
        let length = lineBreak(at: blanks)
        guard length > 0 else { return false }
        index += blanks + length
        content.breakLine(isInText: false)
        return true
    }

    private mutating func readDigits(radix: UInt32, atMost most: Int) -> UInt32 {
        var value: UInt32 = 0
        var digits = 0
        while digits < most, let digit = Character(Unicode.Scalar(byte(0))).hexDigitValue, digit < radix {
            value = value &* radix &+ UInt32(digit)
            index += 1
            digits += 1
        }
        return value
    }
}

/// The text of an XML file and a place in it: what property lists and nib documents have in common.
///
/// It knows blanks, comments, processing instructions, and the references to characters. What elements there are, and
/// what may stand in them, is for ``XMLParser`` (property lists) and ``XMLDocument`` (any elements) to know.
struct XMLCursor: ~Copyable {
    /// Valid UTF-8 without NUL.
    let text: UnsafeBufferPointer<UInt8>
    var position = 0
    /// Character data that is not contiguous in the file.
    var gathered: [UInt8] = []
    /// From these offsets on it is known that nothing ends a comment, an instruction, or a CDATA section; looking again
    /// for each that begins would be quadratic.
    private var neverEnds = InlineArray<3, Int>(repeating: .max)

    init(_ text: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        self.text = text
        self.position = position
    }

    /// The byte at an offset; zero, which no text holds, past the end.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        offset < text.count ? text[offset] : 0
    }

    @inline(__always)
    mutating func skipBlanks() {
        while isBlank(byte(at: position)) { position += 1 }
    }

    @inline(__always)
    func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    /// Skips blanks, comments and processing instructions.
    @inline(__always)
    mutating func skipBetweenTags() throws(TextFault) {
        skipBlanks()
        while byte(at: position) == UInt8(ascii: "<") {
            let next = byte(at: position + 1)
            guard next == UInt8(ascii: "!") || next == UInt8(ascii: "?") else { return }
            guard try skipMarkup() else { return }
            skipBlanks()
        }
    }

    /// Skips one comment or processing instruction, if there is one here.
    @inline(never)
    mutating func skipMarkup() throws(TextFault) -> Bool {
        if starts(with: "<!--") {
            try skipComment()
        } else if starts(with: "<?") {
            try skip(
                .instruction, past: "?>", from: position + 2,
                "The processing instruction that begins here is never closed with \"?>\".")
        } else {
            return false
        }
        return true
    }

    mutating func skipComment() throws(TextFault) {
        try skip(
            .comment, past: "-->", from: position + 4, "The comment that begins here is never closed with \"-->\".")
    }

    /// What is skipped without being looked at.
    enum Skipped: Int {
        case comment, instruction, section
    }

    /// Moves past the next occurrence of a terminator.
    mutating func skip(
        _ kind: Skipped, past terminator: StaticString, from start: Int, _ message: String
    ) throws(TextFault) {
        guard start < neverEnds[kind.rawValue], let found = find(terminator, from: start) else {
            neverEnds[kind.rawValue] = min(start, neverEnds[kind.rawValue])
            throw TextFault(.truncated, at: position, message)
        }
        position = found + terminator.utf8CodeUnitCount
    }

    /// The offset of the next occurrence of a few bytes.
    func find(_ terminator: StaticString, from start: Int) -> Int? {
        let first = terminator.withUTF8Buffer { $0[0] }
        var offset = start
        while offset < text.count {
            offset = text.offset(of: first, or: first, from: offset)
            if matches(terminator, at: offset) { return offset }
            offset += 1
        }
        return nil
    }

    func starts(with prefix: StaticString) -> Bool {
        matches(prefix, at: position)
    }

    private func matches(_ prefix: StaticString, at offset: Int) -> Bool {
        prefix.withUTF8Buffer { wanted in
            guard wanted.count <= text.count - offset else { return false }
            for index in 0..<wanted.count where text[offset + index] != wanted[index] { return false }
            return true
        }
    }

    // MARK: Names and references

    @inline(__always)
    func isNameByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") || byte >= 0x80
    }

    /// Expands the reference whose `&` is at the position.
    mutating func gatherReference() throws(TextFault) {
        let start = position
        position += 1
        if byte(at: position) == UInt8(ascii: "#") {
            position += 1
            return try gatherCharacterReference(from: start)
        }
        let known: [(StaticString, UInt8)] = [
            ("lt;", UInt8(ascii: "<")), ("gt;", UInt8(ascii: ">")), ("amp;", UInt8(ascii: "&")),
            ("quot;", UInt8(ascii: "\"")), ("apos;", UInt8(ascii: "'")),
        ]
        for (name, character) in known where starts(with: name) {
            position += name.utf8CodeUnitCount
            gathered.append(character)
            return
        }
        throw TextFault(
            .unknownEntity, at: start,
            "\(Excerpt.of(text, start..<min(start + 12, text.count))) begins no predefined entity; "
                + "other entities are not expanded."
        )
    }

    private mutating func gatherCharacterReference(from start: Int) throws(TextFault) {
        let isHexadecimal = byte(at: position) == UInt8(ascii: "x")
        if isHexadecimal { position += 1 }
        let firstDigit = position
        var scalar: UInt32 = 0
        while let digit = NumberText.hexadecimalDigit(byte(at: position)), isHexadecimal || digit < 10 {
            // Held past the last character, where more digits change nothing.
            scalar = min(scalar * (isHexadecimal ? 16 : 10) + UInt32(digit), 0x11_0000)
            position += 1
        }
        guard position > firstDigit, byte(at: position) == UInt8(ascii: ";"), Unicode.Scalar(scalar) != nil, scalar != 0
        else {
            throw TextFault(
                .unknownEntity, at: start,
                "\(Excerpt.of(text, start..<min(position + 1, text.count))) refers to no character that may "
                    + "stand in a text."
            )
        }
        position += 1
        gathered.appendUTF8(scalar)
    }
}

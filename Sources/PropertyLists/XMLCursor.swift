/// The text of an XML file and a position in it.
///
/// The readers of property lists and of nib documents share this type.
///
/// It reads blanks, comments, processing instructions, and references to characters. ``XMLParser`` (property lists) and
/// ``XMLDocument`` (any elements) define which elements exist and what they may contain.
struct XMLCursor: ~Copyable {
    /// Valid UTF-8 without NUL.
    let text: UnsafeBufferPointer<UInt8>
    var position = 0
    /// Character data that is not contiguous in the file.
    var gathered: [UInt8] = []
    /// The offsets from which a comment, an instruction, or a CDATA section is known to have no end.
    ///
    /// Searching again for each one that begins would take quadratic time.
    private var neverEnds = InlineArray<3, Int>(repeating: .max)
    /// The steps of searches without a result, which no budget has counted yet.
    private var fruitlessSteps = 0

    init(_ text: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        self.text = text
        self.position = position
    }

    /// The byte at an offset; past the end it is zero, which no text contains.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        offset < text.count ? text[offset] : 0
    }

    @inline(__always)
    mutating func skipBlanks() {
        // A local variable stays in a register.
        var end = position
        while isBlank(byte(at: end)) { end &+= 1 }
        position = end
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

    /// Markup that is skipped without reading its content.
    enum Skipped: Int {
        case comment, instruction, section
    }

    /// Moves past the next occurrence of a terminator.
    ///
    /// A search without a result costs steps, so it is done only once for each kind.
    mutating func skip(
        _ kind: Skipped, past terminator: StaticString, from start: Int, _ message: String
    ) throws(TextFault) {
        if start < neverEnds[kind.rawValue] {
            if let found = find(terminator, from: start) {
                position = found + terminator.utf8CodeUnitCount
                return
            }
            neverEnds[kind.rawValue] = start
            fruitlessSteps += max(text.count - start, 0)
        }
        throw TextFault(.truncated, at: position, message)
    }

    /// The steps of searches without a result since the last call, for the budget of a reader that continues after a
    /// fault.
    mutating func takeFruitlessSteps() -> Int {
        defer { fruitlessSteps = 0 }
        return fruitlessSteps
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
            "\(Excerpt.of(text, start..<min(start + 12, text.count))) does not begin a predefined entity; "
                + "other entities are not expanded."
        )
    }

    private mutating func gatherCharacterReference(from start: Int) throws(TextFault) {
        let isHexadecimal = byte(at: position) == UInt8(ascii: "x")
        if isHexadecimal { position += 1 }
        let firstDigit = position
        var scalar: UInt32 = 0
        while let digit = NumberText.hexadecimalDigit(byte(at: position)), isHexadecimal || digit < 10 {
            // Limited to just above the last character, where more digits change nothing.
            scalar = min(scalar * (isHexadecimal ? 16 : 10) + UInt32(digit), 0x11_0000)
            position += 1
        }
        guard position > firstDigit, byte(at: position) == UInt8(ascii: ";"), Unicode.Scalar(scalar) != nil, scalar != 0
        else {
            throw TextFault(
                .unknownEntity, at: start,
                "\(Excerpt.of(text, start..<min(position + 1, text.count))) does not refer to a character that is "
                    + "allowed in a text."
            )
        }
        position += 1
        gathered.appendUTF8(scalar)
    }
}

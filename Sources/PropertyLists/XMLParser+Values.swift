extension XMLParser {
    /// Character data of an element, up to its closing tag.
    enum CharacterData {
        /// Contiguous in the file.
        case slice(Range<Int>)
        /// Collected in `gathered`, because a reference, a comment or a CDATA section interrupts it.
        case gathered
    }

    /// Reads the text of `<string>` or `<key>`.
    @inline(__always)
    mutating func readString(_ tag: XMLTag) throws(TextFault) -> String {
        guard tag.kind == .open else { return "" }
        let data = try readCharacterData(of: tag)
        return try withBytes(of: data) { (bytes) throws(TextFault) in
            guard UTF8Check.isStreamSafe(bytes) else { throw unsafeText(tag) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Reads `<true></true>`, which may contain only blanks.
    mutating func readNothing(in tag: XMLTag) throws(TextFault) {
        guard tag.kind == .open else { return }
        let data = try readCharacterData(of: tag)
        try withTrimmedBytes(of: data) { (bytes) throws(TextFault) in
            guard bytes.isEmpty else {
                throw TextFault(
                    .unexpectedCharacter, at: tag.offset,
                    "\(tag.description) holds \(Excerpt.of(bytes, 0..<bytes.count)); it must be empty.")
            }
        }
    }

    mutating func readInteger(_ tag: XMLTag) throws(TextFault) -> PropertyList {
        let data = try readCharacterData(of: tag)
        return try withTrimmedBytes(of: data) { (bytes) throws(TextFault) in
            switch NumberText.integer(bytes) {
            case .value(let value): return value
            case .malformed: throw invalid(.invalidInteger, tag, bytes, "a whole number is expected")
            case .overflow: throw invalid(.integerOverflow, tag, bytes, "it must fit 64 bits")
            }
        }
    }

    mutating func readReal(_ tag: XMLTag) throws(TextFault) -> Double {
        let data = try readCharacterData(of: tag)
        return try withTrimmedBytes(of: data) { (bytes) throws(TextFault) in
            switch NumberText.real(bytes) {
            case .value(let value): return value
            case .malformed: throw invalid(.invalidReal, tag, bytes, "a number is expected")
            case .notFinite: throw invalid(.notFinite, tag, bytes, "a finite number is expected")
            }
        }
    }

    mutating func readDate(_ tag: XMLTag) throws(TextFault) -> Double {
        let data = try readCharacterData(of: tag)
        return try withTrimmedBytes(of: data) { (bytes) throws(TextFault) in
            guard let date = CalendarTime.xml(bytes) else {
                throw invalid(.invalidDate, tag, bytes, "a date such as 2001-01-01T00:00:00Z is expected")
            }
            return date
        }
    }

    mutating func readData(_ tag: XMLTag) throws(TextFault) -> [UInt8] {
        guard tag.kind == .open else { return [] }
        let data = try readCharacterData(of: tag)
        return try withBytes(of: data) { (bytes) throws(TextFault) in
            guard let decoded = Base64.decode(bytes) else {
                throw invalid(.invalidData, tag, bytes, "padded base64 is expected")
            }
            return decoded
        }
    }

    /// Reads up to and including the element's closing tag.
    @inline(__always)
    private mutating func readCharacterData(of tag: XMLTag) throws(TextFault) -> CharacterData {
        guard tag.kind == .open else { return .slice(position..<position) }
        let start = position
        skipPlainText()
        let end = position
        guard byte(at: end) == UInt8(ascii: "<"), byte(at: end + 1) == UInt8(ascii: "/") else {
            try gatherCharacterData(of: tag, from: start)
            return .gathered
        }
        try readClosingTag(of: tag)
        return .slice(start..<end)
    }

    @inline(__always)
    private mutating func skipPlainText() {
        position = text.offset(of: UInt8(ascii: "<"), or: UInt8(ascii: "&"), from: position)
    }

    @inline(__always)
    private mutating func readClosingTag(of tag: XMLTag) throws(TextFault) {
        let closing = try readTag()
        guard closing.element == tag.element else { throw unclosed(tag, by: closing) }
    }

    @inline(never)
    private mutating func gatherCharacterData(of tag: XMLTag, from start: Int) throws(TextFault) {
        gathered.removeAll(keepingCapacity: true)
        gathered.append(contentsOf: text[start..<position])
        while true {
            guard position < text.count else {
                throw TextFault(
                    .truncated, at: tag.offset, "The file ends inside \(tag.description), which begins here.")
            }
            if text[position] == UInt8(ascii: "&") {
                try gatherReference()
            } else if byte(at: position + 1) == UInt8(ascii: "/") {
                return try readClosingTag(of: tag)
            } else if starts(with: "<!--") {
                try skipComment()
            } else if starts(with: "<![CDATA[") {
                let content = position + 9
                try skip(
                    .section, past: "]]>", from: content,
                    "The CDATA section that begins here is never closed with \"]]>\".")
                gathered.append(contentsOf: text[content..<position - 3])
            } else {
                throw TextFault(
                    position + 1 < text.count ? .malformedMarkup : .truncated, at: position,
                    "Another element begins inside \(tag.description), which contains only text.")
            }
            let plain = position
            skipPlainText()
            gathered.append(contentsOf: text[plain..<position])
        }
    }

    /// Expands the reference whose `&` is at the position.
    private mutating func gatherReference() throws(TextFault) {
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
                    + "allowed in a list."
            )
        }
        position += 1
        gathered.appendUTF8(scalar)
    }

    @inline(__always)
    private func withBytes<Result>(
        of data: CharacterData, _ body: (UnsafeBufferPointer<UInt8>) throws(TextFault) -> Result
    ) throws(TextFault) -> Result {
        switch data {
        case .slice(let range): try body(UnsafeBufferPointer(rebasing: text[range]))
        case .gathered: try gathered.withUnsafeBufferPointer(body)
        }
    }

    private func withTrimmedBytes<Result>(
        of data: CharacterData, _ body: (UnsafeBufferPointer<UInt8>) throws(TextFault) -> Result
    ) throws(TextFault) -> Result {
        try withBytes(of: data) { (bytes) throws(TextFault) in
            var start = 0
            var end = bytes.count
            while start < end, isBlank(bytes[start]) { start += 1 }
            while end > start, isBlank(bytes[end - 1]) { end -= 1 }
            return try body(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        }
    }

    @inline(never)
    private func invalid(
        _ code: PropertyListFault.Code, _ tag: XMLTag, _ bytes: UnsafeBufferPointer<UInt8>, _ expected: String
    ) -> TextFault {
        TextFault(code, at: tag.offset, "\(tag.description) holds \(Excerpt.of(bytes, 0..<bytes.count)); \(expected).")
    }

    @inline(never)
    private func unclosed(_ tag: XMLTag, by closing: XMLTag) -> TextFault {
        TextFault(
            .malformedMarkup, at: closing.offset, "\(tag.description) is closed by \(closing.description).")
    }

    @inline(never)
    private func unsafeText(_ tag: XMLTag) -> TextFault {
        TextFault(.unsafeText, at: tag.offset, "\(tag.description) holds more than 30 combining marks in a row.")
    }
}

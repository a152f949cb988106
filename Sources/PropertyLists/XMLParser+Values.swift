extension XMLParser {
    /// Character data of an element, up to its closing tag.
    enum CharacterData {
        /// Contiguous in the file.
        case slice(Range<Int>)
        /// Collected in `xml.gathered`, because a reference, a comment or a CDATA section interrupts it.
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
        guard xml.byte(at: end) == UInt8(ascii: "<"), xml.byte(at: end + 1) == UInt8(ascii: "/") else {
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
        xml.gathered.removeAll(keepingCapacity: true)
        xml.gathered.append(contentsOf: text[start..<position])
        while true {
            guard position < text.count else {
                throw TextFault(
                    .truncated, at: tag.offset, "The file ends inside \(tag.description), which begins here.")
            }
            if text[position] == UInt8(ascii: "&") {
                try xml.gatherReference()
            } else if xml.byte(at: position + 1) == UInt8(ascii: "/") {
                return try readClosingTag(of: tag)
            } else if xml.starts(with: "<!--") {
                try xml.skipComment()
            } else if xml.starts(with: "<![CDATA[") {
                let content = position + 9
                try xml.skip(
                    .section, past: "]]>", from: content,
                    "The CDATA section that begins here is never closed with \"]]>\".")
                xml.gathered.append(contentsOf: text[content..<position - 3])
            } else {
                throw TextFault(
                    position + 1 < text.count ? .malformedMarkup : .truncated, at: position,
                    "Another element begins inside \(tag.description), which contains only text.")
            }
            let plain = position
            skipPlainText()
            xml.gathered.append(contentsOf: text[plain..<position])
        }
    }

    @inline(__always)
    private func withBytes<Result>(
        of data: CharacterData, _ body: (UnsafeBufferPointer<UInt8>) throws(TextFault) -> Result
    ) throws(TextFault) -> Result {
        switch data {
        case .slice(let range): try body(UnsafeBufferPointer(rebasing: text[range]))
        case .gathered: try xml.gathered.withUnsafeBufferPointer(body)
        }
    }

    private func withTrimmedBytes<Result>(
        of data: CharacterData, _ body: (UnsafeBufferPointer<UInt8>) throws(TextFault) -> Result
    ) throws(TextFault) -> Result {
        try withBytes(of: data) { (bytes) throws(TextFault) in
            var start = 0
            var end = bytes.count
            while start < end, xml.isBlank(bytes[start]) { start += 1 }
            while end > start, xml.isBlank(bytes[end - 1]) { end -= 1 }
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

extension XMLParser {
    /// The byte at an offset; past the end it is zero, which no text contains.
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

    /// Skips the XML declaration, the document type, and everything allowed around them.
    mutating func skipProlog() throws(TextFault) {
        try skipBetweenTags()
        if starts(with: "<!DOCTYPE") {
            try skipDocumentType()
            try skipBetweenTags()
        }
        if starts(with: "<!DOCTYPE") {
            throw TextFault(.malformedMarkup, at: position, "The document type is declared a second time.")
        }
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
    private mutating func skipMarkup() throws(TextFault) -> Bool {
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
    /// A search without a result costs steps, and is done once for each kind.
    mutating func skip(
        _ kind: Skipped, past terminator: StaticString, from start: Int, _ message: String
    ) throws(TextFault) {
        if start < neverEnds[kind.rawValue] {
            if let found = find(terminator, from: start) {
                position = found + terminator.utf8CodeUnitCount
                return
            }
            neverEnds[kind.rawValue] = start
            guard builder.budget.take(steps: max(text.count - start, 0)) else {
                throw TextFault(.overBudget, at: position, builder.budget.exhausted.sentence)
            }
        }
        throw TextFault(.truncated, at: position, message)
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

    private mutating func skipDocumentType() throws(TextFault) {
        let start = position
        position += 9
        while true {
            switch byte(at: position) {
            case UInt8(ascii: ">"):
                position += 1
                return
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let quote = text[position]
                position += 1
                while position < text.count, text[position] != quote { position += 1 }
            case UInt8(ascii: "["):
                throw TextFault(
                    .documentTypeSubset, at: position,
                    "The document type has an internal subset, which could declare entities; property lists have none."
                )
            case UInt8(ascii: "<"):
                throw TextFault(
                    .malformedMarkup, at: position,
                    "Found \"<\" inside the document type, which is not closed with \">\".")
            default: break
            }
            guard position < text.count else {
                throw TextFault(.truncated, at: start, "The document type that begins here is never closed with \">\".")
            }
            position += 1
        }
    }

    /// The next tag; everything before it is skipped.
    @inline(__always)
    mutating func nextTag(inside outer: XMLTag?) throws(TextFault) -> XMLTag {
        try skipBetweenTags()
        guard byte(at: position) == UInt8(ascii: "<") else { throw noTag(inside: outer) }
        return try readTag()
    }

    /// Reads the tag whose `<` is at the position.
    @inline(__always)
    mutating func readTag() throws(TextFault) -> XMLTag {
        let offset = position
        position += 1
        let isClosing = byte(at: position) == UInt8(ascii: "/")
        if isClosing { position += 1 }
        // Nearly every tag is a known name followed by ">"; if both fit in eight bytes, one comparison identifies it.
        if let word = text.word(at: position) {
            let end = UnsafeBufferPointer.zeroBytes(word ^ UnsafeBufferPointer.repeated(UInt8(ascii: ">")))
            let bits = end.trailingZeroBitCount & ~7
            if end != 0, let element = XMLElement(packedName: word & ((1 << UInt64(bits)) &- 1)) {
                position += bits / 8 + 1
                return XMLTag(element: element, kind: isClosing ? .close : .open, offset: offset)
            }
        }
        return try readUncommonTag(isClosing, offset)
    }

    /// Reads a tag with blanks, attributes or an unknown name, or a tag near the end of the file.
    @inline(never)
    private mutating func readUncommonTag(_ isClosing: Bool, _ offset: Int) throws(TextFault) -> XMLTag {
        let start = position
        var name: UInt64 = 0
        while isNameByte(byte(at: position)) {
            if position - start < 8 { name |= UInt64(text[position]) << UInt64(8 * (position - start)) }
            position += 1
        }
        guard position - start <= 8, let element = XMLElement(packedName: name) else {
            throw unknownElement(start, offset)
        }
        return try finishTag(element, isClosing, offset)
    }

    @inline(__always)
    private func isNameByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") || byte >= 0x80
    }

    /// Reads the part between an element's name and the end of its tag.
    private mutating func finishTag(_ element: XMLElement, _ isClosing: Bool, _ offset: Int) throws(TextFault) -> XMLTag
    {
        while true {
            let afterName = position
            skipBlanks()
            switch byte(at: position) {
            case UInt8(ascii: ">"):
                position += 1
                return XMLTag(element: element, kind: isClosing ? .close : .open, offset: offset)
            case UInt8(ascii: "/") where byte(at: position + 1) == UInt8(ascii: ">") && !isClosing:
                position += 2
                return XMLTag(element: element, kind: .empty, offset: offset)
            case 0 where position >= text.count:
                throw TextFault(.truncated, at: offset, "The file ends inside this tag of <\(element.name)>.")
            default:
                guard !isClosing, position > afterName, isNameByte(byte(at: position)) else { throw notInTag(element) }
                try skipAttribute(element)
            }
        }
    }

    /// Skips `name="value"`.
    ///
    /// Only `version` of `<plist>` exists, and its value does not matter.
    private mutating func skipAttribute(_ element: XMLElement) throws(TextFault) {
        while isNameByte(byte(at: position)) { position += 1 }
        skipBlanks()
        guard byte(at: position) == UInt8(ascii: "=") else { throw notInTag(element) }
        position += 1
        skipBlanks()
        let quote = byte(at: position)
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw notInTag(element) }
        let start = position
        position += 1
        while byte(at: position) != quote {
            guard position < text.count else {
                throw TextFault(.truncated, at: start, "The attribute's value that begins here is never closed.")
            }
            guard text[position] != UInt8(ascii: "<") else { throw notInTag(element) }
            position += 1
        }
        position += 1
    }

    @inline(never)
    private func notInTag(_ element: XMLElement) -> TextFault {
        TextFault(
            position < text.count ? .malformedMarkup : .truncated, at: position,
            "Found \(Excerpt.character(text, at: position)) inside a tag of <\(element.name)>; "
                + "an attribute or \">\" is expected."
        )
    }

    @inline(never)
    private func unknownElement(_ start: Int, _ offset: Int) -> TextFault {
        if start == position {
            return TextFault(
                position < text.count ? .malformedMarkup : .truncated, at: offset,
                "\"<\" is followed by \(Excerpt.character(text, at: position)); an element's name is expected.")
        }
        if position == text.count {
            return TextFault(.truncated, at: offset, "The file ends inside the tag that begins here.")
        }
        return TextFault(
            .unknownElement, at: offset, "Property lists have no element \(Excerpt.of(text, start..<position)).")
    }

    @inline(never)
    private func noTag(inside outer: XMLTag?) -> TextFault {
        if position < text.count {
            return TextFault(
                .unexpectedCharacter, at: position,
                "Found \(Excerpt.character(text, at: position)) between elements; a tag is expected.")
        }
        guard let outer else {
            return TextFault(.truncated, at: position, "The file ends before the property list begins.")
        }
        return TextFault(
            .truncated, at: position, "The file ends before the \(outer.description) that began the list is closed.")
    }
}

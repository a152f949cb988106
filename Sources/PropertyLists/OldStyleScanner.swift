/// The tokens of old-style lists and strings files: blanks, comments, words and quoted strings.
struct OldStyleScanner: ~Copyable {
    /// Valid UTF-8.
    let text: UnsafeBufferPointer<UInt8>
    var position = 0
    /// Whether an invalid escape is recorded in `tolerated` and replaced; otherwise it ends the reading.
    let isLenient: Bool
    var tolerated = FaultList()
    /// Whether sequences that other languages define are recorded in `tolerated`, for a checker.
    var reportsForeignEscapes = false
    /// How many bytes were examined in vain: ahead of the position, or a second time.
    ///
    /// The number grows in proportion to the text, not to its square.
    var examined = 0
    private var unescaped: [UInt8] = []
    /// The offsets from which each kind of quote is known to be never closed.
    ///
    /// Searching again would take quadratic time.
    private var neverClosed: (double: Int, single: Int) = (.max, .max)

    init(_ text: UnsafeBufferPointer<UInt8>, isLenient: Bool) {
        self.text = text
        self.isLenient = isLenient
    }

    var isAtEnd: Bool { position >= text.count }

    /// The byte at an offset; zero past the end.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        offset < text.count ? text[offset] : 0
    }

    /// The byte at the position; zero at the end.
    var next: UInt8 { byte(at: position) }

    /// Skips blanks and comments.
    mutating func skipBlanks() throws(TextFault) {
        while position < text.count {
            let byte = text[position]
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                position += 1
            } else if byte == UInt8(ascii: "/"), self.byte(at: position + 1) == UInt8(ascii: "/") {
                skipLine()
            } else if byte == UInt8(ascii: "/"), self.byte(at: position + 1) == UInt8(ascii: "*") {
                try skipBlockComment()
            } else if isUnicodeLineEnd(at: position) {
                position += 3
            } else {
                return
            }
        }
    }

    /// U+2028 and U+2029, in UTF-8.
    private func isUnicodeLineEnd(at offset: Int) -> Bool {
        byte(at: offset) == 0xE2 && byte(at: offset + 1) == 0x80 && byte(at: offset + 2) | 1 == 0xA9
    }

    /// Moves to the end of the line.
    mutating func skipLine() {
        while position < text.count, text[position] != 0x0A, text[position] != 0x0D, !isUnicodeLineEnd(at: position) {
            position += 1
        }
    }

    private mutating func skipBlockComment() throws(TextFault) {
        let start = position
        position += 2
        while position < text.count {
            position = text.offset(of: UInt8(ascii: "*"), or: UInt8(ascii: "*"), from: position)
            if byte(at: position + 1) == UInt8(ascii: "/") {
                position += 2
                return
            }
            position += 1
        }
        position = text.count
        examined += text.count - start
        throw TextFault(.truncated, at: start, "The comment that begins here is never closed with \"*/\".")
    }

    /// Whether a string, quoted or bare, begins at the position.
    var isAtString: Bool { isQuote(next) || isWord(next) }

    @inline(__always)
    func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    /// Characters that a string without quotes may contain.
    @inline(__always)
    func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"),
            UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"):
            true
        default: false
        }
    }

    /// Reads the string that begins at the position.
    mutating func readString() throws(TextFault) -> String {
        let start = position
        if isQuote(next) {
            let hasEscapes = try skipQuoted()
            let content = UnsafeBufferPointer(rebasing: text[start + 1..<position - 1])
            return hasEscapes ? try unescape(content, at: start + 1) : try string(content, at: start)
        }
        while isWord(next) { position += 1 }
        return try string(UnsafeBufferPointer(rebasing: text[start..<position]), at: start)
    }

    /// Moves past the string at the position.
    mutating func skipString() throws(TextFault) {
        if isQuote(next) {
            _ = try skipQuoted()
        } else {
            while isWord(next) { position += 1 }
        }
    }

    /// Moves past the quoted string at the position.
    ///
    /// Returns whether it contains a backslash.
    mutating func skipQuoted() throws(TextFault) -> Bool {
        let start = position
        let quote = text[start]
        let isDouble = quote == UInt8(ascii: "\"")
        var hasEscapes = false
        var index = start + 1
        if start < (isDouble ? neverClosed.double : neverClosed.single) {
            while true {
                index = text.offset(of: quote, or: UInt8(ascii: "\\"), from: index)
                guard index < text.count else { break }
                if text[index] == quote {
                    position = index + 1
                    return hasEscapes
                }
                hasEscapes = true
                index += 2
            }
            examined += text.count - start
            if isDouble { neverClosed.double = start } else { neverClosed.single = start }
        }
        throw TextFault(.truncated, at: start, "The string that begins here is never closed.")
    }

    private func string(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(TextFault) -> String {
        guard UTF8Check.isStreamSafe(bytes) else {
            throw TextFault(
                .unsafeText, at: offset, "The string that begins here holds more than 30 combining marks in a row.")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func unescape(_ content: UnsafeBufferPointer<UInt8>, at start: Int) throws(TextFault) -> String {
        unescaped.removeAll(keepingCapacity: true)
        var escapes = EscapeReader(text: content)
        var plain = 0
        while let backslash = escapes.nextBackslash() {
            unescaped.append(contentsOf: content[plain..<backslash])
            if reportsForeignEscapes, let meaning = escapes.foreignMeaning() {
                tolerated.add(TextFault(.foreignEscape, at: start + backslash, meaning))
            }
            switch escapes.readEscape() {
            case .scalar(let scalar): unescaped.appendUTF8(scalar)
            case .invalid(let replacement, let message):
                let fault = TextFault(.invalidEscape, at: start + backslash, message)
                guard isLenient else { throw fault }
                tolerated.add(fault)
                unescaped.appendUTF8(replacement)
            }
            plain = escapes.position
        }
        unescaped.append(contentsOf: content[plain...])
        return try unescaped.withUnsafeBufferPointer { (bytes) throws(TextFault) in
            try string(bytes, at: start - 1)
        }
    }

    /// A fault about the character at the position, or about the end of the file.
    func unexpected(_ expected: String) -> TextFault {
        TextFault(
            isAtEnd ? .truncated : .unexpectedCharacter, at: position,
            "Found \(Excerpt.character(text, at: position)); \(expected).")
    }
}

extension StringsTableParser {
    /// Reports a faulty entry and moves to the place where the next one may begin.
    ///
    /// That is after the next semicolon, or on a line that contains a complete entry, whichever comes first. If the
    /// faulty entry contains a quoted string of several lines, a quote was probably forgotten and the string includes
    /// good entries: then the search begins at the end of its first line.
    mutating func recover(from start: Int, _ fault: TextFault) {
        recoveries -= 1
        let failure = scanner.position
        furthest = max(furthest, failure)
        let broken = brokenString(from: start, to: failure)
        if let broken, fault.offset == failure,
            fault.code == .missingSeparator || fault.code == .unexpectedCharacter
        {
            report(Self.unclosed(at: broken.start, fault))
        } else {
            report(fault)
        }
        let first = broken?.lineBreak ?? failure
        let resume = nextEntry(from: first)
        // Going back for each of many odd quotes would take quadratic time: when the budget is used up, the examined
        // part is skipped.
        let again = max(0, furthest - resume)
        scanner.position = budget.take(steps: again) ? resume : max(resume, furthest)
        scanner.examined += again
    }

    /// A fault after a string of several lines.
    ///
    /// Its closing quotation mark was probably forgotten, and the mark that opens another string was read as the
    /// closing one.
    private static func unclosed(at start: Int, _ fault: TextFault) -> TextFault {
        TextFault(
            fault.code, at: start,
            "The string that begins here goes on to another line, and is probably not closed where it should be. \(fault.message)"
        )
    }

    /// The first quoted string of an entry with a line break inside, and that line break.
    private mutating func brokenString(from start: Int, to end: Int) -> (start: Int, lineBreak: Int)? {
        scanner.position = start
        defer {
            scanner.examined += end - start
            scanner.position = end
        }
        while scanner.position < end {
            let token = scanner.position
            do throws(TextFault) {
                if scanner.isQuote(scanner.next) {
                    _ = try scanner.skipQuoted()
                    let lineBreak = scanner.text[token..<scanner.position].firstIndex { isLineBreak($0) }
                    if let lineBreak { return (token, lineBreak) }
                } else {
                    scanner.position += 1
                }
                try scanner.skipBlanks()
            } catch {
                return nil
            }
        }
        return nil
    }

    private mutating func nextEntry(from first: Int) -> Int {
        let text = scanner.text
        var index = first
        defer { scanner.examined += index - first }
        while index < text.count {
            let byte = text[index]
            if isLineBreak(byte) {
                if isCompleteEntry(at: index + 1) { return index + 1 }
            } else if byte == UInt8(ascii: ";") {
                return index + 1
            } else if byte == UInt8(ascii: "}"), isBraced {
                return index
            } else if scanner.isQuote(byte) {
                // A quote without a partner on the line is a stray one.
                if let end = endOfString(at: index) {
                    index = end
                    continue
                }
            } else if byte == UInt8(ascii: "/"), let end = endOfComment(at: index) {
                index = end
                continue
            } else if byte == UInt8(ascii: "\\"), !isLineBreak(scanner.byte(at: index + 1)) {
                // An escaped quote does not open a string; a line full of them would be searched once for each.
                index += 1
            }
            index += 1
        }
        return text.count
    }

    private func isLineBreak(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D
    }

    /// Whether a line contains `key = value;` with nothing that spans several lines.
    private mutating func isCompleteEntry(at lineStart: Int) -> Bool {
        var index = skipBlanksInLine(from: lineStart)
        guard let keyEnd = endOfString(at: index) else { return false }
        index = skipBlanksInLine(from: keyEnd)
        guard scanner.byte(at: index) == UInt8(ascii: "=") else { return false }
        index = skipBlanksInLine(from: index + 1)
        guard let valueEnd = endOfString(at: index) else { return false }
        index = skipBlanksInLine(from: valueEnd)
        return scanner.byte(at: index) == UInt8(ascii: ";")
    }

    private mutating func skipBlanksInLine(from start: Int) -> Int {
        var index = start
        defer { scanner.examined += index - start }
        while scanner.byte(at: index) == 0x20 || scanner.byte(at: index) == 0x09 { index += 1 }
        return index
    }

    /// The end of a string that begins at an offset and ends on the same line.
    private mutating func endOfString(at start: Int) -> Int? {
        let text = scanner.text
        guard start < text.count else { return nil }
        let quote = text[start]
        var index = start
        defer { scanner.examined += index - start }
        guard scanner.isQuote(quote) else {
            while scanner.isWord(scanner.byte(at: index)) { index += 1 }
            return index > start ? index : nil
        }
        index += 1
        while index < text.count, !isLineBreak(text[index]) {
            if text[index] == quote { return index + 1 }
            if text[index] == UInt8(ascii: "\\") { index += 1 }
            if !isLineBreak(scanner.byte(at: index)) { index += 1 }
        }
        return nil
    }

    /// The end of a comment that begins at an offset; one that is never closed ends with the file.
    private mutating func endOfComment(at start: Int) -> Int? {
        let text = scanner.text
        var index = start + 2
        defer { scanner.examined += index - start }
        switch scanner.byte(at: start + 1) {
        case UInt8(ascii: "/"):
            while index < text.count, !isLineBreak(text[index]) { index += 1 }
            return index
        case UInt8(ascii: "*"):
            while index < text.count {
                if text[index] == UInt8(ascii: "*"), scanner.byte(at: index + 1) == UInt8(ascii: "/") {
                    return index + 2
                }
                index += 1
            }
            return text.count
        default: return nil
        }
    }
}

public import PropertyLists

extension TableText {
    /// Divides the text of a table into its entries.
    ///
    /// - Throws: the first fault of the table. A faulty table is not divided, because its parts are uncertain.
    ///
    /// **Cost.** Linear; two to three times the memory of the text.
    public init(reading text: String) throws(PropertyListFault) {
        self.init()
        let bytes = Array(text.utf8)
        let (known, faults) = StringsReader.read(bytes)
        if let fault = faults.first { throw fault }
        var scanner = TableScanner(bytes)
        while let range = scanner.next() {
            let pair = Array(bytes[range.text])
            // Let the reader decode the key and its value.
            guard let (key, value) = StringsReader.read(pair).entries.first else { throw Self.unclear }
            entries.append(
                Entry(
                    lead: scanner.text(range.lead), note: scanner.text(range.note), gap: scanner.text(range.gap),
                    text: scanner.text(range.text), key: key, value: value))
        }
        end = scanner.text(scanner.rest)
        // Check that the parts have the same entries as the whole.
        guard entries.count == known.count, entries.allSatisfy({ known[$0.key] == $0.value }) else {
            throw Self.unclear
        }
    }

    private static let unclear = PropertyListFault(
        code: .unexpectedCharacter, position: .whole,
        message: "The table is not a plain list of entries, so it cannot be changed entry by entry.")
}

/// Finds the entries of a table that has no faults.
private struct TableScanner {
    struct Found {
        let lead: Range<Int>
        let note: Range<Int>
        let gap: Range<Int>
        let text: Range<Int>
    }

    private let bytes: [UInt8]
    private var index = 0
    /// The text after the last entry found.
    private(set) var rest: Range<Int>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        rest = 0..<bytes.count
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    mutating func next() -> Found? {
        let start = index
        var note = start..<start
        var lineBreaks = 0
        while index < bytes.count {
            let byte = bytes[index]
            if let end = endOfComment() {
                // An empty line before a comment separates it from earlier comments, which do not belong to the entry.
                note = (note.isEmpty || lineBreaks > 1 ? index : note.lowerBound)..<end
                lineBreaks = bytes[end - 1] == 0x0A ? 1 : 0
                index = end
            } else if isUnicodeLineEnd(at: index) {
                lineBreaks += 1
                index += 3
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") || byte <= 0x20 || isMark {
                if byte == 0x0A { lineBreaks += 1 }
                if byte > 0x20 { note = index + 1..<index + 1 }
                index += 1
            } else {
                break
            }
        }
        guard index < bytes.count else {
            rest = start..<bytes.count
            return nil
        }
        if note.isEmpty || lineBreaks > 1 { note = index..<index }
        let key = index
        skipEntry()
        return Found(lead: start..<note.lowerBound, note: note, gap: note.upperBound..<key, text: key..<index)
    }

    /// Whether the byte at the index belongs to a byte-order mark at the beginning of the text.
    private var isMark: Bool { index < 3 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

    /// Whether U+2028 or U+2029, which end a line for the reader, is at an offset.
    private func isUnicodeLineEnd(at offset: Int) -> Bool {
        offset + 2 < bytes.count && bytes[offset] == 0xE2 && bytes[offset + 1] == 0x80 && bytes[offset + 2] | 1 == 0xA9
    }

    /// The end of the comment at the index, without the line end; nil if there is none.
    private func endOfComment() -> Int? {
        guard bytes[index] == UInt8(ascii: "/"), index + 1 < bytes.count else { return nil }
        if bytes[index + 1] == UInt8(ascii: "/") {
            return (index..<bytes.count).first {
                bytes[$0] == 0x0A || bytes[$0] == 0x0D || isUnicodeLineEnd(at: $0)
            } ?? bytes.count
        }
        guard bytes[index + 1] == UInt8(ascii: "*") else { return nil }
        var end = index + 2
        while end + 1 < bytes.count, !(bytes[end] == UInt8(ascii: "*") && bytes[end + 1] == UInt8(ascii: "/")) {
            end += 1
        }
        return min(end + 2, bytes.count)
    }

    /// Moves past the semicolon of the entry at the index, or to the brace at the table's end.
    private mutating func skipEntry() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted()
            case UInt8(ascii: ";"):
                index += 1
                return
            case UInt8(ascii: "}"): return
            case UInt8(ascii: "/"): index = endOfComment() ?? index + 1
            default: index += 1
            }
        }
    }

    private mutating func skipQuoted() {
        let quote = bytes[index]
        index += 1
        while index < bytes.count, bytes[index] != quote { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        index = min(index + 1, bytes.count)
    }
}

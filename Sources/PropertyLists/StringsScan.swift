/// Scans a strings table once and records where its entries are.
///
/// It stops at the first unusual construct.
struct StringsScan {
    private let text: ListText
    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private let isASCII: Bool
    private var position: Int
    /// Allocated memory, which the caller takes over.
    private(set) var entries: UnsafeMutablePointer<StringsIndex.Entry>
    private(set) var count = 0
    private var capacity: Int
    /// Whether any key contains a backslash.
    ///
    /// In the entry of such a key, the length of the key has the mark for escaped values.
    private(set) var hasEscapedKeys = false

    init(_ text: ListText, from start: Int, isASCII: Bool) {
        self.text = text
        bytes = UnsafePointer(text.bytes)
        end = text.count
        position = start
        self.isASCII = isASCII
        // Few tables have shorter entries; for those the memory grows.
        capacity = text.count / 48 + 16
        entries = .allocate(capacity: capacity)
    }

    /// Whether the whole text was recognised.
    mutating func run() -> Bool {
        while true {
            guard skipBlanks() else { return false }
            guard position < end else { return position == end }
            guard let key = readString(), skipBlanks(), take(UInt8(ascii: "=")), skipBlanks(), let value = readString(),
                skipBlanks(), take(UInt8(ascii: ";"))
            else { return false }
            if count == capacity { grow() }
            if key.length & StringsIndex.Entry.escaped != 0 { hasEscapedKeys = true }
            (entries + count).initialize(
                to: StringsIndex.Entry(
                    keyStart: key.start, keyLength: key.length, valueStart: value.start, valueMark: value.length))
            count &+= 1
        }
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<StringsIndex.Entry>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        // The text is followed by zeros.
        guard bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Skips blanks and comments; false for a comment that is not recognised.
    @inline(__always)
    private mutating func skipBlanks() -> Bool {
        while true {
            let byte = bytes[position]
            if byte == 0x20 || byte &- 0x09 < 5 {
                position &+= 1
            } else if byte == UInt8(ascii: "/") {
                guard skipComment() else { return false }
            } else {
                return true
            }
        }
    }

    @inline(never)
    private mutating func skipComment() -> Bool {
        let text = text.buffer
        if bytes[position + 1] == UInt8(ascii: "*") {
            position += 2
            while true {
                position = text.offset(of: UInt8(ascii: "*"), or: UInt8(ascii: "*"), from: position)
                guard position < end else { return false }
                position += 1
                if bytes[position] == UInt8(ascii: "/") {
                    position += 1
                    return true
                }
            }
        }
        guard bytes[position + 1] == UInt8(ascii: "/") else { return false }
        let start = position
        position = text.offset(of: 0x0A, or: 0x0D, from: position)
        // Unicode's line ends, U+2028 and U+2029, also end the comment.
        return isASCII || !text[start..<position].contains(0xE2)
    }

    /// Reads a string in double quotes: the position and length of its content, marked if it contains a backslash.
    @inline(__always)
    private mutating func readString() -> (start: UInt32, length: UInt32)? {
        guard bytes[position] == UInt8(ascii: "\"") else { return nil }
        let start = position &+ 1
        var index = start
        var isEscaped = false
        let quotes = UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: "\""))
        let backslashes = UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: "\\"))
        while index < end {
            let word = UInt64(littleEndian: UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self))
            let hits =
                UnsafeBufferPointer<UInt8>.zeroBytes(word ^ quotes)
                | UnsafeBufferPointer<UInt8>.zeroBytes(word ^ backslashes)
            if hits == 0 {
                index &+= 8
                continue
            }
            index &+= hits.trailingZeroBitCount / 8
            if bytes[index] == UInt8(ascii: "\"") {
                let length = index &- start
                position = index &+ 1
                // Short strings cannot contain too many combining marks.
                if isEscaped || (length > 60 && !isASCII), !isSound(start..<index, isEscaped) { return nil }
                let mark = isEscaped ? StringsIndex.Entry.escaped : 0
                return (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: length) | mark)
            }
            isEscaped = true
            index &+= 2
        }
        return nil
    }

    /// Whether a string has no fault that must be reported.
    @inline(never)
    private func isSound(_ range: Range<Int>, _ isEscaped: Bool) -> Bool {
        let content = text.buffer(range)
        guard isEscaped else { return UTF8Check.isStreamSafe(content) }
        var escapes = EscapeReader(text: content)
        var holdsMarks = !isASCII
        while let backslash = escapes.nextBackslash() {
            guard backslash + 1 < content.count else { return false }
            // Characters that represent themselves, and defined letters: these cannot be wrong.
            let letter = content[backslash + 1]
            if letter < 0x80, letter | 0x20 != UInt8(ascii: "u"), letter & 0xF8 != 0x30 {
                escapes.position = backslash + 2
                continue
            }
            guard case .scalar(let scalar) = escapes.readEscape() else { return false }
            if scalar >= 0x300 { holdsMarks = true }
        }
        guard holdsMarks, content.count > 60 else { return true }
        return EscapeReader.unescaped(content).withUnsafeBufferPointer { UTF8Check.isStreamSafe($0) }
    }
}

extension ListText {
    /// This text followed by the decoded form of all keys with escapes; the entries then refer to the decoded keys.
    func unescapingKeys(of entries: UnsafeMutablePointer<StringsIndex.Entry>, count: Int) -> ListText {
        let escaped = StringsIndex.Entry.escaped
        var room = 0
        for number in 0..<count where entries[number].keyLength & escaped != 0 {
            room += Int(entries[number].keyLength & ~escaped)
        }
        let text = ListText(capacity: self.count + room)
        text.bytes.update(from: bytes, count: self.count)
        var end = self.count
        for number in 0..<count where entries[number].keyLength & escaped != 0 {
            entries[number].keyLength &= ~escaped
            // A decoded key is never longer than with its escapes.
            let key = EscapeReader.unescaped(buffer(entries[number].key))
            entries[number].keyStart = UInt32(end)
            entries[number].keyLength = UInt32(key.count)
            (text.bytes + end).update(from: key, count: key.count)
            end += key.count
        }
        text.shorten(to: end)
        return text
    }
}

extension EscapeReader {
    /// The content of a string with its escapes decoded; invalid ones are replaced.
    static func unescaped(_ content: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var escapes = EscapeReader(text: content)
        var plain = 0
        while let backslash = escapes.nextBackslash() {
            result.append(contentsOf: content[plain..<backslash])
            switch escapes.readEscape() {
            case .scalar(let scalar), .invalid(let scalar, _): result.appendUTF8(scalar)
            }
            plain = escapes.position
        }
        result.append(contentsOf: content[plain...])
        return result
    }
}

/// Scans an XML list once and reports where the entries of its outermost dictionary are.
///
/// It stops at the first unusual construct.
///
/// If the scan reaches the end, ``PropertyListReader`` reads the same text without a fault and with the same result.
/// Constructs that need more than a check of a few bytes are left to that reader: encodings, character references,
/// equal keys, reals, dates and data.
struct FastXMLScanner: ~Copyable {
    let text: ListText
    let bytes: UnsafePointer<UInt8>
    let end: Int
    var position = 0
    /// Hashes of the keys of all open dictionaries, the innermost dictionary's last.
    private let keys: UnsafeMutableBufferPointer<UInt64>
    private var keyCount = 0

    /// Prepares a scan of a text from its beginning.
    ///
    /// `keys`: memory used only for the scan. A list with more open keys is left to the reader.
    init(_ text: ListText, keys: UnsafeMutableBufferPointer<UInt64>) {
        self.text = text
        bytes = UnsafePointer(text.bytes)
        end = text.count
        self.keys = keys
    }

    /// `position`: where ``makeValue()`` begins.
    init(_ text: ListText, at position: Int) {
        self.init(text, keys: UnsafeMutableBufferPointer(start: nil, count: 0))
        self.position = position
    }

    /// Scans the text, and returns whether the whole text was recognised.
    ///
    /// `body`: receives each item; returns false to end the scan.
    mutating func run(_ body: ListText.ItemBody) -> Bool {
        // The usual ways in which a list begins. Other encodings and byte-order marks are left to the reader.
        if take("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), !skipBlanks() { return false }
        if take("<!DOCTYPE plist PUBLIC \"-//Apple") {
            _ = take(" Computer")
            guard take("//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">") else {
                return false
            }
        }
        guard skipBlanks() else { return false }
        let isWrapped = take("<plist version=\"1.0\">")
        guard skipBlanks(), take("<dict>"), readItems(depth: 1, body), skipBlanks() else { return false }
        if isWrapped {
            guard take("</plist>"), skipBlanks() else { return false }
        }
        return position == end
    }

    // MARK: Containers

    /// Deeper lists are left to the reader, so that this function can be recursive.
    private static let mostDepth = 8

    private mutating func readItems(depth: Int, _ body: ListText.ItemBody) -> Bool {
        let firstKey = keyCount
        while skipBlanks() {
            guard take("<key>") else {
                keyCount = firstKey
                return take("</dict>")
            }
            // Equal keys that are not ASCII may have different bytes.
            guard let content = readText(), take("</key>"), !content.holdsReference, content.isASCII,
                case let key = text.buffer(content.range), note(key, since: firstKey),
                skipBlanks(), let place = readValue(depth: depth), body(key, place)
            else { return false }
        }
        return false
    }

    /// Reads an array of dictionaries, as the last step of a scan.
    mutating func readDictionaries(_ body: (Int, UnsafeBufferPointer<UInt8>, ListPlace) -> Bool) -> Bool {
        guard take("<array>") else { return false }
        var number = 0
        while skipBlanks() {
            if take("</array>") { return true }
            var isEmpty = true
            let isRead =
                take("<dict>")
                && readItems(depth: 2) { key, value in
                    isEmpty = false
                    return body(number, key, value)
                }
            guard isRead, !isEmpty else { return false }
            number &+= 1
        }
        return false
    }

    private mutating func readElements(depth: Int) -> Bool {
        while skipBlanks() {
            if take("</array>") { return true }
            guard readValue(depth: depth) != nil else { return false }
        }
        return false
    }

    /// Records a key; false if its dictionary may already have it, or if the key is left to the reader.
    private mutating func note(_ key: UnsafeBufferPointer<UInt8>, since first: Int) -> Bool {
        var hash = UInt64(truncatingIfNeeded: key.count)
        var offset = 0
        while let word = key.word(at: offset) {
            hash = (hash ^ word) &* Self.multiplier
            offset &+= 8
        }
        while offset < key.count {
            hash = (hash ^ UInt64(key[offset])) &* Self.multiplier
            offset &+= 1
        }
        // A dictionary with the single key `CF$UID` has another meaning.
        guard key.count != 6 || key[2] != UInt8(ascii: "$"), keyCount < keys.count else { return false }
        for other in first..<keyCount where keys[other] == hash { return false }
        keys[keyCount] = hash
        keyCount &+= 1
        return true
    }

    /// The bits of the golden ratio.
    ///
    /// Multiplying by it spreads the bits of a word over the whole product.
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

    // MARK: Values

    private mutating func readValue(depth: Int) -> ListPlace? {
        let start = position
        if take("<string>") {
            guard let content = readText(), take("</string>"), content.isASCII || isSound(content.range) else {
                return nil
            }
            return content.holdsReference ? place(.element, start..<position) : place(.text, content.range)
        }
        if take("<true/>") { return place(.true, start..<position) }
        if take("<false/>") { return place(.false, start..<position) }
        if take("<array>") {
            guard depth < Self.mostDepth, readElements(depth: depth + 1) else { return nil }
        } else if take("<dict>") {
            guard depth < Self.mostDepth, readItems(depth: depth + 1, { _, _ in true }) else { return nil }
        } else if take("<integer>") {
            guard readDigits(), take("</integer>") else { return nil }
        } else if !take("<string/>"), !take("<array/>"), !take("<dict/>") {
            return nil
        }
        return place(.element, start..<position)
    }

    private func place(_ form: ListPlace.Form, _ range: Range<Int>) -> ListPlace {
        ListPlace(
            start: UInt32(truncatingIfNeeded: range.lowerBound), count: UInt32(truncatingIfNeeded: range.count),
            form: form)
    }

    /// At most 18 digits, which fit into 64 bits.
    mutating func readDigits() -> Bool {
        _ = take("-")
        let start = position
        while bytes[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
        return 1...18 ~= position &- start
    }

    /// The text between two tags.
    struct Content {
        let range: Range<Int>
        let holdsReference: Bool
        let isASCII: Bool
    }

    /// Reads text up to the next tag; nil if there is none, or if the text contains something that is left to the
    /// reader.
    @inline(__always)
    mutating func readText() -> Content? {
        let start = position
        var holdsReference = false
        var all: UInt64 = 0
        while position < end {
            let word = Self.word(bytes + position)
            let hits =
                UnsafeBufferPointer<UInt8>.zeroBytes(word ^ UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: "<")))
                | UnsafeBufferPointer<UInt8>.zeroBytes(word ^ UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: "&")))
                | UnsafeBufferPointer<UInt8>.zeroBytes(word)
            if hits == 0 {
                all |= word
                position &+= 8
                continue
            }
            let count = hits.trailingZeroBitCount / 8
            all |= word & Self.mask(count)
            position &+= count
            if bytes[position] == UInt8(ascii: "<") {
                return Content(
                    range: Range(uncheckedBounds: (start, position)), holdsReference: holdsReference,
                    isASCII: all & 0x8080_8080_8080_8080 == 0)
            }
            guard takeReference() != nil else { return nil }
            holdsReference = true
        }
        return nil
    }

    @inline(never)
    mutating func takeReference() -> UInt8? {
        if take("&amp;") { return UInt8(ascii: "&") }
        if take("&lt;") { return UInt8(ascii: "<") }
        if take("&gt;") { return UInt8(ascii: ">") }
        if take("&quot;") { return UInt8(ascii: "\"") }
        return take("&apos;") ? UInt8(ascii: "'") : nil
    }

    /// Whether the reader accepts text that is not ASCII.
    @inline(never)
    private func isSound(_ range: Range<Int>) -> Bool {
        let content = text.buffer(range)
        return UTF8Check.firstFault(in: content, refusingNUL: true) == nil && UTF8Check.isStreamSafe(content)
    }

    // MARK: Bytes

    /// Moves past a text if it is at the position.
    ///
    /// The function is inlined, so that a tag is compared as one or two numbers.
    @inline(__always)
    mutating func take(_ expected: StaticString) -> Bool {
        let count = expected.utf8CodeUnitCount
        let here = bytes + position
        // The text is followed by zeros, enough for the last word of each text that is compared.
        guard count <= 16 || count <= end &- position else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            guard Self.word(here + offset) == Self.word(expected.utf8Start + offset) else { return false }
            offset &+= 8
        }
        var rest: UInt64 = 0
        var index = count
        while index > offset {
            index &-= 1
            rest = rest << 8 | UInt64(expected.utf8Start[index])
        }
        guard Self.word(here + offset) & Self.mask(count &- offset) == rest else { return false }
        position &+= count
        return true
    }

    /// Eight bytes as a number, the first one lowest.
    @inline(__always)
    private static func word(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    /// A mask for the first bytes of a word; fewer than eight bytes.
    @inline(__always)
    private static func mask(_ count: Int) -> UInt64 {
        (1 << UInt64(truncatingIfNeeded: count &* 8)) &- 1
    }

    /// Skips blanks and comments; false for a comment that is left to the reader.
    @inline(__always)
    mutating func skipBlanks() -> Bool {
        while true {
            let byte = bytes[position]
            if byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D {
                position &+= 1
            } else if byte == UInt8(ascii: "<"), bytes[position &+ 1] == UInt8(ascii: "!"),
                bytes[position &+ 2] == UInt8(ascii: "-")
            {
                guard skipComment() else { return false }
            } else {
                return true
            }
        }
    }

    @inline(never)
    private mutating func skipComment() -> Bool {
        let start = position
        guard take("<!--") else { return false }
        while position < end {
            if take("-->") { return isSound(start..<position) }
            position &+= 1
        }
        return false
    }
}

/// The one pass over a document that ``XMLDocument`` is made of.
struct XMLScan: ~Copyable {
    private var xml: XMLCursor
    private let limits: XMLDocument.Limits
    private var budget: ReadingBudget
    private(set) var elements: [XMLDocument.Element] = []
    private(set) var attributes: [XMLDocument.Attribute] = []
    /// The elements that are open, the innermost last.
    private var open: [Int] = []

    private var text: UnsafeBufferPointer<UInt8> { @inline(__always) get { xml.text } }
    private var position: Int {
        @inline(__always) get { xml.position }
        @inline(__always) set { xml.position = newValue }
    }

    init(_ text: UnsafeBufferPointer<UInt8>, limits: XMLDocument.Limits) {
        xml = XMLCursor(text)
        self.limits = limits
        budget = ReadingBudget(inputSize: text.count)
        // What documents of Interface Builder need; others make the tables grow.
        elements.reserveCapacity(min(limits.elements, text.count / 64 + 8))
        attributes.reserveCapacity(text.count / 32 + 8)
    }

    mutating func run() throws(TextFault) {
        try xml.skipBetweenTags()
        guard position < text.count else {
            throw TextFault(.empty, at: 0, "The file is empty or holds only blanks and comments.")
        }
        guard xml.byte(at: position) == UInt8(ascii: "<") else { throw strayText() }
        try readMarkup()
        while !open.isEmpty {
            skipBlanks()
            if xml.byte(at: position) == UInt8(ascii: "<") {
                try readMarkup()
            } else {
                try readText()
            }
        }
        try xml.skipBetweenTags()
        guard position == text.count else {
            throw TextFault(
                .trailingContent, at: position,
                "\(Excerpt.of(text, position..<text.count)) follows the end of the document; nothing may.")
        }
    }

    /// Nearly all blanks are the spaces that a line is indented with.
    @inline(__always)
    private mutating func skipBlanks() {
        while let word = text.word(at: position), word == 0x2020_2020_2020_2020 { position &+= 8 }
        xml.skipBlanks()
    }

    /// Reads what the `<` at the position begins.
    @inline(__always)
    private mutating func readMarkup() throws(TextFault) {
        let next = xml.byte(at: position &+ 1)
        if next == UInt8(ascii: "/") {
            try readClosingTag()
        } else if next == UInt8(ascii: "!") || next == UInt8(ascii: "?") {
            try readUncommonMarkup()
        } else {
            try readOpeningTag()
        }
    }

    @inline(never)
    private mutating func readUncommonMarkup() throws(TextFault) {
        let start = position
        if try xml.skipMarkup() {
            if let element = open.last { elements[element].isEncoded = true }
        } else if xml.starts(with: "<!DOCTYPE") {
            throw TextFault(
                .documentTypeSubset, at: start,
                "The document has a document type, which could declare entities; none is read here.")
        } else if xml.starts(with: "<![CDATA[") {
            throw TextFault(.malformedMarkup, at: start, "The document has a CDATA section; none is read here.")
        } else {
            throw TextFault(
                text.count - start < 9 ? .truncated : .malformedMarkup, at: start,
                "\(Excerpt.of(text, start..<min(start + 12, text.count))) begins no element, comment or instruction.")
        }
    }

    // MARK: Tags

    private mutating func readOpeningTag() throws(TextFault) {
        let start = position
        position &+= 1
        let nameLength = try readName(start, "an element's name")
        guard elements.count < limits.elements else {
            throw TextFault(
                .tooManyNodes, at: start, "The document has more than \(limits.elements) elements, which is the limit.")
        }
        guard open.count < limits.depth else {
            throw TextFault(
                .tooDeep, at: start, "Elements nest more than \(limits.depth) deep, which is the limit.")
        }
        let firstAttribute = attributes.count
        let isEmpty = try readAttributes(start, since: firstAttribute)
        let count = attributes.count - firstAttribute
        guard
            budget.take(
                bytes: MemoryLayout<XMLDocument.Element>.stride + count * MemoryLayout<XMLDocument.Attribute>.stride)
        else {
            throw TextFault(.overBudget, at: start, "The document \(budget.exhausted.reason).")
        }
        let number = elements.count
        elements.append(
            XMLDocument.Element(
                start: UInt32(truncatingIfNeeded: start), firstAttribute: UInt32(truncatingIfNeeded: firstAttribute),
                contentStart: UInt32(truncatingIfNeeded: position), contentEnd: UInt32(truncatingIfNeeded: position),
                end: UInt32(truncatingIfNeeded: number + 1), nameLength: UInt16(truncatingIfNeeded: nameLength),
                attributeCount: UInt8(truncatingIfNeeded: count), isEncoded: false))
        if let parent = open.last, elements[parent].contentEnd == 1 { throw mixed(parent, at: start) }
        if !isEmpty { open.append(number) }
    }

    /// Reads up to and past the `>`.
    ///
    /// Returns whether the element is empty: `<a/>`.
    @inline(__always)
    private mutating func readAttributes(_ start: Int, since first: Int) throws(TextFault) -> Bool {
        while true {
            let before = position
            xml.skipBlanks()
            let byte = xml.byte(at: position)
            if byte == UInt8(ascii: ">") {
                position &+= 1
                return false
            }
            if byte == UInt8(ascii: "/"), xml.byte(at: position &+ 1) == UInt8(ascii: ">") {
                position &+= 2
                return true
            }
            guard position > before, xml.isNameByte(byte) else { throw notInTag(start) }
            try readAttribute(start, since: first)
        }
    }

    @inline(__always)
    private mutating func readAttribute(_ start: Int, since first: Int) throws(TextFault) {
        let nameStart = position
        let nameLength = try readName(start, "an attribute's name")
        xml.skipBlanks()
        guard xml.byte(at: position) == UInt8(ascii: "=") else { throw notInTag(start) }
        position &+= 1
        xml.skipBlanks()
        let quote = xml.byte(at: position)
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw notInTag(start) }
        position &+= 1
        let valueStart = position
        let isEncoded = try skipValue(to: quote, start)
        let length = position - valueStart
        position &+= 1
        guard length <= limits.text else { throw tooLong(nameStart) }
        guard attributes.count - first < XMLDocument.mostAttributes else {
            throw TextFault(
                .tooManyNodes, at: nameStart,
                "The element has more than \(XMLDocument.mostAttributes) attributes, which is the limit.")
        }
        for other in first..<attributes.count where attributes[other].nameLength == nameLength {
            if isSame(Int(attributes[other].nameStart), nameStart, nameLength) {
                throw TextFault(
                    .duplicateKey, at: nameStart,
                    "The element has the attribute \(Excerpt.of(text, nameStart..<nameStart + nameLength)) twice.")
            }
        }
        attributes.append(
            XMLDocument.Attribute(
                nameStart: UInt32(truncatingIfNeeded: nameStart), valueStart: UInt32(truncatingIfNeeded: valueStart),
                valueLength: UInt32(truncatingIfNeeded: length), nameLength: UInt16(truncatingIfNeeded: nameLength),
                isEncoded: isEncoded))
    }

    /// Moves to the closing quote.
    ///
    /// Returns whether the value needs decoding.
    @inline(__always)
    private mutating func skipValue(to quote: UInt8, _ start: Int) throws(TextFault) -> Bool {
        var isEncoded = false
        while true {
            if let word = text.word(at: position) {
                let hits =
                    UnsafeBufferPointer<UInt8>.zeroBytes(word ^ UnsafeBufferPointer<UInt8>.repeated(quote))
                    | UnsafeBufferPointer<UInt8>.zeroBytes(
                        word ^ UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: "&")))
                    | UnsafeBufferPointer<UInt8>.zeroBytes(
                        word ^ UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: "<")))
                    | Self.controls(word)
                guard hits != 0 else {
                    position &+= 8
                    continue
                }
                position &+= hits.trailingZeroBitCount / 8
            }
            guard position < text.count else {
                throw TextFault(.truncated, at: start, "The file ends inside this tag.")
            }
            let byte = text[position]
            if byte == quote { return isEncoded }
            if byte == UInt8(ascii: "<") { throw notInTag(start) }
            if byte == UInt8(ascii: "&") {
                isEncoded = true
                try checkReference()
            } else {
                if byte < 0x20 { isEncoded = true }
                position &+= 1
            }
        }
    }

    /// The high bit of each byte below 0x20.
    ///
    /// Exact up to the first such byte.
    @inline(__always)
    private static func controls(_ word: UInt64) -> UInt64 {
        (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
    }

    @inline(never)
    private mutating func checkReference() throws(TextFault) {
        try xml.gatherReference()
        xml.gathered.removeAll(keepingCapacity: true)
    }

    /// Moves past a name and returns its length.
    @inline(__always)
    private mutating func readName(_ start: Int, _ what: StaticString) throws(TextFault) -> Int {
        let first = position
        while xml.isNameByte(xml.byte(at: position)) { position &+= 1 }
        let length = position - first
        guard length > 0, length <= XMLDocument.longestName, Self.beginsName(text[first]) else {
            throw noName(first, start, what)
        }
        return length
    }

    @inline(__always)
    private static func beginsName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte >= 0x80
    }

    @inline(__always)
    private func isSame(_ first: Int, _ second: Int, _ count: Int) -> Bool {
        for index in 0..<count where text[first + index] != text[second + index] { return false }
        return true
    }

    private mutating func readClosingTag() throws(TextFault) {
        let start = position
        position &+= 2
        let nameStart = position
        while xml.isNameByte(xml.byte(at: position)) { position &+= 1 }
        let length = position - nameStart
        xml.skipBlanks()
        guard position < text.count else {
            throw TextFault(.truncated, at: start, "The file ends inside this tag.")
        }
        guard let element = open.last else {
            throw TextFault(.malformedMarkup, at: start, "The closing tag closes nothing.")
        }
        let begun = elements[element]
        guard xml.byte(at: position) == UInt8(ascii: ">"), length == Int(begun.nameLength),
            isSame(nameStart, Int(begun.start) + 1, length)
        else { throw mismatched(element, start) }
        position &+= 1
        // contentEnd is 1 where there is text: an element's end is never so near.
        let holdsText = begun.contentEnd == 1
        let isLeaf = elements.count == element + 1
        elements[element].contentEnd = isLeaf ? UInt32(truncatingIfNeeded: start) : begun.contentStart
        if isLeaf, holdsText || begun.isEncoded {
            guard start - Int(begun.contentStart) <= limits.text else { throw tooLong(Int(begun.start)) }
        }
        elements[element].end = UInt32(truncatingIfNeeded: elements.count)
        open.removeLast()
    }

    // MARK: Text

    /// Reads text up to the next tag.
    ///
    /// Blanks before it are the text's too, by the place where the content begins.
    private mutating func readText() throws(TextFault) {
        guard let element = open.last, position < text.count else { throw unclosed() }
        guard elements.count == element + 1 else { throw mixed(element, at: position) }
        elements[element].contentEnd = 1
        while true {
            position = text.offset(of: UInt8(ascii: "<"), or: UInt8(ascii: "&"), from: position)
            guard position < text.count else { throw unclosed() }
            if text[position] == UInt8(ascii: "<") { return }
            elements[element].isEncoded = true
            try checkReference()
        }
    }

    // MARK: Faults

    private func nameOf(_ element: Int) -> String {
        let start = Int(elements[element].start) + 1
        return String(decoding: text[start..<start + Int(elements[element].nameLength)].prefix(64), as: UTF8.self)
    }

    @inline(never)
    private func unclosed() -> TextFault {
        TextFault(
            .truncated, at: position,
            "The file ends before <\(nameOf(open.last ?? 0))> is closed.")
    }

    @inline(never)
    private func strayText() -> TextFault {
        TextFault(
            .unexpectedCharacter, at: position,
            "\(Excerpt.character(text, at: position)) stands before the first element; \"<\" is expected.")
    }

    @inline(never)
    private func mixed(_ element: Int, at offset: Int) -> TextFault {
        TextFault(
            .unexpectedCharacter, at: offset,
            "<\(nameOf(element))> holds elements and text; only one of them is expected.")
    }

    @inline(never)
    private func mismatched(_ element: Int, _ start: Int) -> TextFault {
        TextFault(
            .malformedMarkup, at: start,
            "\(Excerpt.of(text, start..<min(position + 1, text.count))) does not close <\(nameOf(element))>.")
    }

    @inline(never)
    private func notInTag(_ start: Int) -> TextFault {
        guard position < text.count else { return TextFault(.truncated, at: start, "The file ends inside this tag.") }
        return TextFault(
            .malformedMarkup, at: position,
            "\(Excerpt.character(text, at: position)) stands inside a tag; an attribute or \">\" is expected.")
    }

    @inline(never)
    private func noName(_ first: Int, _ start: Int, _ what: StaticString) -> TextFault {
        guard first < text.count else { return TextFault(.truncated, at: start, "The file ends inside this tag.") }
        if position - first > XMLDocument.longestName {
            return TextFault(
                .tooLarge, at: first, "\(what) is longer than \(XMLDocument.longestName) bytes, which is the limit.")
        }
        return TextFault(
            .malformedMarkup, at: first, "\(Excerpt.character(text, at: first)) stands where \(what) is expected.")
    }

    @inline(never)
    private func tooLong(_ offset: Int) -> TextFault {
        TextFault(.tooLarge, at: offset, "The text is longer than \(limits.text) bytes, which is the limit.")
    }
}

/// The single pass over a document that makes an ``XMLDocument``.
struct XMLScan: ~Copyable {
    private var xml: XMLCursor
    private let limits: XMLDocument.Limits
    /// Whether the text has carriage returns, so that line ends need decoding.
    private let hasReturns: Bool
    private var budget: ReadingBudget
    private(set) var elements: PlainRows<XMLDocument.Element>
    private(set) var attributes: PlainRows<XMLDocument.Attribute>
    private(set) var names = XMLNames()
    /// What the last element of each name had, by the name's number.
    private var seen: [Seen] = []
    /// The name of the element that was read last.
    private var lastName: UInt32?
    /// The elements that are open, the innermost last.
    private var open: [Int] = []

    /// What the last element of a name had.
    ///
    /// The next element of that name usually has the same, so this is tried first.
    private struct Seen {
        /// The numbers of its attributes, whose names are likely in this order.
        var attributes: Range<Int>
        /// The name of the element that began next.
        var next: UInt32
    }

    private var text: UnsafeBufferPointer<UInt8> { @inline(__always) get { xml.text } }
    private var position: Int {
        @inline(__always) get { xml.position }
        @inline(__always) set { xml.position = newValue }
    }

    init(_ text: UnsafeBufferPointer<UInt8>, limits: XMLDocument.Limits, hasReturns: Bool) {
        xml = XMLCursor(text)
        self.limits = limits
        self.hasReturns = hasReturns
        budget = ReadingBudget(inputSize: text.count)
        // Enough for documents of Interface Builder; for others the tables grow.
        elements = PlainRows(capacity: min(limits.elements, text.count / 64 + 8))
        attributes = PlainRows(capacity: text.count / 28 + 8)
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

    /// Optimised for spaces that indent a line, as nearly all blanks do.
    @inline(__always)
    private mutating func skipBlanks() {
        if xml.byte(at: position) == UInt8(ascii: "\n") { position &+= 1 }
        while let word = text.word(at: position) {
            let others = word ^ UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: " "))
            position &+= others.trailingZeroBitCount / 8
            if others != 0 { break }
        }
        xml.skipBlanks()
    }

    /// Reads the tag or other markup whose `<` is at the position.
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
        let knownNames = names.all.count
        let name = try readElementName(start)
        guard elements.count < limits.elements else {
            throw TextFault(
                .tooManyNodes, at: start, "The document has more than \(limits.elements) elements, which is the limit.")
        }
        guard open.count < limits.depth else {
            throw TextFault(
                .tooDeep, at: start, "Elements nest more than \(limits.depth) deep, which is the limit.")
        }
        let firstAttribute = attributes.count
        let isEmpty = try readAttributes(start, since: firstAttribute, like: seen[Int(name)].attributes)
        seen[Int(name)].attributes = firstAttribute..<attributes.count
        let count = attributes.count - firstAttribute
        guard
            budget.take(
                bytes: MemoryLayout<XMLDocument.Element>.stride + count * MemoryLayout<XMLDocument.Attribute>.stride
                    + (names.all.count - knownNames) * (XMLNames.bytesOfEach + MemoryLayout<Seen>.stride))
        else {
            throw TextFault(.overBudget, at: start, "The document \(budget.exhausted.reason).")
        }
        let number = elements.count
        elements.append(
            XMLDocument.Element(
                start: UInt32(truncatingIfNeeded: start), name: name,
                firstAttribute: UInt32(truncatingIfNeeded: firstAttribute),
                contentStart: UInt32(truncatingIfNeeded: position), contentEnd: UInt32(truncatingIfNeeded: position),
                end: UInt32(truncatingIfNeeded: number + 1), attributeCount: UInt8(truncatingIfNeeded: count),
                isEncoded: false))
        if let parent = open.last, elements[parent].contentEnd == 1 { throw mixed(parent, at: start) }
        if !isEmpty { open.append(number) }
    }

    @inline(__always)
    private mutating func readElementName(_ start: Int) throws(TextFault) -> UInt32 {
        let last = lastName.map { Int($0) }
        if let last, case let likely = seen[last].next, takeName(likely) {
            lastName = likely
            return likely
        }
        let name = try readName(start, "an element's name")
        while seen.count <= Int(name) {
            // At first, another element of the same name is likely to follow.
            seen.append(Seen(attributes: 0..<0, next: UInt32(truncatingIfNeeded: seen.count)))
        }
        if let last { seen[last].next = name }
        lastName = name
        return name
    }

    /// Reads up to and past the `>`.
    ///
    /// `likely`: attributes with the names that are likely here. Returns whether the element is empty: `<a/>`.
    @inline(__always)
    private mutating func readAttributes(
        _ start: Int, since first: Int, like likely: Range<Int>
    ) throws(TextFault) -> Bool {
        var likely = likely
        while true {
            if try readLikelyAttribute(start, since: first, &likely) { continue }
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
            try readAttribute(start, since: first, &likely)
        }
    }

    @inline(__always)
    private mutating func readAttribute(
        _ start: Int, since first: Int, _ likely: inout Range<Int>
    ) throws(TextFault) {
        let nameStart = position
        let name = try readName(start, "an attribute's name")
        xml.skipBlanks()
        guard xml.byte(at: position) == UInt8(ascii: "=") else { throw notInTag(start) }
        position &+= 1
        xml.skipBlanks()
        let quote = xml.byte(at: position)
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw notInTag(start) }
        position &+= 1
        for other in first..<attributes.count where attributes[other].name == name {
            let end = nameStart + Int(names.all[Int(name)].length)
            throw TextFault(
                .duplicateKey, at: nameStart,
                "The element has the attribute \(Excerpt.of(text, nameStart..<end)) twice.")
        }
        try readValue(start, nameStart, name, quote, since: first)
        // The likely attributes before this one are missing here. Those after it are still likely: none of them was
        // read.
        if let found = likely.first(where: { attributes[$0].name == name }) { likely = found + 1..<likely.upperBound }
    }

    /// Reads the attribute at the position if everything before its value (blank, name, equals sign and quote) is
    /// written as in a likely attribute.
    ///
    /// `likely`: attributes of an element of the same name, the first of which is likely here. Returns whether the
    /// attribute was read.
    @inline(__always)
    private mutating func readLikelyAttribute(
        _ start: Int, since first: Int, _ likely: inout Range<Int>
    ) throws(TextFault) -> Bool {
        guard likely.lowerBound < likely.upperBound else { return false }
        let model = attributes[likely.lowerBound]
        let (before, valueStart) = (Int(model.nameStart) &- 1, Int(model.valueStart))
        let length = valueStart &- before
        guard length <= text.count &- position, text.areSame(before, position, count: length) else { return false }
        likely = Range(uncheckedBounds: (likely.lowerBound &+ 1, likely.upperBound))
        position &+= length
        try readValue(start, position &- length &+ 1, model.name, text[valueStart &- 1], since: first)
        return true
    }

    /// Reads the value at the position, and past its quote.
    @inline(__always)
    private mutating func readValue(
        _ start: Int, _ nameStart: Int, _ name: UInt32, _ quote: UInt8, since first: Int
    ) throws(TextFault) {
        let valueStart = position
        let isEncoded = try skipValue(to: quote, start)
        let length = position &- valueStart
        position &+= 1
        guard length <= limits.text else { throw tooLong(nameStart) }
        guard attributes.count &- first < XMLDocument.mostAttributes else { throw tooMany(nameStart) }
        attributes.append(
            XMLDocument.Attribute(
                nameStart: nameStart, name: name, valueStart: valueStart, valueLength: length, isEncoded: isEncoded))
    }

    /// Moves past a name if it is at the position.
    @inline(__always)
    private mutating func takeName(_ name: UInt32) -> Bool {
        guard names.isName(name, at: position, in: text) else { return false }
        let end = position &+ Int(names.all[Int(name)].length)
        guard !xml.isNameByte(xml.byte(at: end)) else { return false }
        position = end
        return true
    }

    /// Moves to the closing quote.
    ///
    /// Returns whether the value needs decoding.
    @inline(__always)
    private mutating func skipValue(to quote: UInt8, _ start: Int) throws(TextFault) -> Bool {
        var isEncoded = false
        // A local variable stays in a register.
        var end = position
        defer { position = end }
        while true {
            if let word = text.word(at: end) {
                let hits =
                    UnsafeBufferPointer<UInt8>.zeroBytes(word ^ UnsafeBufferPointer<UInt8>.repeated(quote))
                    | UnsafeBufferPointer<UInt8>.zeroBytes(
                        word ^ UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: "&")))
                    | UnsafeBufferPointer<UInt8>.zeroBytes(
                        word ^ UnsafeBufferPointer<UInt8>.repeated(UInt8(ascii: "<")))
                    | Self.controls(word)
                guard hits != 0 else {
                    end &+= 8
                    continue
                }
                end &+= hits.trailingZeroBitCount / 8
            }
            guard end < text.count else {
                throw TextFault(.truncated, at: start, "The file ends inside this tag.")
            }
            let byte = text[end]
            if byte == quote { return isEncoded }
            if byte == UInt8(ascii: "<") {
                position = end
                throw notInTag(start)
            }
            if byte == UInt8(ascii: "&") {
                isEncoded = true
                position = end
                try checkReference()
                end = position
            } else {
                if byte < 0x20 { isEncoded = true }
                end &+= 1
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
        let start = position
        try xml.gatherReference()
        // Property lists may contain such references; other XML documents may not.
        if xml.gathered.withUnsafeBufferPointer({ UTF8Check.isForbiddenInXML($0, at: 0) }) {
            throw TextFault(
                .unexpectedCharacter, at: start,
                "\(Excerpt.of(text, start..<position)) refers to a character that no XML document may hold.")
        }
        xml.gathered.removeAll(keepingCapacity: true)
    }

    /// Moves past the bytes of a name, and returns their number.
    @inline(__always)
    private mutating func skipName() -> Int {
        // A local variable stays in a register.
        var end = position
        while xml.isNameByte(xml.byte(at: end)) { end &+= 1 }
        defer { position = end }
        return end &- position
    }

    /// Moves past a name and returns its number.
    @inline(__always)
    private mutating func readName(_ start: Int, _ what: StaticString) throws(TextFault) -> UInt32 {
        let first = position
        let length = skipName()
        guard length > 0, length <= XMLDocument.longestName, Self.beginsName(text[first]) else {
            throw noName(first, start, what)
        }
        return names.number(of: first, length, in: text)
    }

    @inline(__always)
    private static func beginsName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte >= 0x80
    }

    private mutating func readClosingTag() throws(TextFault) {
        let start = position
        position &+= 2
        guard let element = open.last else {
            throw TextFault(.malformedMarkup, at: start, "The closing tag closes nothing.")
        }
        let begun = elements[element]
        let isName = takeName(begun.name)
        if !isName { _ = skipName() }
        xml.skipBlanks()
        guard position < text.count else {
            throw TextFault(.truncated, at: start, "The file ends inside this tag.")
        }
        guard isName, xml.byte(at: position) == UInt8(ascii: ">") else { throw mismatched(element, start) }
        position &+= 1
        // A contentEnd of 1 marks text: no element can end so early in the file.
        let holdsText = begun.contentEnd == 1
        let isLeaf = elements.count == element + 1
        elements[element].contentEnd = isLeaf ? UInt32(truncatingIfNeeded: start) : begun.contentStart
        if isLeaf, hasReturns, start > Int(begun.contentStart) { elements[element].isEncoded = true }
        if isLeaf, holdsText || begun.isEncoded {
            guard start - Int(begun.contentStart) <= limits.text else { throw tooLong(Int(begun.start)) }
        }
        elements[element].end = UInt32(truncatingIfNeeded: elements.count)
        open.removeLast()
    }

    // MARK: Text

    /// Reads text up to the next tag.
    ///
    /// Blanks before it belong to the text too, because the content begins before them.
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
        return String(
            decoding: text[start..<start + Int(names.all[Int(elements[element].name)].length)].prefix(64), as: UTF8.self
        )
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
    private func tooMany(_ nameStart: Int) -> TextFault {
        TextFault(
            .tooManyNodes, at: nameStart,
            "The element has more than \(XMLDocument.mostAttributes) attributes, which is the limit.")
    }

    @inline(never)
    private func tooLong(_ offset: Int) -> TextFault {
        TextFault(.tooLarge, at: offset, "The text is longer than \(limits.text) bytes, which is the limit.")
    }
}

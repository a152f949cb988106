/// An XML document with any elements, stored as rows of two tables that refer to its bytes.
///
/// Meant for documents of unknown origin: it reads in one pass without recursion, keeps to limits, and reports every
/// fault with its position. It reads only UTF-8, and refuses a document type, CDATA sections, and references other than
/// XML's five entities and those to characters. Control characters are refused, also as references. Comments and
/// processing instructions are allowed wherever XML allows them. Only elements without children may contain text;
/// between elements only blanks are allowed. A line end in a text is a line feed, however the file writes it (XML 1.0,
/// section 2.11).
///
/// Elements are numbered in the order of the document, so the descendants of an element follow it.
///
/// **Threads.** Any; immutable. **Cost.** One pass; strings for names and values are created only on request.
public final class XMLDocument: Sendable {
    /// How much is accepted.
    public struct Limits: Sendable, Hashable {
        /// The largest file, in bytes; values above 1 GiB count as 1 GiB.
        public var size: Int
        /// How deeply elements may nest; the root has depth 1.
        public var depth: Int
        /// How many elements there may be.
        public var elements: Int
        /// The longest text or value of an attribute, in bytes.
        public var text: Int

        /// Creates limits.
        public init(size: Int, depth: Int, elements: Int, text: Int) {
            self.size = size
            self.depth = depth
            self.elements = elements
            self.text = text
        }
    }

    /// The maximum number of attributes of an element.
    ///
    /// With more, the search for two of the same name would take too long; no document has so many.
    static let mostAttributes = 128
    /// The longest name, in bytes.
    static let longestName = 1_024

    struct Element {
        /// Where its `<` is.
        var start: UInt32
        /// The number of its name.
        var name: UInt32
        var firstAttribute: UInt32
        /// The content between its tags; empty for `<a/>`.
        var contentStart: UInt32
        var contentEnd: UInt32
        /// The number of the first element after its descendants.
        var end: UInt32
        var attributeCount: UInt8
        /// Whether the bytes of the content differ from its text, because of references, comments or carriage returns.
        var isEncoded: Bool
    }

    struct Attribute {
        var nameStart: UInt32
        /// The number of its name.
        var name: UInt32
        var valueStart: UInt32
        /// The value's length; the highest bit, which no length needs, states whether the value is encoded.
        private var lengthAndEncoding: UInt32

        init(nameStart: Int, name: UInt32, valueStart: Int, valueLength: Int, isEncoded: Bool) {
            self.nameStart = UInt32(truncatingIfNeeded: nameStart)
            self.name = name
            self.valueStart = UInt32(truncatingIfNeeded: valueStart)
            lengthAndEncoding = UInt32(truncatingIfNeeded: valueLength) | (isEncoded ? 1 << 31 : 0)
        }

        var valueLength: UInt32 { lengthAndEncoding & ~(1 << 31) }
        /// Whether the value contains references, or blanks that count as a space.
        var isEncoded: Bool { lengthAndEncoding >> 31 == 1 }
    }

    /// The file without its byte-order mark.
    let bytes: [UInt8]
    let elements: [Element]
    let attributes: [Attribute]
    let names: XMLNames

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - file: the file's bytes.
    ///   - limits: how much is accepted.
    /// - Throws: ``PropertyListFault``; `tooLarge`, `tooDeep` and `tooManyNodes` for the limits, `empty` for a file of
    ///   blanks, `invalidEncoding` and `unknownEncoding` for a file that is not UTF-8, `truncated`, `malformedMarkup`
    ///   and `unknownEntity` for a file that is not XML, `documentTypeSubset` for a document type.
    public init(_ file: [UInt8], limits: Limits) throws(PropertyListFault) {
        guard file.count <= min(limits.size, 1 << 30) else {
            throw PropertyListFault(
                code: .tooLarge, position: .whole,
                message: "The file has more than \(min(limits.size, 1 << 30)) bytes, which is the limit.")
        }
        bytes = file.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file.dropFirst(3)) : file
        (elements, attributes, names) = try bytes.withUnsafeBufferPointer { (text) throws(PropertyListFault) in
            let hasReturns = try Self.check(text)
            var scan = XMLScan(text, limits: limits, hasReturns: hasReturns)
            do throws(TextFault) {
                try scan.run()
            } catch {
                throw error.located(in: text)
            }
            return (scan.elements.array, scan.attributes.array, scan.names)
        }
    }

    /// Checks the characters of a file; returns whether there are carriage returns.
    private static func check(_ text: UnsafeBufferPointer<UInt8>) throws(PropertyListFault) -> Bool {
        let (encoding, _) = TextEncoding.detect(text)
        guard encoding == .utf8 else {
            throw PropertyListFault(
                code: .unknownEncoding, position: .whole,
                message: "The file is not UTF-8 but an encoding of wider units.")
        }
        switch try XMLDeclaration.encoding(in: text) {
        case nil, .utf8, .ascii: break
        case .latin1, .wide:
            throw PropertyListFault(
                code: .unknownEncoding, position: .text(line: 1, column: 1),
                message: "The file declares an encoding other than UTF-8.")
        }
        if UTF8Check.isPlainXML(text) { return false }
        if let bad = UTF8Check.firstFault(in: text, refusingNUL: true) {
            let what = text[bad] == 0 ? "is a NUL character" : "is not valid here in UTF-8"
            throw TextFault(
                text[bad] == 0 ? .unexpectedCharacter : .invalidEncoding, at: bad,
                "The byte 0x\(String(text[bad], radix: 16, uppercase: true)) \(what)."
            ).located(in: text)
        }
        if let bad = UTF8Check.firstForbiddenInXML(in: text) {
            throw TextFault(
                .unexpectedCharacter, at: bad,
                "\(Excerpt.character(text, at: bad)) is a character that no XML document may hold."
            ).located(in: text)
        }
        guard UTF8Check.isStreamSafe(text) else {
            throw PropertyListFault(
                code: .unsafeText, position: .whole, message: "The file holds more than 30 combining marks in a row.")
        }
        return text.offset(of: UInt8(ascii: "\r"), or: UInt8(ascii: "\r"), from: 0) < text.count
    }

    // MARK: Names

    /// A name for finding the elements and attributes that have it.
    ///
    /// **Cost.** One look-up in a table. Comparisons with names of the document then compare numbers.
    public func name(_ name: StaticString) -> XMLName {
        bytes.withUnsafeBufferPointer { XMLName(number: names.number(of: name, in: $0) ?? .max) }
    }

    /// Whether an element has a name.
    public func isElement(_ element: Int, named name: XMLName) -> Bool { Int(elements[element].name) == name.number }

    /// The name of an attribute, for comparisons with other names of the document.
    public func numberedName(ofAttribute attribute: Int) -> XMLName { XMLName(number: Int(attributes[attribute].name)) }

    /// The number of an element's attribute with a name; nil if there is none.
    public func attribute(_ name: XMLName, ofElement element: Int) -> Int? {
        guard name.number < names.all.count else { return nil }
        return attributes(ofElement: element).first { Int(attributes[$0].name) == name.number }
    }

    /// The value of an element's attribute with a name; nil if there is none.
    public func value(_ name: XMLName, ofElement element: Int) -> String? {
        attribute(name, ofElement: element).map(value(ofAttribute:))
    }

    // MARK: Elements

    /// The number of elements; the root is 0.
    public var count: Int { elements.count }

    /// The bytes of the file without its byte-order mark, and the bytes of the tables.
    public var memory: (file: Int, tables: Int) {
        (
            bytes.count,
            elements.count * MemoryLayout<Element>.stride + attributes.count * MemoryLayout<Attribute>.stride
                + names.all.count * XMLNames.bytesOfEach
        )
    }

    /// Where an element begins, in bytes.
    public func offset(ofElement element: Int) -> Int { Int(elements[element].start) }

    /// The name of an element, with its prefix.
    public func name(ofElement element: Int) -> String {
        string(Int(elements[element].start) + 1, length(ofName: elements[element].name))
    }

    /// Whether an element has a name.
    public func isElement(_ element: Int, named name: StaticString) -> Bool {
        holds(name, at: Int(elements[element].start) + 1, count: length(ofName: elements[element].name))
    }

    /// The children of an element, in order.
    public func children(of element: Int) -> Children {
        Children(elements: elements, number: element + 1, end: Int(elements[element].end))
    }

    /// Calls a function with each child of an element, in order, without reference counting.
    @inline(__always)
    public func forEachChild(of element: Int, _ body: (Int) -> Void) {
        var number = element + 1
        let end = Int(elements[element].end)
        while number < end {
            body(number)
            number = Int(elements[number].end)
        }
    }

    /// The number of the first element after an element and its descendants.
    public func end(ofElement element: Int) -> Int { Int(elements[element].end) }

    /// The text of an element without children; empty for one with children.
    public func text(ofElement element: Int) -> String {
        let row = elements[element]
        guard Int(row.end) == element + 1, row.contentEnd > row.contentStart else { return "" }
        let (start, count) = (Int(row.contentStart), Int(row.contentEnd - row.contentStart))
        return row.isEncoded ? decoded(start, count, isAttribute: false) : string(start, count)
    }

    /// The numbers of an element's children.
    public struct Children: Sequence, IteratorProtocol {
        let elements: [Element]
        var number: Int
        let end: Int

        /// The next child.
        public mutating func next() -> Int? {
            guard number < end else { return nil }
            defer { number = Int(elements[number].end) }
            return number
        }
    }

    // MARK: Attributes

    /// The numbers of an element's attributes, in order.
    public func attributes(ofElement element: Int) -> Range<Int> {
        let first = Int(elements[element].firstAttribute)
        return first..<first + Int(elements[element].attributeCount)
    }

    /// Where an attribute's name begins, in bytes.
    public func offset(ofAttribute attribute: Int) -> Int { Int(attributes[attribute].nameStart) }

    /// The name of an attribute, with its prefix.
    public func name(ofAttribute attribute: Int) -> String {
        string(Int(attributes[attribute].nameStart), length(ofName: attributes[attribute].name))
    }

    /// Whether an attribute has a name.
    public func isAttribute(_ attribute: Int, named name: StaticString) -> Bool {
        holds(name, at: Int(attributes[attribute].nameStart), count: length(ofName: attributes[attribute].name))
    }

    /// Whether two attributes have the same value, written with the same bytes and without references.
    public func areSameValues(_ first: Int, _ second: Int) -> Bool {
        let (first, second) = (attributes[first], attributes[second])
        return first.valueLength == second.valueLength && !first.isEncoded && !second.isEncoded
            && bytes.withUnsafeBufferPointer {
                $0.areSame(Int(first.valueStart), Int(second.valueStart), count: Int(first.valueLength))
            }
    }

    /// The value of an attribute, with its references replaced.
    public func value(ofAttribute attribute: Int) -> String {
        let row = attributes[attribute]
        let (start, count) = (Int(row.valueStart), Int(row.valueLength))
        return row.isEncoded ? decoded(start, count, isAttribute: true) : string(start, count)
    }

    /// The value of an attribute as a number: at most 18 decimal digits with an optional minus sign; nil for any other
    /// value.
    ///
    /// Creates no string.
    public func integer(ofAttribute attribute: Int) -> Int? {
        let row = attributes[attribute]
        guard !row.isEncoded else { return nil }
        return bytes.withUnsafeBufferPointer { text in
            let (start, end) = (Int(row.valueStart), Int(row.valueStart + row.valueLength))
            let isNegative = start < end && text[start] == UInt8(ascii: "-")
            let first = isNegative ? start + 1 : start
            guard (1...18).contains(end - first) else { return nil }
            var number = 0
            for byte in text[first..<end] {
                let digit = byte &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                number = number * 10 + Int(digit)
            }
            return isNegative ? -number : number
        }
    }

    /// The length of an attribute's value as written, in bytes.
    ///
    /// With its references replaced, it is at most as long.
    public func length(ofValue attribute: Int) -> Int { Int(attributes[attribute].valueLength) }

    /// Whether an attribute has an empty value.
    public func isEmpty(valueOf attribute: Int) -> Bool { attributes[attribute].valueLength == 0 }

    /// Whether an attribute has the given value, written without references.
    public func isValue(ofAttribute attribute: Int, _ value: StaticString) -> Bool {
        holds(value, at: Int(attributes[attribute].valueStart), count: Int(attributes[attribute].valueLength))
    }

    /// The number of an element's attribute with a name; nil if there is none.
    public func attribute(_ name: StaticString, ofElement element: Int) -> Int? {
        attributes(ofElement: element).first { isAttribute($0, named: name) }
    }

    /// The value of an element's attribute with a name; nil if there is none.
    public func value(_ name: StaticString, ofElement element: Int) -> String? {
        attribute(name, ofElement: element).map(value(ofAttribute:))
    }

    // MARK: Places

    /// The lines and columns of some offsets, both from 1; columns count Unicode scalars.
    ///
    /// **Cost.** One pass over the file, if the offsets are in order.
    public func places(of offsets: [Int]) -> [(line: Int, column: Int)] {
        bytes.withUnsafeBufferPointer { text in
            var counter = PositionCounter(text)
            return offsets.map { counter.position(of: $0) }
        }
    }

    // MARK: Bytes

    private func length(ofName number: UInt32) -> Int { Int(names.all[Int(number)].length) }

    private func string(_ start: Int, _ count: Int) -> String {
        bytes.withUnsafeBufferPointer {
            String(decoding: UnsafeBufferPointer(rebasing: $0[start..<start + count]), as: UTF8.self)
        }
    }

    private func holds(_ name: StaticString, at start: Int, count: Int) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        return bytes.withUnsafeBufferPointer { text in
            let wanted = name.utf8Start
            for index in 0..<count where text[start + index] != wanted[index] { return false }
            return true
        }
    }

    /// A text with its references replaced.
    ///
    /// The references were checked when the document was read.
    private func decoded(_ start: Int, _ count: Int, isAttribute: Bool) -> String {
        bytes.withUnsafeBufferPointer { text in
            let end = start + count
            var cursor = XMLCursor(UnsafeBufferPointer(rebasing: text[..<end]), at: start)
            cursor.gathered.reserveCapacity(count)
            do throws(TextFault) {
                while cursor.position < end {
                    let byte = text[cursor.position]
                    if byte == UInt8(ascii: "&") {
                        try cursor.gatherReference()
                    } else if byte == UInt8(ascii: "<"), !isAttribute {
                        _ = try cursor.skipMarkup()
                    } else {
                        cursor.position += 1
                        // By the rules of XML, a line end is one line feed, and a blank in an attribute's value is a
                        // space, unless they are written as references.
                        let isReturn = byte == UInt8(ascii: "\r")
                        if isReturn, cursor.byte(at: cursor.position) == UInt8(ascii: "\n") { cursor.position += 1 }
                        let blank: UInt8 = isAttribute ? 0x20 : UInt8(ascii: "\n")
                        cursor.gathered.append(isReturn || isAttribute && byte < 0x20 ? blank : byte)
                    }
                }
            } catch {
                preconditionFailure("a reference that was sound is not: \(error.message)")
            }
            return String(decoding: cursor.gathered, as: UTF8.self)
        }
    }
}

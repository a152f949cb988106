internal import PropertyLists

/// Reads XML as a sequence of tags and texts.
///
/// It supports the parts of XML in files for translators: elements, attributes, texts, CDATA sections, the five named
/// entities and character references. It skips comments and processing instructions. A document type may not declare
/// anything, and nothing is ever fetched.
struct MarkupReader {
    enum Event: Equatable {
        case start(name: String, attributes: [String: String])
        case end(name: String)
        /// Line ends are LF, as XML requires.
        case text(String)
    }

    private let bytes: [UInt8]
    /// The same text, for finding the places of offsets.
    private let source: SourceText
    private var index = 0
    private var budget: ReadingBudget
    /// The names of the open elements.
    private var open: [String] = []
    /// The end of an empty element, `<a/>`, whose start was already returned.
    private var pendingEnd: String?
    private var hasRoot = false
    /// The offset of the byte where the last event begins.
    private(set) var offset = 0

    /// The offset of the first character that XML 1.0 forbids in a document, such as NUL or ESC.
    private let forbidden: Int?

    private static let deepest = 64
    private static let mostAttributes = 64

    /// - Parameter text: the file as text; a byte-order mark is removed.
    init(_ text: String) {
        bytes = Array(text.utf8)
        source = bytes.withUnsafeBufferPointer { SourceText($0) }
        budget = ReadingBudget(inputSize: bytes.count)
        forbidden = Self.firstForbidden(in: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    private static func firstForbidden(in bytes: [UInt8]) -> Int? {
        bytes.indices.first { index in
            switch bytes[index] {
            case 0x09, 0x0A, 0x0D: false
            case 0..<0x20: true
            // U+FFFE and U+FFFF.
            case 0xEF: index + 2 < bytes.count && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
            default: false
            }
        }
    }

    /// The place of an offset.
    func position(_ offset: Int) -> (position: PropertyListFault.Position, excerpt: SourceExcerpt) {
        source.place(at: offset)
    }

    private func fault(_ code: PropertyListFault.Code, _ message: String, at offset: Int? = nil) -> PropertyListFault {
        PropertyListFault(code: code, position: position(offset ?? index).position, message: message)
    }

    private var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[min(index, bytes.count)...].starts(with: $0) }
    }

    /// The next tag or text; nil at the end.
    mutating func read() throws(PropertyListFault) -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name: name)
        }
        if let forbidden {
            let scalar =
                bytes[forbidden] == 0xEF ? 0xFF00 | UInt32(bytes[forbidden + 2]) + 0x40 : UInt32(bytes[forbidden])
            let digits = String(scalar, radix: 16, uppercase: true)
            let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            throw fault(.unexpectedCharacter, "The character U+\(number) is not allowed in XML.", at: forbidden)
        }
        while index < bytes.count {
            offset = index
            guard budget.take(steps: 8) else { throw fault(.overBudget, budget.exhausted.reason) }
            if next != UInt8(ascii: "<") || starts(with: "<![CDATA[") {
                let text = try readText()
                if !open.isEmpty { return .text(text) }
                guard text.allSatisfy(\.isWhitespace) else {
                    throw fault(.malformedMarkup, "Text is outside of the outermost element.", at: offset)
                }
            } else if starts(with: "<!--") {
                try skip(past: "-->", "comment")
            } else if starts(with: "<?") {
                try skip(past: "?>", "instruction")
            } else if starts(with: "<!") {
                try skipDocumentType()
            } else if starts(with: "</") {
                return try readEnd()
            } else {
                return try readStart()
            }
        }
        offset = index
        if let name = open.last { throw fault(.truncated, "The file ends before <\(name)> is closed.") }
        guard hasRoot else { throw fault(.empty, "The file has no element.") }
        return nil
    }

    private mutating func skip(past terminator: String, _ what: String) throws(PropertyListFault) {
        let end = Array(terminator.utf8)
        let start = index
        while index < bytes.count {
            if bytes[index...].starts(with: end) {
                index += end.count
                return
            }
            index += 1
        }
        throw fault(.truncated, "The \(what) that begins here has no end.", at: start)
    }

    private mutating func skipDocumentType() throws(PropertyListFault) {
        let start = index
        guard !hasRoot, starts(with: "<!DOCTYPE") else { throw fault(.malformedMarkup, "This is not a tag.") }
        while index < bytes.count, next != UInt8(ascii: ">") {
            guard next != UInt8(ascii: "[") else {
                throw fault(.documentTypeSubset, "The document type declares something, which is not allowed.")
            }
            index += 1
        }
        guard index < bytes.count else { throw fault(.truncated, "The document type has no end.", at: start) }
        index += 1
    }

    // MARK: Tags

    private mutating func readName() throws(PropertyListFault) -> String {
        let start = index
        while index < bytes.count, next > 0x20, !"<>/='\"&".utf8.contains(next) { index += 1 }
        guard index > start else { throw fault(.malformedMarkup, "A name is expected here.") }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func skipBlanks() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(next) { index += 1 }
    }

    private mutating func readStart() throws(PropertyListFault) -> Event {
        index += 1
        let name = try readName()
        guard !open.isEmpty || !hasRoot else {
            throw fault(.trailingContent, "A second element follows the outermost one.", at: offset)
        }
        guard open.count < Self.deepest else {
            throw fault(
                .tooDeep, "Elements are nested more deeply than \(Self.deepest), which is the limit.", at: offset)
        }
        hasRoot = true
        var attributes: [String: String] = [:]
        while true {
            skipBlanks()
            if next == UInt8(ascii: ">") || starts(with: "/>") { break }
            guard index < bytes.count else { throw fault(.truncated, "The tag <\(name)> has no end.", at: offset) }
            let start = index
            let attribute = try readName()
            skipBlanks()
            guard next == UInt8(ascii: "=") else {
                throw fault(.malformedMarkup, "“=” is expected after \(attribute).")
            }
            index += 1
            skipBlanks()
            let value = try readValue()
            guard attributes.updateValue(value, forKey: attribute) == nil, attributes.count <= Self.mostAttributes
            else {
                throw fault(.malformedMarkup, "The attribute \(attribute) appears a second time.", at: start)
            }
        }
        if next == UInt8(ascii: "/") {
            index += 2
            pendingEnd = name
        } else {
            index += 1
            open.append(name)
        }
        return .start(name: name, attributes: attributes)
    }

    private mutating func readValue() throws(PropertyListFault) -> String {
        let quote = next
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw fault(.malformedMarkup, "A value in quotes is expected here.")
        }
        let start = index
        index += 1
        var value: [UInt8] = []
        while index < bytes.count, next != quote {
            switch next {
            case UInt8(ascii: "<"): throw fault(.malformedMarkup, "“<” is in a value; it is written “&lt;”.")
            case UInt8(ascii: "&"): value += try readReference()
            // In an attribute, only a character reference gives a line end.
            case 0x0A, 0x0D, 0x09:
                value.append(0x20)
                index += 1
            default:
                value.append(next)
                index += 1
            }
        }
        guard index < bytes.count else { throw fault(.truncated, "The value that begins here has no end.", at: start) }
        index += 1
        return try text(value)
    }

    private mutating func readEnd() throws(PropertyListFault) -> Event {
        index += 2
        let name = try readName()
        skipBlanks()
        guard open.last == name, next == UInt8(ascii: ">") else {
            let wanted = open.last.map { "</\($0)> is expected" } ?? "nothing is open"
            throw fault(.malformedMarkup, "</\(name)> closes nothing here; \(wanted).", at: offset)
        }
        index += 1
        open.removeLast()
        return .end(name: name)
    }

    // MARK: Texts

    private mutating func readText() throws(PropertyListFault) -> String {
        var content: [UInt8] = []
        while index < bytes.count {
            if starts(with: "<![CDATA[") {
                let start = index + 9
                try skip(past: "]]>", "section")
                content += Self.withLineFeeds(bytes[start..<index - 3])
            } else if next == UInt8(ascii: "<") {
                break
            } else if next == UInt8(ascii: "&") {
                content += try readReference()
            } else {
                let start = index
                while index < bytes.count, next != UInt8(ascii: "<"), next != UInt8(ascii: "&") { index += 1 }
                content += Self.withLineFeeds(bytes[start..<index])
            }
        }
        return try text(content)
    }

    private static func withLineFeeds(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(0x0D) else { return Array(bytes) }
        var result: [UInt8] = []
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte == 0x0D {
                result.append(0x0A)
            } else if byte != 0x0A || index == bytes.startIndex || bytes[index - 1] != 0x0D {
                result.append(byte)
            }
        }
        return result
    }

    private mutating func text(_ content: [UInt8]) throws(PropertyListFault) -> String {
        guard budget.take(bytes: content.count) else { throw fault(.overBudget, budget.exhausted.reason) }
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func readReference() throws(PropertyListFault) -> [UInt8] {
        let start = index
        index += 1
        let first = index
        while index < bytes.count, next != UInt8(ascii: ";"), index - first < 12 { index += 1 }
        let name = String(decoding: bytes[first..<index], as: UTF8.self)
        guard next == UInt8(ascii: ";") else {
            throw fault(.malformedMarkup, "“&” begins no reference; it is written “&amp;”.", at: start)
        }
        index += 1
        switch name {
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "amp": return [UInt8(ascii: "&")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default: break
        }
        let number =
            name.hasPrefix("#x")
            ? UInt32(name.dropFirst(2), radix: 16)
            : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        guard let scalar = number.flatMap(Unicode.Scalar.init), MarkupText.isAllowed(scalar) else {
            throw fault(.malformedMarkup, "The reference names no character that XML allows.", at: start)
        }
        return Array(String(scalar).utf8)
    }
}

/// Texts in XML.
enum MarkupText {
    /// Whether XML 1.0 can hold a character.
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20..<0xFFFE, 0x10000...: true
        default: false
        }
    }

    /// A text for an element or an attribute; nil if it has a character that XML cannot hold.
    static func escaped(_ text: String, inAttribute: Bool = false) -> String? {
        var result = ""
        for scalar in text.unicodeScalars {
            guard isAllowed(scalar) else { return nil }
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where inAttribute: result += "&quot;"
            // Readers replace these line ends and tabs, unless they are references.
            case "\r": result += "&#13;"
            case "\n" where inAttribute: result += "&#10;"
            case "\t" where inAttribute: result += "&#9;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

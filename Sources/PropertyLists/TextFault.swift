/// A fault in text, with its position as an offset into the decoded bytes.
///
/// Readers work only with offsets; lines and columns are counted when a fault is reported, not for every byte read.
struct TextFault: Error {
    let code: PropertyListFault.Code
    let offset: Int
    let message: String

    init(_ code: PropertyListFault.Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    /// The public form of the fault, with its position in the text to which its offset refers.
    func located(in text: UnsafeBufferPointer<UInt8>) -> PropertyListFault {
        var counter = PositionCounter(text)
        return located(by: &counter)
    }

    /// The public form of the fault.
    ///
    /// This is cheap for many faults in ascending order.
    func located(by counter: inout PositionCounter) -> PropertyListFault {
        let (line, column) = counter.position(of: offset)
        return PropertyListFault(code: code, position: .text(line: line, column: column), message: message)
    }
}

/// Converts offsets into lines and columns, moving forward through the text once.
struct PositionCounter {
    private let text: UnsafeBufferPointer<UInt8>
    private var place = TextPlace()

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// The line and column of an offset, both from 1; offsets past the end mean the end.
    mutating func position(of target: Int) -> (line: Int, column: Int) {
        if target < place.offset { place = TextPlace() }
        place.advance(to: target, in: text)
        return (place.line, place.column)
    }
}

/// An offset with its line and column.
struct TextPlace: Sendable {
    private(set) var offset = 0
    private(set) var line = 1
    private(set) var column = 1

    /// Moves forward to an offset; an offset past the end means the end.
    mutating func advance(to target: Int, in text: UnsafeBufferPointer<UInt8>) {
        let stop = min(target, text.count)
        while offset < stop {
            let byte = text[offset]
            offset += 1
            if byte == 0x0A || (byte == 0x0D && !(offset < text.count && text[offset] == 0x0A)) {
                line += 1
                column = 1
            } else if offset == stop || text[offset] & 0xC0 != 0x80 {
                // A scalar is complete if no continuation byte follows. If one is at the target, it is the fault, so
                // the bytes before it count as a scalar.
                column += 1
            }
        }
    }
}

/// Pieces of a file for messages.
enum Excerpt {
    /// At most this many scalars of the file appear in a message.
    private static let longest = 40

    /// Text in double quotes, shortened, with control characters and quotes escaped.
    static func of(_ text: some StringProtocol) -> String {
        var shown = "\""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < longest else {
                shown += "…"
                break
            }
            shown += escaped(scalar)
            count += 1
        }
        return shown + "\""
    }

    /// The same for bytes, which need not be valid text.
    static func of(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String {
        // At most four bytes per scalar; a little more shows that the text was cut.
        let end = min(range.upperBound, range.lowerBound + 4 * longest + 4)
        return of(String(decoding: UnsafeBufferPointer(rebasing: bytes[range.lowerBound..<end]), as: UTF8.self))
    }

    /// The character at an offset, in quotes, or "the end of the file".
    static func character(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> String {
        guard offset < bytes.count else { return "the end of the file" }
        var end = offset + 1
        while end < bytes.count, end - offset < 4, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[offset..<end]), as: UTF8.self)
        guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1, isMisleading(scalar),
            let name = scalar.properties.name
        else { return of(text) }
        // A reader could not see which character it is.
        let number = String(scalar.value, radix: 16, uppercase: true)
        return "U+\(String(repeating: "0", count: max(0, 4 - number.count)))\(number) (\(name))"
    }

    /// Whether a character is not visible on its own and is not the space, or looks like one of the signs of a list.
    private static func isMisleading(_ scalar: Unicode.Scalar) -> Bool {
        // The Greek question mark and the wide forms of signs look like “;”, “=” and the like; a braille pattern is
        // blank.
        if [0x037E, 0x2800].contains(scalar.value) || (0xFF01...0xFF5E).contains(scalar.value) { return true }
        return switch scalar.properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: scalar != " "
        case .nonspacingMark, .enclosingMark: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        case .spaceSeparator where scalar != " ":
            return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        default:
            return scalar == "\"" || scalar == "\\" ? "\\" + String(scalar) : String(scalar)
        }
    }
}

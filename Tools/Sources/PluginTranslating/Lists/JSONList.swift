public import PropertyLists

/// Property lists as JSON: texts, numbers, Booleans, arrays and dictionaries.
///
/// **Threads.** No shared state.
public enum JSONList {
    /// A list as JSON, with sorted keys, an indent of two, and a line end after it.
    ///
    /// A real number is written with a fraction or an exponent, so that it is read as a real number again.
    ///
    /// - Throws: ``ListFault`` with the key path of a value that JSON cannot hold: a date, data, a reference of a keyed
    ///   archive, or a number that is not finite.
    ///
    /// **Cost.** Linear, apart from sorting the keys. It is recursive, which is safe because the readers limit nesting
    /// to 512.
    public static func text(_ list: PropertyList) throws(ListFault) -> String {
        var output = ""
        try write(list, at: [], to: &output)
        return output + "\n"
    }

    private static func write(_ value: PropertyList, at path: [String], to output: inout String) throws(ListFault) {
        switch value {
        case .string(let text): output += quoted(text)
        case .integer(let number): output += "\(number)"
        case .unsigned(let number): output += "\(number)"
        case .real(let number) where number.isFinite: output += "\(number)"
        case .boolean(let truth): output += truth ? "true" : "false"
        case .real, .date, .data, .uid: throw ListFault(value, at: path, form: "JSON")
        case .array(let elements):
            output += "["
            for (index, element) in elements.enumerated() {
                output += (index > 0 ? "," : "") + lineBreak(path.count + 1)
                try write(element, at: path + [String(index)], to: &output)
            }
            output += elements.isEmpty ? "]" : lineBreak(path.count) + "]"
        case .dictionary(let entries):
            output += "{"
            for (index, (key, element)) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
                output += (index > 0 ? "," : "") + lineBreak(path.count + 1) + quoted(key) + ": "
                try write(element, at: path + [key], to: &output)
            }
            output += entries.isEmpty ? "}" : lineBreak(path.count) + "}"
        }
    }

    private static func lineBreak(_ depth: Int) -> String { "\n" + String(repeating: "  ", count: depth) }

    private static func quoted(_ text: String) -> String { StringsQuoting.quoted(text, unicodeEscape: "\\u") }

    /// Reads JSON.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, or UTF-16.
    ///   - limits: the limits on the list.
    /// - Returns: the list. A number with a fraction or an exponent is a real number, any other an integer.
    /// - Throws: ``PropertyListFault`` with the line and column; `notRepresentable` for `null`, which property lists do
    ///   not have.
    ///
    /// **Cost.** Linear.
    public static func read(
        _ bytes: [UInt8], limits: PropertyListLimits = .stringsTable
    ) throws(PropertyListFault) -> PropertyList {
        guard bytes.count <= limits.size else {
            throw PropertyListFault(
                code: .tooLarge, position: .whole,
                message: "The file has \(bytes.count) bytes; the limit is \(limits.size).")
        }
        guard let (text, _) = TableEncoding.text(of: bytes) else {
            throw PropertyListFault(
                code: .invalidEncoding, position: .whole, message: "The file is neither in UTF-8 nor in UTF-16.")
        }
        var reader = JSONReader(Array(text.utf8), limits: limits)
        return try reader.read()
    }
}

/// Reads one JSON text.
private struct JSONReader {
    private let bytes: [UInt8]
    private let limits: PropertyListLimits
    private var budget: ReadingBudget
    private var index = 0
    private var nodes = 0

    init(_ bytes: [UInt8], limits: PropertyListLimits) {
        self.bytes = bytes
        self.limits = limits
        budget = ReadingBudget(inputSize: bytes.count)
    }

    mutating func read() throws(PropertyListFault) -> PropertyList {
        let value = try readValue(depth: 1)
        skipBlanks()
        guard index == bytes.count else { throw fault(.trailingContent, "Something follows the end of the value.") }
        return value
    }

    private var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

    private mutating func skipBlanks() {
        while [0x20, 0x09, 0x0A, 0x0D].contains(next), index < bytes.count { index += 1 }
    }

    private func fault(_ code: PropertyListFault.Code, _ message: String, at offset: Int? = nil) -> PropertyListFault {
        let position = bytes.withUnsafeBufferPointer { SourceText($0) }.place(at: offset ?? index).position
        return PropertyListFault(code: code, position: position, message: message)
    }

    /// Recursive, but no deeper than the limit.
    private mutating func readValue(depth: Int) throws(PropertyListFault) -> PropertyList {
        skipBlanks()
        nodes += 1
        guard nodes <= limits.nodes, budget.take(bytes: 64) else {
            throw fault(.tooManyNodes, "There are more values than the limit allows.")
        }
        guard depth <= limits.depth else {
            throw fault(.tooDeep, "Values are nested more deeply than \(limits.depth), which is the limit.")
        }
        switch next {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "["): return .array(try readArray(depth: depth))
        case UInt8(ascii: "{"): return .dictionary(try readObject(depth: depth))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
        default: break
        }
        let start = index
        while (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next) { index += 1 }
        switch String(decoding: bytes[start..<index], as: UTF8.self) {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": throw fault(.notRepresentable, "Property lists have no null.", at: start)
        default:
            throw index == bytes.count && start == index
                ? fault(.truncated, "The text ends where a value is expected.")
                : fault(.unexpectedCharacter, "A value is expected here.", at: start)
        }
    }

    private mutating func readArray(depth: Int) throws(PropertyListFault) -> [PropertyList] {
        var elements: [PropertyList] = []
        index += 1
        skipBlanks()
        if next == UInt8(ascii: "]") {
            index += 1
            return elements
        }
        while true {
            elements.append(try readValue(depth: depth + 1))
            if try readsEnd(UInt8(ascii: "]")) { return elements }
        }
    }

    private mutating func readObject(depth: Int) throws(PropertyListFault) -> [String: PropertyList] {
        var entries: [String: PropertyList] = [:]
        index += 1
        skipBlanks()
        if next == UInt8(ascii: "}") {
            index += 1
            return entries
        }
        while true {
            skipBlanks()
            let start = index
            guard next == UInt8(ascii: "\"") else { throw fault(.keyNotString, "A key in quotes is expected.") }
            let key = try readString()
            skipBlanks()
            guard next == UInt8(ascii: ":") else {
                throw fault(.missingSeparator, "A colon is expected after the key.")
            }
            index += 1
            let value = try readValue(depth: depth + 1)
            guard entries.updateValue(value, forKey: key) == nil else {
                throw fault(.duplicateKey, "The key appears a second time.", at: start)
            }
            if try readsEnd(UInt8(ascii: "}")) { return entries }
        }
    }

    /// Reads a comma, or the end of a container.
    private mutating func readsEnd(_ end: UInt8) throws(PropertyListFault) -> Bool {
        skipBlanks()
        guard next == end || next == UInt8(ascii: ",") else {
            throw fault(
                index == bytes.count ? .truncated : .missingSeparator,
                "A comma or “\(Character(Unicode.Scalar(end)))” is expected.")
        }
        index += 1
        return bytes[index - 1] == end
    }

    private mutating func readNumber() throws(PropertyListFault) -> PropertyList {
        let start = index
        while [UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")]
            .contains(next) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next)
        { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil else {
            throw fault(.invalidReal, "This is not a number of JSON.", at: start)
        }
        if text.allSatisfy({ $0 != "." && $0 != "e" && $0 != "E" }) {
            if let number = Int64(text) { return .integer(number) }
            if let number = UInt64(text) { return .unsigned(number) }
            throw fault(.integerOverflow, "The whole number does not fit 64 bits.", at: start)
        }
        guard let number = Double(text), number.isFinite else {
            throw fault(.notFinite, "The number is too large.", at: start)
        }
        return .real(number)
    }

    private mutating func readString() throws(PropertyListFault) -> String {
        let start = index
        index += 1
        var text: [UInt8] = []
        while index < bytes.count {
            switch next {
            case UInt8(ascii: "\""):
                index += 1
                guard budget.take(bytes: text.count) else { throw fault(.overBudget, "The texts are too long.") }
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                index += 1
                text += Array(String(Character(try readEscape())).utf8)
            case 0..<0x20: throw fault(.unexpectedCharacter, "A control character is not escaped.")
            default:
                text.append(next)
                index += 1
            }
        }
        throw fault(.truncated, "The text that begins here has no end.", at: start)
    }

    private mutating func readEscape() throws(PropertyListFault) -> Unicode.Scalar {
        let start = index - 1
        let letter = next
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = readUnit() else { break }
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard unit < 0xDC00, next == UInt8(ascii: "\\"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "u")
            else { break }
            index += 2
            guard let low = readUnit(), (0xDC00...0xDFFF).contains(low) else { break }
            return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)) ?? "\u{FFFD}"
        default: break
        }
        throw fault(.invalidEscape, "This escape is not one of JSON, or half of a character.", at: start)
    }

    private mutating func readUnit() -> UInt32? {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(next)).hexDigitValue, next < 0x80 else { return nil }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }
}

/// Writes property lists as XML.
///
/// **Threads**: no shared state; may be called from any thread.
public enum PropertyListWriter {
    /// The XML form of a list, in the style of Apple's tools: tabs, sorted keys, Apple's document type.
    ///
    /// Reading the result gives an equal value, except that the fraction of a second of a date is dropped, because the
    /// form cannot express it. Carriage returns and other control characters are written as character references, which
    /// Apple's readers and ours understand.
    ///
    /// - Parameter list: The value to write. Nesting is not limited here.
    /// - Returns: The text, with a line end after the last tag.
    /// - Throws: ``PropertyListFault`` with the code `notRepresentable` for values that the form cannot express: a
    ///   number that is not finite, a date outside the years 0 to 9999, text with a NUL, an archive reference above 32
    ///   bits.
    ///
    /// **Cost**: linear, apart from sorting the keys.
    public static func xml(_ list: PropertyList) throws(PropertyListFault) -> String {
        var output = XMLOutput()
        try output.write(list)
        return output.finish()
    }
}

/// The text written so far, and the open containers.
private struct XMLOutput {
    /// The elements of a container that are not written yet.
    private enum Open {
        case array(ArraySlice<PropertyList>)
        case dictionary(ArraySlice<(key: String, value: PropertyList)>)
    }

    private var text: [UInt8] = []
    private var open: [Open] = []

    init() {
        line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        line(
            "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">")
        line("<plist version=\"1.0\">")
    }

    mutating func write(_ root: PropertyList) throws(PropertyListFault) {
        try writeValue(root)
        while let innermost = open.popLast() {
            switch innermost {
            case .array(var rest):
                guard let element = rest.popFirst() else {
                    line("</array>")
                    continue
                }
                open.append(.array(rest))
                try writeValue(element)
            case .dictionary(var rest):
                guard let entry = rest.popFirst() else {
                    line("</dict>")
                    continue
                }
                open.append(.dictionary(rest))
                line("<key>", try escaped(entry.key), "</key>")
                try writeValue(entry.value)
            }
        }
    }

    consuming func finish() -> String {
        line("</plist>")
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func writeValue(_ value: PropertyList) throws(PropertyListFault) {
        switch value {
        case .string(let string): line("<string>", try escaped(string), "</string>")
        case .integer(let number): line("<integer>", "\(number)", "</integer>")
        case .unsigned(let number): line("<integer>", "\(number)", "</integer>")
        case .real(let number):
            guard number.isFinite else { throw notRepresentable("The number \(number)") }
            line("<real>", "\(number)", "</real>")
        case .boolean(let truth): line(truth ? "<true/>" : "<false/>")
        case .date(let seconds):
            guard let date = CalendarTime(secondsSince2001: seconds)?.xml else {
                throw notRepresentable("The date \(seconds) seconds from 2001")
            }
            line("<date>", date, "</date>")
        case .data(let bytes): writeData(bytes)
        case .array(let elements):
            line(elements.isEmpty ? "<array/>" : "<array>")
            if !elements.isEmpty { open.append(.array(elements[...])) }
        case .dictionary(let entries):
            line(entries.isEmpty ? "<dict/>" : "<dict>")
            if !entries.isEmpty { open.append(.dictionary(entries.sorted { $0.key < $1.key }[...])) }
        case .uid(let identifier):
            guard identifier <= UInt64(UInt32.max) else {
                throw notRepresentable("The archive reference \(identifier)")
            }
            try writeValue(.dictionary(["CF$UID": .integer(Int64(identifier))]))
        }
    }

    /// Base64 in lines of 76 characters, like Apple's tools.
    private mutating func writeData(_ bytes: [UInt8]) {
        line("<data>")
        for start in stride(from: 0, to: bytes.count, by: 57) {
            indent()
            Base64.encode(bytes[start..<min(start + 57, bytes.count)], into: &text)
            text.append(0x0A)
        }
        line("</data>")
    }

    private func escaped(_ string: String) throws(PropertyListFault) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(string.utf8.count)
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "&"): result.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): result.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): result.append(contentsOf: "&gt;".utf8)
            case 0: throw notRepresentable("The text \(Excerpt.of(string)), which contains a NUL character,")
            case 0x01..<0x09, 0x0B..<0x20, 0x7F: result.append(contentsOf: "&#\(byte);".utf8)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func notRepresentable(_ what: String) -> PropertyListFault {
        PropertyListFault(
            code: .notRepresentable, position: .whole, message: "\(what) cannot be written in an XML property list.")
    }

    /// The containers of the outermost level are not indented, as in the output of Apple's tools.
    private mutating func indent() {
        for _ in open { text.append(0x09) }
    }

    private mutating func line(_ parts: String...) {
        indent()
        for part in parts { text.append(contentsOf: part.utf8) }
        text.append(0x0A)
    }
}

public import PropertyLists

/// Writes property lists in the old style of NeXTSTEP, with GNUstep's typed values for numbers, Booleans and dates.
///
/// **Threads.** No shared state.
public enum OldStyleListWriter {
    /// The old-style text of a list, with sorted keys and a line end after it.
    ///
    /// - Throws: ``ListFault`` for a date outside of the years 0 to 9999, a number that is not finite, or a reference
    ///   of a keyed archive.
    ///
    /// **Cost.** Linear, apart from sorting the keys. It is recursive, which is safe because the readers limit nesting
    /// to 512.
    public static func text(_ list: PropertyList) throws(ListFault) -> String {
        var output = ""
        try write(list, at: [], to: &output)
        return output + "\n"
    }

    private static func write(
        _ value: PropertyList, at path: [String], to output: inout String
    ) throws(ListFault) {
        switch value {
        case .string(let text): output += spelled(text)
        case .integer(let number): output += "<*I\(number)>"
        case .unsigned(let number): output += "<*I\(number)>"
        case .real(let number):
            guard number.isFinite else { throw ListFault(value, at: path, form: "an old-style list") }
            output += "<*R\(number)>"
        case .boolean(let truth): output += truth ? "<*BY>" : "<*BN>"
        case .date:
            guard let date = value.dateText else { throw ListFault(value, at: path, form: "an old-style list") }
            output += "<*D\(date.replacing("T", with: " ").replacing("Z", with: " +0000"))>"
        case .data(let bytes): output += "<\(bytes.hexadecimal)>"
        case .uid: throw ListFault(value, at: path, form: "an old-style list")
        case .array(let elements):
            output += "("
            for (index, element) in elements.enumerated() {
                output += (index > 0 ? "," : "") + lineBreak(path.count + 1)
                try write(element, at: path + [String(index)], to: &output)
            }
            output += elements.isEmpty ? ")" : lineBreak(path.count) + ")"
        case .dictionary(let entries):
            output += "{"
            for (key, element) in entries.sorted(by: { $0.key < $1.key }) {
                output += lineBreak(path.count + 1) + spelled(key) + " = "
                try write(element, at: path + [key], to: &output)
                output += ";"
            }
            output += entries.isEmpty ? "}" : lineBreak(path.count) + "}"
        }
    }

    private static func lineBreak(_ depth: Int) -> String { "\n" + String(repeating: "\t", count: depth) }

    /// A word of letters and digits needs no quotes.
    private static func spelled(_ text: String) -> String {
        let isWord =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
            }
        return isWord ? text : StringsQuoting.quoted(text)
    }
}

extension PropertyList {
    /// A date as in XML, without the fraction of a second; nil outside of the years 0 to 9999, and for other values.
    var dateText: String? {
        // The XML writer has the calendar arithmetic.
        guard case .date = self, let xml = try? PropertyListWriter.xml(self) else { return nil }
        return xml.split(separator: "<date>").last?.split(separator: "</date>").first.map(String.init)
    }
}

extension [UInt8] {
    /// Two digits for each byte.
    var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

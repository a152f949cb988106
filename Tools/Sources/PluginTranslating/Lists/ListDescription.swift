internal import FoundationEssentials
@_spi(Tools) internal import HostBasics
@_spi(Tools) internal import PluginHost
public import PropertyLists

/// Property lists as text for people.
///
/// **Threads.** No shared state.
public enum ListDescription {
    /// A list with sorted keys and an indent of two.
    ///
    /// Texts are in quotes, with control characters escaped.
    ///
    /// **Cost.** Linear, apart from sorting the keys. It is recursive, which is safe because the readers limit nesting
    /// to 512.
    public static func text(_ list: PropertyList) -> String {
        var output = ""
        write(list, depth: 0, to: &output)
        return output
    }

    private static func write(_ value: PropertyList, depth: Int, to output: inout String) {
        let indent = String(repeating: "  ", count: depth + 1)
        switch value {
        case .string(let text): output += spelled(text)
        case .array(let elements):
            output += "[\n"
            for (index, element) in elements.enumerated() {
                output += "\(indent)\(index) => "
                write(element, depth: depth + 1, to: &output)
                output += "\n"
            }
            output += indent.dropLast(2) + "]"
        case .dictionary(let entries):
            output += "{\n"
            for (key, element) in entries.sorted(by: { $0.key < $1.key }) {
                output += "\(indent)\(spelled(key)) => "
                write(element, depth: depth + 1, to: &output)
                output += "\n"
            }
            output += indent.dropLast(2) + "}"
        case .data(let bytes):
            let shown =
                bytes.count > 24
                ? "\(Array(bytes.prefix(16)).hexadecimal) … \(Array(bytes.suffix(8)).hexadecimal)"
                : bytes.hexadecimal
            output += "{length = \(bytes.count), bytes = 0x\(shown)}"
        default: output += raw(value)
        }
    }

    private static func spelled(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").escapedForDisplay + "\""
    }

    /// A value without quotes: a text unchanged, data in Base64, a date as in XML, the number of an array's elements,
    /// or a dictionary's keys, one per line.
    public static func raw(_ value: PropertyList) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let truth): truth ? "true" : "false"
        case .date(let seconds): value.dateText ?? "\(seconds) seconds from 2001"
        case .data(let bytes): Data(bytes).base64EncodedString()
        case .uid(let number): "CF$UID \(number)"
        case .array(let elements): "\(elements.count)"
        case .dictionary(let entries): entries.keys.sorted().joined(separator: "\n")
        }
    }
}

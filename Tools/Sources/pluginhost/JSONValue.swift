import FoundationEssentials
@_spi(Tools) import PluginHost

/// A JSON document.
///
/// Every key of docs/command-line.md is always there, null if it has no value, so that a script need not check which
/// keys a document has.
enum JSONValue: Encodable {
    case null
    case bool(Bool)
    case integer(Int)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The number in every document's `format`; raised when the meaning of a key changes.
    static let format = 1

    init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

    init(_ texts: [String]) { self = .array(texts.map(JSONValue.string)) }

    /// The document of one invocation.
    static func document(command: String, bundles: [JSONValue], _ more: [String: JSONValue] = [:]) -> JSONValue {
        document(command: command, ["bundles": .array(bundles)].merging(more) { $1 })
    }

    static func document(command: String, _ members: [String: JSONValue]) -> JSONValue {
        .object(["format": .integer(format), "command": .string(command)].merging(members) { $1 })
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }

    /// The text, with its keys sorted and a line break at the end.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Self.escaped(String(decoding: try encoder.encode(self), as: UTF8.self)) + "\n"
    }

    /// Escapes characters that control a display as JSON's `\u202e`, which means the same.
    ///
    /// The encoder escapes only the first controls, and outside of strings there are no such characters.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value >= 0x7F && $0.isObeyedByDisplays }) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            guard scalar.value >= 0x7F, scalar.isObeyedByDisplays else { return result.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}

import FoundationEssentials
@_spi(Tools) import HostBasics
@_spi(Tools) import PluginHost

/// A JSON document.
///
/// Every key in docs/json.md is always present, null if it has no value, so that a script need not check which
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

    /// The number in every document's `format`.
    ///
    /// It increases when the meaning of a key changes.
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
    func text() throws -> String { try body() + "\n" }

    /// Without the line break.
    ///
    /// `depth`: of how many arrays and objects it is a part, so that its lines are indented.
    private func body(depth: Int = 0) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // The encoder indents what is in arrays. Each adds “[”, a line break and two blanks more than the one around it.
        let nested = (0..<depth).reduce(self) { value, _ in .array([value]) }
        let bytes = try encoder.encode(nested).dropFirst(depth * (depth + 3)).dropLast(depth * (depth + 1))
        return Self.escaped(String(decoding: bytes, as: UTF8.self))
    }

    /// Writes the document of one invocation about many bundles to standard output.
    ///
    /// The bytes are those of ``text()``, but only one bundle is in memory at a time, so that memory does not grow with
    /// their number.
    ///
    /// `count`: how many bundles there are. `bundle`: makes each of them, in order.
    static func write(
        command: String, _ members: [String: JSONValue], count: Int, bundle: (Int) throws -> JSONValue
    ) throws {
        let list = "bundles"
        guard count > 0 else {
            return Terminal.write(try document(command: command, bundles: [], members).text())
        }
        guard case .object(let all) = document(command: command, members) else { return }
        var text = "{"
        let keys = (Array(all.keys) + [list]).sorted()
        for (place, key) in keys.enumerated() {
            text += "\(place == 0 ? "" : ",")\n  \(try JSONValue.string(key).body()) : "
            guard key == list else {
                text += try all[key, default: .null].body(depth: 1)
                continue
            }
            text += "["
            for number in 0..<count {
                text += "\(number == 0 ? "" : ",")\n    " + (try bundle(number).body(depth: 2))
                if text.utf8.count > 1 << 16 {
                    Terminal.write(text)
                    text = ""
                }
            }
            text += "\n  ]"
        }
        Terminal.write(text + "\n}\n")
    }

    /// Escapes characters that control a display as JSON's `\u202e`, which means the same.
    ///
    /// The encoder escapes only controls below U+0020. Such characters occur only inside strings.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value >= 0x7F && $0.isObeyedByDisplays }) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            guard scalar.value >= 0x7F, scalar.isObeyedByDisplays else { return result.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}

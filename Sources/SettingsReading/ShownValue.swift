import HostBasics
import PropertyLists

/// Values in messages, which stay short whatever a file contains.
enum ShownValue {
    private static let longest = 80

    static func text(_ text: String) -> String {
        guard text.utf8.count > longest else { return quoted(text) }
        return "\(quoted(String(decoding: text.utf8.prefix(longest - 8), as: UTF8.self) + "…"))"
    }

    static func list(_ list: PropertyList) -> String {
        switch list {
        case .string(let value): text(value)
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        default: list.typeName
        }
    }
}

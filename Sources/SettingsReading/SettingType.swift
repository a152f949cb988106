public import PluginABI
public import PropertyLists

/// The type of a setting's value.
public enum SettingType: String, Sendable, Hashable, Codable, CaseIterable {
    /// True or false.
    case boolean
    /// A whole number.
    case integer
    /// A finite number.
    case real
    /// A text.
    case text

    /// The type for a message: “a whole number”.
    public var words: String {
        switch self {
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .real: "a number"
        case .text: "a text"
        }
    }
}

extension SettingScalar {
    /// The type of the value.
    public var type: SettingType {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .text: .text
        }
    }

    /// The value of a list in the type that the list gives it; nil for a date, data, an array, a dictionary, or a number
    /// that no setting can have.
    public init?(_ list: PropertyList) {
        switch list {
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(Int(value))
        case .real(let value) where value.isFinite: self = .real(value)
        case .string(let value): self = .text(value)
        default: return nil
        }
    }

    /// The value of a list in a given type; nil if it cannot have that type.
    ///
    /// Texts stand for numbers and Booleans in every form of list. Only old-style lists need that, because they have no
    /// other values; but a file keeps its meaning when somebody converts it, and when the host writes it again, as XML.
    public init?(_ list: PropertyList, as type: SettingType) {
        switch (type, list) {
        case (.boolean, .boolean(let value)): self = .boolean(value)
        case (.boolean, .integer(0)): self = .boolean(false)
        case (.boolean, .integer(1)): self = .boolean(true)
        case (.integer, .integer(let value)): self = .integer(Int(value))
        case (.real, .real(let value)) where value.isFinite: self = .real(value)
        case (.real, .integer(let value)): self = .real(Double(value))
        case (.real, .unsigned(let value)): self = .real(Double(value))
        case (.text, .string(let value)): self = .text(value)
        case (_, .string(let text)):
            guard let value = Self(text, as: type) else { return nil }
            self = value
        default: return nil
        }
    }

    /// The value that a person wrote as text; nil if the text is not of the type.
    ///
    /// Booleans are `true`, `false`, `yes`, `no`, `1` and `0`, with any capital letters.
    public init?(_ text: String, as type: SettingType) {
        // No number is longer, and the text may be megabytes.
        guard type == .text || text.utf8.count <= 64 else { return nil }
        switch type {
        case .boolean:
            switch text.lowercased() {
            case "1", "true", "yes": self = .boolean(true)
            case "0", "false", "no": self = .boolean(false)
            default: return nil
            }
        case .integer:
            guard let value = Int(text) else { return nil }
            self = .integer(value)
        case .real:
            guard let value = Double(text), value.isFinite else { return nil }
            self = .real(value)
        case .text: self = .text(text)
        }
    }

    /// The value for a list.
    public var list: PropertyList {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(Int64(value))
        case .real(let value): .real(value)
        case .text(let value): .string(value)
        }
    }

    /// The value for a message: texts in quotation marks, long ones shortened.
    var shown: String {
        guard case .text(let text) = self else { return description }
        return ShownValue.text(text)
    }
}

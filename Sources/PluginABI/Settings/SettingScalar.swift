/// A value of a setting: what a Settings.bundle can declare.
@frozen
public enum SettingScalar: Sendable, Hashable {
    /// True or false.
    case boolean(Bool)
    /// A whole number.
    case integer(Int)
    /// A finite number.
    case real(Double)
    /// A text of at most 16 KiB.
    case text(String)
}

extension SettingScalar: CustomStringConvertible {
    /// The value as a person writes it: `true`, `3`, `0.5`, or the text.
    public var description: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value
        }
    }
}

extension SettingScalar: Codable {
    /// Writes the value itself: `0.5`, not an object that contains it.
    ///
    /// - Parameter encoder: receives one value.
    /// - Throws: what the encoder throws; most refuse a real that is not finite.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        }
    }

    /// Reads a value.
    ///
    /// A format that writes 2.0 and 2 alike, as JSON does, gives an integer for both.
    ///
    /// - Parameter decoder: gives one value.
    /// - Throws: the decoder's error if the value is neither a Boolean, a number nor a text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }
}

/// A type that a setting can have: `Bool`, `Int`, `Double`, `String`, and enumerations of whole numbers or texts.
///
/// An enumeration only has to state the conformance: `enum Voice: String, SettingValue { case low, high }`.
public protocol SettingValue: Sendable {
    /// The value in this type; nil if it has another type, or the enumeration has no such case.
    init?(setting: SettingScalar)
    /// This value as it is stored.
    var settingScalar: SettingScalar { get }
}

extension Bool: SettingValue {
    /// The value if it is a Boolean.
    public init?(setting: SettingScalar) {
        guard case .boolean(let value) = setting else { return nil }
        self = value
    }
    /// This value as it is stored.
    public var settingScalar: SettingScalar { .boolean(self) }
}

extension Int: SettingValue {
    /// The value if it is a whole number.
    public init?(setting: SettingScalar) {
        guard case .integer(let value) = setting else { return nil }
        self = value
    }
    /// This value as it is stored.
    public var settingScalar: SettingScalar { .integer(self) }
}

extension Double: SettingValue {
    /// The value if it is a real.
    public init?(setting: SettingScalar) {
        guard case .real(let value) = setting else { return nil }
        self = value
    }
    /// This value as it is stored.
    public var settingScalar: SettingScalar { .real(self) }
}

extension String: SettingValue {
    /// The value if it is a text.
    public init?(setting: SettingScalar) {
        guard case .text(let value) = setting else { return nil }
        self = value
    }
    /// This value as it is stored.
    public var settingScalar: SettingScalar { .text(self) }
}

extension SettingValue where Self: RawRepresentable, RawValue: SettingValue {
    /// The case with the value; nil if there is none.
    public init?(setting: SettingScalar) {
        guard let raw = RawValue(setting: setting) else { return nil }
        self.init(rawValue: raw)
    }
    /// This value as it is stored.
    public var settingScalar: SettingScalar { rawValue.settingScalar }
}

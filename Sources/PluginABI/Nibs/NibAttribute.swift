/// A type that an attribute of a nib may have.
///
/// An application may add types of its own.
///
/// Text of a nib is converted by the type's rules: `YES`, `NO`, `true`, `false`, `1` and `0` for Bool; decimal digits with an
/// optional sign for Int; a finite decimal number for Double and Float. Every type of raw text values conforms by saying so:
/// `enum Weight: String, NibAttribute`.
public protocol NibAttribute: Sendable {
    /// The type's name in messages and in NibClasses.plist. `Image` and `Sound` make the host look for the file of that name
    /// and hand over what it found; text of the types `String` and `String?` is translated.
    ///
    /// A text that is a usual number or flag reaches the types `Int` and `Bool` as one; a type of that name which refuses it
    /// gets the text.
    static var nibTypeName: String { get }

    /// Converts a value of a nib.
    ///
    /// - Parameter value: the value.
    /// - Returns: nil if the value does not fit; then the nib has an error (`nibAttributeInvalid`) and nothing is made.
    static func nibAttribute(_ value: NibValue) -> Self?
}

extension Optional: NibAttribute where Wrapped: NibAttribute {
    /// The wrapped type's with a question mark.
    public static var nibTypeName: String { Wrapped.nibTypeName + "?" }
    /// nil for `<nil/>`.
    public static func nibAttribute(_ value: NibValue) -> Self? {
        if case .none = value { return .some(.none) }
        return Wrapped.nibAttribute(value).map { .some($0) }
    }
}

extension String: NibAttribute {
    /// `String`.
    public static var nibTypeName: String { "String" }
    /// Text, also empty.
    public static func nibAttribute(_ value: NibValue) -> String? {
        if case .string(let text) = value { text } else { nil }
    }
}

extension Int: NibAttribute {
    /// `Int`.
    public static var nibTypeName: String { "Int" }
    /// A whole number of 64 bits; a real number only if it is whole.
    public static func nibAttribute(_ value: NibValue) -> Int? {
        switch value {
        case .integer(let number): Int(exactly: number)
        case .real(let number): Int(exactly: number)
        case .string(let text): Self.isDecimal(text) ? Int(text) : nil
        default: nil
        }
    }

    /// Whether a text is digits with an optional sign.
    static func isDecimal(_ text: String) -> Bool {
        let digits =
            text.utf8.first == UInt8(ascii: "-") || text.utf8.first == UInt8(ascii: "+")
            ? text.utf8.dropFirst() : text.utf8[...]
        return !digits.isEmpty && digits.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }
}

extension Double: NibAttribute {
    /// `Double`.
    public static var nibTypeName: String { "Double" }
    /// A finite number.
    public static func nibAttribute(_ value: NibValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .string(let text): finite(text)
        default: nil
        }
    }

    /// The number of a decimal text; nil for one that is infinite, none, hexadecimal, or too large.
    @_spi(PluginHost)
    public static func finite(_ text: String) -> Double? {
        let isDecimal = text.utf8.allSatisfy { byte in
            byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
        }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return number
    }
}

extension Float: NibAttribute {
    /// `Float`.
    public static var nibTypeName: String { "Float" }
    /// A number that is finite as a Float.
    public static func nibAttribute(_ value: NibValue) -> Float? {
        guard let number = Double.nibAttribute(value), case let float = Float(number), float.isFinite else {
            return nil
        }
        return float
    }
}

extension Bool: NibAttribute {
    /// `Bool`.
    public static var nibTypeName: String { "Bool" }
    /// `YES`, `NO`, `true`, `false`, 1 or 0.
    public static func nibAttribute(_ value: NibValue) -> Bool? {
        switch value {
        case .boolean(let flag): flag
        case .integer(0): false
        case .integer(1): true
        case .string(let text): reading(text)
        default: nil
        }
    }

    /// The value of a text.
    @_spi(PluginHost)
    public static func reading(_ text: String) -> Bool? {
        switch text {
        case "YES", "true", "1": true
        case "NO", "false", "0": false
        default: nil
        }
    }
}

extension NibPoint: NibAttribute {
    /// `Point`.
    public static var nibTypeName: String { "Point" }
    /// A point.
    public static func nibAttribute(_ value: NibValue) -> NibPoint? {
        if case .point(let point) = value { point } else { nil }
    }
}

extension NibSize: NibAttribute {
    /// `Size`.
    public static var nibTypeName: String { "Size" }
    /// A size.
    public static func nibAttribute(_ value: NibValue) -> NibSize? {
        if case .size(let size) = value { size } else { nil }
    }
}

extension NibRect: NibAttribute {
    /// `Rect`.
    public static var nibTypeName: String { "Rect" }
    /// A rectangle.
    public static func nibAttribute(_ value: NibValue) -> NibRect? {
        if case .rect(let rect) = value { rect } else { nil }
    }
}

extension NibRange: NibAttribute {
    /// `Range`.
    public static var nibTypeName: String { "Range" }
    /// A range.
    public static func nibAttribute(_ value: NibValue) -> NibRange? {
        if case .range(let range) = value { range } else { nil }
    }
}

extension NibColor: NibAttribute {
    /// `Color`.
    public static var nibTypeName: String { "Color" }
    /// A colour.
    public static func nibAttribute(_ value: NibValue) -> NibColor? {
        if case .color(let color) = value { color } else { nil }
    }
}

extension NibDate: NibAttribute {
    /// `Date`.
    public static var nibTypeName: String { "Date" }
    /// A date.
    public static func nibAttribute(_ value: NibValue) -> NibDate? {
        if case .date(let date) = value { date } else { nil }
    }
}

extension NibRecord: NibAttribute {
    /// `Record`.
    public static var nibTypeName: String { "Record" }
    /// A record.
    public static func nibAttribute(_ value: NibValue) -> NibRecord? {
        if case .record(let record) = value { record } else { nil }
    }
}

extension NamedImage: NibAttribute {
    /// `Image`.
    public static var nibTypeName: String { "Image" }
    /// An image; the host has looked for it by its name.
    public static func nibAttribute(_ value: NibValue) -> NamedImage? {
        if case .image(let image) = value { image } else { nil }
    }
}

extension NamedSound: NibAttribute {
    /// `Sound`.
    public static var nibTypeName: String { "Sound" }
    /// A sound; the host has looked for it by its name.
    public static func nibAttribute(_ value: NibValue) -> NamedSound? {
        if case .sound(let sound) = value { sound } else { nil }
    }
}

extension NibAttribute where Self: RawRepresentable, RawValue == String {
    /// `Enum`.
    public static var nibTypeName: String { "Enum" }
    /// The value of a text.
    public static func nibAttribute(_ value: NibValue) -> Self? {
        if case .string(let text) = value { Self(rawValue: text) } else { nil }
    }
}

extension NibAttribute where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// `Enum(a|b)` with the texts of all cases.
    public static var nibTypeName: String { "Enum(\(allCases.map(\.rawValue).joined(separator: "|")))" }
}

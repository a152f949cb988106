/// A type that an attribute of a nib may have.
///
/// An application may add its own types.
///
/// Each type converts text from a nib by its own rules: `YES`, `NO`, `true`, `false`, `1` and `0` for Bool; decimal
/// digits with an optional sign for Int; a finite decimal number for Double and Float. An enumeration with String raw
/// values only declares the conformance: `enum Weight: String, NibAttribute`.
public protocol NibAttribute: Sendable {
    /// The type's name in messages and in NibClasses.plist. For `Image` and `Sound` the host finds the file of that
    /// name and passes a ``NamedImage`` or ``NamedSound``; text for `String` and `String?` is translated.
    ///
    /// For the type names `Int` and `Bool`, a text in the usual form of a number or flag arrives as
    /// ``NibValue/integer(_:)`` or ``NibValue/boolean(_:)``. If the type refuses that value, it gets the text instead.
    static var nibTypeName: String { get }

    /// Converts a nib's value to this type.
    ///
    /// - Parameter value: the value.
    /// - Returns: nil if the value does not fit. The nib then has an error (`nibAttributeInvalid`), and no object is
    ///   made.
    static func nibAttribute(_ value: NibValue) -> Self?
}

extension Optional: NibAttribute where Wrapped: NibAttribute {
    /// The name of the wrapped type with a question mark.
    public static var nibTypeName: String { Wrapped.nibTypeName + "?" }
    /// The wrapped type's value; nil for `<nil/>`.
    public static func nibAttribute(_ value: NibValue) -> Self? {
        if case .none = value { return .some(.none) }
        return Wrapped.nibAttribute(value).map { .some($0) }
    }
}

extension String: NibAttribute {
    /// `String`.
    public static var nibTypeName: String { "String" }
    /// Any text, including an empty one.
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

    /// Whether a text consists of decimal digits with an optional sign.
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

    /// The number in a decimal text; nil if the text is not a number, is infinite, hexadecimal, or too large.
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

    /// The flag in a text; nil if it is not one.
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
    /// An image, which the host found by its name.
    public static func nibAttribute(_ value: NibValue) -> NamedImage? {
        if case .image(let image) = value { image } else { nil }
    }
}

extension NamedSound: NibAttribute {
    /// `Sound`.
    public static var nibTypeName: String { "Sound" }
    /// A sound, which the host found by its name.
    public static func nibAttribute(_ value: NibValue) -> NamedSound? {
        if case .sound(let sound) = value { sound } else { nil }
    }
}

extension NibAttribute where Self: RawRepresentable, RawValue == String {
    /// `Enum`.
    public static var nibTypeName: String { "Enum" }
    /// The case with this raw value.
    public static func nibAttribute(_ value: NibValue) -> Self? {
        if case .string(let text) = value { Self(rawValue: text) } else { nil }
    }
}

extension NibAttribute where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// `Enum(a|b)` with the raw values of all cases.
    public static var nibTypeName: String { "Enum(\(allCases.map(\.rawValue).joined(separator: "|")))" }
}

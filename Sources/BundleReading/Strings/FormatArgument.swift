/// A value to be formatted, with the properties that conversions need.
package struct FormatArgument {
    package enum Number {
        case signed(Int64, bits: Int)
        /// Above the greatest signed number.
        case unsigned(UInt64)
        case real(Double)
    }

    /// The value as a number; nil if it is not one.
    package let number: Number?
    /// The text for `%@`.
    package let text: String

    package init(_ value: Any) {
        if let optional = value as? any OptionalValue {
            // The same text as in Foundation.
            self = optional.wrapped.map(FormatArgument.init) ?? FormatArgument(number: nil, text: "(null)")
            return
        }
        text = (value as? String) ?? String(describing: value)
        switch value {
        case let value as any BinaryInteger: number = Self.integer(value)
        case let value as any BinaryFloatingPoint: number = .real(Double(value))
        case let value as Bool: number = .signed(value ? 1 : 0, bits: 8)
        case is any StringProtocol, is Character, is Unicode.Scalar: number = nil
        // NSNumber and Decimal are read from their text, so that their types are not needed here.
        default:
            number =
                Int64(text).map { .signed($0, bits: 64) } ?? UInt64(text).map { .unsigned($0) }
                ?? (PluralOperands(text) == nil ? nil : Double(text).map { .real($0) })
        }
    }

    private init(number: Number?, text: String) {
        self.number = number
        self.text = text
    }

    private static func integer(_ value: some BinaryInteger) -> Number? {
        Int64(exactly: value).map { .signed($0, bits: value.bitWidth) } ?? UInt64(exactly: value).map { .unsigned($0) }
    }

    /// A whole number with its sign as a separate value; nil for every other value.
    package var integer: (magnitude: UInt64, isNegative: Bool)? {
        switch number {
        case .signed(let value, _): (value.magnitude, value < 0)
        case .unsigned(let value): (value, false)
        case .real(let value):
            Int64(exactly: value).map { ($0.magnitude, $0 < 0) } ?? UInt64(exactly: value).map { ($0, false) }
        case nil: nil
        }
    }

    package var real: Double? {
        switch number {
        case .signed(let value, _): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        case nil: nil
        }
    }

    /// The bits of a whole number; a negative one in two's complement, as wide as the argument would be in C.
    func twosComplement(length: String) -> UInt64? {
        guard let integer else { return nil }
        guard integer.isNegative else { return integer.magnitude }
        let bits = 0 &- integer.magnitude
        guard case .signed(let value, let width) = number, value >= Int64(Int32.min) else { return bits }
        return length.isEmpty || width <= 32 ? bits & 0xFFFF_FFFF : bits
    }

    /// The operands for a plural rule; nil if the value is not a number.
    ///
    /// `digits`: how many digits of a fraction are shown; nil for all of them.
    func operands(fractionDigits digits: Int?) -> PluralOperands? {
        if let digits, let real { return PluralOperands(RealText.text(of: real, type: "f", precision: digits)) }
        switch number {
        case .signed(let value, _): return PluralOperands(value)
        case .unsigned(let value): return PluralOperands(value)
        // A Decimal has digits that a Double cannot represent.
        case .real(let value): return PluralOperands(text).flatMap { _ in PluralOperands(value) }
        case nil: return nil
        }
    }
}

/// Optionals of every type.
private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    package var wrapped: Any? { self }
}

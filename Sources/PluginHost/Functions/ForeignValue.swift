/// An argument or the result of a C function that is called through its signature.
public enum ForeignValue: Sendable, Hashable {
    case void
    case bool(Bool)
    /// For `int8` to `int64`; must be in the range of the signature's type.
    case int(Int64)
    /// For `uint8` to `uint64`; must be in the range of the signature's type.
    case uint(UInt64)
    case float(Float)
    case double(Double)
    /// As an argument, NUL-terminated and borrowed for the call; as a result, a copy. A NULL result is ``pointer(_:)``
    /// nil.
    case string(String)
    /// Borrowed for the call.
    case bytes([UInt8])
    /// An address; the caller is responsible for what is stored there.
    case pointer(UInt?)

    /// The whole number, or nil if the value is not one or is negative.
    public var uint64: UInt64? {
        switch self {
        case .uint(let value): value
        case .int(let value): UInt64(exactly: value)
        default: nil
        }
    }

    /// The whole number, or nil if the value is not one or is too large.
    public var int64: Int64? {
        switch self {
        case .int(let value): value
        case .uint(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number as floating point, or nil if the value is not a number.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .float(let value): Double(value)
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        default: nil
        }
    }

    /// The text, or nil.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The truth value, or nil.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

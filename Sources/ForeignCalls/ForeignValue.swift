import HostBasics

/// An argument or result of a C function that is called by its signature.
public enum ForeignValue: Sendable, Hashable {
    /// No result.
    case void
    /// NULL, if the type in the signature has a `?`.
    case null
    case bool(Bool)
    /// For `int8` to `int64`; must be in the range of the signature's type.
    case int(Int64)
    /// For `uint8` to `uint64`; must be in the range of the signature's type.
    case uint(UInt64)
    case float(Float)
    case double(Double)
    /// As an argument, it is borrowed for the call and ends with NUL; as a result, it is a copy.
    case string(String)
    /// As an argument, it is borrowed for the call; as a result, it is a copy.
    case bytes([UInt8])
    /// An address other than 0; the caller is responsible for the memory there.
    case pointer(UInt)
    /// The fields of a struct, in order.
    case structure([ForeignValue])
    /// A function of the host that the plug-in calls; only for an argument.
    case callback(ForeignCallback)

    /// A closure that the plug-in may call until the function returns.
    ///
    /// If the closure throws, the plug-in gets a zero, or a failure if the callback's signature `throws`. The closure
    /// is not called again during this call. When the function returns, the call throws the closure's error.
    ///
    /// - Parameter body: called on any thread, with values of the types in the callback's signature; returns the
    ///   callback's result.
    /// - Returns: the argument.
    public static func callback(_ body: @escaping @Sendable ([ForeignValue]) throws -> ForeignValue) -> ForeignValue {
        .callback(ForeignCallback(body))
    }

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

    /// The bytes, or nil.
    public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The fields of a struct, or nil.
    public var fields: [ForeignValue]? { if case .structure(let fields) = self { fields } else { nil } }

    /// The truth value, or nil.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The value for a message.
    ///
    /// Long texts are shortened; for bytes and structs, only the number of elements is shown.
    package var shown: String {
        switch self {
        case .void: "no value"
        case .null: "NULL"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .uint(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): quoted(text.count > 40 ? text.prefix(40) + "…" : text[...])
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .pointer(let address): "the pointer 0x\(String(address, radix: 16))"
        case .structure(let fields): "a struct of \(fields.count)"
        case .callback: "a callback"
        }
    }
}

public import BundleReading

/// A Swift type for types in a C function's signature.
///
/// These types conform: the integer types, `Float`, `Double`, `Bool`, `String`, `[UInt8]`, `UnsafeMutableRawPointer`,
/// optionals of the last three, ``ForeignCallback``, ``ForeignValue``, and structs that conform to ``ForeignStruct``.
public protocol ForeignConvertible: SendableMetatype {
    /// Whether values of this Swift type can be passed and returned for a type in a signature.
    static func isForeign(_ type: ForeignType) -> Bool
    /// Whether a value has the same bytes in Swift as in C.
    static var isPlain: Bool { get }
    /// Creates a value of this type from a result; nil if the result has another type.
    init?(foreignValue: ForeignValue)
    /// The value as an argument.
    var foreignValue: ForeignValue { get }
}

/// A struct of C numbers that is passed by value: one from an application's C header, or a Swift struct of the same
/// layout.
///
/// ```swift
/// extension point: ForeignStruct {
///     static let foreignType = ForeignType.structure([.init("x", .double), .init("y", .double)])
/// }
/// ```
/// All fields must be numbers, Booleans, or structs of these. A type whose size or alignment differs from that
/// of the C struct matches no signature.
public protocol ForeignStruct: ForeignConvertible, BitwiseCopyable {
    /// The struct's type in a signature.
    static var foreignType: ForeignType { get }
}

extension ForeignStruct {
    /// Whether the struct in the signature has the same fields.
    public static func isForeign(_ type: ForeignType) -> Bool {
        type == foreignType && type.isPlain && type.layout == (MemoryLayout<Self>.size, MemoryLayout<Self>.alignment)
    }
    /// True.
    public static var isPlain: Bool { true }

    /// The struct with the values of its fields; nil if the fields do not match.
    public init?(foreignValue: ForeignValue) {
        let type = Self.foreignType
        let value: Self? = withUnsafeTemporaryAllocation(byteCount: type.layout.size, alignment: 16) { room in
            guard let place = room.baseAddress, Self.isForeign(type) else { return nil }
            var loans = ForeignLoans()
            do throws(ForeignFault) { try loans.write(foreignValue, as: type, to: place) } catch { return nil }
            return place.load(as: Self.self)
        }
        guard let value else { return nil }
        self = value
    }

    /// The fields.
    public var foreignValue: ForeignValue {
        withUnsafeBytes(of: self) { bytes in
            guard let place = bytes.baseAddress, Self.isForeign(Self.foreignType) else { return .void }
            return (try? Self.foreignType.value(at: place)) ?? .void
        }
    }
}

/// The result of a typed callback that returns nothing.
struct ForeignVoid: ForeignConvertible {
    static func isForeign(_ type: ForeignType) -> Bool { type == .void }
    static var isPlain: Bool { true }
    init() {}
    init?(foreignValue: ForeignValue) {}
    var foreignValue: ForeignValue { .void }
}

// MARK: Numbers

extension ForeignConvertible where Self: FixedWidthInteger {
    /// Whether the type has the same width and sign.
    public static func isForeign(_ type: ForeignType) -> Bool {
        switch type {
        case .int8, .int16, .int32, .int64: isSigned && bitWidth == type.layout.size * 8
        case .uint8, .uint16, .uint32, .uint64: !isSigned && bitWidth == type.layout.size * 8
        default: false
        }
    }
    /// True.
    @inlinable public static var isPlain: Bool { true }
    /// The number; nil if the value is not of this type.
    public init?(foreignValue: ForeignValue) {
        switch foreignValue {
        case .int(let value): self.init(exactly: value)
        case .uint(let value): self.init(exactly: value)
        default: return nil
        }
    }
    /// The number.
    public var foreignValue: ForeignValue { Self.isSigned ? .int(Int64(self)) : .uint(UInt64(self)) }
}

extension Int8: ForeignConvertible {}
extension Int16: ForeignConvertible {}
extension Int32: ForeignConvertible {}
extension Int64: ForeignConvertible {}
extension Int: ForeignConvertible {}
extension UInt8: ForeignConvertible {}
extension UInt16: ForeignConvertible {}
extension UInt32: ForeignConvertible {}
extension UInt64: ForeignConvertible {}
extension UInt: ForeignConvertible {}

extension Float: ForeignConvertible {
    /// Whether the type is `float`.
    public static func isForeign(_ type: ForeignType) -> Bool { type == .float }
    /// True.
    @inlinable public static var isPlain: Bool { true }
    /// The number; nil if the value is not a `float`.
    public init?(foreignValue: ForeignValue) {
        guard case .float(let value) = foreignValue else { return nil }
        self = value
    }
    /// The number.
    public var foreignValue: ForeignValue { .float(self) }
}

extension Double: ForeignConvertible {
    /// Whether the type is `double`.
    public static func isForeign(_ type: ForeignType) -> Bool { type == .double }
    /// True.
    @inlinable public static var isPlain: Bool { true }
    /// The number; nil if the value is not a `double`.
    public init?(foreignValue: ForeignValue) {
        guard case .double(let value) = foreignValue else { return nil }
        self = value
    }
    /// The number.
    public var foreignValue: ForeignValue { .double(self) }
}

extension Bool: ForeignConvertible {
    /// Whether the type is `bool`.
    public static func isForeign(_ type: ForeignType) -> Bool { type == .bool }
    /// True.
    @inlinable public static var isPlain: Bool { true }
    /// The truth value; nil if the value is of another type.
    public init?(foreignValue: ForeignValue) {
        guard let value = foreignValue.bool else { return nil }
        self = value
    }
    /// The truth value.
    public var foreignValue: ForeignValue { .bool(self) }
}

// MARK: References

extension String: ForeignConvertible {
    /// Whether the type is `string`, borrowed or owned.
    public static func isForeign(_ type: ForeignType) -> Bool { type == .string || type == .owned(.string) }
    /// False.
    @inlinable public static var isPlain: Bool { false }
    /// The text; nil if the value is of another type.
    public init?(foreignValue: ForeignValue) {
        guard let text = foreignValue.string else { return nil }
        self = text
    }
    /// The text.
    public var foreignValue: ForeignValue { .string(self) }
}

extension [UInt8]: ForeignConvertible {
    /// Whether the type is `bytes`, borrowed or owned.
    public static func isForeign(_ type: ForeignType) -> Bool { type == .bytes || type == .owned(.bytes) }
    /// False.
    @inlinable public static var isPlain: Bool { false }
    /// The bytes; nil if the value is of another type.
    public init?(foreignValue: ForeignValue) {
        guard let bytes = foreignValue.bytes else { return nil }
        self = bytes
    }
    /// The bytes.
    public var foreignValue: ForeignValue { .bytes(self) }
}

extension UnsafeMutableRawPointer: ForeignConvertible {
    /// Whether the type is `pointer`.
    public static func isForeign(_ type: ForeignType) -> Bool { type == .pointer }
    /// False, because the address must be checked for NULL.
    @inlinable public static var isPlain: Bool { false }
    /// The address; nil if the value is of another type.
    public init?(foreignValue: ForeignValue) {
        guard case .pointer(let address) = foreignValue else { return nil }
        self.init(bitPattern: address)
    }
    /// The address.
    public var foreignValue: ForeignValue { .pointer(UInt(bitPattern: self)) }
}

extension Optional: ForeignConvertible where Wrapped: ForeignConvertible {
    /// Whether the type may be NULL and also matches the wrapped type.
    public static func isForeign(_ type: ForeignType) -> Bool {
        switch type {
        case .optional(let type): Wrapped.isForeign(type)
        case .owned(.optional(let type)): Wrapped.isForeign(.owned(type))
        default: false
        }
    }
    /// False.
    @inlinable public static var isPlain: Bool { false }
    /// The value, or nil for NULL; a failure if the value is of another type.
    public init?(foreignValue: ForeignValue) {
        if foreignValue == .null {
            self = .none
        } else if let value = Wrapped(foreignValue: foreignValue) {
            self = .some(value)
        } else {
            return nil
        }
    }
    /// The value, or NULL for nil.
    public var foreignValue: ForeignValue { self?.foreignValue ?? .null }
}

extension ForeignCallback: ForeignConvertible {
    /// Whether the type is a callback.
    public static func isForeign(_ type: ForeignType) -> Bool { type.callbackSignature != nil }
    /// False.
    public static var isPlain: Bool { false }
    /// Nil, because a function cannot return a callback.
    public convenience init?(foreignValue: ForeignValue) { return nil }
    /// The callback.
    public var foreignValue: ForeignValue { .callback(self) }
}

extension ForeignValue: ForeignConvertible {
    /// True, because each call compares the value with the type.
    public static func isForeign(_ type: ForeignType) -> Bool { true }
    /// False.
    public static var isPlain: Bool { false }
    /// The value.
    public init?(foreignValue: ForeignValue) { self = foreignValue }
    /// The value.
    public var foreignValue: ForeignValue { self }
}

/// A value read from a property list.
///
/// The cases are those of Apple's property lists. The reader never produces a value that is nested more deeply than its
/// ``PropertyListLimits/depth``, so comparing, hashing and releasing a value that was read is bounded too.
///
/// **Threads**: a value; may be shared freely.
public enum PropertyList: Sendable, Hashable {
    /// Text: in XML `<string>`, in old-style lists a quoted string or a bare word.
    case string(String)
    /// A whole number that fits into 64 bits with a sign.
    ///
    /// Every such number has this case, never ``unsigned(_:)``.
    case integer(Int64)
    /// A whole number above `Int64.max`.
    ///
    /// Smaller ones are ``integer(_:)``, so that equal numbers are equal values.
    case unsigned(UInt64)
    /// A finite floating-point number; the reader refuses NaN and the infinities.
    case real(Double)
    /// True or false.
    case boolean(Bool)
    /// A point in time, in seconds since 2001-01-01T00:00:00Z.
    ///
    /// The number is always finite if it was read from a list.
    case date(Double)
    /// Uninterpreted bytes.
    case data([UInt8])
    /// Values in order.
    case array([PropertyList])
    /// Values by key.
    case dictionary([String: PropertyList])
    /// A reference number of a keyed archive.
    ///
    /// It exists in binary lists; XML writes it as a dictionary with the single key `CF$UID`. No bundle uses it, but a
    /// list that contains one is not malformed.
    case uid(UInt64)
}

extension PropertyList {
    /// The text, or nil if the value has another type.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number, or nil if the value has another type or exceeds `Int64.max`.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number as floating point: a real, or a converted whole number; nil for every other type.
    public var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    /// The truth value, or nil if the value has another type.
    ///
    /// Numbers and words such as `YES` are not converted.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The seconds since 2001-01-01T00:00:00Z, or nil if the value is not a date.
    public var date: Double? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The bytes, or nil if the value has another type.
    public var data: [UInt8]? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The values in order, or nil if the value is not an array.
    public var array: [PropertyList]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The values by key, or nil if the value is not a dictionary.
    public var dictionary: [String: PropertyList]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The value for a key of a dictionary; nil if there is none, or if this value is not a dictionary.
    public subscript(key: String) -> PropertyList? {
        if case .dictionary(let values) = self { values[key] } else { nil }
    }

    /// The type of this value for messages: "a string", "an array".
    public var typeName: String {
        switch self {
        case .string: "a string"
        case .integer, .unsigned: "an integer"
        case .real: "a real number"
        case .boolean: "a boolean"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .uid: "an archive reference"
        }
    }
}

// These sizes include the overhead of the allocator.
extension PropertyList {
    /// The memory of an array with a number of elements.
    static func storageSize(elements count: Int) -> Int {
        count == 0 ? 0 : 48 + MemoryLayout<PropertyList>.stride * count
    }

    /// The memory of a dictionary with a number of entries.
    static func storageSize(entries count: Int) -> Int {
        storageSize(entries: count, of: MemoryLayout<PropertyList>.stride)
    }

    /// The memory of a dictionary with a number of texts.
    static func storageSize(texts count: Int) -> Int {
        storageSize(entries: count, of: MemoryLayout<String>.stride)
    }

    /// Swift's dictionary has a power of two of places, of which at most three quarters are used.
    private static func storageSize(entries count: Int, of size: Int) -> Int {
        guard count > 0 else { return 0 }
        var places = 2
        while places * 3 < count * 4 { places *= 2 }
        return 80 + max(8, places / 8) + places * (MemoryLayout<String>.stride + size)
    }

    /// The memory of a text with a number of bytes; a short one is stored inside its value.
    @inline(__always)
    static func storageSize(text count: Int) -> Int { count > 15 ? count + 48 : 0 }

    /// The memory of data with a number of bytes.
    @inline(__always)
    static func storageSize(data count: Int) -> Int { count == 0 ? 0 : count + 48 }
}

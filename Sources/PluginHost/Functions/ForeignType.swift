/// A type in the signature of a C function, as docs/abi.md lists them.
public indirect enum ForeignType: Sendable, Hashable {
    /// No value; a result only.
    case void
    case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double
    /// An address, not NULL.
    case pointer
    /// UTF-8 that ends with NUL, not NULL.
    case string
    /// An address and a number of bytes.
    case bytes
    /// A pointer, string or bytes that may be NULL.
    case optional(ForeignType)
    /// A string or bytes in memory of the host's `alloc()`, or an optional of them; a result only. The receiver frees it.
    case owned(ForeignType)
    /// A struct by value.
    case structure([Field])
    /// A C function that the callee may call until it returns; an argument only.
    case callback(ForeignSignature)
    /// A C function that the callee may keep and call until ``ForeignCallback/release()``; an argument only.
    case kept(ForeignSignature)

    /// A field of a struct.
    ///
    /// Two fields are equal if their types are: the names are for people, and C functions know none.
    public struct Field: Sendable, Hashable, CustomStringConvertible {
        /// Nil in a struct whose fields have no names.
        public let name: String?
        /// Its type.
        public let type: ForeignType

        /// A field.
        public init(_ name: String? = nil, _ type: ForeignType) {
            self.name = name
            self.type = type
        }

        /// The field as it is written in a signature.
        public var description: String { name.map { "\($0): \(type)" } ?? type.description }

        /// Whether the types are equal.
        public static func == (a: Self, b: Self) -> Bool { a.type == b.type }

        /// Hashes the type.
        public func hash(into hasher: inout Hasher) { hasher.combine(type) }
    }

    /// The types that are one word in a signature.
    static let words: [String: ForeignType] = [
        "void": .void, "bool": .bool, "int8": .int8, "int16": .int16, "int32": .int32, "int64": .int64,
        "uint8": .uint8, "uint16": .uint16, "uint32": .uint32, "uint64": .uint64, "float": .float, "double": .double,
        "pointer": .pointer, "string": .string, "bytes": .bytes,
    ]

    /// The type without what says that it may be NULL, or whose memory it is.
    var plain: ForeignType {
        switch self {
        case .optional(let type), .owned(let type): type.plain
        default: self
        }
    }

    /// Whether it may be NULL.
    var isOptional: Bool {
        switch self {
        case .optional: true
        case .owned(let type): type.isOptional
        default: false
        }
    }

    /// Whether its memory is the receiver's.
    var isOwned: Bool { if case .owned = self { true } else { false } }
}

extension ForeignType: CustomStringConvertible {
    /// The type as it is written in a signature.
    public var description: String {
        switch self {
        case .void: "void"
        case .bool: "bool"
        case .int8: "int8"
        case .int16: "int16"
        case .int32: "int32"
        case .int64: "int64"
        case .uint8: "uint8"
        case .uint16: "uint16"
        case .uint32: "uint32"
        case .uint64: "uint64"
        case .float: "float"
        case .double: "double"
        case .pointer: "pointer"
        case .string: "string"
        case .bytes: "bytes"
        case .optional(let type): "\(type)?"
        case .owned(let type): "owned \(type)"
        case .structure(let fields): "{\(fields.map(\.description).joined(separator: ", "))}"
        case .callback(let signature): signature.description
        case .kept(let signature): "kept \(signature)"
        }
    }
}

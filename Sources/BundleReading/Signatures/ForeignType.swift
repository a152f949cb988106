/// A type in the signature of a C function; docs/abi.md lists them all.
public indirect enum ForeignType: Sendable, Hashable {
    /// No value; only for a result.
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
    /// A string or bytes in memory from the host's `alloc()`, or an optional of them; only for a result.
    ///
    /// The receiver frees the memory.
    case owned(ForeignType)
    /// A struct by value.
    case structure([Field])
    /// A C function that the callee may call until it returns; only for an argument.
    case callback(ForeignSignature)
    /// A C function that the callee may keep and call until ``ForeignCallback/release()``; only for an argument.
    case kept(ForeignSignature)

    /// A field of a struct.
    ///
    /// Two fields are equal if their types are equal. The names are only for readers; C functions do not know them.
    public struct Field: Sendable, Hashable, CustomStringConvertible {
        /// The field's name; nil in a struct whose fields have no names.
        public let name: String?
        /// The field's type.
        public let type: ForeignType

        /// Creates a field.
        public init(_ name: String? = nil, _ type: ForeignType) {
            self.name = name
            self.type = type
        }

        /// The field as text, in the form that a signature uses.
        public var description: String { name.map { "\($0): \(type)" } ?? type.description }

        /// Whether the types are equal.
        public static func == (a: Self, b: Self) -> Bool { a.type == b.type }

        /// Hashes the type.
        public func hash(into hasher: inout Hasher) { hasher.combine(type) }
    }

    /// The types that a signature writes as one word.
    package static let words: [String: ForeignType] = [
        "void": .void, "bool": .bool, "int8": .int8, "int16": .int16, "int32": .int32, "int64": .int64,
        "uint8": .uint8, "uint16": .uint16, "uint32": .uint32, "uint64": .uint64, "float": .float, "double": .double,
        "pointer": .pointer, "string": .string, "bytes": .bytes,
    ]

    /// The type without the markers for NULL and owned memory.
    package var plain: ForeignType {
        switch self {
        case .optional(let type), .owned(let type): type.plain
        default: self
        }
    }

    /// Whether the value may be NULL.
    package var isOptional: Bool {
        switch self {
        case .optional: true
        case .owned(let type): type.isOptional
        default: false
        }
    }

    /// Whether the receiver owns the memory of the value.
    package var isOwned: Bool { if case .owned = self { true } else { false } }
}

extension ForeignType: CustomStringConvertible {
    /// The type as text, in the form that a signature uses.
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

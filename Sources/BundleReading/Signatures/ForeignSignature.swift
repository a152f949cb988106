/// The signature of a C function, in the form that `PHFunctions` uses: `(bytes, uint32) -> uint32`.
///
/// docs/abi.md has the grammar, and the C type for each type.
public struct ForeignSignature: Sendable, Hashable, CustomStringConvertible {
    /// The types of the arguments, in order.
    public let arguments: [ForeignType]
    /// The type of the result.
    public let result: ForeignType
    /// Whether the C function returns a `plugin_status`, and writes its result through its last argument.
    public let isThrowing: Bool

    /// What to do if a text is not a signature.
    package static let remedy =
        "Write the types of the arguments in parentheses, “->”, and the type of the result, as in “(bytes, uint32) -> "
        + "uint32” or “() -> void”; the page abi.md lists the types."

    /// Why a text is not a signature.
    public struct Fault: Error, Sendable, Hashable {
        /// The position of the character at which the fault begins, counted from 1 in Unicode scalars.
        public let position: Int
        /// What is wrong at that position, as a sentence without its period.
        public let problem: String
        /// The fault as the end of a sentence about the text.
        package var reason: String { "which is wrong at character \(position): \(problem)" }
    }

    /// The limits of a signature's text.
    ///
    /// A longer text is probably a mistake. The text is read before anything about its author is known.
    package enum Limit {
        package static let bytes = 4_096
        /// The same as PHS_FFI_MOST_ARGUMENTS.
        package static let arguments = 32
        static let fields = 64
        /// How deep structs and callbacks may be nested.
        static let depth = 8
        /// The number of types in the whole text.
        static let types = 256
        static let nameBytes = 64
    }

    package init(arguments: [ForeignType], result: ForeignType, isThrowing: Bool) {
        self.arguments = arguments
        self.result = result
        self.isThrowing = isThrowing
    }

    /// Reads a signature.
    ///
    /// Spaces and line breaks are allowed between words.
    ///
    /// - Throws: ``Fault``, which has the position in the text.
    ///
    /// **Cost.** Proportional to the length of the text, which may have at most 4,096 bytes.
    public init(_ text: String) throws(Fault) {
        var reader = SignatureReader(text)
        self = try reader.read()
    }

    /// The signature as text, with a space after each comma.
    public var description: String {
        "(\(arguments.map(\.description).joined(separator: ", "))) \(isThrowing ? "throws " : "")-> \(result)"
    }
}

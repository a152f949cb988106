/// The signature of a C function, as it stands in PHFunctions: `(bytes, uint32) -> uint32`.
///
/// docs/abi.md has the grammar, and the type in C of each type.
public struct ForeignSignature: Sendable, Hashable, CustomStringConvertible {
    /// The types of the arguments, in order.
    public let arguments: [ForeignType]
    /// The type of the result.
    public let result: ForeignType
    /// Whether the C function returns a `plugin_status`, and writes its result through its last argument.
    public let isThrowing: Bool

    /// What to do about a text that is not a signature.
    static let remedy =
        "Write the types of the arguments in parentheses, “->”, and the type of the result, as in “(bytes, uint32) -> "
        + "uint32” or “() -> void”; docs/abi.md lists the types."

    /// Why a text is not a signature.
    public struct Fault: Error, Sendable, Hashable {
        /// The character that the fault begins at, counted from 1 in Unicode scalars.
        public let position: Int
        /// What is wrong there, as a sentence without its period.
        public let problem: String
        /// The end of a sentence about the text.
        var reason: String { "which is wrong at character \(position): \(problem)" }
    }

    /// What a text may have. More is a sign of a mistake, and a text is read before anybody knows whose it is.
    enum Limit {
        static let bytes = 4_096
        static let arguments = 32
        static let fields = 64
        /// Structs in structs, and callbacks, in one another.
        static let depth = 8
        /// Types in the whole text.
        static let types = 256
        static let nameBytes = 64
    }

    init(arguments: [ForeignType], result: ForeignType, isThrowing: Bool) {
        self.arguments = arguments
        self.result = result
        self.isThrowing = isThrowing
    }

    /// Reads a signature. Spaces and line breaks are allowed between words.
    ///
    /// - Throws: ``Fault``, with the place in the text.
    ///
    /// **Cost.** Proportional to the text, of which 4,096 bytes are the most.
    public init(_ text: String) throws(Fault) {
        var reader = SignatureReader(text)
        self = try reader.read()
    }

    /// The signature as it is written, with a space after each comma.
    public var description: String {
        "(\(arguments.map(\.description).joined(separator: ", "))) \(isThrowing ? "throws " : "")-> \(result)"
    }
}

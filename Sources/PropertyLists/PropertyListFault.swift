/// A fault in a property list, with its position.
///
/// **Threads**: a value; may be shared freely.
public struct PropertyListFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position of a fault in the file.
    public enum Position: Sendable, Hashable, CustomStringConvertible {
        /// A position in text; line and column count from 1.
        ///
        /// Columns count Unicode scalars without the byte-order mark. LF, CR and CR LF each end a line.
        case text(line: Int, column: Int)
        /// A position in a binary list, in bytes from the start of the file.
        case byte(Int)
        /// The fault concerns the list as a whole.
        case whole

        /// "line 3, column 14", "byte 81" or "property list".
        public var description: String {
            switch self {
            case .text(let line, let column): "line \(line), column \(column)"
            case .byte(let offset): "byte \(offset)"
            case .whole: "property list"
            }
        }
    }

    /// The kind of fault, for programs.
    public let code: Code
    /// The position of the fault.
    public let position: Position
    /// A sentence that states what was found and what was expected.
    ///
    /// Excerpts of the file are shortened, and control characters in them are escaped, so that the sentence may be
    /// printed.
    public let message: String

    /// Creates a fault with all its parts.
    public init(code: Code, position: Position, message: String) {
        self.code = code
        self.position = position
        self.message = message
    }

    /// The position, then the message.
    public var description: String { "\(position): \(message)" }
}

extension PropertyListFault {
    /// The kind of a fault.
    ///
    /// The list is open: later versions may add codes, so a `switch` needs a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code as it appears in machine-readable output.
        public let rawValue: String

        /// A code with the given text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The raw value.
        public var description: String { rawValue }
    }
}

extension PropertyListFault.Code {
    // The list as a whole
    /// The file is empty or contains only blanks.
    public static let empty = Self(rawValue: "empty")
    /// The file exceeds the limit on size.
    public static let tooLarge = Self(rawValue: "too-large")
    /// Arrays and dictionaries nest beyond the limit.
    public static let tooDeep = Self(rawValue: "too-deep")
    /// There are more keys and values than the limit allows.
    public static let tooManyNodes = Self(rawValue: "too-many-nodes")
    /// The list expands to more content, or takes more work, than its size allows; see ``ReadingBudget``.
    public static let overBudget = Self(rawValue: "over-budget")
    /// The file ends inside something that was opened.
    public static let truncated = Self(rawValue: "truncated")
    /// The list is complete but something follows it.
    public static let trailingContent = Self(rawValue: "trailing-content")

    // Characters
    /// Bytes that are not valid in the file's encoding.
    public static let invalidEncoding = Self(rawValue: "invalid-encoding")
    /// The file declares an encoding that is not supported.
    public static let unknownEncoding = Self(rawValue: "unknown-encoding")
    /// A character that is not allowed here, such as NUL.
    public static let unexpectedCharacter = Self(rawValue: "unexpected-character")
    /// A backslash sequence that is not defined.
    public static let invalidEscape = Self(rawValue: "invalid-escape")
    /// A backslash sequence that means something else in sources of Swift or C; only ``ListInspector`` reports it.
    public static let foreignEscape = Self(rawValue: "foreign-escape")
    /// Text with more combining marks in a row than Unicode's stream-safe format allows; comparing it is quadratic.
    public static let unsafeText = Self(rawValue: "unsafe-text")

    // Structure
    /// An element, attribute or declaration that is not valid in XML or in a property list.
    public static let malformedMarkup = Self(rawValue: "malformed-markup")
    /// An XML element that property lists do not have.
    public static let unknownElement = Self(rawValue: "unknown-element")
    /// A reference to an entity other than the five predefined ones, or to something that is not a character.
    public static let unknownEntity = Self(rawValue: "unknown-entity")
    /// The document type has an internal subset, in which entities could be declared.
    public static let documentTypeSubset = Self(rawValue: "document-type-subset")
    /// A dictionary's key is missing or is not text.
    public static let keyNotString = Self(rawValue: "key-not-string")
    /// A key without its value, or a list without any value.
    public static let missingValue = Self(rawValue: "missing-value")
    /// A dictionary contains two equal keys.
    ///
    /// Checkers report it; in a property list the first one counts, in a strings table the last.
    public static let duplicateKey = Self(rawValue: "duplicate-key")
    /// A dictionary of a property list contains two equal keys with the same value.
    ///
    /// Checkers report it.
    public static let repeatedKey = Self(rawValue: "repeated-key")
    /// A semicolon, comma or equals sign is missing.
    public static let missingSeparator = Self(rawValue: "missing-separator")

    // Values
    /// Text where a whole number is expected.
    public static let invalidInteger = Self(rawValue: "invalid-integer")
    /// A whole number beyond 64 bits.
    public static let integerOverflow = Self(rawValue: "integer-overflow")
    /// Text where a real number is expected.
    public static let invalidReal = Self(rawValue: "invalid-real")
    /// A number or a date that is infinite or not a number.
    public static let notFinite = Self(rawValue: "not-finite")
    /// Text where a date is expected, or a day or time that does not exist.
    public static let invalidDate = Self(rawValue: "invalid-date")
    /// Bytes that are neither base64 nor pairs of hexadecimal digits, as required here.
    public static let invalidData = Self(rawValue: "invalid-data")
    /// A typed value of a type that does not exist.
    public static let unknownType = Self(rawValue: "unknown-type")

    // Binary lists
    /// A `bplist` of a version other than 00.
    public static let unsupportedVersion = Self(rawValue: "unsupported-version")
    /// The trailer contradicts itself or the file.
    public static let invalidTrailer = Self(rawValue: "invalid-trailer")
    /// An offset or a reference that leads outside of the list's objects.
    public static let invalidReference = Self(rawValue: "invalid-reference")
    /// An object of a kind that property lists do not have, or with an impossible length.
    public static let invalidObject = Self(rawValue: "invalid-object")
    /// A container that contains itself.
    public static let cycle = Self(rawValue: "cycle")

    // Strings tables and writing
    /// An entry of a strings table whose value is not text.
    public static let valueNotString = Self(rawValue: "value-not-string")
    /// The file is not UTF-8 and was read as Latin-1 or Windows-1252.
    public static let assumedLatin1 = Self(rawValue: "assumed-latin-1")
    /// There were more faults than a report lists.
    public static let furtherFaults = Self(rawValue: "further-faults")
    /// A value that XML cannot express.
    public static let notRepresentable = Self(rawValue: "not-representable")
}

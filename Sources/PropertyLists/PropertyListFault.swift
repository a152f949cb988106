/// What is wrong with a property list, and where.
///
/// **Threads**: a value; may be shared freely.
public struct PropertyListFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where in the file a fault is.
    public enum Position: Sendable, Hashable, CustomStringConvertible {
        /// A place in text; both count from 1. Columns count Unicode scalars, a byte-order mark is not counted.
        /// LF, CR and CR LF each end a line.
        case text(line: Int, column: Int)
        /// A place in a binary list, in bytes from the start of the file.
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

    /// The kind of fault, for code to tell apart.
    public let code: Code
    /// Where it is.
    public let position: Position
    /// A sentence that says what was found and what was expected. Excerpts of the file are shortened, and control
    /// characters in them are escaped, so that the sentence may be printed.
    public let message: String

    /// A fault with all its parts.
    public init(code: Code, position: Position, message: String) {
        self.code = code
        self.position = position
        self.message = message
    }

    /// The position, then the message.
    public var description: String { "\(position): \(message)" }
}

extension PropertyListFault {
    /// The kind of a fault. Open: later versions may add codes, so a `switch` needs a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code as it appears in machine-readable output.
        public let rawValue: String

        /// A code by its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The raw value.
        public var description: String { rawValue }
    }
}

extension PropertyListFault.Code {
    // The list as a whole
    /// The file is empty or holds only blanks.
    public static let empty = Self(rawValue: "empty")
    /// The file exceeds the limit on size.
    public static let tooLarge = Self(rawValue: "too-large")
    /// Arrays and dictionaries nest beyond the limit.
    public static let tooDeep = Self(rawValue: "too-deep")
    /// There are more keys and values than the limit allows.
    public static let tooManyNodes = Self(rawValue: "too-many-nodes")
    /// The list stands for more content, or takes more work, than its size allows; see ``ReadingBudget``.
    public static let overBudget = Self(rawValue: "over-budget")
    /// The file ends inside something that was opened.
    public static let truncated = Self(rawValue: "truncated")
    /// The list is complete and something follows it.
    public static let trailingContent = Self(rawValue: "trailing-content")

    // Characters
    /// Bytes that mean nothing in the file's encoding.
    public static let invalidEncoding = Self(rawValue: "invalid-encoding")
    /// The file declares an encoding that is not read.
    public static let unknownEncoding = Self(rawValue: "unknown-encoding")
    /// A character that may not stand here, such as NUL.
    public static let unexpectedCharacter = Self(rawValue: "unexpected-character")
    /// A backslash sequence that means nothing.
    public static let invalidEscape = Self(rawValue: "invalid-escape")
    /// Text with more combining marks in a row than Unicode's stream-safe format allows; comparing it is quadratic.
    public static let unsafeText = Self(rawValue: "unsafe-text")

    // Structure
    /// An element, attribute or declaration that is not as XML or the property list format has it.
    public static let malformedMarkup = Self(rawValue: "malformed-markup")
    /// An XML element that property lists do not have.
    public static let unknownElement = Self(rawValue: "unknown-element")
    /// A reference to an entity other than the five predefined ones, or to no character.
    public static let unknownEntity = Self(rawValue: "unknown-entity")
    /// The document type has a subset of its own, where entities could be declared.
    public static let documentTypeSubset = Self(rawValue: "document-type-subset")
    /// A dictionary's key is not text, or missing.
    public static let keyNotString = Self(rawValue: "key-not-string")
    /// A key without its value, or a list without any value.
    public static let missingValue = Self(rawValue: "missing-value")
    /// A dictionary holds two equal keys. Reported by checkers; of a property list the first one counts, of a strings
    /// table the last.
    public static let duplicateKey = Self(rawValue: "duplicate-key")
    /// A dictionary of a property list holds two equal keys with the same value. Reported by checkers.
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
    /// A number or a date that is infinite or no number.
    public static let notFinite = Self(rawValue: "not-finite")
    /// Text where a date is expected, or a day or time that does not exist.
    public static let invalidDate = Self(rawValue: "invalid-date")
    /// Bytes that are written neither as base64 nor as pairs of hexadecimal digits, as the place requires.
    public static let invalidData = Self(rawValue: "invalid-data")
    /// A typed value of a type that does not exist.
    public static let unknownType = Self(rawValue: "unknown-type")

    // Binary lists
    /// A `bplist` of a version other than 00.
    public static let unsupportedVersion = Self(rawValue: "unsupported-version")
    /// The trailer contradicts itself or the file.
    public static let invalidTrailer = Self(rawValue: "invalid-trailer")
    /// An offset or a reference that leads out of the list's objects.
    public static let invalidReference = Self(rawValue: "invalid-reference")
    /// An object of a kind that property lists do not have, or whose length cannot be.
    public static let invalidObject = Self(rawValue: "invalid-object")
    /// A container that contains itself.
    public static let cycle = Self(rawValue: "cycle")

    // Strings tables and writing
    /// An entry of a strings table whose value is not text.
    public static let valueNotString = Self(rawValue: "value-not-string")
    /// The file is not UTF-8 and was read as Latin-1.
    public static let assumedLatin1 = Self(rawValue: "assumed-latin-1")
    /// There were more faults than a report lists.
    public static let furtherFaults = Self(rawValue: "further-faults")
    /// A value that XML cannot express.
    public static let notRepresentable = Self(rawValue: "not-representable")
}

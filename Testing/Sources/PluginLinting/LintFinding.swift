/// A linter's finding about a file: what is wrong, where, and what to do about it.
///
/// **Threads.** A value; may be shared freely.
public struct LintFinding: Error, Sendable, Hashable {
    /// How much it matters.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Something in the file does not work, or not everywhere.
        case error
        /// The file works, but this is probably not what was intended.
        case warning
        /// Something to check; it may be intended.
        case note
    }

    /// The kind of finding.
    ///
    /// The list is open: a later version may add codes.
    ///
    /// A finding about a fault in a property list or strings table has the fault's code, such as `missingSeparator`. A
    /// finding about Info.plist's keys has a code of ``PluginError/Code``, such as `manifestInvalid`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as text.
        public let rawValue: String
        /// A code by its text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code as text.
        public var description: String { rawValue }
    }

    /// A place in a file.
    public struct Place: Sendable, Hashable {
        /// The line, counted from 1; nil in a binary file.
        ///
        /// LF, CR and CR LF each end a line.
        public var line: Int?
        /// The column, counted from 1 in Unicode scalars; nil in a binary file.
        public var column: Int?
        /// The byte, counted from 0; only for a binary file.
        public var byte: Int?
        /// The line's text around the place; nil in a binary file.
        public var excerpt: Excerpt?
    }

    /// The text of a line around a place, decoded; control characters are unchanged.
    public struct Excerpt: Sendable, Hashable {
        /// The line up to the place.
        public var before: String
        /// The line from the place on.
        public var after: String
        /// Whether the line begins before the excerpt.
        public var isCutBefore: Bool
        /// Whether the line continues after the excerpt.
        public var isCutAfter: Bool
    }

    /// Another place that explains a finding: the first of two equal keys, or the text that was translated.
    public struct Related: Sendable, Hashable {
        /// The file, as an absolute path.
        public var filePath: String
        /// The place in the file; nil for the file as a whole.
        public var place: Place?
        /// A full sentence.
        public var message: String

        /// A place with a sentence about it.
        public init(filePath: String, place: Place?, message: String) {
            self.filePath = filePath
            self.place = place
            self.message = message
        }
    }

    /// How serious it is.
    public var severity: Severity
    /// What kind of finding it is.
    public var code: Code
    /// The file or directory, as an absolute path; “-” or the name that the caller gave for bytes without a file.
    public var filePath: String
    /// Where in the file; nil for the file as a whole.
    public var place: Place?
    /// The key, table or language concerned.
    public var subject: String?
    /// What is wrong, as full sentences; names in it are escaped.
    public var message: String
    /// What to do, as a full sentence; may be empty.
    public var remedy: String
    /// The system's message, word for word.
    public var systemMessage: String?
    /// Other places that explain it.
    public var related: [Related]

    /// A finding with the given parts.
    public init(
        _ severity: Severity, _ code: Code, filePath: String, place: Place? = nil, subject: String? = nil,
        message: String, remedy: String = "", systemMessage: String? = nil, related: [Related] = []
    ) {
        self.severity = severity
        self.code = code
        self.filePath = filePath
        self.place = place
        self.subject = subject
        self.message = message
        self.remedy = remedy
        self.systemMessage = systemMessage
        self.related = related
    }

    /// What two findings about the same thing have in common, even if only one has a place in the file.
    @_spi(Tools) public struct Problem: Hashable, Sendable {
        let code: Code
        let subject: String?
        let message: String
    }

    /// The problem that it is about.
    @_spi(Tools) public var problem: Problem { Problem(code: code, subject: subject, message: message) }
}

extension LintFinding.Code {
    // Files
    /// The file cannot be read, or there is no such file.
    public static let unreadable = Self(rawValue: "unreadable")
    /// The bundle has more files, or nests them more deeply, than the linter reads.
    public static let tooManyFiles = Self(rawValue: "tooManyFiles")

    // Languages
    /// The name of an `.lproj` directory is not a language.
    public static let unknownLanguage = Self(rawValue: "unknownLanguage")
    /// Two `.lproj` directories are the same language; only one is ever read.
    public static let duplicateLanguage = Self(rawValue: "duplicateLanguage")
    /// `CFBundleLocalizations` or `CFBundleDevelopmentRegion` names a language that has no `.lproj` directory.
    public static let missingLanguage = Self(rawValue: "missingLanguage")

    // Tables and entries
    /// A localisation lacks a table that others have.
    public static let missingTable = Self(rawValue: "missingTable")
    /// A table exists both inside and outside of an `.lproj` directory.
    ///
    /// The table outside hides the other.
    public static let hiddenTable = Self(rawValue: "hiddenTable")
    /// A translation lacks an entry.
    public static let missingEntry = Self(rawValue: "missingEntry")
    /// Only a translation has the entry.
    public static let extraEntry = Self(rawValue: "extraEntry")
    /// An entry's text is the same as in the development language.
    public static let untranslated = Self(rawValue: "untranslated")
    /// No source mentions the key.
    public static let unusedKey = Self(rawValue: "unusedKey")
    /// A source uses a key that no table has.
    public static let undefinedKey = Self(rawValue: "undefinedKey")

    // Placeholders
    /// A translation's placeholders differ from those of the text that it translates.
    public static let placeholderMismatch = Self(rawValue: "placeholderMismatch")
    /// One text has numbered and plain placeholders.
    public static let mixedPlaceholders = Self(rawValue: "mixedPlaceholders")
    /// A percent sign in a format that begins no placeholder.
    public static let strayPercent = Self(rawValue: "strayPercent")

    /// A text has NUL, or a control character that comes from misread Windows-1252.
    public static let controlCharacter = Self(rawValue: "controlCharacter")

    // Plural rules
    /// An entry of a `.stringsdict` does not have the structure of these files.
    public static let malformedPlural = Self(rawValue: "malformedPlural")
    /// A variable of a `.stringsdict` entry that its format does not use.
    public static let unusedVariable = Self(rawValue: "unusedVariable")
    /// A plural category that the language has and the entry lacks.
    public static let missingPluralCategory = Self(rawValue: "missingPluralCategory")
}

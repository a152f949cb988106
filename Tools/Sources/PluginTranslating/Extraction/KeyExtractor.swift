internal import ELFImages
internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// A key that sources use.
public struct ExtractedKey: Sendable, Hashable {
    /// A place in a source.
    public struct Place: Sendable, Hashable {
        /// The source, as an absolute path.
        public let filePath: String
        /// The place of the key in it.
        public let place: LintFinding.Place?
    }

    /// The key.
    public let key: String
    /// The distinct comments for translators, in the order of the sources.
    public internal(set) var comments: [String] = []
    /// The default text for a missing translation, if a call has one.
    public internal(set) var value: String?
    /// The places of the key, in the order of the sources.
    public internal(set) var places: [Place] = []
}

/// The keys in sources, grouped by table.
public struct KeyExtraction: Sendable {
    /// The keys of each table, sorted.
    public internal(set) var tables: [String: [ExtractedKey]] = [:]
    /// The keys that could not be extracted, and contradictions between calls.
    public internal(set) var findings: [LintFinding] = []
    /// The number of sources that were read.
    public internal(set) var sourceCount = 0
    private var uses = KeyUses()

    /// Whether a source contains the key as a text, for any purpose.
    public func mentions(_ key: String) -> Bool { uses.mention(key) }

    mutating func addTexts(of source: SourceTokens) { uses.addTexts(of: source) }
}

/// Collects the keys that sources use.
///
/// ``LocalizedCallFinder`` lists the functions. A key must be a literal, or several literals that are joined.
///
/// **Threads.** A value; may be used on any thread.
public struct KeyExtractor: Sendable {
    /// The names of the project's own functions that take the arguments of `NSLocalizedString`.
    ///
    /// Functions with these names and the endings `FromTable`, `FromTableInBundle` and `WithDefaultValue` are found
    /// too.
    public var names: [String]

    /// Creates an extractor that also finds calls of the project's own functions.
    public init(names: [String] = []) {
        self.names = names
    }

    /// Reads sources.
    ///
    /// - Parameter sources: files, or directories with files in Swift, C, C++ and Objective-C.
    /// - Returns: the keys and the findings. Each finding has a place. The code `interpolatedKey` means that a key with
    ///   an interpolation was left out, `unknownKey` that another expression was left out, and `interpolatedValue` that
    ///   only the default text of a key was left out.
    ///
    /// **Cost.** Linear in the size of the sources, each of which is read once.
    public func extract(from sources: [String]) -> KeyExtraction {
        var collector = KeyCollector(finder: LocalizedCallFinder(names: names))
        let files = SourceFiles(sources)
        collector.extraction.findings = files.findings
        for path in files.paths {
            guard let isSwift = SourceFiles.isSwift(path) else { continue }
            guard let bytes = SourceFiles.bytes(path) else {
                collector.extraction.findings.append(
                    LintFinding(
                        .error, .unreadable, filePath: path,
                        message: "The source \(quoted(path)) cannot be read, or has more than 4 MiB.",
                        remedy: "Make it a regular file that may be read."))
                continue
            }
            collector.add(bytes, isSwift: isSwift, path: path)
        }
        return collector.finish()
    }
}

/// The keys found so far.
private struct KeyCollector {
    let finder: LocalizedCallFinder
    var extraction = KeyExtraction()
    private var keys: [String: [String: ExtractedKey]] = [:]
    /// The comments that were found, each as table, key and comment.
    private var comments: Set<[String]> = []

    init(finder: LocalizedCallFinder) { self.finder = finder }

    mutating func add(_ bytes: [UInt8], isSwift: Bool, path: String) {
        extraction.sourceCount += 1
        let source = SourceTokens(bytes, isSwift: isSwift)
        extraction.addTexts(of: source)
        let calls = finder.calls(in: source)
        guard !calls.isEmpty else { return }
        let text = bytes.withUnsafeBufferPointer { SourceText($0) }
        let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
        for call in calls {
            func place(_ offset: Int) -> LintFinding.Place? {
                let (position, excerpt) = text.place(at: offset)
                return LintFinding.Place(position, excerpt)
            }
            switch call.key {
            case .text(_, let offset) where !isUTF8 && call.texts.contains { $0.contains("\u{FFFD}") }:
                refuse(LintFinding.Code(.invalidEncoding), call, path, place(offset))
            case .text(let key, let offset):
                add(key, ExtractedKey.Place(filePath: path, place: place(offset)), call, place)
            case .interpolated(let offset): refuse(.interpolatedKey, call, path, place(offset))
            case .expression(let offset): refuse(.unknownKey, call, path, place(offset))
            case .absent: break
            }
        }
    }

    private mutating func add(
        _ key: String, _ place: ExtractedKey.Place, _ call: LocalizedCall, _ placeOf: (Int) -> LintFinding.Place?
    ) {
        guard let table = call.tableName else {
            return refuse(.unknownTable, call, place.filePath, call.table.offset.flatMap(placeOf))
        }
        guard Self.isFileName(table) else {
            return extraction.findings.append(
                LintFinding(
                    .error, .unknownTable, filePath: place.filePath, place: place.place, subject: table,
                    message: "The table \(quoted(table)) cannot be the name of a file.",
                    remedy: "Use a name without a slash."))
        }
        // Taken out, so that its lists are not copied for each use of the key.
        var known = keys[table, default: [:]].removeValue(forKey: key) ?? ExtractedKey(key: key)
        known.places.append(place)
        if let comment = call.comment.text?.trimmed, !comment.isEmpty, comments.insert([table, key, comment]).inserted {
            if let first = known.comments.first {
                differs(.differentComments, "comment", known, place, comment, first)
            }
            known.comments.append(comment)
        }
        if case .interpolated(let offset) = call.value {
            refuse(.interpolatedValue, call, place.filePath, placeOf(offset))
        }
        if let value = call.value.text, !value.isEmpty {
            if let first = known.value, first != value {
                differs(.differentValues, "default text", known, place, value, first)
            }
            known.value = known.value ?? value
        }
        keys[table, default: [:]][key] = known
    }

    private static func isFileName(_ name: String) -> Bool {
        !name.contains("/") && !name.contains("\0") && name != "." && name != ".." && name.utf8.count <= 200
    }

    private mutating func differs(
        _ code: LintFinding.Code, _ what: String, _ key: ExtractedKey, _ place: ExtractedKey.Place, _ text: String,
        _ first: String
    ) {
        let related = key.places.first.map {
            LintFinding.Related(filePath: $0.filePath, place: $0.place, message: "The first one is here.")
        }
        extraction.findings.append(
            LintFinding(
                .warning, code, filePath: place.filePath, place: place.place, subject: key.key,
                message:
                    "The key \(quoted(key.key)) has the \(what) \(quoted(text)) here, and \(quoted(first)) before.",
                remedy: code == .differentValues
                    ? "Use one text; the first one is taken." : "Use one comment; the table gets all of them.",
                related: related.map { [$0] } ?? []))
    }

    private mutating func refuse(
        _ code: LintFinding.Code, _ call: LocalizedCall, _ path: String, _ place: LintFinding.Place?
    ) {
        let (message, remedy) =
            switch code {
            case .interpolatedKey:
                (
                    "The key of \(quoted(call.function)) has an interpolation, so only the running program knows it.",
                    "Use a literal with placeholders, such as “%@”, and format the translation."
                )
            case .interpolatedValue:
                (
                    "The default text of \(quoted(call.function)) has an interpolation, so the table cannot have it.",
                    "Use a literal with placeholders, such as “%@”, and format the translation."
                )
            case LintFinding.Code(.invalidEncoding):
                ("The texts of \(quoted(call.function)) are not in UTF-8.", "Save the source as UTF-8.")
            case .unknownTable:
                ("The table of \(quoted(call.function)) is not a literal, so the key has no place.", "Name the table.")
            default:
                (
                    "The key of \(quoted(call.function)) is not a literal, so only the running program knows it.",
                    "Use a literal. If this is a function of your own with a key, give its name with -s."
                )
            }
        extraction.findings.append(
            LintFinding(
                code == .unknownTable || code == .unknownKey ? .warning : .error, code, filePath: path, place: place,
                subject: call.function, message: message, remedy: remedy))
    }

    consuming func finish() -> KeyExtraction {
        var extraction = extraction
        extraction.tables = keys.mapValues { $0.values.sorted { $0.key < $1.key } }
        return extraction
    }
}

extension LintFinding.Code {
    /// A key with an interpolation.
    public static let interpolatedKey = Self(rawValue: "interpolatedKey")
    /// A default text with an interpolation.
    public static let interpolatedValue = Self(rawValue: "interpolatedValue")
    /// A key that is an expression other than literals.
    public static let unknownKey = Self(rawValue: "unknownKey")
    /// A table's name that is not a literal, or not the name of a file.
    public static let unknownTable = Self(rawValue: "unknownTable")
    /// One key with different comments.
    public static let differentComments = Self(rawValue: "differentComments")
    /// One key with different default texts.
    public static let differentValues = Self(rawValue: "differentValues")
}

internal import BundleReading
internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
public import PropertyLists

/// The entries of a strings table of any form, with their comments.
///
/// **Threads.** A value; may be shared freely.
public struct TableContent: Sendable, Hashable {
    /// One entry.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public let key: String
        /// A text, or the dictionary of a `.stringsdict` entry.
        public var value: PropertyList
        /// The words of the comments; nil if there are none.
        public var comment: String?
        /// Whether it has the mark `Flag: untranslated`.
        public var isUntranslated = false
        /// Whether it has the mark `Flag: needs-review`.
        public var needsReview = false
        /// Whether it has the mark `Flag: unmatched`.
        public var isUnused = false

        /// An entry.
        public init(key: String, value: PropertyList, comment: String? = nil) {
            self.key = key
            self.value = value
            self.comment = comment
        }

        var flags: [EntryNote.Flag] {
            [isUntranslated ? .untranslated : nil, needsReview ? .needsReview : nil, isUnused ? .unused : nil]
                .compactMap(\.self)
        }
    }

    /// The forms of a table.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// `"key" = "value";` with comments, in UTF-8.
        case strings
        /// The same syntax in UTF-16 with a byte-order mark.
        case utf16
        /// A property list in XML.
        case xml1
        /// A binary property list.
        case binary1
        /// An old-style property list: a `.strings` file in braces.
        case openstep
        /// An object in JSON.
        case json
        /// A property list in XML whose values may have plural forms.
        case stringsdict

        /// The form for a file's extension.
        public init?(path: String) {
            switch Path.lastComponent(path).split(separator: ".").last {
            case "strings": self = .strings
            case "stringsdict": self = .stringsdict
            case "json": self = .json
            case "plist", "xml": self = .xml1
            default: return nil
            }
        }
    }

    /// The entries: in the order of the file if the form is text, otherwise sorted by their keys.
    public var entries: [Entry] = []

    /// A table with entries.
    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The entries by their keys.
    public var byKey: [String: Entry] {
        Dictionary(entries.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }

    /// Reads a table.
    ///
    /// The form is recognised by the content, except `.json` and `.xcstrings`, which are recognised by the name. From a
    /// string catalogue, `.xcstrings`, one language is read.
    ///
    /// - Parameters:
    ///   - path: the file's path, for its name and for findings.
    ///   - bytes: the content.
    ///   - language: the language of a string catalogue; nil for its source language.
    /// - Throws: a finding, if the table has any fault.
    public init(path: String, bytes: [UInt8], language: String? = nil) throws(LintFinding) {
        let name = Path.lastComponent(path)
        if name.hasSuffix(".xcstrings") {
            self = try StringCatalog(path: path, bytes: bytes).content(language: language)
        } else if name.hasSuffix(".json") {
            self.init(list: try Self.json(path, bytes))
        } else if bytes.starts(with: "bplist".utf8) || InputFile.isXML(bytes) || name.hasSuffix(".stringsdict") {
            do throws(PropertyListFault) {
                self.init(list: try PropertyListReader.read(bytes, limits: .stringsTable).value)
            } catch {
                throw InputFile.finding(error, in: path, bytes)
            }
        } else {
            self.init(try TableFile(path: path, bytes: bytes).table)
            return
        }
        for entry in entries where entry.value.string == nil {
            guard let fault = PluralEntry.fault(in: entry.value) else { continue }
            throw LintFinding(
                .error, .malformedPlural, filePath: path, subject: entry.key,
                message: "The entry \(quoted(([entry.key] + fault.path).joined(separator: " › "))): \(fault.message)",
                remedy: "Correct the entry; nothing was written.")
        }
    }

    static func json(_ path: String, _ bytes: [UInt8]) throws(LintFinding) -> PropertyList {
        do throws(PropertyListFault) {
            return try JSONList.read(bytes)
        } catch {
            throw LintFinding(
                .error, LintFinding.Code(error.code), filePath: path, place: LintFinding.Place(error.position, nil),
                message: error.message, remedy: "Correct the file; nothing was written.")
        }
    }

    private init(list: PropertyList) {
        entries = (list.dictionary ?? [:]).sorted { $0.key < $1.key }.map { Entry(key: $0.key, value: $0.value) }
    }

    init(_ table: TableText) {
        entries = table.entries.map { entry in
            let note = EntryNote(entry.note)
            var new = Entry(key: entry.key, value: .string(entry.value), comment: note.words)
            new.isUntranslated = note.has(.untranslated)
            new.needsReview = note.has(.needsReview)
            new.isUnused = note.has(.unused)
            return new
        }
    }

    /// The table as the text of a `.strings` file.
    var text: TableText {
        var table = TableText()
        let texts = entries.compactMap { entry in
            entry.value.string.map {
                TableText.NewEntry(
                    key: entry.key, value: $0,
                    note: EntryNote.text(entry.comment, flags: entry.flags, lineBreak: "\n"))
            }
        }
        table.add(texts)
        return table
    }

    /// The entries as a property list.
    var list: PropertyList {
        .dictionary(Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }))
    }
}

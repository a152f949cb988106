internal import BundleReading
internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// Brings the translations of an XLIFF 1.2 file into the tables of a bundle.
///
/// Only texts that differ are changed. The state of a text in the file determines its marks:
/// - **`new`, `needs-translation`**: a target that is equal to its source is ignored. Any other target is written and
///   gets the mark `Flag: needs-review`, because the translator probably forgot to change the state;
/// - **`needs-review-translation`** and the like, an unknown state, or `approved="no"`: the target is written and gets
///   the same mark;
/// - **`translated`, `final`, `signed-off`**, or no state: the target is written and the marks are removed.
///
/// Nothing is written if anything in the file does not fit the tables: an unknown table or key, a different source
/// text, or placeholders that differ from the source's. A form for `zero`, `one` or `two` may leave out its number.
///
/// **Threads.** A value; may be used on any thread.
public struct TranslationImport: Sendable {
    /// A table that changes.
    public struct Table: Sendable {
        /// The absolute path.
        public let path: String
        /// The language.
        public let language: String
        /// The keys with a new or changed translation.
        public let changed: [String]
        let bytes: [UInt8]
    }

    /// The tables that change.
    public private(set) var tables: [Table] = []
    /// Why nothing can be written; empty if everything fits.
    ///
    /// At most 100.
    public private(set) var findings: [LintFinding] = []
    /// Facts to know even if everything fits: a localisation that did not exist, marks that a `.stringsdict` cannot
    /// have, or comments that it loses.
    public private(set) var warnings: [LintFinding] = []

    /// Reads the file and the tables.
    ///
    /// Nothing is written.
    ///
    /// - Parameters:
    ///   - file: the XLIFF file.
    ///   - bundle: a bundle, or a directory that contains `.lproj` directories.
    ///   - directory: the name of the `.lproj` directory for the translations, without `.lproj`; nil for the directory
    ///     of the file's language.
    /// - Throws: a finding if the file or a table cannot be read, or if several localisations may be meant.
    public init(file: String, into bundle: String, directory: String? = nil) throws(LintFinding) {
        let path = Path.normalized(file) ?? file
        let document = try TranslationDocument(path: path, bytes: try InputFile.bytes(path))
        var seen: Set<String> = []
        var made: Set<String> = []
        for file in document.files {
            guard let language = file.targetLanguage else {
                add(.notXLIFF, path, file.place, nil, "<file> has no target-language.")
                continue
            }
            let tables = try TranslatedTables(at: bundle, language: language, into: directory)
            let name = Self.tableName(of: file.original, in: tables)
            guard seen.insert(tables.translation + "/" + name).inserted else {
                add(.duplicateUnit, path, file.place, name, "The table \(quoted(name)) appears a second time.")
                continue
            }
            guard let table = tables.tables.first(where: { $0.name == name }) else {
                let known = shownList(tables.tables.lazy.map { quoted($0.name) }, atMost: 5)
                add(
                    .missingTable, path, file.place, name,
                    file.original.isEmpty
                        ? "The file does not say to which table its texts belong."
                        : "The bundle has no table \(quoted(file.original)).",
                    remedy: "Correct the attribute original of <file>. The bundle's tables are \(known).")
                continue
            }
            let texts = accepted(file, table, tables.translation, path)
            guard findings.isEmpty else { continue }
            let known = self.tables.count
            try merge(texts, table, tables.translation)
            if !tables.isTranslated, self.tables.count > known, made.insert(tables.translation).inserted {
                warnings.append(
                    LintFinding(
                        .note, .missingLanguage, filePath: Path.parent(table.path), subject: language,
                        message: "The bundle has no localisation for \(quoted(language)) yet; "
                            + "\(quoted(tables.translation + ".lproj")) is new."))
            }
        }
        if findings.count > ReadingBudget.mostFindings { findings.removeSubrange(ReadingBudget.mostFindings...) }
        if !findings.isEmpty { (tables, warnings) = ([], []) }
    }

    /// The name of the table that a file means.
    ///
    /// Xcode names the nib, whose table has its name. Some translation programs lose the name, which does not matter if
    /// there is only one table.
    private static func tableName(of original: String, in tables: TranslatedTables) -> String {
        let name = Path.lastComponent(original)
        if name.isEmpty, tables.tables.count == 1 { return tables.tables[0].name }
        for suffix in [".xib", ".storyboard"] where name.hasSuffix(suffix) {
            return name.dropLast(suffix.count) + ".strings"
        }
        return name
    }

    private mutating func add(
        _ code: LintFinding.Code, _ path: String, _ place: LintFinding.Place?, _ subject: String?, _ message: String,
        remedy: String? = nil
    ) {
        findings.append(
            LintFinding(
                .error, code, filePath: path, place: place, subject: subject, message: message,
                remedy: remedy
                    ?? (code == .otherSource || code == .undefinedKey
                        ? "Export the texts again, and bring the translations into the new file." : "")))
    }

    /// A translation that fits.
    private struct Accepted {
        let key: String
        /// The keys that lead to a plural form; empty for a text.
        let path: [String]
        let text: String
        let needsReview: Bool
    }

    /// A text that the bundle has.
    private struct Known {
        let key: String
        /// The keys that lead to a plural form, as in ``Accepted``.
        let path: [String]
        let source: String
        /// A text with every placeholder.
        ///
        /// For a plural form, this is the form `other`.
        let fullest: String
        /// The current translation; nil if there is none.
        let translation: String?

        /// Whether the text may leave out the number, because it is for one number only.
        var isForOneNumber: Bool { path.last.map(["zero", "one", "two"].contains) ?? false }
    }

    /// The translations of a file whose keys and source texts match the bundle's.
    private mutating func accepted(
        _ file: TranslationDocument.File, _ table: TranslatedTables.Table, _ language: String, _ path: String
    ) -> [Accepted] {
        let known = Self.known(table, language)
        var seen: Set<String> = []
        return file.units.compactMap { unit in
            guard seen.insert(unit.id).inserted else {
                add(.duplicateUnit, path, unit.place, unit.id, "The text \(quoted(unit.id)) appears a second time.")
                return nil
            }
            guard let text = known[unit.id] else {
                add(
                    .undefinedKey, path, unit.place, unit.id,
                    "The table \(quoted(table.name)) has no \(quoted(unit.id)).")
                return nil
            }
            guard text.source.hasSameBytes(as: unit.source) else {
                add(
                    .otherSource, path, unit.place, unit.id,
                    "The source text of \(quoted(unit.id)) is now \(quoted(text.source)), and in the file "
                        + "\(quoted(unit.source)).")
                return nil
            }
            guard let target = unit.target else { return nil }
            let isSame = text.translation.map(target.hasSameBytes) ?? false
            if unit.standing == .unfinished, isSame || target.hasSameBytes(as: text.source) { return nil }
            // An empty target is a translation only if its state or approval says so.
            let isSaid = unit.standing == .finished && (unit.state != nil || unit.isApproved != nil)
            if target.isEmpty, !text.source.isEmpty, !isSaid { return nil }
            // If the table already has this text, the linter reports it.
            if !isSame, let complaint = Self.complaint(target, text) {
                add(.placeholderMismatch, path, unit.place, unit.id, complaint)
                return nil
            }
            return Accepted(
                key: text.key, path: text.path, text: target, needsReview: unit.standing != .finished)
        }
    }

    /// The texts of a table by the identifiers of their units.
    private static func known(_ table: TranslatedTables.Table, _ language: String) -> [String: Known] {
        var known: [String: Known] = [:]
        let translations = table.translation.byKey
        for entry in table.source.entries {
            let translation = translations[entry.key]?.value
            if let text = entry.value.string, !table.isPlural {
                known[entry.key] = Known(
                    key: entry.key, path: [], source: text, fullest: text, translation: translation?.string)
                continue
            }
            for (path, text) in PluralTexts.all(of: entry.value, translation, language: language) {
                let other = PluralTexts.text(at: path.dropLast() + ["other"], in: entry.value)
                let isForm = path.last.flatMap(PluralCategory.init) != nil
                known[PluralTexts.id([entry.key] + path)] = Known(
                    key: entry.key, path: path, source: text, fullest: isForm ? other ?? text : text,
                    translation: PluralTexts.text(at: path, in: translation))
            }
        }
        return known
    }

    /// Why the placeholders of a translation do not fit; nil if they do.
    private static func complaint(_ target: String, _ text: Known) -> String? {
        let (wanted, found) = (FormatArguments(text.source), FormatArguments(target))
        let allowed = FormatArguments(text.fullest)
        guard
            found.kinds.allSatisfy({ wanted.kinds[$0.key] == $0.value || allowed.kinds[$0.key] == $0.value }),
            Set(found.variables).isSubset(of: wanted.variables + allowed.variables)
        else {
            return "The translation \(quoted(target)) has a placeholder that \(quoted(text.fullest)) does not have."
        }
        guard
            text.isForOneNumber
                || wanted.kinds.allSatisfy({ found.kinds[$0.key] != nil })
                    && Set(wanted.variables).isSubset(of: found.variables)
        else {
            return "The translation \(quoted(target)) lacks a placeholder that \(quoted(text.source)) has."
        }
        return nil
    }

    private mutating func merge(
        _ texts: [Accepted], _ table: TranslatedTables.Table, _ language: String
    ) throws(LintFinding) {
        if table.isPlural { try mergePlurals(texts, table, language) } else { try mergeTexts(texts, table, language) }
    }

    private mutating func mergeTexts(
        _ texts: [Accepted], _ table: TranslatedTables.Table, _ language: String
    ) throws(LintFinding) {
        var file = try TableFile(path: table.path)
        var changed: [String] = []
        let places = Dictionary(
            file.table.entries.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { $1 })
        let sources = table.source.byKey
        var new: [TableText.NewEntry] = []
        let lineBreak = file.table.lineBreak
        for text in texts {
            guard let place = places[text.key] else {
                let flags: [EntryNote.Flag] = text.needsReview ? [.needsReview] : []
                new.append(
                    TableText.NewEntry(
                        key: text.key, value: text.text,
                        note: EntryNote.text(sources[text.key]?.comment, flags: flags, lineBreak: lineBreak)))
                changed.append(text.key)
                continue
            }
            var entry = file.table.entries[place]
            var note = EntryNote(entry.note)
            note.set(.untranslated, false, lineBreak: lineBreak)
            note.set(.needsReview, text.needsReview, lineBreak: lineBreak)
            entry.setNote(note.text, lineBreak: lineBreak)
            entry.setValue(text.text)
            if entry != file.table.entries[place] { changed.append(text.key) }
            file.table.entries[place] = entry
        }
        file.table.add(new.sorted { $0.key < $1.key })
        if file.isChanged {
            tables.append(Table(path: table.path, language: language, changed: changed, bytes: file.bytes))
        }
    }

    private mutating func mergePlurals(
        _ texts: [Accepted], _ table: TranslatedTables.Table, _ language: String
    ) throws(LintFinding) {
        let sources = table.source.byKey
        var entries = table.translation.byKey
        var changed: [String] = []
        var unmarked: [String] = []
        for (key, texts) in Dictionary(grouping: texts, by: \.key).sorted(by: { $0.key < $1.key }) {
            guard let source = sources[key]?.value else { continue }
            let byPath = Dictionary(uniqueKeysWithValues: texts.map { ($0.path, $0.text) })
            let value = PluralTexts.entry(source, entries[key]?.value, texts: byPath)
            if let fault = PluralEntry.fault(in: value) {
                throw LintFinding(
                    .error, .malformedPlural, filePath: table.path, subject: key,
                    message: "The translations of \(quoted(key)) are not complete: \(fault.message)",
                    remedy: "Translate every form of the entry.")
            }
            if value != entries[key]?.value {
                changed.append(key)
                if texts.contains(where: \.needsReview) { unmarked.append(key) }
            }
            entries[key] = TableContent.Entry(key: key, value: value)
        }
        guard !changed.isEmpty else { return }
        if let first = unmarked.first {
            let others = unmarked.count > 1 ? " and \(unmarked.count - 1) more" : ""
            warnings.append(
                LintFinding(
                    .warning, .unmarkedReview, filePath: table.path, subject: first,
                    message: "The file says that the translation of \(quoted(first))\(others) needs a review, "
                        + "and a .stringsdict has no place for this mark.",
                    remedy: "Review it before the bundle is shipped."))
        }
        if let loss = table.bytes.flatMap({ ListLosses.comments($0, path: table.path) }) { warnings.append(loss) }
        do throws(ListFault) {
            let text = try TableConversion.xml(.dictionary(entries.mapValues(\.value)))
            tables.append(Table(path: table.path, language: language, changed: changed, bytes: Array(text.utf8)))
        } catch {
            throw LintFinding(.error, .notRepresentable, filePath: table.path, message: error.message)
        }
    }

    /// Writes the tables, each atomically.
    public func write() throws(LintFinding) {
        for table in tables { try OutputFile.write(table.bytes, to: table.path) }
    }
}

extension LintFinding.Code {
    /// A translation of a source text that has changed since.
    public static let otherSource = Self(rawValue: "otherSource")
    /// A table or text that appears twice in a translator's file.
    public static let duplicateUnit = Self(rawValue: "duplicateUnit")
    /// A translation that needs a review, in a table that cannot have a mark.
    public static let unmarkedReview = Self(rawValue: "unmarkedReview")
    /// A translator's language code that may mean several localisations.
    public static let ambiguousLanguage = Self(rawValue: "ambiguousLanguage")
}

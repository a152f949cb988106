@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// Brings the translations of an XLIFF 1.2 file into the tables of a bundle.
///
/// Only texts that differ are changed, and the mark `Flag: untranslated` goes where a text is translated. Nothing is written
/// if anything in the file does not fit: an unknown table or key, another source text, placeholders that the source does not
/// have.
///
/// **Threads.** A value; may be used on any thread.
public struct TranslationImport: Sendable {
    /// A table that changes.
    public struct Table: Sendable {
        /// The absolute path.
        public let path: String
        /// The language.
        public let language: String
        /// The keys with a new or another translation.
        public let changed: [String]
        let bytes: [UInt8]
    }

    /// The tables that change.
    public private(set) var tables: [Table] = []
    /// Why nothing can be written; empty if everything fits.
    ///
    /// At most 100.
    public private(set) var findings: [LintFinding] = []

    /// Reads the file and the tables.
    ///
    /// Nothing is written.
    ///
    /// - Parameters:
    ///   - file: the XLIFF file.
    ///   - bundle: a bundle, or a directory that contains `.lproj` directories.
    /// - Throws: a finding if the file or a table cannot be read.
    public init(file: String, into bundle: String) throws(LintFinding) {
        let path = Path.normalized(file) ?? file
        let document = try TranslationDocument(path: path, bytes: try InputFile.bytes(path))
        var seen: Set<String> = []
        for file in document.files {
            guard let language = file.targetLanguage else {
                add(.notXLIFF, path, file.place, nil, "<file> has no target-language.")
                continue
            }
            let name = Path.lastComponent(file.original)
            guard seen.insert(language + "/" + name).inserted else {
                add(.duplicateUnit, path, file.place, name, "The table \(quoted(name)) appears a second time.")
                continue
            }
            let tables = try TranslatedTables(at: bundle, language: language)
            guard let table = tables.tables.first(where: { $0.name == name }) else {
                add(.missingTable, path, file.place, name, "The bundle has no table \(quoted(file.original)).")
                continue
            }
            let texts = accepted(file, table, language, path)
            guard findings.isEmpty else { continue }
            try merge(texts, table, language)
        }
        if findings.count > ReadingBudget.mostFindings { findings.removeSubrange(ReadingBudget.mostFindings...) }
        if !findings.isEmpty { tables = [] }
    }

    private mutating func add(
        _ code: LintFinding.Code, _ path: String, _ place: LintFinding.Place?, _ subject: String?, _ message: String
    ) {
        findings.append(
            LintFinding(
                .error, code, filePath: path, place: place, subject: subject, message: message,
                remedy: code == .otherSource || code == .undefinedKey
                    ? "Export the texts again, and bring the translations into the new file." : ""))
    }

    /// A translation that fits.
    private struct Accepted {
        let key: String
        /// The keys that lead to a plural form; empty for a text.
        let path: [String]
        let text: String
        let isUnfinished: Bool
    }

    /// The translations of a file whose keys and source texts are those of the bundle.
    private mutating func accepted(
        _ file: TranslationDocument.File, _ table: TranslatedTables.Table, _ language: String, _ path: String
    ) -> [Accepted] {
        var known: [String: (key: String, path: [String], source: String)] = [:]
        for entry in table.source.entries {
            if let text = entry.value.string, !table.isPlural {
                known[entry.key] = (entry.key, [], text)
                continue
            }
            for (path, text) in PluralTexts.all(
                of: entry.value, table.translation.byKey[entry.key]?.value, language: language)
            {
                known[PluralTexts.id([entry.key] + path)] = (entry.key, path, text)
            }
        }
        var seen: Set<String> = []
        return file.units.compactMap { unit in
            guard seen.insert(unit.id).inserted else {
                add(.duplicateUnit, path, unit.place, unit.id, "The text \(quoted(unit.id)) appears a second time.")
                return nil
            }
            guard let (key, keys, source) = known[unit.id] else {
                add(
                    .undefinedKey, path, unit.place, unit.id,
                    "The table \(quoted(table.name)) has no \(quoted(unit.id)).")
                return nil
            }
            guard source.hasSameBytes(as: unit.source) else {
                add(
                    .otherSource, path, unit.place, unit.id,
                    "The source text of \(quoted(unit.id)) is now \(quoted(source)), and in the file "
                        + "\(quoted(unit.source)).")
                return nil
            }
            let isUnfinished = TranslationDocument.unfinishedStates.contains(unit.state ?? "")
            // An empty target is a translation only if the file says so.
            guard let target = unit.target, !target.isEmpty || source.isEmpty || unit.state != nil && !isUnfinished
            else { return nil }
            let (wanted, found) = (FormatArguments(source).kinds, FormatArguments(target).kinds)
            guard found.allSatisfy({ wanted[$0.key] == $0.value }) else {
                add(
                    .placeholderMismatch, path, unit.place, unit.id,
                    "The translation \(quoted(target)) has a placeholder that \(quoted(source)) does not have.")
                return nil
            }
            return Accepted(key: key, path: keys, text: target, isUnfinished: isUnfinished)
        }
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
                let flags: [EntryNote.Flag] = text.isUnfinished ? [.untranslated] : []
                new.append(
                    TableText.NewEntry(
                        key: text.key, value: text.text,
                        note: EntryNote.text(sources[text.key]?.comment, flags: flags, lineBreak: lineBreak)))
                changed.append(text.key)
                continue
            }
            var entry = file.table.entries[place]
            var note = EntryNote(entry.note)
            let isOther = !entry.value.hasSameBytes(as: text.text)
            // A program that changes a text and not its state has translated it.
            note.set(.untranslated, text.isUnfinished && !isOther, lineBreak: lineBreak)
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
            if value != entries[key]?.value { changed.append(key) }
            entries[key] = TableContent.Entry(key: key, value: value)
        }
        guard !changed.isEmpty else { return }
        do throws(ListFault) {
            let text = try TableConversion.xml(.dictionary(entries.mapValues(\.value)))
            tables.append(Table(path: table.path, language: language, changed: changed, bytes: Array(text.utf8)))
        } catch {
            throw LintFinding(.error, .notRepresentable, filePath: table.path, message: error.message)
        }
    }

    /// Writes the tables, each as a whole.
    public func write() throws(LintFinding) {
        for table in tables { try OutputFile.write(table.bytes, to: table.path) }
    }
}

extension LintFinding.Code {
    /// A translation of a text that has changed since.
    public static let otherSource = Self(rawValue: "otherSource")
    /// A table or text that appears twice in a translator's file.
    public static let duplicateUnit = Self(rawValue: "duplicateUnit")
}

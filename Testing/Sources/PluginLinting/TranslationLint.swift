internal import HostBasics
@_spi(Tools) internal import PluginHost

/// Differences between the languages of a bundle's tables.
struct TranslationLint {
    private let tables: LocalizedTables
    private var listed: [String: LintFindings] = [:]

    /// Sorted by the files' paths.
    var findings: [LintFinding] { listed.sorted { $0.key < $1.key }.flatMap(\.value.all) }

    /// - Parameters:
    ///   - tables: the tables.
    ///   - left: the tables to leave out. Their originals are not tables, and they are compared elsewhere.
    init(_ tables: LocalizedTables, except left: Set<String> = []) {
        self.tables = tables
        for table in tables.names where tables.global[table] == nil && !left.contains(table) { check(table) }
    }

    private mutating func check(_ table: String) {
        let table = Table(table, in: tables)
        for language in table.languages where language != table.reference {
            if !tables.references.contains(language) { checkMissing(table, language) }
            if table.reference != nil { checkExtra(table, language) }
        }
        checkOriginal(table)
        for key in table.counts.keys.sorted() { compare(key, of: table) }
    }

    /// A table with the data that its languages share.
    private struct Table {
        let name: String
        /// The languages that have it.
        let languages: [String]
        let reference: String?
        /// How many languages have each key.
        let counts: [String: Int]
        private let entries: [String: [String: LocalizedTables.Entry]]
        /// Whether the keys are the original texts: most keys in the reference equal their texts, or most keys contain
        /// spaces.
        let hasTextsAsKeys: Bool

        init(_ name: String, in tables: LocalizedTables) {
            self.name = name
            languages = tables.languages(with: name).filter { !LocalizedTables.isForTranslators($0) }
            reference = tables.reference(of: name)
            var entries: [String: [String: LocalizedTables.Entry]] = [:]
            var counts: [String: Int] = [:]
            for language in languages {
                entries[language] = tables.entries(name, language)
                for key in entries[language, default: [:]].keys { counts[key, default: 0] += 1 }
            }
            self.entries = entries
            self.counts = counts
            let originals = reference.flatMap { entries[$0] } ?? [:]
            hasTextsAsKeys =
                originals.count { $0.key == $0.value.text } * 2 > originals.count
                || counts.keys.count { $0.contains(" ") } * 2 > counts.count
        }

        func entry(_ key: String, _ language: String) -> LocalizedTables.Entry? { entries[language]?[key] }

        /// The entries of a language, by key.
        func all(_ language: String) -> [String: LocalizedTables.Entry] { entries[language] ?? [:] }

        /// Whether most translations have a key that the reference lacks.
        ///
        /// Then the reference is incomplete.
        func isCommon(_ key: String) -> Bool {
            let count = counts[key] ?? 0
            return count >= 2 && count * 2 > languages.count { $0 != reference }
        }

        /// The keys that every translation should have.
        var expected: [String] {
            if let reference { return all(reference).keys.sorted() }
            return counts.filter { $0.value * 2 >= languages.count && languages.count > 1 }.keys.sorted()
        }

        /// Whether a key looks like the text that it represents.
        static func isText(_ key: String) -> Bool { key.contains(" ") || key.contains("%") }

        /// Whether Xcode made the key for an object of an interface file, or for an intent.
        ///
        /// That object or intent has the original text.
        static func isGenerated(_ key: String) -> Bool {
            let name = key.prefix { $0 != "." }.utf8
            let isObject =
                name.count == 10
                && name.enumerated().allSatisfy { index, byte in
                    index == 3 || index == 6 ? byte == UInt8(ascii: "-") : byte.isLetterOrDigit
                }
            return isObject || name.count == key.utf8.count && name.count == 6 && name.allSatisfy(\.isLetterOrDigit)
        }
    }

    // MARK: Keys

    private mutating func checkMissing(_ table: Table, _ language: String) {
        guard let file = tables.file(table.name, language), file.wasRead else { return }
        let broader = tables.broader(than: language).map { tables.entries(table.name, $0) }
        for key in table.expected
        where table.entry(key, language) == nil && !broader.contains(where: { $0[key] != nil }) {
            let original = table.reference.flatMap { table.entry(key, $0) }
            // There is nothing to translate.
            if let text = original?.text, text.allSatisfy({ $0.isWhitespace }) { continue }
            let origin = table.reference.map { "of \(quoted($0))" }
            listed[file.path, default: LintFindings()].add(
                LintFinding(
                    .warning, .missingEntry, filePath: file.path, subject: key,
                    message: "The entry \(quoted(key.shortened)) "
                        + (origin ?? "that \(table.counts[key] ?? 0) of \(table.languages.count) localisations have")
                        + " is missing.",
                    remedy: "Translate it.", related: original.map { [Self.related(key, $0)] } ?? []))
        }
    }

    private mutating func checkExtra(_ table: Table, _ language: String) {
        for (key, entry) in table.all(language).sorted(by: { $0.key < $1.key })
        where !hasOriginal(key, table) && !table.isCommon(key) {
            listed[entry.file.path, default: LintFindings()].add(
                entry.file.finding(
                    .warning, .extraEntry, at: [key],
                    "The entry \(quoted(key.shortened)) is in no table of \(quoted(table.reference ?? "")), "
                        + "which is translated here.",
                    remedy: "Correct the key, add it to the original, or remove it."))
        }
    }

    /// An entry that most translations have and the original lacks is reported once, as a gap in the original.
    private mutating func checkOriginal(_ table: Table) {
        guard let reference = table.reference, let file = tables.file(table.name, reference), file.wasRead else {
            return
        }
        for (key, count) in table.counts.sorted(by: { $0.key < $1.key })
        where table.isCommon(key) && !hasOriginal(key, table) {
            listed[file.path, default: LintFindings()].add(
                LintFinding(
                    .note, .missingEntry, filePath: file.path, subject: key,
                    message: "The entry \(quoted(key.shortened)) that \(count) translations have is missing.",
                    remedy: "Add it, unless the code has the original text."))
        }
    }

    /// Whether the original of a key is known, or is outside of the tables.
    private func hasOriginal(_ key: String, _ table: Table) -> Bool {
        if table.hasTextsAsKeys || Table.isText(key) || Table.isGenerated(key) { return true }
        if tables.references.contains(where: { table.entry(key, $0) != nil }) { return true }
        return table.name == LocalizedTables.infoTable && tables.hasInfoKey(key)
    }

    // MARK: Originals

    /// The text that the translations of a key are compared with.
    private struct Original {
        let arguments: FormatArguments
        /// Its entry; nil if the key is the text.
        let entry: LocalizedTables.Entry?
        /// Its name in a message.
        let name: String
    }

    /// The original of a key: the entry of the first reference that has it; else the key, if keys are texts; else the
    /// form that most translations have.
    private func original(of key: String, in table: Table) -> Original? {
        for language in tables.references {
            guard let entry = table.entry(key, language) else { continue }
            return entry.arguments.map { Original(arguments: $0, entry: entry, name: quoted(language)) }
        }
        if table.hasTextsAsKeys, Table.isText(key) {
            return Original(arguments: FormatArguments(key), entry: nil, name: "the key")
        }
        var groups: [FormatArguments.Signature: (count: Int, entry: LocalizedTables.Entry)] = [:]
        var count = 0
        for language in table.languages {
            guard let entry = table.entry(key, language), let arguments = entry.arguments else { continue }
            count += 1
            groups[arguments.signature, default: (0, entry)].count += 1
        }
        guard let largest = groups.values.max(by: { $0.count < $1.count }), count >= 3, largest.count * 2 > count,
            let arguments = largest.entry.arguments
        else { return nil }
        return Original(arguments: arguments, entry: largest.entry, name: "most localisations")
    }

    private mutating func compare(_ key: String, of table: Table) {
        let original = original(of: key, in: table)
        let source = table.reference.flatMap { table.entry(key, $0) }
        let isName = source.map { isKept(key, $0, table) } ?? false
        for language in table.languages {
            guard let entry = table.entry(key, language) else { continue }
            if let original, language != table.reference { comparePlaceholders(key, entry, original) }
            if let source, let reference = table.reference, language != reference, !isName {
                compareTexts(key, entry, source, language, reference)
            }
        }
    }

    /// Whether most translations keep a short text unchanged, because it is a name.
    private func isKept(_ key: String, _ source: LocalizedTables.Entry, _ table: Table) -> Bool {
        guard let text = source.text, text.split(separator: " ").count <= 3 else { return false }
        let others = table.languages.filter {
            !tables.isSameLanguage($0, table.reference ?? "") && table.entry(key, $0) != nil
        }
        return others.count >= 3 && others.count { table.entry(key, $0)?.text == text } * 2 > others.count
    }

    private static func related(_ key: String, _ entry: LocalizedTables.Entry) -> LintFinding.Related {
        LintFinding.Related(
            filePath: entry.file.path, place: entry.place(of: key), message: "This is the original text.")
    }

    // MARK: Placeholders

    private mutating func comparePlaceholders(
        _ key: String, _ entry: LocalizedTables.Entry, _ original: Original
    ) {
        guard let own = entry.arguments else { return }
        let theirs = original.arguments
        // Dates take no arguments, and a percent sign in prose is just a sign.
        if own.isDate || theirs.isDate || theirs.isProse { return }
        // Plural rules may write a number in words, or leave it to another variable.
        let isWhole = entry.text != nil && original.entry.map { $0.text != nil } ?? true
        var complaints: [String] = []
        var severity = LintFinding.Severity.warning
        for argument in Set(own.kinds.keys).union(theirs.kinds.keys).sorted()
        where !own.conflicts.contains(argument) && !theirs.conflicts.contains(argument) {
            switch (own.kinds[argument], theirs.kinds[argument]) {
            case (let kind?, let other?) where kind != other:
                // The formatting function would read the argument as another type.
                severity = .error
                complaints.append(
                    "argument \(argument) is \(kind.rawValue), but \(other.rawValue) in \(original.name)")
            case (let kind?, nil) where isWhole:
                severity = .error
                complaints.append("argument \(argument), \(kind.rawValue), is not in \(original.name)")
            case (nil, let other?) where isWhole:
                complaints.append("argument \(argument) of \(original.name), \(other.rawValue), is left out")
            default: break
            }
        }
        if isWhole {
            for name in own.names.symmetricDifference(theirs.names).sorted() {
                complaints.append(
                    own.names.contains(name)
                        ? "“{\(name)}” is not in \(original.name)" : "“{\(name)}” of \(original.name) is left out")
            }
        }
        guard !complaints.isEmpty else { return }
        listed[entry.file.path, default: LintFindings()].add(
            entry.file.finding(
                severity, .placeholderMismatch, at: [key],
                "The placeholders of \(quoted(key.shortened)) differ: \(complaints.joined(separator: "; ")).",
                remedy: "Use each placeholder of the original; number them (%1$@) to change their order.",
                related: original.entry.map { [Self.related(key, $0)] } ?? []))
    }

    // MARK: Texts

    private mutating func compareTexts(
        _ key: String, _ entry: LocalizedTables.Entry, _ source: LocalizedTables.Entry, _ language: String,
        _ original: String
    ) {
        guard let text = entry.text, text == source.text, !tables.isSameLanguage(language, original),
            Self.wouldBeTranslated(text)
        else { return }
        listed[entry.file.path, default: LintFindings()].add(
            entry.file.finding(
                .note, .untranslated, at: [key],
                "The text \(quoted(text.shortened)) is the same as in \(quoted(original)).",
                remedy: "Translate it, unless it is the same in both languages."))
    }

    /// Whether a text is more than a word, so that a translation would differ from it.
    ///
    /// Names, units and signs are the same in many languages. A text is more than a word if it has two words of two
    /// letters or more, or sixteen letters without a blank in a script that has none. Placeholders and parts of them
    /// are not words: `x.y.com`, `{name}`.
    static func wouldBeTranslated(_ text: String) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace).filter { word in
            !word.contains { "%{}/@_<>".contains($0) } && word.count(where: \.isLetter) >= 2
        }
        return words.count >= 2 || words.contains { $0.count { $0.isLetter && !$0.isASCII } >= 16 }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}

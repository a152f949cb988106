@_spi(Tools) internal import PluginHost

/// What does not fit between the languages of a bundle's tables.
struct TranslationLint {
    private let tables: LocalizedTables
    private var listed: [String: LintFindings] = [:]

    /// By file, in the order of the files' names.
    var findings: [LintFinding] { listed.sorted { $0.key < $1.key }.flatMap(\.value.all) }

    init(_ tables: LocalizedTables) {
        self.tables = tables
        for table in tables.names where tables.global[table] == nil { check(table) }
    }

    private mutating func check(_ table: String) {
        let having = tables.languages(with: table)
        let reference = reference(of: table, having)
        let expected = expectedKeys(of: table, having, reference)
        for language in having where language != reference {
            checkEntries(table, language, reference, expected)
        }
        for key in expected.sorted() {
            guard
                let original = ([reference].compactMap { $0 } + having).first(where: {
                    tables.entries(table, $0)[key] != nil
                })
            else { continue }
            for language in having where language != original {
                guard let entry = tables.entries(table, language)[key],
                    let source = tables.entries(table, original)[key]
                else { continue }
                comparePlaceholders(key, entry, source, original)
                if original == reference { compareTexts(key, entry, source, language, original) }
            }
        }
    }

    private func reference(of table: String, _ having: [String]) -> String? {
        if let reference = tables.reference, having.contains(reference) { return reference }
        return having.contains("Base") ? "Base" : nil
    }

    /// The keys that every translation should have.
    private func expectedKeys(of table: String, _ having: [String], _ reference: String?) -> Set<String> {
        let origins = reference.map { [$0] } ?? having
        return Set(origins.flatMap { tables.entries(table, $0).keys })
    }

    // MARK: Keys

    private mutating func checkEntries(
        _ table: String, _ language: String, _ reference: String?, _ expected: Set<String>
    ) {
        guard let file = tables.file(table, language) else { return }
        let own = tables.entries(table, language)
        let broader = tables.broader(than: language).map { tables.entries(table, $0) }
        for key in expected.sorted() where own[key] == nil && !broader.contains(where: { $0[key] != nil }) {
            let origin = reference ?? tables.languages(with: table).first { tables.entries(table, $0)[key] != nil }
            let entry = origin.flatMap { tables.entries(table, $0)[key] }
            listed[file.path, default: LintFindings()].add(
                LintFinding(
                    .warning, .missingEntry, filePath: file.path, subject: key,
                    message: "The entry \(quoted(key.shortened)) of \(quoted(origin ?? "")) is missing.",
                    remedy: "Translate it.", related: entry.map { [Self.related(key, $0)] } ?? []))
        }
        guard reference != nil else { return }
        for key in own.keys.sorted() where !expected.contains(key) {
            if table == LocalizedTables.infoTable, tables.hasInfoKey(key) { continue }
            guard let entry = own[key] else { continue }
            listed[entry.file.path, default: LintFindings()].add(
                entry.file.finding(
                    .warning, .extraEntry, at: [key],
                    "The entry \(quoted(key.shortened)) is in no table of \(quoted(reference ?? "")), "
                        + "which is translated here.",
                    remedy: "Correct the key, add it to the original, or remove it."))
        }
    }

    private static func related(_ key: String, _ entry: LocalizedTables.Entry) -> LintFinding.Related {
        LintFinding.Related(
            filePath: entry.file.path, place: entry.place(of: key), message: "What is translated stands here.")
    }

    // MARK: Placeholders

    private mutating func comparePlaceholders(
        _ key: String, _ entry: LocalizedTables.Entry, _ source: LocalizedTables.Entry, _ original: String
    ) {
        guard let own = entry.arguments, let theirs = source.arguments else { return }
        var complaints: [String] = []
        var severity = LintFinding.Severity.warning
        for argument in Set(own.kinds.keys).union(theirs.kinds.keys).sorted() {
            switch (own.kinds[argument], theirs.kinds[argument]) {
            case (let kind?, let other?) where kind != other:
                // The function that formats would read the argument as what it is not.
                severity = .error
                complaints.append(
                    "argument \(argument) is taken as \(kind.rawValue), in \(quoted(original)) as \(other.rawValue)")
            case (let kind?, nil):
                severity = .error
                complaints.append("argument \(argument), \(kind.rawValue), is not in \(quoted(original))")
            case (nil, let other?):
                complaints.append("argument \(argument) of \(quoted(original)), \(other.rawValue), is left out")
            default: break
            }
        }
        for name in own.names.symmetricDifference(theirs.names).sorted() {
            complaints.append(
                own.names.contains(name)
                    ? "“{\(name)}” is not in \(quoted(original))" : "“{\(name)}” of \(quoted(original)) is left out")
        }
        guard !complaints.isEmpty else { return }
        listed[entry.file.path, default: LintFindings()].add(
            entry.file.finding(
                severity, .placeholderMismatch, at: [key],
                "The placeholders of \(quoted(key.shortened)) differ: \(complaints.joined(separator: "; ")).",
                remedy: "Use each placeholder of the original; number them (%1$@) to change their order.",
                related: [Self.related(key, source)]))
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

    /// Whether a text is more than a word: names, units and signs are the same in many languages. Two words of two
    /// letters or more do, or one of sixteen, as sentences without blanks are. Placeholders are no words.
    static func wouldBeTranslated(_ text: String) -> Bool {
        var lengths: [Int] = []
        var length = 0
        var isPlaceholder = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isAlphabetic {
                length += 1
                continue
            }
            if length > 0, !isPlaceholder { lengths.append(length) }
            // The letters after a percent sign or a brace, whatever signs and digits come before them.
            isPlaceholder = scalar == "%" || scalar == "{" || isPlaceholder && length == 0 && scalar != " "
            length = 0
        }
        if length > 0, !isPlaceholder { lengths.append(length) }
        return lengths.count { $0 >= 2 } >= 2 || lengths.contains { $0 >= 16 }
    }
}

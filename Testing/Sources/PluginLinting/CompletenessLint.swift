internal import HostBasics
@_spi(Tools) internal import PluginHost

/// Reports texts that some localisations of a bundle have and others lack, even if the code or Info.plist has the text
/// too.
struct CompletenessLint {
    private let tables: LocalizedTables
    private let nibs: [BundledNib]

    /// `nibs`: the bundle's nibs, which also contain texts.
    init(_ tables: LocalizedTables, nibs: [BundledNib]) {
        self.tables = tables
        self.nibs = nibs
    }

    /// Sorted by table, then by language, then by key.
    var findings: [LintFinding] { tables.names.filter { tables.global[$0] == nil }.flatMap(findings) }

    private func findings(_ table: String) -> [LintFinding] {
        // The keys with a text, and a localisation that has it, for the message.
        var keys: [String: String] = [:]
        for language in tables.languages {
            for (key, entry) in tables.entries(table, language) where !entry.isEmpty && keys[key] == nil {
                keys[key] = language
            }
        }
        let wanted = keys.sorted { $0.key < $1.key }
        let languages = tables.languages.filter {
            $0 != "Base" && !LocalizedTables.isForTranslators($0) && !hasNib(table, $0)
        }
        return languages.flatMap { language in
            // A localisation takes missing texts from broader localisations; the development region's also takes them
            // from Base.
            let sources = [language] + tables.broader(than: language) + (tables.isRegion(language) ? ["Base"] : [])
            let file = tables.file(table, language)?.path
            var missing = LintFindings()
            for (key, owner) in wanted
            where !sources.contains(where: { tables.entries(table, $0)[key].map { !$0.isEmpty } ?? false }) {
                missing.add(
                    LintFinding(
                        .error, .missingText, filePath: file ?? tables.directories[language] ?? "", subject: key,
                        message: "The localisation \(quoted(language)) has no text for \(quoted(key.shortened)) in the "
                            + "table \(quoted(table)). \(quoted(owner)) has one.",
                        remedy: "Translate it, or remove the key from all localisations."))
            }
            return missing.all
        }
    }

    /// Whether a nib contains the texts of its table in a language: either the language's own nib, or, for the
    /// development region, the nib that the tables translate.
    private func hasNib(_ table: String, _ language: String) -> Bool {
        nibs.contains { $0.name == table && ($0.language == language || $0.isTranslated && tables.isRegion(language)) }
    }
}

extension LocalizedTables.Entry {
    /// Whether the text is empty.
    ///
    /// A space is a text, such as the mark between groups of digits in French.
    fileprivate var isEmpty: Bool { text?.isEmpty ?? false }
}

extension LintFinding.Code {
    /// A localisation has no text for a key that another localisation has: see ``BundleLinter/requiresAllTexts``.
    public static let missingText = Self(rawValue: "missingText")
}

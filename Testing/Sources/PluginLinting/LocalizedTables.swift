internal import BundleReading
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// The strings tables of a bundle, by name and language.
@_spi(Tools) public struct LocalizedTables {
    /// One file of a table.
    struct Table {
        let name: String
        let language: String?
        let file: LintedFile
    }

    /// One entry in one language.
    struct Entry {
        /// The text; nil for one with plural rules.
        let text: String?
        let arguments: FormatArguments?
        let file: LintedFile

        /// The place of the entry.
        func place(of key: String) -> LintFinding.Place? { file.place(of: key) }
    }

    /// The tables' names, sorted.
    let names: [String]
    /// The localisations that have a directory, sorted by name, `Base` among them.
    let languages: [String]
    /// The directory of each localisation.
    let directories: [String: String]
    /// The localisations that the others may be translated from, most likely first: the development region's, `Base`,
    /// English.
    let references: [String]
    /// Whether the development region has a directory, or `Base` represents it.
    let hasRegion: Bool
    /// Tables outside of the localisations.
    let global: [String: LintedFile]
    private let manifest: Manifest
    private let infoList: LintedFile?
    /// The localisations by the language that their names mean.
    ///
    /// Each list is sorted by name.
    private let languagesByTag: [LanguageTag: [String]]
    private let entriesByTable: [String: [String: [String: Entry]]]
    private let filesByTable: [String: [String: LintedFile]]

    /// The table of a call that names none.
    public static let defaultTable = "Localizable"
    /// The table whose texts in the development language are in Info.plist.
    static let infoTable = "InfoPlist"

    init(tables: [Table], languages: [String: String], manifest: Manifest, infoList: LintedFile?) {
        self.manifest = manifest
        self.infoList = infoList
        directories = languages
        let sorted = languages.keys.sorted()
        self.languages = sorted
        var byTag: [LanguageTag: [String]] = [:]
        for language in sorted {
            if let tag = LanguageTag(language)?.canonical { byTag[tag, default: []].append(language) }
        }
        languagesByTag = byTag
        let available = languages.keys.filter { $0 != "Base" }.sorted()
        let region = manifest.developmentRegion.flatMap { LanguageTag($0)?.canonical }
        // “en” matches “en_US”.
        func spoken(_ language: String) -> String? {
            LanguageMatcher.localizations(for: language, from: available).first { name in
                LanguageTag(name)?.canonical.language == LanguageTag(language)?.canonical.language
            }
        }
        var references = [region.flatMap { spoken($0.description) }, languages["Base"] == nil ? nil : "Base"]
            .compactMap(\.self)
        hasRegion = !references.isEmpty
        if let english = spoken("en"), !references.contains(english) { references.append(english) }
        self.references = references
        names = Set(tables.map(\.name)).sorted()
        var entries: [String: [String: [String: Entry]]] = [:]
        var files: [String: [String: LintedFile]] = [:]
        var global: [String: LintedFile] = [:]
        // Plural rules come last, because they replace plain texts.
        for table in tables.sorted(by: { $0.file.type == .stringsTable && $1.file.type == .pluralRules }) {
            guard let language = table.language else {
                global[table.name] = table.file
                continue
            }
            if files[table.name]?[language] == nil { files[table.name, default: [:]][language] = table.file }
            for (key, value) in table.file.dictionary {
                entries[table.name, default: [:]][language, default: [:]][key] = Self.entry(value, table.file)
            }
        }
        entriesByTable = entries
        filesByTable = files
        self.global = global
    }

    private static func entry(_ value: PropertyList, _ file: LintedFile) -> Entry {
        if let text = value.string { return Entry(text: text, arguments: FormatArguments(text), file: file) }
        return Entry(text: nil, arguments: value.dictionary.flatMap(PluralLint.arguments), file: file)
    }

    /// A file of the table in a language; nil if the language lacks the table.
    func file(_ table: String, _ language: String) -> LintedFile? { filesByTable[table]?[language] }

    func entries(_ table: String, _ language: String) -> [String: Entry] { entriesByTable[table]?[language] ?? [:] }

    /// The keys of all tables.
    var allKeys: Set<String> {
        var keys = Set(global.values.flatMap(\.dictionary.keys))
        for languages in entriesByTable.values {
            for entries in languages.values { keys.formUnion(entries.keys) }
        }
        return keys
    }

    /// The languages that have a table.
    func languages(with table: String) -> [String] { (filesByTable[table] ?? [:]).keys.sorted() }

    /// The localisation from which the other localisations of a table are translated; nil if none of ``references`` has
    /// an entry.
    func reference(of table: String) -> String? { references.first { !entries(table, $0).isEmpty } }

    /// Whether a directory holds notes to translators, and no translations.
    public static func isForTranslators(_ language: String) -> Bool {
        LanguageTag(language).map(KnownLanguages.isForTranslators) ?? false
    }

    /// The broader localisations of the same language, which supply the texts that a localisation lacks.
    func broader(than language: String) -> [String] {
        guard let tag = LanguageTag(language)?.canonical else { return [] }
        return tag.ancestry.dropFirst().flatMap { languagesByTag[$0] ?? [] }.sorted()
    }

    /// Whether there is a localisation of the same language, in any spelling.
    func hasLanguage(_ name: String) -> Bool {
        if directories[name] != nil { return true }
        return LanguageTag(name).map { languagesByTag[$0.canonical] != nil } ?? false
    }

    /// Whether two localisations are of one language in one script.
    func isSameLanguage(_ a: String, _ b: String) -> Bool {
        guard let a = meaning(of: a), let b = meaning(of: b) else { return false }
        return a.language == b.language && a.script == b.script
    }

    /// Whether a localisation is the development region's.
    func isRegion(_ language: String) -> Bool { meaning(of: language) == meaning(of: "Base") }

    /// The language that a localisation's name means; `Base` means the development region's.
    func meaning(of language: String) -> LanguageTag? {
        LanguageTag(language == "Base" ? manifest.developmentRegion ?? "" : language)?.canonical
    }

    /// Whether Info.plist has a value for a key of ``infoTable``.
    ///
    /// `PHPermissions.NAME` is the reason for a permission.
    func hasInfoKey(_ key: String) -> Bool {
        guard let list = infoList?.dictionary else { return false }
        if list[key] != nil { return true }
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, case .dictionary(let permissions) = list[parts[0]],
            case .dictionary(let reasons) = permissions["reasons"]
        else { return false }
        return reasons[parts[1]] != nil
    }
}

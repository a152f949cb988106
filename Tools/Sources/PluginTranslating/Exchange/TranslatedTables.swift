@_spi(Tools) internal import PluginHost
@_spi(Tools) internal import PluginLinting
internal import PropertyLists

/// The tables of the development language, each with that of one other language.
struct TranslatedTables {
    /// A `.strings` or `.stringsdict` file.
    struct Table {
        /// The name with its extension.
        let name: String
        let source: TableContent
        let translation: TableContent
        /// The file of the translation, which need not exist.
        let path: String

        var isPlural: Bool { name.hasSuffix(".stringsdict") }

        /// The texts for a translator.
        func units(language: String) -> [TranslationDocument.Unit] {
            let translated = translation.byKey
            return source.entries.filter { !$0.isUnused }.flatMap { entry -> [TranslationDocument.Unit] in
                let target = translated[entry.key]
                if let text = entry.value.string, !isPlural {
                    let state = target.map { $0.isUntranslated ? "needs-translation" : "translated" }
                    return [
                        TranslationDocument.Unit(
                            id: entry.key, source: text, target: target?.value.string, state: state,
                            note: entry.comment)
                    ]
                }
                return PluralTexts.all(of: entry.value, target?.value, language: language).map { path, text in
                    let translation = PluralTexts.text(at: path, in: target?.value)
                    return TranslationDocument.Unit(
                        id: PluralTexts.id([entry.key] + path), source: text, target: translation,
                        state: translation.map { _ in "translated" })
                }
            }
        }
    }

    /// The directory of the resources.
    let root: String
    /// The name of the development language's directory.
    let development: String
    /// The language of the texts: that of the development region where the directory is `Base`.
    let sourceLanguage: String
    private(set) var tables: [Table] = []

    /// Reads the tables.
    init(at path: String, language: String) throws(LintFinding) {
        let folders = LocalizedFolders(at: path, development: nil)
        root = folders.root
        development = folders.development
        sourceLanguage = development == "Base" ? folders.region : development
        guard LanguageTag(language) != nil, !language.contains("/"), folders.spelling(of: language) != development
        else {
            throw LintFinding(
                .error, .unknownLanguage, filePath: folders.root, subject: language,
                message: "\(quoted(language)) is not another language than the development language.",
                remedy: "Name the language by its code, such as de or pt-BR.")
        }
        let folder = folders.path(development)
        let target = folders.path(folders.spelling(of: language))
        for name in DirectoryListing(path: folder).names.filter({ $0.value != .directory }).keys.sorted() {
            guard let type = BundleLinter.FileType(path: name), type != .propertyList else { continue }
            let source = Path.join(folder, name)
            let translation = Path.join(target, name)
            let bytes = try InputFile.bytesIfPresent(translation)
            tables.append(
                Table(
                    name: name, source: try TableContent(path: source, bytes: InputFile.bytes(source)),
                    translation: try bytes.map { (bytes) throws(LintFinding) in
                        try TableContent(path: translation, bytes: bytes)
                    } ?? TableContent(), path: translation))
        }
        guard !tables.isEmpty else {
            throw LintFinding(
                .error, .missingTable, filePath: folders.root,
                message: "There are no strings tables of the development language in \(quoted(folders.root)).",
                remedy: "Name a bundle, or a directory with .lproj directories.")
        }
    }
}

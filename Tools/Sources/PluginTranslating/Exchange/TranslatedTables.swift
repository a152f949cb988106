internal import BundleReading
internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) internal import PluginLinting
internal import PropertyLists

/// The tables of the development language and of nibs, each with the corresponding table of one other language.
struct TranslatedTables {
    /// A `.strings` or `.stringsdict` file.
    struct Table {
        /// The name with its extension.
        let name: String
        let source: TableContent
        let translation: TableContent
        /// The file of the translation, which need not exist.
        let path: String
        /// The content of that file; nil if there is none.
        let bytes: [UInt8]?

        var isPlural: Bool { name.hasSuffix(".stringsdict") }

        /// The texts for a translator.
        func units(language: String) -> [TranslationDocument.Unit] {
            let translated = translation.byKey
            return source.entries.filter { !$0.isUnused }.flatMap { entry -> [TranslationDocument.Unit] in
                let target = translated[entry.key]
                if let text = entry.value.string, !isPlural {
                    let state = target.map { entry in
                        entry.isUntranslated
                            ? "needs-translation" : entry.needsReview ? "needs-review-translation" : "translated"
                    }
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
    /// The language of the texts.
    ///
    /// If the directory is `Base`, it is the development region's.
    let sourceLanguage: String
    private(set) var tables: [Table] = []

    /// The name of the translation's directory.
    let translation: String
    /// Whether that directory exists.
    let isTranslated: Bool

    /// Reads the tables.
    ///
    /// - Parameters:
    ///   - path: a bundle, or a directory that contains `.lproj` directories.
    ///   - language: the translator's code for the language, which need not be the name of its directory.
    ///   - directory: the name of the directory; nil for the one that the language means.
    /// - Throws: a finding if the language means no localisation or several, or if a table cannot be read.
    init(at path: String, language: String, into directory: String? = nil) throws(LintFinding) {
        let folders = LocalizedFolders(at: path, development: nil)
        root = folders.root
        development = folders.development
        sourceLanguage = development == "Base" ? folders.region : development
        translation = try Self.directory(of: language, in: folders, named: directory)
        isTranslated = folders.paths[translation] != nil
        let target = folders.path(translation)
        let complete = DevelopmentTables.complete(in: target)
        for table in try DevelopmentTables(in: folders).tables where table.path != nil || !complete.contains(table.name)
        {
            let translation = Path.join(target, table.name)
            let bytes = try InputFile.bytesIfPresent(translation)
            tables.append(
                Table(
                    name: table.name, source: table.content,
                    translation: try bytes.map { (bytes) throws(LintFinding) in
                        try TableContent(path: translation, bytes: bytes)
                    } ?? TableContent(), path: translation, bytes: bytes))
        }
        guard !tables.isEmpty else {
            throw LintFinding(
                .error, .missingTable, filePath: folders.root,
                message: "There are no strings tables or nibs of the development language in \(quoted(folders.root)).",
                remedy: "Name a bundle, or a directory with .lproj directories.")
        }
    }

    /// The name of the directory for a translator's language.
    private static func directory(
        of language: String, in folders: LocalizedFolders, named directory: String?
    ) throws(LintFinding) -> String {
        func refused(_ code: LintFinding.Code, _ subject: String, _ message: String, _ remedy: String) -> LintFinding {
            LintFinding(
                .error, code, filePath: folders.root, subject: subject, message: message, remedy: remedy)
        }
        if let directory {
            guard isName(directory) else {
                throw refused(
                    .unknownLanguage, directory, "\(quoted(directory)) is not the name of a localisation.",
                    "Name a directory such as de.lproj, without its path.")
            }
            guard directory != folders.development else {
                throw refused(
                    .unknownLanguage, directory, "\(quoted(directory)) is the development language.",
                    "Name the directory of the translation.")
            }
            return directory
        }
        guard isName(language) else {
            throw refused(
                .unknownLanguage, language, "\(quoted(language)) is not a language.",
                "Name the language by its code, such as de or pt-BR.")
        }
        let names = folders.names(for: language)
        guard names.count <= 1 else {
            throw refused(
                .ambiguousLanguage, language,
                "\(quoted(language)) may be any of the localisations "
                    + names.prefix(20).map { quoted($0) }.joined(separator: ", ") + ".",
                "Use the name of one as the language, or import with --into.")
        }
        guard names.first ?? language != folders.development else {
            throw refused(
                .unknownLanguage, language,
                "\(quoted(language)) is not another language than the development language "
                    + "\(quoted(folders.development)).",
                "Name the language by its code, such as de or pt-BR; if it is another form of the development language, "
                    + "import with --into.")
        }
        // A POSIX name such as sr_RS@latin cannot be a directory's name.
        let isPlain = !language.contains { $0 == "@" || $0 == "." }
        return names.first ?? (isPlain ? language : LanguageTag(language)?.description ?? language)
    }

    private static func isName(_ name: String) -> Bool {
        LanguageTag(name) != nil && !name.contains("/") && !name.contains("\0") && name != "Base"
    }
}

internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// Updates the strings tables of a bundle, or of a folder with its resources, to the keys of sources.
///
/// 1. In the directory of the development language, each new key gets an entry with its comment. The text is the
///    default text of the call, or else the key.
/// 2. In every other `.lproj` directory, the new entry has the same text, and the mark `Flag: untranslated` in its
///    comments.
/// 3. Entries whose key no source mentions are kept, and get the mark `Flag: unmatched`.
///
/// A key with plural forms in the `.stringsdict` of the same name needs no other entry. Tables that no source names are
/// not touched, except `Localizable`.
///
/// **Threads.** A value; may be used on any thread.
public struct TableUpdate: Sendable {
    /// The changes to one table.
    public struct Table: Sendable {
        /// The table's name.
        public let name: String
        /// The language of its directory.
        public let language: String
        /// The keys that were added.
        public let added: [String]
        /// The keys that were used until now and are no longer used.
        public let unused: [String]
        /// The keys that are used again.
        public let usedAgain: [String]
        /// How many entries have the mark `Flag: untranslated`.
        public let untranslated: Int
        let file: TableFile

        /// The file, as an absolute path.
        public var path: String { file.path }
        /// Whether the file must be written.
        public var isChanged: Bool { file.isChanged }
    }

    /// How to write new entries and tables.
    public struct Options: Sendable {
        /// The development language; nil for the bundle's own, or English.
        public var language: String?
        /// The encoding of tables that do not exist yet.
        public var encoding = TableEncoding.utf8
        /// Whether several placeholders of a new text get numbers, `%1$@`.
        public var numbersPlaceholders = true

        /// The default options.
        public init() {}
    }

    /// The tables, sorted by language and name.
    ///
    /// The development language comes first.
    public let tables: [Table]

    /// Reads the tables and merges the keys into them.
    ///
    /// Nothing is written.
    ///
    /// - Parameters:
    ///   - extraction: the keys.
    ///   - path: an `.lproj` directory, a directory that contains some, or a bundle.
    ///   - options: how to write new entries.
    /// - Throws: a finding if a table cannot be read.
    public init(_ extraction: KeyExtraction, at path: String, options: Options = Options()) throws(LintFinding) {
        let folders = LocalizedFolders(at: path, development: options.language)
        try folders.requireLanguage()
        var tables: [Table] = []
        let names = Set(extraction.tables.keys)
            .union(extraction.sourceCount > 0 ? [LocalizedTables.defaultTable] : []).sorted()
        for name in names {
            let merge = TableMerge(
                keys: extraction.tables[name] ?? [], isMentioned: extraction.mentions,
                numbersPlaceholders: options.numbersPlaceholders)
            let development = try Self.merged(name, folders.development, folders, options, merge)
            tables.append(development.table)
            for language in folders.translations {
                tables.append(try Self.merged(name, language, folders, options, merge, from: development).table)
            }
        }
        let order = [folders.development] + folders.translations
        self.tables = order.flatMap { language in tables.filter { $0.language == language } }
    }

    /// A merged table, its content before the merge, and its keys with plural forms.
    private typealias Merged = (table: Table, old: TableText, plurals: Set<String>)

    private static func merged(
        _ name: String, _ language: String, _ folders: LocalizedFolders, _ options: Options, _ merge: TableMerge,
        from development: Merged? = nil
    ) throws(LintFinding) -> Merged {
        let folder = folders.path(language)
        let plurals = try pluralKeys(Path.join(folder, name + ".stringsdict"))
        var file = try TableFile(path: Path.join(folder, name + ".strings"), encodingOfNew: options.encoding)
        let old = file.table
        let changes =
            if let development {
                merge.merge(
                    into: &file.table, development: development.table.file.table, old: development.old,
                    plurals: plurals.union(development.plurals))
            } else {
                merge.merge(into: &file.table, plurals: plurals)
            }
        let table = Table(
            name: name, language: language, added: changes.added, unused: changes.unused,
            usedAgain: changes.usedAgain,
            untranslated: file.table.entries.count { EntryNote($0.note).has(.untranslated) }, file: file)
        return (table, old, plurals)
    }

    /// The keys of a `.stringsdict`; none if there is no file.
    static func pluralKeys(_ path: String) throws(LintFinding) -> Set<String> {
        guard let bytes = try InputFile.bytesIfPresent(path) else { return [] }
        do throws(PropertyListFault) {
            let list = try PropertyListReader.read(bytes, limits: .stringsTable).value
            return Set((list.dictionary ?? [:]).keys)
        } catch {
            throw InputFile.finding(error, in: path, bytes)
        }
    }

    /// Writes the changed tables, each atomically.
    public func write() throws(LintFinding) {
        for table in tables { try table.file.write() }
    }
}

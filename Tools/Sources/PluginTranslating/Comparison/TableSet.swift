internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting

/// The strings tables at a path: one file, an `.lproj` directory, or a bundle with its languages.
///
/// **Threads.** A value; may be shared freely.
public struct TableSet: Sendable {
    /// The name of a table, without its language.
    public struct Name: Sendable, Hashable, Comparable {
        /// The localisation; nil for a table outside of the `.lproj` directories, or if one directory or file is
        /// compared.
        public let language: String?
        /// The name without extension; empty for a single file.
        public let table: String

        /// “fr.lproj/Localizable”.
        public var text: String { (language.map { $0 + ".lproj/" } ?? "") + table }

        /// By language and name.
        public static func < (a: Name, b: Name) -> Bool { a.text < b.text }
    }

    /// The tables.
    ///
    /// A `.strings` and a `.stringsdict` of the same name form one table, in which plural forms replace texts.
    public private(set) var tables: [Name: TableContent] = [:]
    /// The language of the whole set, if it is an `.lproj` directory or a file in one; otherwise nil.
    public let language: String?

    /// Reads tables.
    ///
    /// - Parameter path: a file, an `.lproj` directory, or a bundle or other directory that contains `.lproj`
    ///   directories.
    /// - Throws: a finding if a table cannot be read.
    public init(path: String) throws(LintFinding) {
        let path = Path.normalized(path) ?? path
        guard FileIdentity(path: path)?.isDirectory ?? false else {
            language = Self.language(of: Path.parent(path))
            tables[Name(language: nil, table: "")] = try TableContent(path: path, bytes: InputFile.bytes(path))
            return
        }
        language = Self.language(of: path)
        if language != nil {
            try read(path, language: nil)
            return
        }
        let folders = LocalizedFolders(at: path, development: nil)
        try read(folders.root, language: nil)
        for (language, folder) in folders.paths.sorted(by: { $0.key < $1.key }) {
            try read(folder, language: language)
        }
    }

    private static func language(of directory: String) -> String? {
        directory.hasSuffix(".lproj") ? String(Path.lastComponent(directory).dropLast(".lproj".count)) : nil
    }

    private mutating func read(_ directory: String, language: String?) throws(LintFinding) {
        // A .stringsdict replaces the texts of the .strings of the same name, which comes before it.
        for name in LocalizedFolders.tables(in: directory) {
            let path = Path.join(directory, name)
            let content = try TableContent(path: path, bytes: InputFile.bytes(path))
            let table = Name(language: language, table: Path.stem(name))
            var entries = tables[table]?.entries ?? []
            let new = Set(content.entries.map(\.key))
            entries.removeAll { new.contains($0.key) }
            tables[table] = TableContent(entries + content.entries)
        }
    }
}

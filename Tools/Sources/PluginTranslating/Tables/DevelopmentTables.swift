internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) internal import PluginLinting

/// The tables of the development language: the tables in its directory, and the texts of nibs that tables translate.
struct DevelopmentTables {
    struct Table {
        /// The name with its extension.
        let name: String
        /// The file; nil if the texts come only from a nib.
        let path: String?
        var content: TableContent
    }

    /// The tables, sorted by name.
    private(set) var tables: [Table] = []

    /// Reads the tables.
    ///
    /// A nib in `Base.lproj` or outside of the languages contains its texts. If the development language also has a
    /// table of its name, the table's texts take precedence.
    ///
    /// - Throws: a finding if a table or a nib cannot be read.
    init(in folders: LocalizedFolders) throws(LintFinding) {
        let folder = folders.path(folders.development)
        for name in LocalizedFolders.tables(in: folder) {
            let path = Path.join(folder, name)
            tables.append(
                Table(name: name, path: path, content: try TableContent(path: path, bytes: InputFile.bytes(path))))
        }
        for folder in [folders.paths["Base"], folders.root].compactMap(\.self) {
            for name in LocalizedFolders.nibs(in: folder) { try add(nib: Path.join(folder, name)) }
        }
        tables.sort { $0.name < $1.name }
    }

    /// The names of the tables that a language does not need, because it has its own nibs.
    static func complete(in folder: String) -> Set<String> {
        Set(LocalizedFolders.nibs(in: folder).map { BundledNib.name(ofFile: $0) + ".strings" })
    }

    /// Adds the texts of one variant of a nib.
    private mutating func add(nib path: String) throws(LintFinding) {
        let entries: [TableContent.Entry]
        do {
            entries = try NibTable(nib: path, classLists: []).entries
        } catch let finding as LintFinding {
            throw finding
        } catch let error as PluginError {
            throw LintFinding(error.findings[0], about: path)
        } catch {
            throw LintFinding(
                .error, .unreadable, filePath: path, message: "The nib cannot be read: \(error).",
                remedy: "Open it in its editor and save it again.")
        }
        guard !entries.isEmpty else { return }
        let stem = BundledNib.name(ofFile: Path.lastComponent(path))
        let plurals = tables.first { $0.name == stem + ".stringsdict" }?.content.byKey ?? [:]
        let name = stem + ".strings"
        let index = tables.firstIndex { $0.name == name } ?? tables.endIndex
        if index == tables.endIndex { tables.append(Table(name: name, path: nil, content: TableContent())) }
        let known = tables[index].content.byKey
        tables[index].content.entries += entries.filter { known[$0.key] == nil && plurals[$0.key] == nil }
    }
}

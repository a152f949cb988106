internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// The tables of a pseudo-language, made from those of the development language.
///
/// **Threads.** A value; may be used on any thread.
public struct PseudoTables: Sendable {
    /// A new file.
    public struct File: Sendable {
        /// The absolute path, or “-” for standard output.
        public let path: String
        /// The content.
        public let bytes: [UInt8]
    }

    /// The new files, sorted by name.
    public private(set) var files: [File] = []
    private let source: String

    /// Translates tables.
    ///
    /// Nothing is written.
    ///
    /// - Parameters:
    ///   - path: a table, an `.lproj` directory, or a bundle or other directory that contains some.
    ///   - pseudo: how to translate.
    ///   - output: the file or directory to write; nil for standard output if `path` is a table, otherwise for the
    ///     pseudo-language's directory beside the others.
    /// - Throws: a finding if a table cannot be read.
    public init(at path: String, _ pseudo: PseudoTranslation, output: String?) throws(LintFinding) {
        source = Path.normalized(path) ?? path
        guard FileIdentity(path: source)?.isDirectory ?? false else {
            files = [File(path: output ?? "-", bytes: try Self.translated(source, pseudo))]
            return
        }
        let folders = LocalizedFolders(at: source, development: nil)
        let target = output ?? Path.join(folders.root, pseudo.style.language + ".lproj")
        for table in try DevelopmentTables(in: folders).tables {
            let path = Path.join(target, table.name)
            files.append(File(path: path, bytes: try Self.translated(table.content, table.path ?? path, pseudo)))
        }
    }

    /// The finding that there are no tables.
    public var nothing: LintFinding {
        LintFinding(
            .error, .missingTable, filePath: source,
            message: "There are no strings tables of the development language in \(quoted(source)).",
            remedy: "Name a bundle, an .lproj directory or a table.")
    }

    private static func translated(_ path: String, _ pseudo: PseudoTranslation) throws(LintFinding) -> [UInt8] {
        try translated(try TableContent(path: path, bytes: InputFile.bytes(path)), path, pseudo)
    }

    private static func translated(
        _ content: TableContent, _ path: String, _ pseudo: PseudoTranslation
    ) throws(LintFinding) -> [UInt8] {
        let content = pseudo.translated(content)
        let isText = content.entries.allSatisfy { $0.value.string != nil } && !path.hasSuffix(".stringsdict")
        if isText { return TableEncoding.utf8.bytes(of: content.text.text) }
        do throws(ListFault) {
            return Array(try TableConversion.xml(content.list).utf8)
        } catch {
            throw LintFinding(
                .error, .notRepresentable, filePath: path, message: error.message, remedy: "Correct the entry.")
        }
    }

    /// Writes the files, each atomically.
    public func write() throws(LintFinding) {
        for file in files { try OutputFile.write(file.bytes, to: file.path) }
    }
}

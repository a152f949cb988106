internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting

/// The texts of a bundle for a translator, as an XLIFF 1.2 file.
///
/// The file has every text of the tables of the development language, except those with the mark `Flag: unmatched`. A
/// text's identifier is its key, and its note is the comment. A target has the state `translated`, or
/// `needs-translation` if the table has the mark `Flag: untranslated`. If the table has no entry, there is no target.
///
/// **Threads.** A value; may be used on any thread.
public struct TranslationExport: Sendable {
    /// The content of the file, in UTF-8.
    public let text: String
    /// The number of texts in the file.
    public let unitCount: Int
    /// The number of texts without a finished translation.
    public let unfinishedCount: Int

    /// Reads the tables.
    ///
    /// - Parameters:
    ///   - path: a bundle, or a directory that contains `.lproj` directories.
    ///   - language: the translator's language. Its directory need not exist.
    /// - Throws: a finding if a table cannot be read, if there is none, or if a text has a character that XML cannot
    ///   hold.
    public init(at path: String, language: String) throws(LintFinding) {
        let tables = try TranslatedTables(at: path, language: language)
        var document = TranslationDocument()
        for table in tables.tables {
            document.files.append(
                TranslationDocument.File(
                    original: tables.development + ".lproj/" + table.name, sourceLanguage: tables.sourceLanguage,
                    targetLanguage: language, units: table.units(language: language)))
        }
        let units = document.files.flatMap(\.units)
        unitCount = units.count
        unfinishedCount = units.count { $0.target == nil || $0.state != "translated" }
        do throws(ListFault) {
            text = try document.text()
        } catch {
            throw LintFinding(
                .error, .notRepresentable, filePath: tables.root, subject: error.path.first, message: error.message,
                remedy: "Remove the character from the text.")
        }
    }
}

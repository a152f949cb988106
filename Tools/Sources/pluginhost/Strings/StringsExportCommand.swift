import ArgumentParser
@_spi(Tools) import PluginLinting
import PluginTranslating

/// `pluginhost strings export`: writes the texts of a bundle for a translator.
struct StringsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the texts of a bundle for a translator, as XLIFF 1.2.",
        discussion: """
            The file has every text of the development language with its translation and its comment, also the plural forms \
            that the language needs. It goes to standard output, or to --output.
            """)

    @Argument(
        help: ArgumentHelp("A bundle, or a directory with .lproj directories.", valueName: "bundle"),
        completion: .directory)
    var bundle: String

    @Option(help: ArgumentHelp("The translator's language, such as de or pt-BR.", valueName: "language"))
    var language: String

    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write.", valueName: "path"), completion: .file())
    var output = "-"

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    func validate() throws {
        guard !json || output != "-" else { throw ValidationError("--json needs --output.") }
    }

    mutating func run() throws {
        let (bundle, language, output) = (bundle, language, output)
        let keys = ["output", "texts", "unfinished"]
        let export = try TranslatingReport.attempt("strings export", json: json, keys: keys) {
            () throws(LintFinding) in
            let export = try TranslationExport(at: bundle, language: language)
            if output == "-" {
                Terminal.write(bytes: Array(export.text.utf8))
            } else {
                try TranslatedFile.write(Array(export.text.utf8), to: output)
            }
            return export
        }
        guard json else { return }
        try TranslatingReport.write(
            "strings export",
            [
                "output": .string(output), "texts": .integer(export.unitCount),
                "unfinished": .integer(export.unfinishedCount),
            ], [])
    }
}

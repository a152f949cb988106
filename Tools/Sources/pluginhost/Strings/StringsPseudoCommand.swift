import ArgumentParser
@_spi(Tools) import PluginLinting
import PluginTranslating

/// `pluginhost strings pseudo`: makes a pseudo-language.
struct StringsPseudoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pseudo",
        abstract: "Makes a pseudo-language, which shows texts that are cut or not in a table.",
        discussion: """
            Writes each text of the development language with accents, brackets and a third more length, or with --rtl with \
            its words from right to left. Placeholders and plural rules are not changed. For a bundle, the tables go to the \
            directory en-XA.lproj, or ar-XB.lproj, of its resources; start the application with LANGUAGE=en-XA. For a table, \
            the result goes to standard output, or to --output.
            """)

    @Argument(
        help: ArgumentHelp("A bundle, an .lproj directory or a table.", valueName: "bundle-or-table"),
        completion: .file())
    var path: String

    @Flag(name: .customLong("rtl"), help: "Write the words from right to left instead.")
    var isRightToLeft = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The file or .lproj directory to write.", valueName: "path"), completion: .file())
    var output: String?

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    mutating func run() throws {
        let (path, output) = (path, output)
        let pseudo = PseudoTranslation(isRightToLeft ? .rightToLeft : .accented)
        let made = try TranslatingReport.attempt("strings pseudo", json: json, keys: ["files"]) {
            () throws(LintFinding) in
            try PseudoTables(at: path, pseudo, output: output)
        }
        guard let destination = made.files.first?.path else {
            return try TranslatingReport.attempt("strings pseudo", json: json, keys: ["files"]) {
                () throws(LintFinding) in throw made.nothing
            }
        }
        if destination == "-" {
            guard !json else { throw ValidationError("--json and the table cannot both be standard output.") }
            return Terminal.write(bytes: made.files[0].bytes)
        }
        try TranslatingReport.attempt("strings pseudo", json: json, keys: ["files"]) { () throws(LintFinding) in
            try made.write()
        }
        if json {
            try TranslatingReport.write("strings pseudo", ["files": JSONValue(made.files.map(\.path))], [])
        } else {
            var page = Page()
            for file in made.files {
                page.line((file.path.relativeToCurrentDirectory + ":", .bold), ("written", .green))
            }
            Terminal.write(page.text)
        }
    }
}

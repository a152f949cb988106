import ArgumentParser
import Glibc
@_spi(Tools) import PluginLinting
import PluginTranslating

/// `pluginhost strings convert`: writes a strings table in another form.
struct StringsConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a strings table in another form or encoding.",
        discussion: """
            Reads .strings in UTF-8 and UTF-16, XML, binary and old-style property lists, .stringsdict, JSON, and one language \
            of a string catalogue (.xcstrings). The name of the new file states its form, unless --to does: strings (UTF-8), \
            utf16, xml1, binary1, openstep, json or stringsdict.

            A string catalogue with plural forms becomes two tables: T.strings and, beside it, T.stringsdict, whichever of them \
            is named. On standard output only the named one is written.

            What the new form does not hold is not dropped in silence: comments have no place in a property list, and plural \
            forms none in a text. Then nothing is written and the status is 1, unless --lossy is given.
            """)

    @Argument(help: ArgumentHelp("The table.", valueName: "input"), completion: .file())
    var input: String

    @Argument(help: ArgumentHelp("The new file, or - for standard output.", valueName: "output"), completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp("The form of the new table.", valueName: "form"),
        completion: .list(TableContent.Form.allCases.map(\.rawValue)), transform: Self.form)
    var to: TableContent.Form?

    @Option(
        help: ArgumentHelp("The language of a string catalogue. By default its source language.", valueName: "language")
    )
    var language: String?

    @Flag(help: "Leave out what the new form does not hold.")
    var lossy = false

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    private static func form(_ name: String) throws -> TableContent.Form {
        guard let form = TableContent.Form(rawValue: name) else {
            let names = TableContent.Form.allCases.map(\.rawValue)
            throw ValidationError(
                "The form must be \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "").")
        }
        return form
    }

    func validate() throws {
        guard to != nil || TableContent.Form(path: output) != nil else {
            throw ValidationError("The name “\(output.escapedForTerminal)” states no form: state it with --to.")
        }
        guard !json || output != "-" else {
            throw ValidationError("--json and the table cannot both be standard output.")
        }
    }

    mutating func run() throws {
        let (input, output, language, lossy) = (input, output, language, lossy)
        let form = to ?? TableContent.Form(path: output) ?? .strings
        let keys = ["output", "written", "tables"]
        let made = try TranslatingReport.attempt("strings convert", json: json, keys: keys) {
            () throws(LintFinding) in
            let bytes = input == "-" ? StandardInputContent.read() : try TranslatedFile.bytes(input)
            let made = try Self.convert(bytes, input, to: form, output, language)
            guard made.losses.isEmpty || lossy else { return made }
            for table in made.tables {
                if table.path == "-" {
                    Terminal.write(bytes: table.bytes)
                } else {
                    try TranslatedFile.write(table.bytes, to: table.path)
                }
            }
            return made
        }
        // A loss that the user accepted is not an error.
        let losses = made.losses.map { loss in
            var loss = loss
            if lossy { (loss.severity, loss.remedy) = (.warning, "") }
            return loss
        }
        let isWritten = losses.isEmpty || lossy
        if json {
            try TranslatingReport.write(
                "strings convert",
                [
                    "output": .string(output), "written": .bool(isWritten),
                    "tables": JSONValue(isWritten ? made.tables.map(\.path) : []),
                ], losses)
        } else if !losses.isEmpty {
            TranslatingReport.write(losses, to: STDERR_FILENO)
        }
        try (isWritten ? ExitStatus.fine : .problems).finish()
    }

    private static func convert(
        _ bytes: [UInt8], _ input: String, to form: TableContent.Form, _ output: String, _ language: String?
    ) throws(LintFinding) -> (tables: [(path: String, bytes: [UInt8])], losses: [LintFinding]) {
        if output != "-", CatalogConversion.applies(to: input, form: form) {
            let conversion = try CatalogConversion(bytes, path: input, to: form, output: output, language: language)
            return (conversion.tables.map { ($0.path, $0.bytes) }, conversion.losses)
        }
        let conversion = try TableConversion(bytes, path: input, to: form, language: language)
        return ([(output, conversion.bytes)], conversion.losses)
    }
}

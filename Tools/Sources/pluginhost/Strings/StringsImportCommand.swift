import ArgumentParser
@_spi(Tools) import PluginLinting
import PluginTranslating

/// `pluginhost strings import`: brings a translator's file into the tables of a bundle.
struct StringsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Brings the translations of an XLIFF 1.2 file into the tables of a bundle.",
        discussion: """
            Only translations that differ are changed. One that needs a review, says the file, gets the comment \
            “Flag: needs-review”. If a text of the file does not fit the bundle, because its key is unknown, its source text is \
            another one, or its placeholders differ, nothing is written and the status is 1.

            The translations go into the localisation with the language of the file, in any spelling: zh-Hans.lproj for zh-CN, \
            nb.lproj for no. If there is none, it is made; if there are several, --into decides.
            """)

    @Argument(help: ArgumentHelp("The translator's file.", valueName: "file"), completion: .file())
    var file: String

    @Argument(
        help: ArgumentHelp("A bundle, or a directory with .lproj directories.", valueName: "bundle"),
        completion: .directory)
    var bundle: String

    @Option(
        help: ArgumentHelp("The .lproj directory for the translations, by its name.", valueName: "lproj"),
        completion: .directory)
    var into: String?

    @Flag(help: "Write no file; report what would be written.")
    var dryRun = false

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    mutating func run() throws {
        let (file, bundle, dryRun) = (file, bundle, dryRun)
        let directory = into.map { name in
            let name = name.hasSuffix("/") ? String(name.dropLast()) : name
            return name.hasSuffix(".lproj") ? String(name.dropLast(".lproj".count)) : name
        }
        let made = try TranslatingReport.attempt("strings import", json: json, keys: ["written", "tables"]) {
            () throws(LintFinding) in
            let made = try TranslationImport(file: file, into: bundle, directory: directory)
            if made.findings.isEmpty, !dryRun { try made.write() }
            return made
        }
        if json {
            let tables = made.tables.map { table in
                JSONValue.object([
                    "path": .string(table.path), "language": .string(table.language),
                    "changed": JSONValue(table.changed),
                ])
            }
            try TranslatingReport.write(
                "strings import",
                ["written": .bool(made.findings.isEmpty && !dryRun), "tables": .array(tables)],
                made.findings + made.warnings)
        } else {
            TranslatingReport.write(made.findings + made.warnings)
            var page = Page()
            for table in made.tables { page.write(table, isDryRun: dryRun) }
            if !made.findings.isEmpty { page.line(("nothing was written", .red)) }
            if made.findings.isEmpty, made.tables.isEmpty { page.line(("nothing differs", .green)) }
            Terminal.write(page.text)
        }
        try (made.findings.isEmpty ? ExitStatus.fine : .problems).finish()
    }
}

extension Page {
    fileprivate mutating func write(_ table: TranslationImport.Table, isDryRun: Bool) {
        let count = FindingReport.count(table.changed.count, "translation") ?? "no translations"
        line(
            (table.path.relativeToCurrentDirectory + ":", .bold), (isDryRun ? "would change" : "written", .green),
            ("(\(count))", .plain))
    }
}

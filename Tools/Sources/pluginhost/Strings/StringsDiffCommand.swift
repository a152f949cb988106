import ArgumentParser
@_spi(Tools) import PluginLinting
import PluginTranslating
import PropertyLists

/// `pluginhost strings diff`: compares strings tables.
struct StringsDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compares strings tables: entries that only one has, other texts, other placeholders.",
        discussion: """
            Compares two files of any form, two .lproj directories, or two bundles with all their languages. Between two \
            .lproj directories of different languages only the keys and the placeholders are compared.

            The status is 1 if there is a difference.
            """)

    @Argument(
        help: ArgumentHelp("A table, an .lproj directory or a bundle.", valueName: "first"), completion: .file())
    var first: String

    @Argument(help: ArgumentHelp("What to compare it with.", valueName: "second"), completion: .file())
    var second: String

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    mutating func run() throws {
        let (first, second) = (first, second)
        let differences = try TranslatingReport.attempt("strings diff", json: json, keys: ["differences"]) {
            () throws(LintFinding) in
            TableDifference.all(from: try TableSet(path: first), to: try TableSet(path: second))
        }
        if json {
            try TranslatingReport.write("strings diff", ["differences": .array(differences.map(Self.json))], [])
        } else {
            var page = Page()
            for difference in differences { page.write(difference) }
            let count = FindingReport.count(differences.count, "difference")
            page.line((count ?? "no differences", count == nil ? .green : .yellow))
            Terminal.write(page.text)
        }
        try (differences.isEmpty ? ExitStatus.fine : .problems).finish()
    }

    private static func json(_ difference: TableDifference) -> JSONValue {
        .object([
            "kind": .string(difference.kind.rawValue), "table": .string(difference.table),
            "key": JSONValue(difference.key), "first": JSONValue(difference.first),
            "second": JSONValue(difference.second),
        ])
    }
}

extension Page {
    /// “changed fr.lproj/Localizable “key””, and both texts.
    fileprivate mutating func write(_ difference: TableDifference) {
        let style: Page.Style = difference.kind == .placeholders ? .red : .yellow
        let key = difference.key.map { "“\($0.escapedForTerminal)”" } ?? "the whole table"
        line((difference.kind.rawValue + ":", style), (difference.table, .bold), (key, .plain))
        guard difference.kind == .changed || difference.kind == .placeholders else { return }
        for (sign, value) in [("-", difference.first), ("+", difference.second)] {
            let text = value?.string.map { "“\($0.escapedForTerminal)”" } ?? "plural forms"
            line((sign, .faint), (text, .plain), indent: 2)
        }
    }
}

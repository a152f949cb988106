import ArgumentParser
import Glibc
@_spi(Tools) import PluginLinting
import PluginTranslating

/// `pluginhost strings extract`: collects the keys of sources into strings tables.
struct ExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Collects the keys and comments of sources into strings tables.",
        discussion: """
            Reads Swift, C, C++ and Objective-C, and finds the calls of NSLocalizedString and its relatives, \
            localizedString, String(localized:), LocalizedStringResource and localized_string. New keys are added to the \
            tables of the development language with their comments, and to those of each other language with the mark \
            “Flag: untranslated”. Entries whose key no source mentions are kept, with the mark “Flag: unmatched”. Nothing that \
            translators wrote is changed, and a second run changes no byte.

            A key must be a literal. One with an interpolation is an error, with its place.
            """)

    @Argument(
        help: ArgumentHelp("Sources, or directories with sources.", valueName: "source"), completion: .file())
    var sources: [String]

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "A bundle, a directory with .lproj directories, or one .lproj directory. By default the current directory.",
            valueName: "directory"),
        completion: .directory)
    var output = "."

    @Option(
        name: [.customShort("s"), .customLong("function")],
        help: ArgumentHelp(
            "A function of your own with the arguments of NSLocalizedString: key, then comment. May be repeated.",
            valueName: "name"))
    var functions: [String] = []

    @Option(
        help: ArgumentHelp(
            "The development language. By default that of the bundle's Info.plist, else en.", valueName: "language"))
    var language: String?

    @Flag(name: .customLong("utf16"), help: "Write new tables in UTF-16. Existing tables keep their encoding.")
    var usesUTF16 = false

    @Flag(help: "Do not number the placeholders of new texts that have several (%1$@).")
    var noPositions = false

    @Flag(help: "Write no file; report what would be written.")
    var dryRun = false

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    func validate() throws {
        for name in functions where name.isEmpty || !name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) {
            throw ValidationError("“\(name.escapedForTerminal)” is not the name of a function.")
        }
    }

    mutating func run() throws {
        let extraction = KeyExtractor(names: functions).extract(from: sources)
        var findings = extraction.findings
        var update: TableUpdate?
        if !findings.contains(where: { $0.code == .unreadable }) {
            do throws(LintFinding) {
                var options = TableUpdate.Options()
                options.language = language
                options.encoding = usesUTF16 ? .utf16 : .utf8
                options.numbersPlaceholders = !noPositions
                let made = try TableUpdate(extraction, at: output, options: options)
                if !dryRun { try made.write() }
                update = made
            } catch {
                findings.append(error)
            }
        }
        try report(extraction, update, findings)
        let isUnable = update == nil
        let status: ExitStatus =
            isUnable ? .unable : findings.contains { $0.severity == .error } ? .problems : .fine
        try status.finish()
    }

    private func report(_ extraction: KeyExtraction, _ update: TableUpdate?, _ findings: [LintFinding]) throws {
        guard json else {
            var page = Page()
            for finding in findings { LintResult.write(finding, of: nil, to: &page) }
            for table in update?.tables ?? [] { page.write(table, isDryRun: dryRun) }
            if update == nil { page.line(("nothing was written", .red)) }
            // Findings about sources are a result of the command. If it can update nothing, that is an error.
            return Terminal.write(page.text, to: update == nil ? STDERR_FILENO : STDOUT_FILENO)
        }
        let document = JSONValue.document(
            command: "strings extract",
            [
                "sources": .integer(extraction.sourceCount), "written": .bool(update != nil && !dryRun),
                "keys": .array(extraction.tables.sorted { $0.key < $1.key }.flatMap(Self.keys)),
                "tables": .array((update?.tables ?? []).map(Self.table)),
                "findings": .array(findings.map(LintResult.json)),
            ])
        Terminal.write(try document.text())
    }

    private static func keys(_ table: String, _ keys: [ExtractedKey]) -> [JSONValue] {
        keys.map { key in
            .object([
                "table": .string(table), "key": .string(key.key), "value": JSONValue(key.value),
                "comments": JSONValue(key.comments),
                "places": .array(
                    key.places.map { place in
                        .object([
                            "file": .string(place.filePath), "line": .integer(place.place?.line ?? 0),
                            "column": .integer(place.place?.column ?? 0),
                        ])
                    }),
            ])
        }
    }

    private static func table(_ table: TableUpdate.Table) -> JSONValue {
        .object([
            "path": .string(table.path), "name": .string(table.name), "language": .string(table.language),
            "changed": .bool(table.isChanged), "added": JSONValue(table.added), "unused": JSONValue(table.unused),
            "usedAgain": JSONValue(table.usedAgain), "untranslated": .integer(table.untranslated),
        ])
    }
}

extension Page {
    /// “fr.lproj/Localizable.strings: 2 keys added, 1 key unused”.
    fileprivate mutating func write(_ table: TableUpdate.Table, isDryRun: Bool) {
        let facts = [
            FindingReport.count(table.added.count, "key").map { $0 + " added" },
            FindingReport.count(table.unused.count, "key").map { $0 + " no longer used" },
            FindingReport.count(table.usedAgain.count, "key").map { $0 + " used again" },
            table.untranslated == 0 ? nil : "\(table.untranslated) untranslated",
        ].compactMap(\.self)
        guard table.isChanged || !facts.isEmpty else { return }
        let state = table.isChanged ? isDryRun ? "would change" : "written" : "unchanged"
        line(
            (table.path.relativeToCurrentDirectory + ":", .bold), (state, table.isChanged ? .green : .faint),
            (facts.isEmpty ? "" : "(\(facts.joined(separator: ", ")))", .plain))
    }
}

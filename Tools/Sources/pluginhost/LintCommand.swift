import ArgumentParser
import Glibc
import PluginLinting

/// `pluginhost lint`: finds faults in property lists and strings tables.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Finds faults in property lists and strings tables, with line and column.",
        discussion: """
            The name of a file decides how it is read: .strings, .stringsdict, or a property list of any form. In a bundle, \
            or a folder with its Info.plist and Resources, every list and table is read, and the languages are compared: \
            missing translations, entries that only a translation has, placeholders that differ. --sources also reports keys \
            that no source mentions, and keys that sources use and no table has. No code of a bundle runs.

            A finding begins with “file:line:column: error:”, as in compilers, and shows the line.
            """)

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("Read files as plist, strings or stringsdict, whatever their names are.", valueName: "type"),
        completion: .list(["plist", "strings", "stringsdict"]), transform: Self.type)
    var type: BundleLinter.FileType?

    @Option(
        help: ArgumentHelp(
            "A directory or file with sources of the bundles' code; may be repeated.", valueName: "path"),
        completion: .file())
    var sources: [String] = []

    @Flag(help: "Count warnings as problems.")
    var strict = false

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(
        help: ArgumentHelp(
            "Files, bundles, folders of bundles, or - for standard input, which needs --type.", valueName: "path"),
        completion: .file())
    var paths: [String]

    private static func type(_ name: String) throws -> BundleLinter.FileType {
        guard let type = BundleLinter.FileType(rawValue: name) else {
            throw ValidationError("The type must be plist, strings or stringsdict.")
        }
        return type
    }

    func validate() throws {
        guard !paths.contains("-") || type != nil else {
            throw ValidationError(
                "Standard input has no name: state its type with --type as plist, strings or stringsdict.")
        }
    }

    mutating func run() throws {
        for source in sources where access(source, R_OK) != 0 {
            let reason = String(cString: strerror(errno))
            throw ValidationError("The sources \(source.escapedForTerminal) cannot be read: \(reason).")
        }
        let linter = BundleLinter(sources: sources)
        let results = paths.flatMap { LintResult.all(at: $0, type: type, linter: linter) }
        if json {
            Terminal.write(try document(results).text())
        } else {
            var page = Page()
            for result in results { result.write(to: &page) }
            page.lintSummary(results)
            Terminal.write(page.text)
        }
        try (results.map { $0.status(isStrict: strict) }.max() ?? .fine).finish()
    }

    private func document(_ results: [LintResult]) -> JSONValue {
        let strict = strict
        func objects(_ kind: LintResult.Kind) -> [JSONValue] {
            results.filter { $0.kind == kind }.map { $0.json(isStrict: strict) }
        }
        return JSONValue.document(
            command: "lint", bundles: objects(.bundle), ["files": .array(objects(.file)), "strict": .bool(strict)])
    }
}

extension Page {
    /// “3 errors, 2 warnings in 14 files”.
    fileprivate mutating func lintSummary(_ results: [LintResult]) {
        let counts = LintFinding.Severity.allCases.compactMap { severity in
            FindingReport.count(results.reduce(0) { $0 + $1.report.count(severity) }, severity.rawValue)
        }
        let files = FindingReport.count(results.reduce(0) { $0 + $1.report.files.count }, "file") ?? "no files"
        let found = counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
        let hasErrors = results.contains { $0.report.count(.error) > 0 || $0.isMissing }
        line((found, hasErrors ? .red : counts.isEmpty ? .green : .yellow), ("in \(files)", .plain))
    }
}

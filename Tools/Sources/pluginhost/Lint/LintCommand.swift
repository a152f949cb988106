import ArgumentParser
import Glibc
import HostBasics
@_spi(Tools) import PluginHost
import PluginLinting

/// `pluginhost lint`: finds faults in property lists, strings tables and nibs.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Finds faults in property lists, strings tables and nibs, with line and column.",
        discussion: """
            The name of a file decides how it is read: .strings, .stringsdict, .xib and .nib, or a property list of any form. In a bundle, \
            or a folder with its Info.plist and Resources, every list and table is read, and the languages are compared: \
            missing translations, entries that only a translation has, placeholders that differ. --sources also reports keys \
            that no source mentions, and keys that sources use and no table has. Nibs are checked against the classes that \
            NibClasses.plist declares among the resources of the bundle and of those that it requires. \
            “check” checks whether the bundle loads. No code of a bundle runs.

            A finding begins with “file:line:column: error:”, as in compilers, and shows the line.
            """)

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Read files as plist, strings, stringsdict or xib, whatever their names are.", valueName: "type"),
        completion: .list(["plist", "strings", "stringsdict", "xib"]), transform: Self.type)
    var type: BundleLinter.FileType?

    @Option(
        help: ArgumentHelp(
            "A directory or file with sources of the bundles' code; may be repeated.", valueName: "path"),
        completion: .file())
    var sources: [String] = []

    @Option(
        help: ArgumentHelp(
            "A list of the application's classes in the form of NibClasses.plist; may be repeated.", valueName: "file"),
        completion: .file())
    var classes: [String] = []

    @Option(
        help: ArgumentHelp(
            "A directory with bundles that the bundles require, if they are not beside them; may be repeated.",
            valueName: "directory"),
        completion: .directory)
    var plugins: [String] = []

    @OptionGroup var nibLimits: NibLimitArguments

    @Flag(help: "Count warnings as problems.")
    var strict = false

    @OptionGroup var form: FormatArguments

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(
        help: ArgumentHelp(
            "Files, bundles, folders of bundles, or - for standard input, which needs --type.", valueName: "path"),
        completion: .file())
    var paths: [String]

    private static func type(_ name: String) throws -> BundleLinter.FileType {
        guard let type = BundleLinter.FileType(rawValue: name) else {
            throw ValidationError("The type must be plist, strings, stringsdict or xib.")
        }
        return type
    }

    func validate() throws {
        try form.validate(isJSON: json)
        guard !paths.contains("-") || type != nil else {
            throw ValidationError(
                "Standard input has no name: state its type with --type as plist, strings, stringsdict or xib.")
        }
    }

    mutating func run() throws {
        for source in sources where access(source, R_OK) != 0 {
            let number = errno
            throw ValidationError(
                "The sources \(source.escapedForTerminal) cannot be read: \(ErrorNumber.advice(number))")
        }
        nibLimits.apply()
        let linter = BundleLinter(sources: sources, classLists: classes, plugins: plugins)
        let results = paths.flatMap { LintResult.all(at: $0, type: type, linter: linter) }
        switch form.form(isJSON: json) {
        case .json: Terminal.write(try document(results).text())
        case .text:
            var page = Page()
            for result in results { result.write(to: &page) }
            page.lintSummary(results)
            Terminal.write(page.text)
        case .junit: Terminal.write(JUnitReport(checks(results), command: "lint").text)
        case .sarif: Terminal.write(try SARIFReport(checks(results)).json.text())
        }
        try (results.map { $0.status(isStrict: strict) }.max() ?? .fine).finish()
    }

    private func checks(_ results: [LintResult]) -> [CheckReport] {
        results.map { CheckReport($0, isStrict: strict, hasSources: !sources.isEmpty) }
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

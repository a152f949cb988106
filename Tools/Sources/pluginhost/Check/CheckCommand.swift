import ArgumentParser
import Glibc
import HostBasics
@_spi(Tools) import PluginHost
import PluginLinting

/// `pluginhost check`: reports everything that is wrong with a bundle.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reports every problem that stops a bundle from loading, and how to fix it.",
        discussion: """
            Makes every check that a load makes, and further checks that explain a failed load, without running any code of a \
            bundle. Libraries of the application count as present only if --host names the application. “lint” checks \
            lists, tables and nibs line by line, and “load” shows what the code registers.

            WITH --level, THIS RUNS THE BUNDLES' CODE, with your rights, in processes of their own: “load” also loads each \
            bundle; “standard” checks its lists and tables as “lint” does, makes and releases objects, unloads the bundle and \
            loads it again; “strict” also reports what a careful author mends. It is no sandbox. What could not be checked is \
            a problem. “pluginhost explain” describes each finding.
            """)

    @Option(
        help: ArgumentHelp("The application's executable, whose libraries count as present.", valueName: "program"),
        completion: .file())
    var host: String?

    @Option(
        help: ArgumentHelp("How demanding the check is: load, standard or strict. Runs the code.", valueName: "level"))
    var level: Rule.Level?

    @Flag(help: "Count warnings as problems; with --level they always count.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "The longest time that the code of one bundle may take, from 0.1 to 86400.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var nibLimits: NibLimitArguments

    @OptionGroup var form: FormatArguments

    @OptionGroup var arguments: BundleArguments

    mutating func validate() throws {
        try LoadCommand.requireUsable(timeout: timeout)
        try form.validate(isJSON: arguments.json)
    }

    mutating func run() throws {
        nibLimits.apply()
        let program = try host.map { try Self.resolvedProgram($0) }
        let selected = arguments.select()
        var checks = BundleChecks(
            of: selected, level: level, isStrict: strict, program: program, limit: .seconds(timeout),
            options: nibLimits.arguments)
        let reports = selected.map { checks.check($0) }
        switch form.form(isJSON: arguments.json) {
        case .json:
            let document = JSONValue.document(
                command: "check", bundles: reports.map(\.json),
                ["host": JSONValue(program), "strict": .bool(strict), "level": JSONValue(level?.rawValue)])
            Terminal.write(try document.text())
        case .text: Terminal.write(page(reports, program: program).text)
        case .junit: Terminal.write(JUnitReport(reports, command: "check").text)
        case .sarif: Terminal.write(try SARIFReport(reports).json.text())
        }
        try (reports.map(\.status).max() ?? .fine).finish()
    }

    static func resolvedProgram(_ path: String, of option: String = " of --host") throws -> String {
        guard let resolved = realpath(path, nil) else {
            let number = errno
            let verb = number == ENOENT || number == ENOTDIR ? "found" : "used"
            throw ValidationError(
                "The program \(path.escapedForTerminal)\(option) cannot be \(verb): \(ErrorNumber.advice(number))")
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func page(_ reports: [CheckReport], program: String?) -> Page {
        var page = Page()
        for report in reports { report.write(to: &page) }
        let missing = PluginError.Code.dependencyMissing.rawValue
        if program == nil, reports.contains(where: { $0.findings.contains { $0.code.rawValue == missing } }) {
            page.gap()
            page.paragraph(
                "Libraries that the application brings are missing here: "
                    + "name its executable by --host to count them as present.")
        }
        // Findings that depend on the machine or the moment have no rule.
        if let finding = reports.lazy.flatMap(\.findings).first(where: { Rule.named($0.code.rawValue) != nil }) {
            page.gap()
            page.paragraph("“pluginhost explain \(finding.code)” describes the first finding.")
        }
        if reports.count > 1 {
            let bad = reports.count { $0.status != .fine }
            page.gap()
            page.line(
                (FindingReport.count(reports.count, "bundle") ?? "", .bold),
                bad == 0 ? ("checked, no problems found", .green) : ("checked, problems found in \(bad)", .red))
        }
        return page
    }
}

import ArgumentParser
import Glibc
import PluginHost

/// `pluginhost check`: reports everything that is wrong with a bundle.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reports every problem that stops a bundle from loading, and how to fix it.",
        discussion: """
            Makes every check that a load makes, and further checks that explain a failed load, without running any code of a \
            bundle. Libraries of the application count as present only if --host names the application.
            """)

    @Option(
        help: ArgumentHelp("The application's executable, whose libraries count as present.", valueName: "program"),
        completion: .file())
    var host: String?

    @Flag(help: "Count warnings as problems.")
    var strict = false

    @OptionGroup var arguments: BundleArguments

    mutating func run() throws {
        let program = try host.map { try Self.resolvedProgram($0) }
        let results = arguments.select().map { CheckResult($0, loadedBy: program, isStrict: strict) }
        if arguments.json {
            let document = JSONValue.document(
                command: "check", bundles: results.map(\.json),
                ["host": JSONValue(program), "strict": .bool(strict)])
            Terminal.write(try document.text())
        } else {
            Terminal.write(page(results, program: program).text)
        }
        try (results.map(\.status).max() ?? .fine).finish()
    }

    static func resolvedProgram(_ path: String, of option: String = " of --host") throws -> String {
        guard let resolved = realpath(path, nil) else {
            let number = errno
            let verb = number == ENOENT || number == ENOTDIR ? "found" : "used"
            let reason = String(cString: strerror(number))
            throw ValidationError("The program \(path.escapedForTerminal)\(option) cannot be \(verb): \(reason).")
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func page(_ results: [CheckResult], program: String?) -> Page {
        var page = Page()
        for result in results { result.write(to: &page) }
        let lacksLibraries = results.contains { $0.report.findings.contains { $0.code == .dependencyMissing } }
        if program == nil, lacksLibraries {
            page.gap()
            page.paragraph(
                "Libraries that the application brings are missing here: "
                    + "name its executable by --host to count them as present.")
        }
        if results.count > 1 {
            let bad = results.count { $0.status != .fine }
            page.gap()
            page.line(
                (FindingReport.count(results.count, "bundle") ?? "", .bold),
                bad == 0 ? ("checked, no problems found", .green) : ("checked, problems found in \(bad)", .red))
        }
        return page
    }
}

/// The result of checking one bundle.
private struct CheckResult {
    let path: String
    let identifier: String?
    let report: FindingReport
    let status: ExitStatus

    init(_ selected: SelectedBundle, loadedBy program: String?, isStrict: Bool) {
        switch selected {
        case .bundle(let bundle):
            path = bundle.bundlePath
            identifier = bundle.bundleIdentifier
            report = FindingReport(findings: bundle.findings(loadedBy: program), bundlePath: bundle.bundlePath)
            status = report.errors > 0 || isStrict && report.warnings > 0 ? .problems : .fine
        case .unopened(let error), .missing(let error):
            path = error.bundlePath
            identifier = nil
            report = FindingReport(findings: error.findings, bundlePath: error.bundlePath)
            status = if case .missing = selected { .unable } else { .problems }
        }
    }

    var json: JSONValue {
        .object([
            "path": .string(path), "identifier": JSONValue(identifier), "fine": .bool(status == .fine),
            "errors": .integer(report.errors), "warnings": .integer(report.warnings), "findings": report.json,
        ])
    }

    func write(to page: inout Page) {
        let style: Page.Style = status != .fine ? .red : report.warnings > 0 ? .yellow : .green
        page.line((path.relativeToCurrentDirectory + ":", .bold), (report.count ?? "fine", style))
        report.write(to: &page)
    }
}

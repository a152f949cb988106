import Glibc
import HostBasics
import PluginHost
import PluginLinting

/// What the linter found in one bundle or file.
struct LintResult {
    enum Kind {
        case bundle
        case file
    }

    let kind: Kind
    let identifier: String?
    let report: LintReport
    /// Whether nothing is at the path: wrong usage.
    private(set) var isMissing = false

    /// The meaning of a path: standard input, a file, a bundle, or a folder of bundles.
    static func all(at path: String, type: BundleLinter.FileType?, linter: BundleLinter) -> [LintResult] {
        if path == "-" {
            let bytes = StandardInputContent.read()
            return [file(linter.lint(bytes, as: type ?? .propertyList, named: "-"))]
        }
        let identity = FileIdentity(path: path)
        if identity == nil, case let number = errno, !ErrorNumber.saysAbsent(number) {
            let finding = PluginFinding(
                PluginError.Code(rawValue: LintFinding.Code.unreadable.rawValue), filePath: path,
                message: "The file \(quoted(path)) cannot be opened (\(describe(errno: number))).",
                remedy: ErrorNumber.remedy(number))
            var result = file(LintReport(unopened: PluginError(bundlePath: path, findings: [finding])))
            result.isMissing = true
            return [result]
        }
        guard identity?.isDirectory ?? false else {
            var result = file(linter.lint(file: path, as: type))
            result.isMissing = result.report.findings.contains { $0.code == .unreadable }
            return [result]
        }
        let selection = SelectedBundle.all(at: path, prefersSource: true)
        let bundles = selection.compactMap { selected in
            if case .bundle(let bundle) = selected { bundle } else { nil }
        }
        var reports = linter.lint(bundles)[...]
        return selection.map { selected in
            switch selected {
            case .bundle(let bundle):
                LintResult(kind: .bundle, identifier: bundle.bundleIdentifier, report: reports.removeFirst())
            case .unopened(let error), .missing(let error):
                LintResult(
                    kind: .bundle, identifier: nil, report: LintReport(unopened: error), isMissing: selected.isMissing)
            }
        }
    }

    private static func file(_ report: LintReport) -> LintResult {
        LintResult(kind: .file, identifier: nil, report: report)
    }

    func status(isStrict: Bool) -> ExitStatus {
        if isMissing { return .unable }
        let isBad = report.count(.error) > 0 || isStrict && report.count(.warning) > 0
        return isBad ? .problems : .fine
    }

    // MARK: JSON

    func json(isStrict: Bool) -> JSONValue {
        .object([
            "path": .string(report.path), "identifier": JSONValue(identifier),
            "fine": .bool(status(isStrict: isStrict) == .fine), "files": .integer(report.files.count),
            "errors": .integer(report.count(.error)), "warnings": .integer(report.count(.warning)),
            "notes": .integer(report.count(.note)), "findings": .array(report.findings.map(Self.json)),
        ])
    }

    static func json(_ finding: LintFinding) -> JSONValue {
        .object([
            "severity": .string(finding.severity.rawValue), "code": .string(finding.code.rawValue),
            "file": JSONValue(finding.filePath.isEmpty ? nil : finding.filePath),
            "line": JSONValue(finding.place?.line),
            "column": JSONValue(finding.place?.column), "byte": JSONValue(finding.place?.byte),
            "subject": JSONValue(finding.subject), "message": .string(finding.message),
            "remedy": .string(finding.remedy), "systemMessage": JSONValue(finding.systemMessage),
            "related": .array(
                finding.related.map { related in
                    .object([
                        "file": .string(related.filePath), "line": JSONValue(related.place?.line),
                        "column": JSONValue(related.place?.column), "message": .string(related.message),
                    ])
                }),
        ])
    }

    // MARK: Text

    func write(to page: inout Page) {
        for finding in report.findings { Self.write(finding, of: report.path, to: &page) }
    }

    /// `path`: the path of the bundle, which is removed from the beginning of the finding's paths; nil if there is
    /// none.
    static func write(_ finding: LintFinding, of path: String?, to page: inout Page) {
        page.line(
            (Self.location(finding.filePath, finding.place), .bold),
            ("\(finding.severity.rawValue):", Page.Style(finding.severity)),
            (path.map(finding.message.withoutPath) ?? finding.message, .plain), ("[\(finding.code.rawValue)]", .faint))
        if let excerpt = finding.place?.excerpt { page.excerpt(excerpt) }
        if let said = finding.systemMessage { page.paragraph("The system said: \(said)", indent: 2) }
        if !finding.remedy.isEmpty { page.paragraph("To do: \(finding.remedy)", indent: 2) }
        for related in finding.related {
            page.line(
                (Self.location(related.filePath, related.place), .bold), ("note:", .faint),
                (related.message, .plain))
            if let excerpt = related.place?.excerpt { page.excerpt(excerpt) }
        }
        page.gap()
    }

    private static func location(_ path: String, _ place: LintFinding.Place?) -> String {
        let file = path.relativeToCurrentDirectory
        if let line = place?.line { return "\(file):\(line):\(place?.column ?? 1):" }
        return place?.byte.map { "\(file): byte \($0):" } ?? "\(file):"
    }
}

extension SelectedBundle {
    fileprivate var isMissing: Bool { if case .missing = self { true } else { false } }
}

extension JSONValue {
    fileprivate init(_ number: Int?) { self = number.map(JSONValue.integer) ?? .null }
}

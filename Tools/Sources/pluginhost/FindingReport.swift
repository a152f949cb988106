import HostBasics
@_spi(Tools) import PluginHost
import PluginLinting

/// Findings as text and as JSON, the same for every command.
struct FindingReport {
    let findings: [PluginFinding]
    /// The bundle that all findings are about.
    ///
    /// Its files are shown relative to it. Nil if there is no such bundle.
    let bundlePath: String?

    var errors: Int { findings.count { $0.severity == .error } }
    var warnings: Int { findings.count { $0.severity == .warning } }

    var json: JSONValue {
        .array(
            findings.map { finding in
                .object([
                    "severity": .string(finding.severity.rawValue), "code": .string(finding.code.rawValue),
                    "file": JSONValue(finding.filePath),
                    "line": finding.place.map { .integer($0.line) } ?? .null,
                    "column": finding.place.map { .integer($0.column) } ?? .null, "subject": JSONValue(finding.subject),
                    "message": .string(finding.message), "remedy": .string(finding.remedy),
                    "systemMessage": JSONValue(finding.systemMessage),
                ])
            })
    }

    /// “2 errors, 1 warning”, or nil if there is nothing.
    var count: String? {
        let parts = [Self.count(errors, "error"), Self.count(warnings, "warning")].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    static func count(_ number: Int, _ noun: String) -> String? {
        number == 0 ? nil : counted(number, noun)
    }

    func write(to page: inout Page) {
        for finding in findings { page.finding(LintFinding(finding), of: bundlePath) }
    }
}

extension Page {
    /// A finding below the name of its bundle.
    mutating func finding(_ finding: LintFinding, of bundlePath: String?) {
        line(
            (finding.severity.rawValue, Style(finding.severity)), (finding.code.rawValue, .bold),
            (finding.subject ?? "", .plain), indent: 2)
        if !finding.filePath.isEmpty, finding.filePath != bundlePath {
            let place = finding.place?.line.map { ":\($0):\(finding.place?.column ?? 1)" } ?? ""
            let file = bundlePath.map(finding.filePath.relative(to:)) ?? finding.filePath
            paragraph("in \(file)\(place)", indent: 4, .faint)
        }
        // Without the bundle's path, which is shown above. The remedy has complete paths.
        paragraph(bundlePath.map(finding.message.withoutPath(of:)) ?? finding.message, indent: 4)
        if let said = finding.systemMessage, !finding.message.contains(said) {
            paragraph("The system said: \(said)", indent: 4)
        }
        if !finding.remedy.isEmpty { paragraph("To do: \(finding.remedy)", indent: 4) }
    }
}

extension Page.Style {
    init(_ severity: LintFinding.Severity) {
        self =
            switch severity {
            case .error: .red
            case .warning: .yellow
            case .note: .faint
            }
    }
}

extension String {
    /// The path from a directory if it is inside, else the complete path.
    func relative(to directory: String) -> String {
        Path.part(of: self, in: directory).map(String.init) ?? self
    }

    /// The text with the names of a directory's files relative to the directory.
    func withoutPath(of directory: String) -> String {
        split(separator: "“\(directory)/", omittingEmptySubsequences: false).joined(separator: "“")
    }

    /// The shortest path that is still clear: relative to the current directory if it is below that.
    var relativeToCurrentDirectory: String {
        Path.currentDirectory.map(relative(to:)) ?? self
    }
}

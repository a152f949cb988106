import Glibc
import PluginHost

/// Findings as text and as JSON, the same for every command.
struct FindingReport {
    let findings: [PluginFinding]
    /// Files in it are shown relative to it.
    let bundlePath: String

    var errors: Int { findings.count { $0.severity == .error } }
    var warnings: Int { findings.count { $0.severity == .warning } }

    var json: JSONValue {
        .array(
            findings.map { finding in
                .object([
                    "severity": .string(finding.severity.rawValue), "code": .string(finding.code.rawValue),
                    "file": JSONValue(finding.filePath), "subject": JSONValue(finding.subject),
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
        number == 0 ? nil : number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    func write(to page: inout Page) {
        for finding in findings {
            let style: Page.Style = finding.severity == .error ? .red : .yellow
            page.line(
                (finding.severity.rawValue, style), (finding.code.rawValue, .bold), (finding.subject ?? "", .plain),
                indent: 2)
            if let file = finding.filePath, file != bundlePath {
                page.paragraph("in \(file.relative(to: bundlePath))", indent: 4, .faint)
            }
            page.paragraph(shortened(finding.message), indent: 4)
            if let said = finding.systemMessage, !finding.message.contains(said) {
                page.paragraph("The system said: \(said)", indent: 4)
            }
            if !finding.remedy.isEmpty { page.paragraph("To do: \(finding.remedy)", indent: 4) }
        }
    }

    /// Shortens the names of the bundle's files: the bundle's path is shown above, and the remedy has complete paths.
    private func shortened(_ message: String) -> String {
        message.split(separator: "“\(bundlePath)/", omittingEmptySubsequences: false).joined(separator: "“")
    }
}

extension String {
    /// The path from a directory if it is inside, else the complete path.
    func relative(to directory: String) -> String {
        guard hasPrefix(directory + "/") else { return self }
        return String(dropFirst(directory.count + 1))
    }

    /// The shortest path that is still clear: relative to the current directory if it is below that.
    var relativeToCurrentDirectory: String {
        guard let directory = getcwd(nil, 0) else { return self }
        defer { free(directory) }
        return relative(to: String(cString: directory))
    }
}

import HostBasics
@_spi(Tools) import PluginHost
import PluginLinting

/// The reports of one invocation as the XML of JUnit, which build servers read: a suite for each bundle, a test for
/// each rule.
///
/// A rule that was not checked is a skipped test, but the exit status is still not 0. Findings without a rule are tests with the
/// names of their codes. A suite has at least one test, because build servers take an empty one for a mistake.
struct JUnitReport {
    private let reports: [CheckReport]
    private let command: String

    init(_ reports: [CheckReport], command: String) {
        self.reports = reports
        self.command = command
    }

    var text: String {
        let suites = reports.map(Suite.init)
        let (tests, failures) = suites.reduce((0, 0)) { ($0.0 + $1.tests, $0.1 + $1.failures) }
        let skipped = suites.reduce(0) { $0 + $1.skipped }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="pluginhost \(command)" tests="\(tests)" failures="\(failures)" errors="0" skipped="\(skipped)">
            \(suites.map(\.text).joined(separator: "\n"))
            </testsuites>

            """
    }

    /// The tests of one bundle.
    private struct Suite {
        private let report: CheckReport
        private(set) var failures = 0
        private(set) var lines: [String] = []

        var skipped: Int { report.notRun.reduce(0) { $0 + $1.rules.count } }
        var tests: Int { max(report.checked.count + report.others.count + skipped, 1) }

        init(_ report: CheckReport) {
            self.report = report
            for (id, findings) in report.checked.map({ ($0.rule.id, $0.findings) }) + report.others {
                if findings.isEmpty {
                    lines.append("    <testcase \(name(id))/>")
                    continue
                }
                let isFailure = findings.contains(where: report.counts)
                if isFailure { failures += 1 }
                lines.append("    <testcase \(name(id))>")
                let text = findings.map { Self.text($0).inXML }.joined(separator: "\n")
                lines.append(
                    isFailure
                        ? """
                              <failure type="\(findings[0].severity.rawValue)" message="\(findings[0].message.inXML)">\(text)</failure>
                        """
                        : "      <system-out>\(text)</system-out>")
                lines.append("    </testcase>")
            }
            for skipped in report.notRun {
                for rule in skipped.rules {
                    lines.append(
                        "    <testcase \(name(rule.id))><skipped message=\"\(skipped.reason.inXML)\"/></testcase>")
                }
            }
            if lines.isEmpty { lines.append("    <testcase \(name("everything"))/>") }
        }

        private func name(_ test: String) -> String {
            "classname=\"\((report.identifier ?? report.path).inXML)\" name=\"\(test.inXML)\""
        }

        private static func text(_ finding: LintFinding) -> String {
            var place = finding.filePath
            if let line = finding.place?.line { place += ":\(line):\(finding.place?.column ?? 1)" }
            return [place.isEmpty ? "" : place + ":", finding.message, finding.remedy].filter { !$0.isEmpty }
                .joined(separator: " ")
        }

        var text: String {
            """
              <testsuite name="\(report.path.inXML)" tests="\(tests)" failures="\(failures)" errors="0" skipped="\(skipped)">
            \(lines.joined(separator: "\n"))
              </testsuite>
            """
        }
    }
}

extension String {
    /// The text in XML, in one line.
    ///
    /// Line breaks and other characters that control a display are written out.
    fileprivate var inXML: String { escapedForDisplay.escapedForXML }
}

@_spi(Tools) import HostBasics
@_spi(PluginHost) @_spi(Tools) import PluginHost
import PluginLinting

/// The reports of one invocation in the Static Analysis Results Interchange Format 2.1.0 (OASIS standard, 2020), which
/// code hosts and editors read.
struct SARIFReport {
    private let reports: [CheckReport]
    /// The rules that should be checked, in the order of the table.
    private let rules: [Rule]
    private let indexes: [String: Int]
    private let directory: String

    init(_ reports: [CheckReport]) {
        self.reports = reports
        let used = Set(reports.flatMap { $0.checked.map(\.rule.id) + $0.notRun.flatMap(\.rules).map(\.id) })
        rules = Rule.all.filter { used.contains($0.id) }
        indexes = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1.id, $0) })
        directory = Path.currentDirectory ?? "/"
    }

    var json: JSONValue {
        let status = reports.map(\.status).max() ?? .fine
        let isComplete = reports.allSatisfy { $0.notRun.isEmpty && !$0.isMissing }
        return .object([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"), "version": .string("2.1.0"),
            "runs": .array([
                .object([
                    "tool": .object(["driver": driver]),
                    "invocations": .array([
                        .object([
                            "executionSuccessful": .bool(isComplete), "exitCode": .integer(Int(status.rawValue)),
                            "toolExecutionNotifications": .array(reports.flatMap(notifications)),
                        ])
                    ]),
                    "originalUriBaseIds": .object([Self.base: .object(["uri": .string(Self.uri(directory) + "/")])]),
                    "columnKind": .string("unicodeCodePoints"),
                    "results": .array(reports.flatMap { report in report.findings.map { result($0, report) } }),
                ])
            ]),
        ])
    }

    // MARK: Rules

    private var driver: JSONValue {
        .object([
            "name": .string("pluginhost"), "version": .string("\(PluginVersion.ofThisLibrary)"),
            "informationUri": .string(Rule.pages), "rules": .array(rules.map(descriptor)),
        ])
    }

    private func descriptor(_ rule: Rule) -> JSONValue {
        .object([
            "id": .string(rule.id), "shortDescription": Self.text(rule.what), "fullDescription": Self.text(rule.why),
            "help": .object([
                "text": .string("\(rule.what) \(rule.why) \(rule.mend)"), "markdown": .string(rule.markdown),
            ]),
            "helpUri": .string(rule.address),
            "defaultConfiguration": .object(["level": .string(rule.level == .load ? "error" : "warning")]),
            "properties": .object(["level": .string(rule.level.rawValue), "part": .string(rule.part.rawValue)]),
        ])
    }

    private static func text(_ text: String) -> JSONValue { .object(["text": .string(text)]) }

    // MARK: Results

    private func result(_ finding: LintFinding, _ report: CheckReport) -> JSONValue {
        var members: [String: JSONValue] = [
            "ruleId": .string(finding.code.rawValue), "level": .string(finding.severity.rawValue),
            "message": Self.text(finding.remedy.isEmpty ? finding.message : "\(finding.message) \(finding.remedy)"),
            "locations": .array(
                finding.filePath.isEmpty && !report.isPlace
                    ? [] : [location(finding.filePath.isEmpty ? report.path : finding.filePath, finding.place)]),
            "properties": .object([
                "bundle": .string(report.path), "subject": JSONValue(finding.subject),
                "systemMessage": JSONValue(finding.systemMessage),
            ]),
        ]
        if let index = indexes[finding.code.rawValue] { members["ruleIndex"] = .integer(index) }
        if !finding.related.isEmpty {
            members["relatedLocations"] = .array(
                finding.related.map { location($0.filePath, $0.place, message: $0.message) })
        }
        return .object(members)
    }

    private func location(_ path: String, _ place: LintFinding.Place?, message: String? = nil) -> JSONValue {
        var physical: [String: JSONValue] = ["artifactLocation": artifact(path)]
        if let line = place?.line {
            var region: [String: JSONValue] = ["startLine": .integer(line)]
            if let column = place?.column { region["startColumn"] = .integer(column) }
            physical["region"] = .object(region)
        } else if let byte = place?.byte {
            physical["region"] = .object(["byteOffset": .integer(byte), "byteLength": .integer(0)])
        }
        var members: [String: JSONValue] = ["physicalLocation": .object(physical)]
        if let message { members["message"] = Self.text(message) }
        return .object(members)
    }

    /// Paths of files below the current directory are relative to it, so that a code host finds the files in the
    /// sources.
    private static let base = "SRCROOT"

    private func artifact(_ path: String) -> JSONValue {
        let relative = path.relative(to: directory)
        guard relative != path else { return .object(["uri": .string(Self.uri(path))]) }
        return .object(["uri": .string(Self.escaped(relative)), "uriBaseId": .string(Self.base)])
    }

    private static func uri(_ path: String) -> String { "file://" + escaped(path) }

    /// A path escaped as a part of a URI (RFC 3986).
    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
    }

    // MARK: What was not checked

    private func notifications(_ report: CheckReport) -> [JSONValue] {
        report.notRun.flatMap { skipped in
            skipped.rules.map { rule in
                var descriptor: [String: JSONValue] = ["id": .string(rule.id)]
                if let index = indexes[rule.id] { descriptor["index"] = .integer(index) }
                return .object([
                    "level": .string("error"), "associatedRule": .object(descriptor),
                    "message": Self.text("The rule was not checked. \(skipped.reason)"),
                    "locations": .array([location(report.path, nil)]),
                ])
            }
        }
    }
}

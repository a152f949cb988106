import PluginHost
@_spi(Tools) import PluginLinting

/// The result of checking one bundle.
struct CheckReport {
    /// Rules that could not be checked, with the reason.
    ///
    /// They never count as passed.
    struct NotRun {
        let rules: [Rule]
        let reason: String
        /// Whether the tool could not do its work; otherwise the bundle is the cause.
        var isUnable = false
    }

    let path: String
    let identifier: String?
    /// The level; nil for a check that runs no code, which reports errors and warnings of every level.
    let level: Rule.Level?
    /// Whether warnings count as problems without a level.
    let isStrict: Bool
    /// Whether nothing exists at the path: wrong usage.
    var isMissing = false
    /// Whether the path is one; otherwise it is the name of something that `doctor` checks on the machine.
    var isPlace = true
    /// The findings of the level and the levels before it.
    private(set) var findings: [LintFinding] = []
    /// What ``findings`` has, for a list of any length.
    private var known: Set<LintFinding.Problem> = []
    private(set) var notRun: [NotRun] = []
    /// The parts that were checked; those with nothing to check are left out.
    var parts: Set<Rule.Part> = []
    /// Single rules that were checked.
    var codes: Set<String> = []

    init(path: String, identifier: String?, level: Rule.Level?, isStrict: Bool) {
        self.path = path
        self.identifier = identifier
        self.level = level
        self.isStrict = isStrict
    }

    /// Creates a report from a linter's result, including notes.
    init(_ result: LintResult, isStrict: Bool, hasSources: Bool) {
        self.init(path: result.report.path, identifier: result.identifier, level: nil, isStrict: isStrict)
        isMissing = result.isMissing
        findings = result.report.findings
        known = Set(findings.map(\.problem))
        parts = result.kind == .file ? [.lists] : [.lists, .languages, .settings]
        if result.kind != .file, hasSources { parts.insert(.sources) }
    }

    /// Adds findings, except those that the report already has or that belong to a later level.
    mutating func add(_ new: [LintFinding]) {
        for finding in new where isReported(finding) && known.insert(finding.problem).inserted {
            findings.append(finding)
        }
    }

    mutating func add(_ new: [PluginFinding]) { add(new.map { LintFinding($0) }) }

    func has(_ code: PluginError.Code) -> Bool { findings.contains { $0.code.rawValue == code.rawValue } }

    /// Records that rules could not be checked, except rules that already have a finding.
    mutating func skip(_ skipped: [Rule], because reason: String, isUnable: Bool = false) {
        let found = Set(findings.map(\.code.rawValue) + notRun.flatMap(\.rules).map(\.id))
        let rules = skipped.filter { isIncluded($0) && !found.contains($0.id) }
        if !rules.isEmpty { notRun.append(NotRun(rules: rules, reason: reason, isUnable: isUnable)) }
    }

    mutating func skip(_ part: Rule.Part, because reason: String, isUnable: Bool = false) {
        skip(Rule.all.filter { $0.part == part }, because: reason, isUnable: isUnable)
    }

    private func isIncluded(_ rule: Rule) -> Bool { level.map { rule.level <= $0 } ?? true }

    private func isReported(_ finding: LintFinding) -> Bool {
        level.map { finding.level <= $0 } ?? (finding.severity != .note)
    }

    func count(_ severity: LintFinding.Severity) -> Int { findings.count { $0.severity == severity } }

    /// The rules that were checked, each with its findings.
    var checked: [(rule: Rule, findings: [LintFinding])] {
        let skipped = Set(notRun.flatMap(\.rules).map(\.id))
        let found = Dictionary(grouping: findings, by: \.code.rawValue)
        return Rule.all.filter { rule in
            if found[rule.id] != nil || codes.contains(rule.id) { return true }
            return parts.contains(rule.part) && isIncluded(rule) && !skipped.contains(rule.id)
        }.map { ($0, found[$0.id] ?? []) }
    }

    /// The findings without a rule, by code: they depend on the machine or on the moment.
    var others: [(code: String, findings: [LintFinding])] {
        let others = findings.filter { Rule.named($0.code.rawValue) == nil }
        return Dictionary(grouping: others, by: \.code.rawValue).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether a finding makes the exit status 1.
    func counts(_ finding: LintFinding) -> Bool {
        switch finding.severity {
        case .error: true
        case .warning: level != nil || isStrict
        case .note: false
        }
    }

    var status: ExitStatus {
        if isMissing || notRun.contains(where: \.isUnable) { return .unable }
        return findings.contains(where: counts) || !notRun.isEmpty ? .problems : .fine
    }

    // MARK: Showing it

    var json: JSONValue {
        .object([
            "path": .string(path), "identifier": JSONValue(identifier), "fine": .bool(status == .fine),
            "errors": .integer(count(.error)), "warnings": .integer(count(.warning)), "notes": .integer(count(.note)),
            "findings": .array(findings.map(LintResult.json)),
            "notRun": .array(
                notRun.flatMap { skipped in
                    skipped.rules.map {
                        .object(["rule": .string($0.id), "reason": .string(skipped.reason)])
                    }
                }),
        ])
    }

    func write(to page: inout Page) {
        let isBad = status != .fine
        let counts = LintFinding.Severity.allCases.compactMap { FindingReport.count(count($0), $0.rawValue) }
        let skipped = notRun.reduce(0) { $0 + $1.rules.count }
        let parts = counts + [FindingReport.count(skipped, "rule").map { "\($0) not checked" }].compactMap(\.self)
        page.line(
            (path.relativeToCurrentDirectory + ":", .bold),
            (
                parts.isEmpty ? "fine" : parts.joined(separator: ", "),
                isBad ? .red : count(.warning) > 0 ? .yellow : .green
            ))
        for finding in findings { page.finding(finding, of: path) }
        for skipped in notRun {
            page.line(
                ("not checked", .red), (skipped.rules.map(\.id).joined(separator: ", "), .bold), indent: 2)
            page.paragraph(skipped.reason, indent: 4)
        }
    }
}

import ELFImages
import HostBasics
@_spi(Tools) import PluginHost

/// What happens to the installed plug-ins with the next version of their application.
///
/// Everything that a load checks is checked twice, for the application as it is and for the next one. No code runs.
struct NextProgram {
    /// What a plug-in is with one version of the application.
    struct Outcome {
        /// Why it cannot be used: the errors of its check, or why another was chosen; nil if it works.
        let refusal: [PluginFinding]?
        /// The bundle.
        let path: String

        var works: Bool { refusal == nil }
        var word: String { works ? "works" : "refused" }
    }

    /// A plug-in with both versions.
    struct Change {
        let identifier: String
        let before: Outcome
        let after: Outcome

        var isChange: Bool { before.works != after.works }

        var report: FindingReport {
            FindingReport(findings: (after.refusal ?? before.refusal) ?? [], bundlePath: after.path)
        }
    }

    let program: String
    let version: String
    /// All plug-ins, by identifier.
    private let plugins: [Change]
    /// The plug-ins that work with one of the versions alone.
    var changes: [Change] { plugins.filter(\.isChange) }
    /// How many plug-ins work, and how many are refused, with both versions.
    var unchanged: (works: Int, refused: Int) {
        let same = plugins.filter { !$0.isChange }
        let works = same.count(where: \.after.works)
        return (works, same.count - works)
    }

    /// - Parameters:
    ///   - program: the next version's executable.
    ///   - version: its version; nil for that of today.
    ///   - points: the versions of its extension points, which no file states.
    ///   - search: where the plug-ins are, and the application of today.
    init(_ program: String, version: String?, points: [String: UInt32], _ search: PluginSearch) {
        self.program = program
        let today = search.recorded?.version ?? ""
        self.version = version ?? today
        HostEnvironment.current.version = today
        let catalog = search.catalog()
        let before = Self.outcomes(catalog, search.program, [:])
        // Of what differs between the two, a catalogue only asks for the version.
        HostEnvironment.current.version = self.version
        let after = Self.outcomes(self.version == today ? catalog : search.catalog(), program, points)
        // Both versions have the same bundles, so a bundle that is in one alone was installed meanwhile.
        plugins = before.keys.sorted().compactMap { identifier in
            guard let old = before[identifier], let new = after[identifier] else { return nil }
            return Change(identifier: identifier, before: old, after: new)
        }
    }

    private static func outcomes(
        _ catalog: PluginCatalog, _ program: String?, _ points: [String: UInt32]
    ) -> [String: Outcome] {
        let program = program.map { InspectedProgram(path: $0) }
        var outcomes: [String: Outcome] = [:]
        for plugin in catalog.plugins {
            let errors = findings(of: plugin, program, points).filter { $0.severity == .error }
            outcomes[plugin.identifier] = Outcome(refusal: errors.isEmpty ? nil : errors, path: plugin.bundlePath)
        }
        for candidate in catalog.candidates where outcomes[candidate.identifier] == nil {
            var findings = candidate.findings
            if !findings.contains(where: { $0.severity == .error }) {
                findings.append(
                    PluginFinding(
                        .bundleNotUsed, filePath: candidate.path, subject: candidate.identifier,
                        message: candidate.explanation,
                        remedy: "“pluginhost why \(candidate.identifier)” shows how the bundle was chosen."))
            }
            outcomes[candidate.identifier] = Outcome(refusal: findings, path: candidate.bundlePath)
        }
        return outcomes
    }

    private static func findings(
        of plugin: PluginDescription, _ program: InspectedProgram?, _ points: [String: UInt32]
    ) -> [PluginFinding] {
        do {
            let bundle = try plugin.candidate.open()
            let others = bundle.manifest.extensions.compactMap { item -> PluginFinding? in
                guard let point = item.extensionPoint, let version = points[point], version != item.version else {
                    return nil
                }
                return PluginFinding(
                    .interfaceMismatch, filePath: bundle.manifestPath, subject: point,
                    message: "\(quoted(item.name)) is for version \(item.version) of \(quoted(point)), and the next "
                        + "application has version \(version), so it would not be used.",
                    remedy: "Build the plug-in against the API of the next application.")
            }
            return others + bundle.findings(loadedBy: program)
        } catch {
            return (error as? PluginError)?.findings ?? []
        }
    }

    var status: ExitStatus { changes.contains { !$0.after.works } ? .problems : .fine }

    /// A report for each plug-in, for other programs.
    ///
    /// A plug-in that is refused today has warnings, because the next version changes nothing for it.
    var reports: [CheckReport] {
        plugins.map { plugin in
            var report = CheckReport(
                path: plugin.after.path, identifier: plugin.identifier, level: nil, isStrict: false)
            report.add(
                (plugin.after.refusal ?? []).map { finding in
                    var finding = finding
                    if !plugin.isChange { finding.severity = .warning }
                    return finding
                })
            return report
        }
    }

    var json: JSONValue {
        .object([
            "program": .string(program), "version": .string(version),
            "unchanged": .object(["works": .integer(unchanged.works), "refused": .integer(unchanged.refused)]),
            "changes": .array(
                changes.map { change in
                    .object([
                        "identifier": .string(change.identifier), "path": .string(change.after.path),
                        "before": .string(change.before.word), "after": .string(change.after.word),
                        "findings": change.report.json,
                    ])
                }),
        ])
    }

    func write(to page: inout Page) {
        for change in changes {
            page.line(
                ("\(change.after.path.relativeToCurrentDirectory) (\(change.identifier)):", .bold),
                ("\(change.before.word) → \(change.after.word)", change.after.works ? .green : .red))
            change.report.write(to: &page)
        }
        let refused = changes.count { !$0.after.works }
        let mended = changes.count - refused
        let count = FindingReport.count(refused, "plug-in").map { "\($0) would be refused" }
        let again = FindingReport.count(mended, "plug-in").map { "\($0) would work again" }
        let found = [count, again].compactMap(\.self).joined(separator: ", ")
        if !changes.isEmpty { page.gap() }
        let sentence = found.isEmpty ? "No plug-in changes." : "With the next application, \(found)."
        page.line((sentence, refused > 0 ? .red : .green))
        page.paragraph("Unchanged: \(unchanged.works) work, \(unchanged.refused) are refused before and after.")
    }
}

import CChildProcess
import ELFImages
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginLinting

/// The checks of one invocation.
///
/// Without a level, no code of a bundle runs. With one, each bundle is loaded in a separate process. From `standard`
/// on, its code is also used, in another process. So code that harms its process cannot harm the tool, and using the
/// code cannot change the result of the load.
struct BundleChecks {
    let level: Rule.Level?
    let isStrict: Bool
    /// The application's executable.
    private let program: InspectedProgram?
    private var loads: BundleLoads?
    private let limit: Duration

    // `options`: further arguments of the processes that load the bundles.
    init(
        of selected: [SelectedBundle], level: Rule.Level?, isStrict: Bool, program: String?, limit: Duration,
        options: [String] = []
    ) {
        self.level = level
        self.isStrict = isStrict
        self.program = program.map { InspectedProgram(path: $0) }
        self.limit = limit
        loads = level.map { _ in
            BundleLoads(
                of: selected, limit: limit, isStrict: false,
                libraries: ApplicationLibraries(of: program), options: options)
        }
    }

    mutating func check(_ selected: SelectedBundle) -> CheckReport {
        switch selected {
        case .bundle(let bundle): return check(bundle)
        case .unopened(let error), .missing(let error):
            var report = CheckReport(path: error.bundlePath, identifier: nil, level: level, isStrict: isStrict)
            report.add(error.findings)
            if case .missing = selected { report.isMissing = true }
            return report
        }
    }

    private mutating func check(_ bundle: PluginBundle) -> CheckReport {
        var report = CheckReport(
            path: bundle.bundlePath, identifier: bundle.bundleIdentifier, level: level, isStrict: isStrict)
        report.parts = [.bundle]
        let found = bundle.findings(
            loadedBy: program, reportsUnrecorded: program != nil && level ?? .load > .load)
        let lists = lint(bundle)
        let placed = Dictionary(lists.map { ($0.problem, $0) }, uniquingKeysWith: { first, _ in first })
        report.add(found.map { LintFinding($0) }.map { placed[$0.problem] ?? $0 })
        if level ?? .load > .load {
            report.add([bundle.declarationFinding].compactMap(\.self))
            report.add(lists)
            report.parts.formUnion([.lists, .languages, .settings])
        } else {
            report.add(BundleLinter().nibErrors(of: bundle))
        }
        report.parts.insert(.nibs)
        checkCode(of: bundle, cannotLoad: found.contains { $0.severity == .error }, &report)
        return report
    }

    /// The findings about Info.plist, with their places.
    ///
    /// From `standard` on, also those about all lists and languages.
    private func lint(_ bundle: PluginBundle) -> [LintFinding] {
        if level ?? .load > .load { return BundleLinter().lint(bundle).findings }
        return BundleLinter().lint(file: bundle.manifestPath, as: .propertyList).findings
    }

    // MARK: The code

    private mutating func checkCode(of bundle: PluginBundle, cannotLoad: Bool, _ report: inout CheckReport) {
        if bundle.manifestError != nil {
            report.skip(.executable, because: "Info.plist cannot be read, so the executable is not known.")
        } else if bundle.hasCode {
            report.parts.insert(.executable)
            if report.has(.executableMissing) || report.has(.executableOutsideBundle) {
                report.skip(.executable, because: "There is no executable to inspect.")
            } else if report.has(.notLoadable) {
                report.skip(.executable, because: "The executable cannot be inspected any further.")
            }
        } else if !cannotLoad {
            return  // only resources
        }
        guard let level else { return }
        if cannotLoad {
            let reason = "The code was not loaded, because the bundle has errors that stop the load."
            report.skip(.load, because: reason)
            report.skip(.use, because: reason)
            return
        }
        guard let outcome = loads?.load(.bundle(bundle)) else { return }
        if outcome.isUnable {
            let reason = outcome.report.findings.first?.message ?? "The tool cannot start a process."
            report.skip(.load, because: reason, isUnable: true)
            report.skip(.use, because: reason, isUnable: true)
            return
        }
        report.parts.insert(.load)
        report.add(
            outcome.report.findings.map { finding in
                var finding = LintFinding(finding)
                // The application may have the class, as it does when lint finds the same.
                if finding.code.rawValue == PluginError.Code.nibClassMissing.rawValue, finding.severity == .warning {
                    finding.severity = .note
                }
                return finding
            })
        if outcome.state == .failed { report.skip(.load, because: "The load failed before.") }
        if level == .load { return }
        if outcome.state == .failed || outcome.report.errors > 0 {
            report.skip(.use, because: "The code was not used, because the load failed.")
        } else {
            use(bundle, after: outcome, &report)
        }
    }

    /// A slow machine may explain one slow entry, but not three.
    private static let mostTries = 3

    private mutating func use(_ bundle: PluginBundle, after load: LoadOutcome, _ report: inout CheckReport) {
        var tries = 0
        while let outcome = loads?.use(bundle, comparesState: level == .strict) {
            tries += 1
            if outcome.entryMilliseconds > UseOutcome.longestEntry, tries < Self.mostTries { continue }
            if outcome.load.isUnable {
                let reason = outcome.load.report.findings.first?.message ?? "The tool cannot start a process."
                return report.skip(.use, because: reason, isUnable: true)
            }
            report.parts.insert(.use)
            report.add(outcome.load.report.findings)
            for (reason, rules) in Dictionary(grouping: outcome.notRun, by: \.value).sorted(by: { $0.key < $1.key }) {
                report.skip(rules.map(\.key).sorted().compactMap(Rule.named), because: reason)
            }
            if !outcome.hasFinished {
                report.skip(.use, because: "The code ended its process before the tool had used all of it.")
            } else {
                report.add(findings(outcome, load, bundle))
            }
            return
        }
    }

    private func findings(_ outcome: UseOutcome, _ load: LoadOutcome, _ bundle: PluginBundle) -> [PluginFinding] {
        var findings: [PluginFinding] = []
        if outcome.load.registrations != load.registrations {
            let (first, second) = (load.registrations, outcome.load.registrations)
            let other = second.first { !first.contains($0) } ?? first.first { !second.contains($0) }
            findings.append(
                PluginFinding(
                    .warning, .registrationsVary, filePath: bundle.executablePath, subject: other?.name,
                    message: """
                        The plug-in registered \(FindingReport.count(first.count, "item") ?? "nothing") in one process and \(second.count) in another. They differ\(other.map { ": only one of them has “\($0.name)”" } ?? "").
                        """,
                    remedy: "Register the same items in every process."))
        }
        if outcome.entryMilliseconds > UseOutcome.longestEntry {
            findings.append(
                PluginFinding(
                    .warning, .slowEntry, filePath: bundle.executablePath, subject: "plugin_entry",
                    message: """
                        plugin_entry took \(outcome.entryMilliseconds) ms, and no less than \(UseOutcome.longestEntry) ms in \
                        \(Self.mostTries) processes.
                        """,
                    remedy: "Only register in plugin_entry; prepare everything else when the first object is made."))
        }
        return findings
    }
}

extension PluginBundle {
    /// Whether Info.plist or the bundle's directories lead to an executable.
    fileprivate var hasCode: Bool { manifest.executable != nil || executablePath != nil }
}

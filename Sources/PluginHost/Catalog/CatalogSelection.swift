import DependencyResolution
import HostBasics

/// Gives each candidate its verdict: which candidate of each identifier is used, and why the others are not.
///
/// First it excludes candidates that are not bundles, that have an unusable Info.plist, or that this host cannot use.
/// From the rest, ``resolve(_:pinned:limit:unread:)`` chooses one bundle for each identifier so that all requirements
/// are met: the highest usable version; if versions are equal, the one in the earliest search path; then the first by
/// name.
struct CatalogSelection {
    struct Candidate {
        let bundle: ScannedBundle
        let folder: Int
        /// The folder with its links resolved.
        let realPath: String

        /// The directory with its links resolved.
        var path: String { bundle.record.linkedPath ?? Path.join(realPath, bundle.name) }
        /// Where Info.plist is, or is expected.
        var listPath: String { Path.join(path, bundle.record.listPath ?? PluginRecord.usualListPath) }
    }

    private(set) var verdicts: [VerdictCode]
    /// For each candidate, the one that is used instead.
    private(set) var others: [Int?]
    /// The findings that explain the verdicts, in addition to those in the records.
    private(set) var findings: [[PluginFinding]]
    /// The candidates in use; each comes after those that it requires.
    private(set) var loadOrder: [Int] = []

    private let candidates: [Candidate]

    /// Judges candidates and selects the ones to use.
    ///
    /// `candidates`: all of them, by search path, then by name. `problems`: why search paths could not be read.
    init(_ candidates: [Candidate], problems: [PluginFinding] = [], rules: CatalogRules) {
        self.candidates = candidates
        verdicts = Array(repeating: .usable, count: candidates.count)
        others = Array(repeating: nil, count: candidates.count)
        findings = Array(repeating: [], count: candidates.count)
        findAliases()
        for number in candidates.indices where verdicts[number] == .usable { judge(number, rules) }
        choose(rules, unread: problems.first(where: \.isProvisional) ?? firstUnread)
    }

    /// A bundle that the system did not let us read, so that its identifier is unknown.
    private var firstUnread: PluginFinding? {
        candidates.firstNonNil { $0.bundle.record.findings.first(where: \.isProvisional) }
    }

    /// Makes a directory with several names one candidate, under the first of these names.
    private mutating func findAliases() {
        guard candidates.contains(where: { $0.bundle.record.linkedPath != nil }) else { return }
        var first: [String: Int] = [:]
        // The directory itself takes precedence over links to it.
        for number in candidates.indices where candidates[number].bundle.record.linkedPath == nil {
            first[candidates[number].path] = number
        }
        for number in candidates.indices {
            guard let other = first[candidates[number].path] else {
                first[candidates[number].path] = number
                continue
            }
            if other != number {
                verdicts[number] = .alias
                others[number] = other
            }
        }
    }

    private mutating func judge(_ number: Int, _ rules: CatalogRules) {
        let bundle = candidates[number].bundle
        if bundle.record.isNoBundle {
            verdicts[number] = .noBundle
            return
        }
        if !bundle.record.findings.isEmpty {
            verdicts[number] = .malformed
            return
        }
        if rules.disables(bundle.record.identifier) {
            verdicts[number] = .disabled
            findings[number] = [
                rules.disabledFinding(bundle.record.identifier, list: candidates[number].listPath)
            ]
            return
        }
        if let (verdict, finding) = rules.refusal(of: bundle.record.identifier, at: candidates[number].path) {
            verdicts[number] = verdict
            findings[number] = [finding]
            return
        }
        guard bundle.hasRequirements else { return }
        findings[number] = rules.findings(bundle.record, list: candidates[number].listPath)
        if !findings[number].isEmpty { verdicts[number] = .incompatible }
    }

    private mutating func choose(_ rules: CatalogRules, unread: PluginFinding?) {
        let eligible = candidates.indices.filter { verdicts[$0] == .usable }
        let resolution = resolve(eligible.map(resolutionCandidate), unread: unread?.filePath)
        loadOrder = resolution.chosen
        for (number, replacement) in resolution.passedOver { giveWay(number, replacement) }
        for (number, failure) in resolution.failures {
            verdicts[number] = .unresolved
            var finding = failure.finding(filePath: candidates[number].listPath, unless: unread?.refusal)
            if let required = finding.subject, rules.disables(required) {
                finding.message += " The user has disabled \(quoted(required))."
                finding.remedy = CatalogRules.enabling(required)
            }
            findings[number] = [finding]
        }
    }

    private mutating func giveWay(_ number: Int, _ replacement: Resolution.Replacement) {
        others[number] = replacement.replacement
        switch replacement.rule {
        case .higherVersion, .loaded: verdicts[number] = .otherVersion
        case .earlierRank:
            let isBeside = replacement.replacement.map { candidates[$0].folder } == candidates[number].folder
            verdicts[number] = isBeside ? .duplicate : .laterFolder
        case .requirements(let sentence):
            verdicts[number] = .otherRequired
            findings[number] = [
                PluginFinding(
                    .warning, .requirementUnmet, filePath: candidates[number].listPath,
                    subject: candidates[number].bundle.record.identifier, message: sentence,
                    remedy: "Update the plug-ins that require the lower version.")
            ]
        }
    }

    private func requirements(_ requires: [String: VersionRange]) -> [(identifier: String, range: VersionRange)] {
        requires.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func resolutionCandidate(_ number: Int) -> ResolutionCandidate {
        let bundle = candidates[number].bundle
        return ResolutionCandidate(
            number: number, identifier: bundle.record.identifier, version: bundle.version,
            requires: bundle.record.requires.isEmpty ? [] : requirements(bundle.record.requires),
            rank: number)
    }
}

extension PluginRecord {
    /// The version that requirements refer to, and that is compared if two bundles have the same identifier.
    var pluginVersion: PluginVersion { PluginVersion(short: shortVersion, build: version) }
}

extension ResolutionFailure {
    /// `errno`: why a file that may be the missing plug-in could not be read.
    fileprivate func finding(filePath: String, unless errno: CInt?) -> PluginFinding {
        let finding = PluginFinding(code, filePath: filePath, subject: subject, message: sentence, remedy: remedy)
        guard let errno else { return finding }
        switch reason {
        case .missing, .otherVersions: break
        case .otherVersionLoaded, .circle, .conflict, .undecided: return finding
        }
        var refused = finding.refused(by: errno)
        if !ErrorNumber.isPassing(errno) { refused.remedy += " Otherwise: " + remedy }
        return refused
    }

    fileprivate var code: PluginError.Code {
        if case .circle = reason { .dependencyCycle } else { .requirementUnmet }
    }

    /// The identifier concerned.
    fileprivate var subject: String? {
        switch reason {
        case .missing(let identifier), .otherVersions(let identifier, _, _), .otherVersionLoaded(let identifier, _):
            identifier
        case .circle(let identifiers): identifiers.first
        case .conflict(let identifiers): identifiers.min()
        case .undecided: nil
        }
    }
}

/// Gives each candidate its verdict: which of those with one identifier is used, and what keeps the others from it.
///
/// In this order: what is no bundle, what has an Info.plist that cannot be used, and what this host cannot use, is out.
/// Of what is left, ``resolve(_:pinned:limit:)`` chooses one bundle for each identifier, so that what each requires is there: the
/// highest version that can be used; of equal versions that in the earliest search path; of those, the first by name.
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
    /// The candidate that is used in place of each.
    private(set) var others: [Int?]
    /// What explains the verdicts beside the records.
    private(set) var findings: [[PluginFinding]]
    /// The candidates in use, what is required before what requires it.
    private(set) var loadOrder: [Int] = []

    private let candidates: [Candidate]

    /// `candidates`: all of them, by search path, by name. `problems`: what kept search paths from being read.
    init(_ candidates: [Candidate], problems: [PluginFinding] = [], rules: CatalogRules) {
        self.candidates = candidates
        verdicts = Array(repeating: .usable, count: candidates.count)
        others = Array(repeating: nil, count: candidates.count)
        findings = Array(repeating: [], count: candidates.count)
        findAliases()
        for number in candidates.indices where verdicts[number] == .usable { judge(number, rules) }
        choose(rules, unread: problems.first(where: \.isProvisional) ?? firstUnread)
    }

    /// What the system refused to let be read: nobody knows which plug-in that is.
    private var firstUnread: PluginFinding? {
        candidates.lazy.compactMap { $0.bundle.record.findings.first(where: \.isProvisional) }.first
    }

    /// One directory that is reached by several names is one candidate, under the first of them.
    private mutating func findAliases() {
        guard candidates.contains(where: { $0.bundle.record.linkedPath != nil }) else { return }
        var first: [String: Int] = [:]
        // The directory itself goes before links to it.
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
        if !rules.disabled.isEmpty, rules.disabled.contains(bundle.record.identifier) {
            verdicts[number] = .disabled
            findings[number] = [
                rules.disabledFinding(bundle.record.identifier, list: candidates[number].listPath)
            ]
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
            if let required = finding.subject, rules.disabled.contains(required) {
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
                    remedy: "Update what requires the lower version.")
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
    /// The version that others require, and that is compared where two bundles have one identifier.
    var pluginVersion: PluginVersion { PluginVersion(short: shortVersion, build: version) }
}

extension ResolutionFailure {
    /// `errno`: why something could not be read that may be what is missing.
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

    /// The identifier that is concerned.
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

import DependencyResolution
@_spi(Tools) package import HostBasics
import PropertyLists

/// Gives each candidate its verdict: which candidate of each identifier is used, and why the others are not.
///
/// First it excludes candidates that are not bundles, that have an unusable Info.plist, or that this host cannot use.
/// From the rest, ``resolve(_:pinned:limit:unread:refused:)`` chooses one bundle for each identifier so that all requirements
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

    /// Which identifiers in use take the place of older ones.
    private(set) var replacing: [String: Replacements.Newer] = [:]

    private let candidates: [Candidate]
    /// The claims of all bundles, by their identifiers, whether they have an effect or not.
    private var claims: [String: Set<String>] = [:]

    /// Judges candidates and selects the ones to use.
    ///
    /// `candidates`: all of them, by search path, then by name. `problems`: why search paths could not be read.
    init(_ candidates: [Candidate], problems: [PluginFinding] = [], rules: CatalogRules) {
        self.candidates = candidates
        verdicts = Array(repeating: .usable, count: candidates.count)
        others = Array(repeating: nil, count: candidates.count)
        findings = Array(repeating: [], count: candidates.count)
        findAliases()
        collectClaims()
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
        let former = claims.isEmpty ? [] : formerIdentifiers(of: bundle.record.identifier)
        if let identifier = rules.disabledIdentifier(of: bundle.record.identifier, formerly: former) {
            verdicts[number] = .disabled
            findings[number] = [
                rules.disabledFinding(
                    bundle.record.identifier, as: identifier, list: candidates[number].listPath)
            ]
            return
        }
        if let finding = rules.waitingFinding(bundle.record, former, list: candidates[number].listPath) {
            verdicts[number] = .disabled
            findings[number] = [finding]
            return
        }
        for identifier in [bundle.record.identifier] + former {
            let refusal = rules.refusal(
                of: identifier, at: candidates[number].path, isFormer: identifier != bundle.record.identifier)
            guard let (verdict, finding) = refusal else { continue }
            verdicts[number] = verdict
            findings[number] = [finding]
            return
        }
        guard bundle.hasRequirements else { return }
        findings[number] = rules.findings(bundle.record, list: candidates[number].listPath)
        if !findings[number].isEmpty { verdicts[number] = .incompatible }
    }

    private mutating func choose(_ rules: CatalogRules, unread: PluginFinding?) {
        var eligible = candidates.indices.filter { verdicts[$0] == .usable }
        let faults = findReplacements(among: eligible)
        let refused = refusedCandidates()
        var resolution: Resolution
        while true {
            let kept = replacing.isEmpty ? eligible : eligible.filter { newer(than: $0) == nil }
            resolution = resolve(
                kept.map(resolutionCandidate), unread: unread?.filePath, refused: Set(refused.keys))
            // Without the losers, other versions may be chosen, with conflicts of their own. Each round leaves one out.
            if let losers = losers(among: resolution.chosen) {
                for (number, other) in losers {
                    verdicts[number] = .unresolved
                    findings[number] = [conflictFinding(number, other, rules.application)]
                }
                eligible.removeAll { losers[$0] != nil }
                continue
            }
            // What is not used itself replaces nothing. Each round has fewer replacements.
            if dropReplacements(without: resolution.chosen) { continue }
            break
        }
        loadOrder = resolution.chosen
        placeOptional()
        placeReplaced(eligible)
        noteFaults(faults)
        for (number, replacement) in resolution.passedOver { giveWay(number, replacement) }
        for (number, failure) in resolution.failures {
            verdicts[number] = .unresolved
            var finding = failure.finding(filePath: candidates[number].listPath, unless: unread?.refusal)
            if let required = finding.subject, let cause = refused[required].flatMap({ findings[$0].first }) {
                finding.message += " \(cause.message)"
                finding.remedy = cause.remedy
            } else if let required = finding.subject, rules.disables(required) {
                finding.message += " The user has disabled \(quoted(required))."
                finding.remedy = rules.enabling(required)
            }
            findings[number] = [finding]
        }
    }

    /// The plug-ins of which a bundle is installed, but none may be used: by identifier, the first bundle.
    private func refusedCandidates() -> [String: Int] {
        var refused: [String: Int] = [:]
        for number in candidates.indices.reversed() {
            switch verdicts[number] {
            case .disabled, .quarantined, .leftOut, .incompatible:
                refused[candidates[number].bundle.record.identifier] = number
            default: break
            }
        }
        for number in candidates.indices where verdicts[number] == .usable && !refused.isEmpty {
            refused[candidates[number].bundle.record.identifier] = nil
        }
        return refused
    }

    // MARK: Replacements

    private mutating func collectClaims() {
        for number in candidates.indices where verdicts[number] == .usable {
            let record = candidates[number].bundle.record
            if record.isNoBundle || record.replaces.isEmpty || !record.findings.isEmpty { continue }
            claims[record.identifier, default: []].formUnion(record.replaces)
        }
    }

    /// Every identifier that one claims to replace, over at most as many steps as have an effect.
    ///
    /// What is forbidden to an older identifier is forbidden to this one too, even if the claim has no effect.
    private func formerIdentifiers(of identifier: String) -> [String] {
        var found: Set<String> = []
        var last: Set = [identifier]
        for _ in 0..<Replacements.mostSteps where !last.isEmpty {
            last = Set(last.flatMap { claims[$0] ?? [] }).subtracting(found)
            found.formUnion(last)
        }
        found.remove(identifier)
        return found.sorted()
    }

    /// Decides which claims of bundles that can be used have an effect.
    private mutating func findReplacements(among eligible: [Int]) -> [String: Replacements.Fault] {
        if claims.isEmpty { return [:] }
        var claims: [String: Set<String>] = [:]
        for number in eligible where !candidates[number].bundle.record.replaces.isEmpty {
            let record = candidates[number].bundle.record
            claims[record.identifier, default: []].formUnion(record.replaces)
        }
        let replacements = Replacements(claims)
        replacing = replacements.newer
        return replacements.faults
    }

    private func newer(than number: Int) -> Replacements.Newer? {
        replacing[candidates[number].bundle.record.identifier]
    }

    /// Drops the replacements whose newer plug-in is not among those chosen, in a version that makes the claim.
    ///
    /// - Returns: whether there were any.
    private mutating func dropReplacements(without chosen: [Int]) -> Bool {
        if replacing.isEmpty { return false }
        let byIdentifier = numbers(of: chosen)
        let before = replacing.count
        // One bundle may claim tens of thousands.
        var claims: [Int: Set<String>] = [:]
        replacing = replacing.filter { _, newer in
            guard let number = byIdentifier[newer.identifier] else { return false }
            let own = claims[number] ?? Set(candidates[number].bundle.record.replaces)
            claims[number] = own
            return own.contains(newer.claim)
        }
        return replacing.count < before
    }

    private mutating func placeReplaced(_ eligible: [Int]) {
        if replacing.isEmpty { return }
        let byIdentifier = numbers(of: loadOrder)
        for number in eligible {
            guard let newer = newer(than: number), let other = byIdentifier[newer.identifier] else { continue }
            verdicts[number] = .replaced
            others[number] = other
        }
    }

    /// Reports claims without an effect, beside the bundles that make them.
    private mutating func noteFaults(_ faults: [String: Replacements.Fault]) {
        if faults.isEmpty { return }
        for number in candidates.indices where verdicts[number] == .usable {
            let record = candidates[number].bundle.record
            let path = candidates[number].listPath
            findings[number] += PluginFinding.listed(on: record.replaces, in: path) { old in
                faults[old].map { fault in
                    PluginFinding(
                        .warning, .replacementAmbiguous, filePath: path, subject: old,
                        message:
                            "It replaces \(quoted(old)), but this has no effect: \(fault.reason(record.identifier)).",
                        remedy: "Remove PHReplaces from all but one of them, or uninstall the others.")
                }
            }
        }
    }

    /// The identifier that takes the place of another, or that one.
    private func inUse(_ identifier: String) -> String { replacing[identifier]?.identifier ?? identifier }

    // MARK: Conflicts and optional requirements

    /// The chosen candidates that must not be used because of a conflict, each with the one that is used; nil if there
    /// is no conflict.
    private func losers(among chosen: [Int]) -> [Int: Int]? {
        let declaring = chosen.filter { !candidates[$0].bundle.record.conflicts.isEmpty }
        if declaring.isEmpty { return nil }
        let byIdentifier = numbers(of: chosen)
        var conflicts: [Int: [Int]] = [:]
        for number in declaring {
            let others = fitting(candidates[number].bundle.record.conflicts, byIdentifier).filter { $0 != number }
            if !others.isEmpty { conflicts[number] = others }
        }
        let losers = losersOfConflicts(conflicts)
        return losers.isEmpty ? nil : losers
    }

    /// The chosen candidates by their identifiers.
    private func numbers(of chosen: [Int]) -> [String: Int] {
        Dictionary(
            chosen.map { (candidates[$0].bundle.record.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The chosen candidates that are in ranges by identifier.
    private func fitting(_ ranges: [String: VersionRange], _ chosen: [String: Int]) -> [Int] {
        ranges.sorted { $0.key < $1.key }.compactMap { identifier, range in
            guard let number = chosen[inUse(identifier)], range.contains(candidates[number].bundle.version) else {
                return nil
            }
            return number
        }
    }

    private func conflictFinding(_ number: Int, _ other: Int, _ application: String?) -> PluginFinding {
        let record = candidates[other].bundle.record
        let version = (record.shortVersion ?? record.version).map { " " + $0 } ?? ""
        return PluginFinding(
            .requirementUnmet, filePath: candidates[number].listPath, subject: record.identifier,
            message: "It conflicts with \(quoted(record.identifier))\(version), which is used.",
            remedy: "Decide for one of the two, and disable the other: pluginhost disable \(record.identifier) "
                + "--application \(application ?? "NAME")")
    }

    /// Puts each plug-in after those that it requires optionally, unless this leads into a circle.
    private mutating func placeOptional() {
        guard loadOrder.contains(where: { !candidates[$0].bundle.record.optionalRequires.isEmpty }) else { return }
        let members = loadOrder.sorted {
            candidates[$0].bundle.record.identifier < candidates[$1].bundle.record.identifier
        }
        let byIdentifier = numbers(of: members)
        let places = Dictionary(uniqueKeysWithValues: zip(members, members.indices))
        func targets(_ ranges: KeyPath<PluginRecord, [String: VersionRange]>) -> [[Int]] {
            members.map { fitting(candidates[$0].bundle.record[keyPath: ranges], byIdentifier).map { places[$0]! } }
        }
        loadOrder = loadingOrder(required: targets(\.requires), optional: targets(\.optionalRequires)).map {
            members[$0]
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
        requires.sorted { $0.key < $1.key }.map { (inUse($0.key), $0.value) }
    }

    private func resolutionCandidate(_ number: Int) -> ResolutionCandidate {
        let bundle = candidates[number].bundle
        var requires = bundle.record.requires.isEmpty ? [] : requirements(bundle.record.requires)
        // A plug-in that replaces another has what it required of that one.
        if !replacing.isEmpty {
            requires.removeAll {
                $0.identifier == bundle.record.identifier && bundle.record.requires[$0.identifier] == nil
            }
        }
        return ResolutionCandidate(
            number: number, identifier: bundle.record.identifier, version: bundle.version, requires: requires,
            rank: number)
    }
}

extension PluginRecord {
    /// The version that requirements refer to, and that is compared if two bundles have the same identifier.
    package var pluginVersion: PluginVersion { PluginVersion(short: shortVersion, build: version) }
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

extension Replacements.Fault {
    /// The end of a sentence about a claim.
    fileprivate func reason(_ claimant: String) -> String {
        switch self {
        case .claimedBy(let all):
            let others = all.filter { $0 != claimant }
            let names = shownList(others.lazy.map { quoted($0) }, atMost: ReadingBudget.mostFindings)
            return "\(names) \(others.count > 1 ? "claim" : "claims") it, too"
        case .circle: return "the replacements lead in a circle"
        case .tooManySteps: return "the replacements lead over more than \(Replacements.mostSteps) identifiers"
        }
    }
}

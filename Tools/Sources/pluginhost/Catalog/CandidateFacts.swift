@_spi(Tools) import PluginHost

/// What is known about one candidate of a catalogue, without running any of its code.
struct CandidateFacts {
    let candidate: PluginCandidate
    /// The bundle; nil if the candidate is not a bundle.
    private let bundle: PluginBundle?
    /// Why the bundle of a usable candidate cannot be read now, although the catalogue read it.
    let lateFindings: FindingReport?
    /// Warnings about a bundle in use that may surprise its author.
    let advice: FindingReport

    private let sources: PlacementSources?

    // `points`: the extension points that the catalogue knows; nil if no advice is wanted. `sources`: the lists of the
    // application; nil if nobody asks for its isolation.
    init(_ candidate: PluginCandidate, _ points: KnownPoints? = nil, _ sources: PlacementSources? = nil) {
        self.candidate = candidate
        self.sources = sources
        var error: PluginError?
        do {
            bundle = try candidate.open()
            error = bundle?.manifestError
        } catch let failure {
            bundle = nil
            error = failure as? PluginError
        }
        lateFindings =
            candidate.findings.isEmpty
            ? error.map { FindingReport(findings: $0.findings, bundlePath: candidate.bundlePath) } : nil
        var advice: [PluginFinding] = []
        if let points, let bundle, candidate.verdict == .usable, error == nil { advice = Self.advice(bundle, points) }
        self.advice = FindingReport(findings: advice, bundlePath: candidate.bundlePath)
    }

    private static func advice(_ bundle: PluginBundle, _ points: KnownPoints) -> [PluginFinding] {
        [bundle.declarationFinding].compactMap(\.self)
            + points.findings(about: bundle.manifest, list: bundle.manifestPath)
    }

    var manifest: Manifest? { bundle?.manifest }

    /// Where its code runs, and the permissions that it asks for; nil if it is not a bundle.
    var isolation: IsolationFacts? {
        guard let bundle, let sources else { return nil }
        return IsolationFacts(bundle, sources)
    }

    /// The display name in the user's language.
    var displayName: String? { bundle?.displayName }

    /// What the bundle does, in one sentence; empty if it does not say so.
    var description: String { bundle.map { MetadataFacts($0).description } ?? "" }

    /// “bars, lines”, in the order in which the application lists them.
    var offers: String {
        (manifest?.extensions ?? []).enumerated().sorted {
            ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
        }
        .map(\.element.name).joined(separator: ", ")
    }

    /// The members of a JSON object; every command that describes candidates has them.
    var members: [String: JSONValue] {
        [
            "path": .string(candidate.path),
            "bundlePath": .string(candidate.bundlePath),
            "searchPath": .string(candidate.searchPath),
            "identifier": .string(candidate.identifier),
            "version": JSONValue(candidate.version),
            "displayName": JSONValue(displayName),
            "metadata": bundle.map { MetadataFacts($0).json } ?? .null,
            "verdict": .string(candidate.verdict.name),
            "rule": JSONValue(candidate.verdict.rule),
            "usedInstead": JSONValue(candidate.verdict.usedInstead),
            "explanation": .string(candidate.explanation),
            "factories": .array((manifest?.extensions ?? []).map { JSONValue($0) }),
            "documentTypes": .array((manifest?.documentTypes ?? []).map { JSONValue($0) }),
            "extensionPoints": .array((manifest?.extensionPoints ?? []).map { JSONValue($0) }),
            "requires": .object((manifest?.requires ?? [:]).mapValues { .string($0.description) }),
            "optionalRequires": .object((manifest?.optionalRequires ?? [:]).mapValues { .string($0.description) }),
            "conflicts": .object((manifest?.conflicts ?? [:]).mapValues { .string($0.description) }),
            "replaces": JSONValue(manifest?.replaces ?? []),
            "enabledByDefault": .bool(manifest?.isEnabledByDefault ?? true),
            "hostRequires": JSONValue(manifest?.hostRequires?.description),
            "capabilities": JSONValue(manifest?.capabilities ?? []),
            "uses": .object((manifest?.uses ?? [:]).mapValues { .integer(Int($0)) }),
            "findings":
                (lateFindings
                ?? FindingReport(findings: candidate.findings + advice.findings, bundlePath: candidate.bundlePath))
                .json,
        ].merging(IsolationFacts.members(isolation)) { $1 }
    }
}

extension JSONValue {
    init(_ declaration: Manifest.Extension) {
        self = .object([
            "name": .string(declaration.name), "extensionPoint": JSONValue(declaration.extensionPoint),
            "version": .integer(Int(declaration.version)), "displayName": JSONValue(declaration.displayName),
            "order": .integer(declaration.order),
        ])
    }

    init(_ point: Manifest.Point) {
        self = .object([
            "name": .string(point.name), "version": .integer(Int(point.version)),
            "displayName": JSONValue(point.displayName),
        ])
    }
}

extension PluginVerdict {
    /// The name in JSON.
    var name: String {
        switch self {
        case .usable: "usable"
        case .shadowed: "shadowed"
        case .duplicate: "duplicate"
        case .incompatible: "incompatible"
        case .unresolved: "unresolved"
        case .malformed: "malformed"
        case .notABundle: "notABundle"
        case .disabled: "disabled"
        case .quarantined: "quarantined"
        }
    }

    /// The name for people.
    var words: String { self == .notABundle ? "no bundle" : name }

    /// The rule that selected another bundle.
    var rule: String? {
        switch self {
        case .shadowed(_, let rule): rule.rawValue
        case .duplicate: "earlierName"
        default: nil
        }
    }

    /// The bundle that is used instead.
    var usedInstead: String? {
        switch self {
        case .shadowed(let other, _), .duplicate(let other): other
        default: nil
        }
    }

    /// Whether something is wrong with the candidate.
    ///
    /// A candidate that gives way to another bundle is not a problem.
    var isProblem: Bool {
        switch self {
        case .usable, .shadowed, .duplicate, .disabled: false
        case .incompatible, .unresolved, .malformed, .notABundle, .quarantined: true
        }
    }

    var style: Page.Style {
        switch self {
        case .usable: .green
        case .shadowed, .duplicate, .disabled: .yellow
        default: .red
        }
    }
}

extension PluginCandidate {
    /// The explanation, and for a bundle that only its place hides, how it is used after all.
    ///
    /// An old copy in the user's directory hides what was just built or installed elsewhere.
    var explanationWithNextStep: String {
        guard case .shadowed(_, .earlierSearchPath) = verdict else { return explanation }
        return explanation + " To use this one, remove the other, or give this one a higher version."
    }
}

import HostBasics
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// Everything that is known about one identifier.
struct WhyReport {
    let explanation: PluginExplanation
    let candidates: [CandidateFacts]
    /// The complete check of the bundle in use.
    let check: FindingReport
    let needs: [Need]
    /// What is loaded before it if it can be used.
    let optional: [Need]
    let uses: [Use]
    /// The older identifiers that it replaces, and whether it has taken over what belonged to them.
    let replacements: [PluginReplacement]
    /// The changes to the catalogue if the bundle in use did not exist.
    let absence: CatalogChange?
    /// The decisions about the plug-in.
    let decided: DecidedFacts
    /// What is known about the application from its last start; nil if nothing is.
    let application: RecordedApplication?
    /// Whether the code of the bundle in use can be loaded, according to the check.
    ///
    /// Nil if no bundle is in use, or if the answer depends on libraries that an unknown application may bring.
    let isLoadable: Bool?
    /// The probe results that applications keep, if they demand a probe before the first use.
    let probes: [PluginCatalog.KeptProbe]
    /// The settings of the bundle in use; nil if it has none.
    let settings: SettingsFacts?
    /// The name of the application; nil if only folders are known.
    let applicationName: String?
    /// The search paths, which may explain why no plug-in has this identifier.
    let folders: [PluginCatalog.Folder]
    /// Similar identifiers, if no plug-in has this one.
    let similar: [String]

    /// A required plug-in, with its own requirements.
    struct Need {
        let identifier: String
        let range: VersionRange
        /// The version in use.
        let version: String?
        let isMet: Bool
        /// The state as a sentence.
        let state: String
        let needs: [Need]
        /// Whether its needs are left out because they are listed elsewhere or the tree is too deep.
        let isShortened: Bool
    }

    /// A service that the code uses.
    struct Use {
        let point: String
        let version: UInt32
        /// The plug-ins that offer it, in order.
        let offeredBy: [String]
        /// Whether the application offered it in its last run.
        let isOfApplication: Bool
    }

    init(_ identifier: String, in catalog: PluginCatalog, _ search: PluginSearch) {
        let program = search.program
        application = search.recorded
        explanation = catalog.explanation(of: identifier)
        let points = KnownPoints(catalog)
        let sources = PlacementSources(application: search.application)
        candidates = explanation.candidates.map { CandidateFacts($0, points, sources) }
        let plugin = explanation.plugin
        let bundle = try? plugin?.candidate.open()
        decided = DecidedFacts(identifier, bundle, application: search.application)
        check = FindingReport(
            findings: (bundle?.findings(loadedBy: program) ?? [])
                + (plugin.flatMap { plugin in search.recorded?.versionFindings(about: plugin) } ?? []),
            bundlePath: plugin?.bundlePath ?? "")
        let errors = check.findings.filter { $0.severity == .error }
        isLoadable =
            plugin == nil
            ? nil
            : errors.isEmpty
                ? true : program == nil && errors.allSatisfy { $0.code == .dependencyMissing } ? nil : false
        probes = bundle.map { PluginCatalog.keptProbes(of: $0) } ?? []
        // If no candidate is in use, show the needs of the first one.
        let manifest = bundle?.manifest ?? candidates.first?.manifest
        var tree = NeedTree(catalog, of: identifier)
        needs = tree.needs(manifest?.requires ?? [:])
        optional = tree.needs(manifest?.optionalRequires ?? [:])
        uses = (manifest?.uses ?? [:]).sorted { $0.key < $1.key }.map { point, version in
            Use(
                point: point, version: version,
                offeredBy: catalog.extensions(at: point, version: version).map(\.plugin.identifier),
                isOfApplication: search.recorded?.offers(point, version) ?? false)
        }
        replacements = catalog.replacements.filter { $0.plugin.identifier == plugin?.identifier }
        absence = plugin.map { catalog.change(without: $0.candidate) }
        settings =
            plugin == nil
            ? nil : bundle.flatMap { SettingsFacts($0, isOfApplication: search.application != nil) }
        applicationName = search.application
        folders = catalog.folders
        similar = candidates.isEmpty ? Self.similar(to: identifier, in: catalog) : []
    }

    var status: ExitStatus { explanation.plugin != nil && check.errors == 0 ? .fine : .problems }

    /// The answer.
    ///
    /// If the code of the bundle in use cannot be loaded, the sentence says so.
    var sentence: String {
        guard isLoadable == false, let first = check.findings.first(where: { $0.severity == .error }) else {
            return explanation.sentence
        }
        return "\(explanation.sentence) But its code cannot be loaded: \(first.message)"
    }

    /// Identifiers that differ from a wanted one only by a typing mistake.
    static func similar(to identifier: String, in catalog: PluginCatalog) -> [String] {
        let wanted = identifier.lowercased()
        let known = Set(catalog.candidates.map(\.identifier))
        var suggestions = NameSuggestions()
        return Set(suggestions.names(near: identifier, among: known, atMost: 2, most: known.count))
            .union(known.filter { $0.lowercased().hasSuffix("." + wanted) }).sorted()
    }
}

/// Makes the tree of what a plug-in requires.
///
/// The needs of a plug-in are in the tree only once, however many others require it. Otherwise a few plug-ins that each
/// require two of the next ones would make millions of lines.
private struct NeedTree {
    private let catalog: PluginCatalog
    private let candidates: CandidateTable
    /// The plug-ins whose needs are in the tree.
    private var listed: Set<String>

    /// The most levels of the tree.
    private static let deepest = 16

    init(_ catalog: PluginCatalog, of identifier: String) {
        self.catalog = catalog
        candidates = CandidateTable(catalog.candidates)
        listed = [identifier]
    }

    mutating func needs(_ requires: [String: VersionRange], level: Int = 1) -> [WhyReport.Need] {
        requires.sorted { $0.key < $1.key }.map { need($0.key, $0.value, level) }
    }

    private mutating func need(_ identifier: String, _ range: VersionRange, _ level: Int) -> WhyReport.Need {
        guard let plugin = catalog.plugin(identifier) else {
            let state = candidates.first(identifier).map { "not used: \($0.verdict.words)" } ?? "missing"
            return .init(
                identifier: identifier, range: range, version: nil, isMet: false, state: state, needs: [],
                isShortened: false)
        }
        let isMet = plugin.satisfies(range)
        let version = plugin.version ?? "0"
        let requires = plugin.requires
        let isShortened = !requires.isEmpty && (listed.contains(identifier) || level >= Self.deepest)
        if !isShortened { listed.insert(identifier) }
        return .init(
            identifier: identifier, range: range, version: plugin.version, isMet: isMet,
            state: isMet ? "\(version) is used" : "\(version) is used, which is another version",
            needs: isShortened ? [] : needs(requires, level: level + 1), isShortened: isShortened)
    }
}

extension WhyReport.Need {
    var json: JSONValue {
        .object([
            "identifier": .string(identifier), "range": .string(range.description), "version": JSONValue(version),
            "met": .bool(isMet), "state": .string(state), "needs": .array(needs.map(\.json)),
            "shortened": .bool(isShortened),
        ])
    }
}

extension PluginDescription {
    /// Whether its version is in a range.
    func satisfies(_ range: VersionRange) -> Bool { range.contains(candidate.comparableVersion) }
}

// MARK: - JSON

extension WhyReport {
    var members: [String: JSONValue] { own.merging(decided.members) { $1 } }

    private var own: [String: JSONValue] {
        [
            "identifier": .string(explanation.identifier),
            "used": .bool(explanation.plugin != nil),
            "path": JSONValue(explanation.plugin?.candidate.path),
            "loads": isLoadable.map(JSONValue.bool) ?? .null,
            "sentence": .string(sentence),
            "remedy": .string(explanation.remedy),
            "optional": .array(optional.map(\.json)),
            "replacements": .array(
                replacements.map {
                    .object(["identifier": .string($0.old), "takenOver": .bool($0.hasTakenOver)])
                }),
            "bundles": .array(candidates.map { .object($0.members) }),
            "findings": check.json,
            "needs": .array(needs.map(\.json)),
            "uses": .array(
                uses.map {
                    .object([
                        "extensionPoint": .string($0.point), "version": .integer(Int($0.version)),
                        "offeredBy": JSONValue($0.offeredBy),
                        "offeredByApplication": .bool($0.isOfApplication),
                    ])
                }),
            "neededBy": .array(
                explanation.requiredBy.map { candidate, range in
                    .object([
                        "identifier": .string(candidate.identifier), "version": JSONValue(candidate.version),
                        "path": .string(candidate.path), "verdict": .string(candidate.verdict.name),
                        "range": .string(range.description),
                    ])
                }),
            "without": .object([
                "lost": JSONValue(absence?.removed.map(\.identifier) ?? []),
                "replaced": .array(
                    (absence?.changed ?? []).map {
                        .object([
                            "identifier": .string($0.identifier), "version": JSONValue($0.version),
                            "path": .string($0.candidate.path),
                        ])
                    }),
            ]),
            "probes": .array(
                probes.map {
                    let report = FindingReport(findings: $0.findings, bundlePath: explanation.plugin?.bundlePath)
                    return .object([
                        "program": .string($0.program), "passed": .bool($0.findings.isEmpty), "findings": report.json,
                    ])
                }),
            "settings": SettingsFacts.json(settings),
            "similar": JSONValue(similar),
            "folders": .array(folders.map { JSONValue($0) }),
            "applicationVersion": JSONValue(application?.version),
            "unanswered": JSONValue(explanation.unanswered.items),
        ]
    }
}

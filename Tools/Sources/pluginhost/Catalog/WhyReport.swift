import PluginHost

/// Everything that can be said about one identifier.
struct WhyReport {
    private let explanation: PluginExplanation
    private let candidates: [CandidateFacts]
    /// Of the one in use, the complete check.
    private let check: FindingReport
    private let needs: [Need]
    private let uses: [Use]
    /// What would be different without the one in use.
    private let absence: CatalogChange?
    /// What is spelt nearly so, if nothing has the identifier.
    private let similar: [String]

    /// A plug-in that is required, and what that one requires.
    struct Need {
        let identifier: String
        let range: String
        /// The version in use.
        let version: String?
        let isMet: Bool
        /// As a sentence.
        let state: String
        let needs: [Need]
    }

    /// A service that the code asks for.
    struct Use {
        let point: String
        let version: Int
        /// Who offers it, in order.
        let offeredBy: [String]
    }

    init(_ identifier: String, in catalog: PluginCatalog, loadedBy program: String?) {
        explanation = catalog.explanation(of: identifier)
        candidates = explanation.candidates.map(CandidateFacts.init)
        let plugin = explanation.plugin
        let bundle = try? plugin?.candidate.open()
        check = FindingReport(
            findings: bundle?.problems(loadedBy: program) ?? [], bundlePath: plugin?.bundlePath ?? "")
        // Where none is used, what the first one needs tells the most.
        let manifest = bundle?.manifest ?? candidates.first?.manifest
        needs = (manifest?.requires ?? [:]).sorted { $0.key < $1.key }
            .map { Need($0.key, $0.value, in: catalog, below: [identifier]) }
        uses = (manifest?.uses ?? [:]).sorted { $0.key < $1.key }.map { point, version in
            Use(
                point: point, version: version,
                offeredBy: catalog.extensions(at: point, version: version).map(\.plugin.identifier))
        }
        absence = plugin.map { catalog.change(without: $0.candidate) }
        similar = candidates.isEmpty ? Self.similar(to: identifier, in: catalog) : []
    }

    var status: ExitStatus { explanation.plugin != nil && check.errors == 0 ? .fine : .problems }

    /// Identifiers that differ by a slip of the hand.
    private static func similar(to identifier: String, in catalog: PluginCatalog) -> [String] {
        let wanted = identifier.lowercased()
        return Set(catalog.candidates.map(\.identifier)).filter { known in
            let known = known.lowercased()
            return known.hasSuffix("." + wanted) || wanted.distance(to: known, atMost: 2) != nil
        }.sorted()
    }
}

extension WhyReport.Need {
    /// - Parameter chain: the identifiers that lead to it, so that a circle ends.
    init(_ identifier: String, _ range: String, in catalog: PluginCatalog, below chain: [String]) {
        self.identifier = identifier
        self.range = range
        let explanation = catalog.explanation(of: identifier)
        version = explanation.plugin?.version
        guard let plugin = explanation.plugin else {
            isMet = false
            state = explanation.candidates.isEmpty ? "missing" : "not used: \(explanation.candidates[0].verdict.words)"
            needs = []
            return
        }
        isMet = plugin.satisfies(range)
        state =
            isMet ? "\(plugin.version ?? "0") is used" : "\(plugin.version ?? "0") is used, which is another version"
        needs =
            chain.contains(identifier)
            ? []
            : plugin.requires.sorted { $0.key < $1.key }
                .map { Self($0.key, $0.value, in: catalog, below: chain + [identifier]) }
    }

    var json: JSONValue {
        .object([
            "identifier": .string(identifier), "range": .string(range), "version": JSONValue(version),
            "met": .bool(isMet), "state": .string(state), "needs": .array(needs.map(\.json)),
        ])
    }
}

extension PluginDescription {
    /// Whether its version is in a range.
    func satisfies(_ range: String) -> Bool {
        guard let range = try? VersionRange(range) else { return false }
        return range.contains(candidate.comparableVersion)
    }
}

// MARK: - JSON

extension WhyReport {
    var members: [String: JSONValue] {
        [
            "identifier": .string(explanation.identifier),
            "used": .bool(explanation.plugin != nil),
            "path": JSONValue(explanation.plugin?.candidate.path),
            "sentence": .string(explanation.sentence),
            "remedy": .string(explanation.remedy),
            "bundles": .array(candidates.map { .object($0.members) }),
            "findings": check.json,
            "needs": .array(needs.map(\.json)),
            "uses": .array(
                uses.map {
                    .object([
                        "extensionPoint": .string($0.point), "version": .integer($0.version),
                        "offeredBy": JSONValue($0.offeredBy),
                    ])
                }),
            "neededBy": .array(
                explanation.requiredBy.map { candidate, range in
                    .object([
                        "identifier": .string(candidate.identifier), "version": JSONValue(candidate.version),
                        "path": .string(candidate.path), "verdict": .string(candidate.verdict.name),
                        "range": .string(range),
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
            "similar": JSONValue(similar),
        ]
    }
}

// MARK: - Text

extension WhyReport {
    func write(to page: inout Page) {
        page.line((explanation.identifier, .bold), explanation.plugin == nil ? ("not used", .red) : ("used", .green))
        if candidates.isEmpty {
            page.paragraph(explanation.sentence, indent: 2)
            if !similar.isEmpty { page.paragraph("There is \(similar.joined(separator: ", ")).", indent: 2, .yellow) }
            if !explanation.remedy.isEmpty { page.paragraph("To do: \(explanation.remedy)", indent: 2) }
        }
        for facts in candidates { write(facts, to: &page) }
        writeCheck(to: &page)
        writeNeeds(to: &page)
        writeNeededBy(to: &page)
        writeAbsence(to: &page)
    }

    private func write(_ facts: CandidateFacts, to page: inout Page) {
        let candidate = facts.candidate
        page.gap()
        page.line(
            (candidate.path.relativeToCurrentDirectory, .bold), (candidate.version ?? "", .plain),
            (candidate.verdict.words, candidate.verdict.style))
        let findings = candidate.findings
        if findings.isEmpty { page.paragraph(candidate.explanation, indent: 2) }
        FindingReport(findings: findings, bundlePath: candidate.bundlePath).write(to: &page)
    }

    private func writeCheck(to page: inout Page) {
        guard explanation.plugin != nil else { return }
        page.gap()
        let style: Page.Style = check.errors > 0 ? .red : check.warnings > 0 ? .yellow : .green
        page.line(("Complete check:", .bold), (check.count ?? "fine", style))
        check.write(to: &page)
    }

    private func writeNeeds(to page: inout Page) {
        page.gap()
        page.line(("Needs", .bold), (needs.isEmpty && uses.isEmpty ? "no other plug-in" : "", .plain))
        for need in needs { write(need, indent: 2, to: &page) }
        for use in uses {
            let offered = use.offeredBy.isEmpty
            page.line(
                ("the service \(use.point) \(use.version):", .plain),
                offered
                    ? ("nobody offers it", .yellow) : ("offered by " + use.offeredBy.joined(separator: ", "), .green),
                indent: 2)
        }
        guard let manifest = candidates.first(where: { $0.candidate.verdict == .usable })?.manifest else { return }
        if let range = manifest.hostRequires {
            let version = HostEnvironment.current.version
            let known = version.isEmpty ? "which is not known: see --host-version" : "which is \(version)"
            page.paragraph("version \(range) of the application, \(known)", indent: 2)
        }
        if !manifest.capabilities.isEmpty {
            page.paragraph("of the application: \(manifest.capabilities.joined(separator: ", "))", indent: 2)
        }
    }

    private func write(_ need: Need, indent: Int, to page: inout Page) {
        page.line(
            (need.identifier, .plain), (need.range + ":", .plain), (need.state, need.isMet ? .green : .red),
            indent: indent)
        for need in need.needs { write(need, indent: indent + 2, to: &page) }
    }

    private func writeNeededBy(to page: inout Page) {
        page.gap()
        page.line(("Needed by", .bold), (explanation.requiredBy.isEmpty ? "no other plug-in" : "", .plain))
        for (candidate, range) in explanation.requiredBy {
            page.line(
                (candidate.identifier, .plain), (candidate.version ?? "", .plain), ("wants \(range):", .plain),
                (candidate.verdict.words, candidate.verdict.style), indent: 2)
        }
    }

    private func writeAbsence(to page: inout Page) {
        guard let plugin = explanation.plugin, let absence else { return }
        page.gap()
        page.line(("Without it", .bold))
        if let other = absence.changed.first(where: { $0.identifier == plugin.identifier }) {
            page.paragraph(
                "\(other.candidate.path.relativeToCurrentDirectory) \(other.version ?? "") would be used in its place.",
                indent: 2)
        }
        for other in absence.changed where other.identifier != plugin.identifier {
            page.paragraph(
                "\(other.identifier) \(other.version ?? "") would be used, another version than now.", indent: 2)
        }
        let lost = absence.removed.filter { $0.identifier != plugin.identifier }
        if !lost.isEmpty {
            page.paragraph(
                "These could not be used either: \(lost.map(\.identifier).joined(separator: ", ")).", indent: 2)
        }
        let offers = absence.removed.flatMap { plugin in plugin.factories.map(\.name) }
        if !offers.isEmpty {
            page.paragraph("The application would lack \(offers.joined(separator: ", ")).", indent: 2)
        }
        if absence.changed.isEmpty, lost.isEmpty, offers.isEmpty {
            page.paragraph("Nothing else would change.", indent: 2)
        }
    }
}

extension String {
    /// How many characters must be changed, added or taken away to make another text of it, if it is few
    /// (Levenshtein 1966).
    func distance(to other: String, atMost limit: Int) -> Int? {
        let a = Array(self), b = Array(other)
        guard abs(a.count - b.count) <= limit else { return nil }
        var row = Array(0...b.count)
        for (i, character) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, candidate) in b.enumerated() {
                let changed = diagonal + (character == candidate ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(changed, diagonal + 1, row[j] + 1)
            }
        }
        return row[b.count] <= limit ? row[b.count] : nil
    }
}

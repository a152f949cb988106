import ArgumentParser
import HostBasics
@_spi(Tools) import PluginHost

/// `pluginhost list`: the plug-ins of an application or of folders.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the plug-ins of an application, or of folders.",
        discussion: """
            Lists one bundle for each identifier: the one that the application uses. With --all every candidate is listed \
            with its verdict and the reason. With --opening, the plug-ins that open a file or a type are listed, the \
            best first. “scan” shows what a start of the application does to find them. No code of a bundle runs.
            """)

    @Flag(help: "List every candidate with its verdict and the reason.")
    var all = false

    @Flag(help: "Show the description of each plug-in too.")
    var long = false

    @Option(
        help: ArgumentHelp(
            "List the plug-ins that open a file, by its name, or a MIME type or type identifier.",
            valueName: "file-or-type"))
    var opening: String?

    @OptionGroup var arguments: ApplicationArguments

    @Argument(help: ArgumentHelp("Folders of bundles.", valueName: "folder"), completion: .directory)
    var folders: [String] = []

    func validate() throws {
        if all, opening != nil {
            throw ValidationError("--all lists every candidate and --opening only plug-ins: give one of them.")
        }
    }

    /// The candidates to list, in order.
    private func listed(_ candidates: [PluginCandidate], of catalog: PluginCatalog) -> [PluginCandidate] {
        if all { return candidates }
        guard let opening else {
            return candidates.filter { $0.verdict == .usable }.sorted { $0.identifier < $1.identifier }
        }
        // A MIME type looks like a path. Nothing opens a path as a type, so the type is tried first.
        let ofType = catalog.plugins(openingType: opening)
        return (ofType.isEmpty ? catalog.plugins(opening: opening) : ofType).map(\.candidate)
    }

    mutating func run() throws {
        let search = try PluginSearch(arguments, folders: folders)
        try search.requireSomewhere()
        let catalog = search.catalog()
        let candidates = catalog.candidates
        let points = KnownPoints(catalog)
        let sources = PlacementSources(application: search.application)
        let listed = listed(candidates, of: catalog)
        var isRead = true
        if arguments.json {
            let folders = JSONValue.array(catalog.folders.map { JSONValue($0) })
            try JSONValue.write(
                command: "list", ["all": .bool(all), "opening": JSONValue(opening), "folders": folders],
                count: listed.count
            ) {
                number in
                let facts = CandidateFacts(listed[number], points, sources)
                isRead = isRead && facts.lateFindings == nil
                return .object(facts.members)
            }
        } else {
            let rows = listed.map { Row(CandidateFacts($0, points, sources)) }
            isRead = rows.allSatisfy { $0.lateFindings == nil }
            Terminal.write(page(rows, candidates, catalog).text)
        }
        let isFine =
            isRead && !candidates.contains(where: \.verdict.isProblem)
            && catalog.folders.allSatisfy { $0.finding == nil }
        try (isFine ? ExitStatus.fine : .problems).finish()
    }

    /// A candidate's row in the table.
    ///
    /// It does not keep the candidate's facts, which hold an open bundle.
    private struct Row {
        let candidate: PluginCandidate
        let cells: [Page.Cell]
        /// What the plug-in does, in one sentence.
        let description: Page.Cell
        let lateFindings: FindingReport?
        let advice: FindingReport

        init(_ facts: CandidateFacts) {
            candidate = facts.candidate
            lateFindings = facts.lateFindings
            advice = facts.advice
            description = Page.Cell(facts.description)
            cells = [
                Page.Cell(candidate.identifier), Page.Cell(candidate.version ?? ""),
                Page.Cell(facts.displayName ?? "", .bold), Page.Cell(facts.offers),
                Page.Cell(facts.isolation?.words ?? ""),
                Page.Cell(candidate.verdict.words, candidate.verdict.style),
                Page.Cell(candidate.path.relativeToCurrentDirectory, .faint),
            ]
        }
    }

    private static let columns = [
        Page.Column(title: "Identifier", minimum: 16, importance: 9, cut: .never),
        Page.Column(title: "Version", minimum: 7, importance: 6),
        Page.Column(title: "Name", minimum: 8, importance: 7),
        Page.Column(title: "Offers", minimum: 10, importance: 3),
        Page.Column(title: "Isolation", minimum: 9, importance: 4),
        Page.Column(title: "Verdict", minimum: 9, importance: 8),
        Page.Column(title: "Path", minimum: 16, importance: 5, cut: .beginning),
    ]

    private func page(_ listed: [Row], _ candidates: [PluginCandidate], _ catalog: PluginCatalog) -> Page {
        var page = Page()
        let isolation = 4, verdict = 5
        if !listed.isEmpty {
            var columns = Self.columns
            var rows = listed.map(\.cells)
            if !all {
                // Every listed candidate is usable.
                columns.remove(at: verdict)
                for number in rows.indices { rows[number].remove(at: verdict) }
            }
            if long {
                columns.append(Page.Column(title: "Description", minimum: 16, importance: 2))
                for number in rows.indices { rows[number].append(listed[number].description) }
            }
            // Few plug-ins have isolation settings.
            if rows.allSatisfy({ $0[isolation].text.isEmpty }) {
                columns.remove(at: isolation)
                for number in rows.indices { rows[number].remove(at: isolation) }
            }
            page.table(columns, rows)
            page.gap()
        }
        if all { writeReasons(listed, to: &page) }
        writeSummary(listed.count, candidates, catalog, to: &page)
        for row in listed {
            row.lateFindings?.write(to: &page)
            for finding in row.advice.findings {
                page.paragraph("\(row.candidate.identifier): \(finding.message) \(finding.remedy)", .yellow)
            }
        }
        return page
    }

    /// The reason for each candidate that is not used.
    private func writeReasons(_ listed: [Row], to page: inout Page) {
        for candidate in listed.map(\.candidate) where candidate.verdict != .usable {
            page.line(
                (candidate.path.relativeToCurrentDirectory + ":", .bold),
                (candidate.verdict.words, candidate.verdict.style))
            if candidate.findings.isEmpty { page.paragraph(candidate.explanation, indent: 2) }
            FindingReport(findings: candidate.findings, bundlePath: candidate.bundlePath).write(to: &page)
            page.gap()
        }
    }

    /// How many plug-ins there are, or open what was asked for.
    private func sentence(_ listed: Int, _ plugins: Int) -> String {
        guard let opening else { return FindingReport.count(plugins, "plug-in") ?? "no plug-in can be used" }
        return "\(FindingReport.count(listed, "plug-in") ?? "no plug-in") to open \(quoted(opening))"
    }

    private func writeSummary(
        _ count: Int, _ candidates: [PluginCandidate], _ catalog: PluginCatalog, to page: inout Page
    ) {
        let plugins = candidates.count { $0.verdict == .usable }
        let isListed = catalog.folders.allSatisfy { $0.finding == nil }
        // A folder that cannot be listed may contain any number of plug-ins.
        if candidates.isEmpty, isListed {
            let places = catalog.searchPaths.map(\.relativeToCurrentDirectory).joined(separator: ", ")
            page.paragraph("There are no plug-ins in \(places).")
        } else if !candidates.isEmpty {
            page.paragraph(sentence(count, plugins))
        }
        for folder in catalog.folders {
            if let problem = folder.finding { page.paragraph("\(problem.message) \(problem.remedy)", .red) }
            if let problem = folder.placeFinding { page.paragraph("\(problem.message) \(problem.remedy)", .yellow) }
        }
        let others = candidates.count - plugins
        guard others > 0, !all, opening == nil else { return }
        for candidate in candidates {
            // If a candidate cannot be read, the reason may be gone at the next command. And a user who misses a
            // plug-in in quarantine must not have to search for it.
            guard [.malformed, .notABundle, .quarantined].contains(candidate.verdict) else { continue }
            guard let finding = candidate.findings.first else { continue }
            page.paragraph("\(candidate.path.relativeToCurrentDirectory): \(finding.message) \(finding.remedy)", .red)
        }
        let bad = candidates.count(where: \.verdict.isProblem)
        let reason = bad == 0 ? "" : "; something is wrong with \(bad)"
        let verb = others == 1 ? "is" : "are"
        page.paragraph(
            "\(FindingReport.count(others, "more candidate") ?? "") \(verb) not used\(reason): see list --all.",
            bad == 0 ? .plain : .yellow)
    }
}

extension PluginCatalog.Folder {
    /// Why the folder cannot be listed, or that it is one level too high or too low.
    var findings: [PluginFinding] { [finding, placeFinding].compactMap(\.self) }
}

extension JSONValue {
    init(_ folder: PluginCatalog.Folder) {
        self = .object([
            "path": .string(folder.path), "exists": .bool(folder.exists), "count": .integer(folder.count),
            "findings": FindingReport(
                findings: folder.findings, bundlePath: folder.path
            ).json,
        ])
    }
}

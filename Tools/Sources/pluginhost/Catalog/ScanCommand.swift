import ArgumentParser
import HostBasics
@_spi(Tools) import PluginHost

/// `pluginhost scan`: shows what the application finds when it starts, and how long that takes.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Searches the search paths like an application that starts.",
        discussion: """
            Reads the index file if there is one, looks for changes, and writes a new index if there are any, as an \
            application does; the index is the tool's own. --explain prints the result for each search path, and for each \
            candidate the verdict with its rule, and whether the index had it or how long it took to read. \
            “list” only shows the plug-ins. No code of a bundle runs.
            """)

    @Flag(help: "Print every search path and candidate.")
    var explain = false

    @Flag(inversion: .prefixedNo, help: "Read and write the index file.")
    var index = true

    @OptionGroup var arguments: ApplicationArguments

    @Argument(help: ArgumentHelp("Folders of bundles.", valueName: "folder"), completion: .directory)
    var folders: [String] = []

    mutating func run() throws {
        let search = try PluginSearch(arguments, folders: folders)
        try search.requireSomewhere()
        let clock = ContinuousClock()
        let start = clock.now
        let catalog = search.catalog(index: index ? .user : .none)
        let report = ScanReport(catalog, of: search.application, duration: clock.now - start)
        if arguments.json {
            try report.writeDocument()
        } else {
            var page = Page()
            if explain { report.explain(to: &page) } else { report.writeUnlisted(to: &page) }
            report.writeSummary(to: &page)
            Terminal.write(page.text)
        }
        try report.status.finish()
    }
}

/// What a scan found.
private struct ScanReport {
    private let catalog: PluginCatalog
    private let application: String?
    private let candidates: [PluginCandidate]
    private let duration: Duration

    init(_ catalog: PluginCatalog, of application: String?, duration: Duration) {
        self.catalog = catalog
        self.application = application
        self.duration = duration
        candidates = catalog.candidates
    }

    var status: ExitStatus {
        let isFine =
            !candidates.contains(where: \.verdict.isProblem) && catalog.findings.allSatisfy { $0.severity != .error }
        return isFine ? .fine : .problems
    }

    private var known: Int { candidates.count { $0.readingTime == nil } }

    private func count(_ name: String) -> Int { candidates.count { $0.verdict.name == name } }

    private static let verdicts = [
        "usable", "shadowed", "duplicate", "incompatible", "unresolved", "malformed", "notABundle",
        "disabled", "quarantined",
    ]

    func writeDocument() throws {
        let points = KnownPoints(catalog)
        let sources = PlacementSources(application: application)
        try JSONValue.write(command: "scan", members, count: candidates.count) { number in
            let candidate = candidates[number]
            return .object(
                CandidateFacts(candidate, points, sources).members.merging([
                    "fromIndex": .bool(candidate.readingTime == nil),
                    "microseconds": candidate.readingTime.map { .number($0 / .microseconds(1)) } ?? .null,
                ]) { $1 })
        }
    }

    private var members: [String: JSONValue] {
        [
            "milliseconds": .number(duration / .milliseconds(1)),
            "index": JSONValue(catalog.indexPath),
            "fromIndex": .integer(known), "read": .integer(candidates.count - known),
            "verdicts": .object(
                Dictionary(uniqueKeysWithValues: Self.verdicts.map { ($0, .integer(count($0))) })),
            "folders": .array(catalog.folders.map { JSONValue($0) }),
            "findings": FindingReport(findings: catalog.findings, bundlePath: nil).json,
        ]
    }

    // MARK: Text

    func explain(to page: inout Page) {
        for folder in catalog.folders {
            page.gap()
            let found = FindingReport.count(folder.count, "candidate") ?? "nothing that looks like a bundle"
            page.line((folder.path, .bold), folder.exists ? (found, .plain) : ("does not exist", .faint))
            if let problem = folder.finding { FindingReport(findings: [problem], bundlePath: nil).write(to: &page) }
            for candidate in candidates where candidate.searchPath == folder.path { write(candidate, to: &page) }
        }
        let others = catalog.findings.filter { problem in !catalog.folders.contains { $0.finding == problem } }
        if !others.isEmpty {
            page.gap()
            FindingReport(findings: others, bundlePath: nil).write(to: &page)
        }
        page.gap()
    }

    /// Reports folders that cannot be listed or that are one level too high or too low, because these are not simply
    /// empty.
    func writeUnlisted(to page: inout Page) {
        FindingReport(findings: catalog.folders.flatMap(\.findings), bundlePath: nil).write(to: &page)
    }

    private func write(_ candidate: PluginCandidate, to page: inout Page) {
        let time = candidate.readingTime.map { "read in \(Self.text($0))" } ?? "from the index"
        page.line(
            (candidate.path.relative(to: candidate.searchPath), .plain),
            (candidate.verdict.words, candidate.verdict.style),
            (candidate.identifier, .plain), (candidate.version ?? "", .plain), ("(\(time))", .faint), indent: 2)
        if candidate.path != candidate.bundlePath {
            page.paragraph("It is a link to \(candidate.bundlePath).", indent: 4)
        }
        if candidate.findings.isEmpty {
            if candidate.verdict != .usable { page.paragraph(candidate.explanation, indent: 4) }
        } else {
            for finding in candidate.findings {
                page.paragraph(finding.message, indent: 4)
                if !finding.remedy.isEmpty { page.paragraph("To do: \(finding.remedy)", indent: 4) }
            }
        }
    }

    func writeSummary(to page: inout Page) {
        let verdicts = Self.verdicts.compactMap { name in
            count(name) == 0 ? nil : "\(count(name)) \(name == "notABundle" ? "no bundle" : name)"
        }
        let total = FindingReport.count(candidates.count, "candidate") ?? "no candidates"
        let places = catalog.folders.count(where: \.exists)
        page.paragraph(
            "\(total) in \(FindingReport.count(places, "folder") ?? "no folder")"
                + (verdicts.isEmpty ? "" : ": " + verdicts.joined(separator: ", ")))
        let source =
            catalog.indexPath == nil
            ? "without an index" : "\(known) from the index, \(candidates.count - known) read"
        page.paragraph("\(Self.text(duration)), \(source)")
        if let path = catalog.indexPath { page.paragraph("The index is \(path)", .faint) }
    }

    private static func text(_ duration: Duration) -> String {
        let microseconds = duration / .microseconds(1)
        if microseconds < 1000 { return "\(Int(microseconds.rounded())) us" }
        return "\((microseconds / 100).rounded() / 10) ms"
    }
}

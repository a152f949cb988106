import DemoAPI
import Foundation
import PluginABI
import PluginHost

/// Runs documents through a pipeline and collects the results for the report.
struct Workbench {
    /// How much of a text the report shows.
    private static let openingLength = 700

    private let pipeline: Pipeline
    private let wordLists: WordLists
    private let nib: String?
    private let journal: Journal
    private var sections: [Report.Section] = []

    /// `nib`: a XIB document for the card, in place of the exporter's.
    init(pipeline: Pipeline, wordLists: WordLists, nib: String?, journal: Journal) {
        self.pipeline = pipeline
        self.wordLists = wordLists
        self.nib = nib
        self.journal = journal
    }

    /// Runs one document through the filters, analysers and checksums.
    ///
    /// A document that cannot be read is left out.
    mutating func process(_ path: String) {
        do {
            let reader = try DocumentReader(path: path)
            Journal.announce(localized("Reading {0}.", reader.name))
            sections.append(try section(reader))
        } catch {
            journal.report("\(error)")
        }
    }

    private func section(_ reader: DocumentReader) throws -> Report.Section {
        let checksums = pipeline.checksums()
        let namedFilters = pipeline.objects(of: .textFilter)
        let filters = namedFilters.map(\.object)
        var analyzers = pipeline.objects(of: .textAnalyzer).map(\.object)
        var document: Document?
        var opening = ""
        var progress = ProgressLine(name: reader.name, total: reader.byteCount)
        defer { progress.finish() }

        func analyze(_ passage: String) {
            if opening.isEmpty { opening = Self.opening(of: passage) }
            // An analyser that fails is left out; the others continue.
            analyzers = analyzers.filter { analyzer in attempt { try analyzer.read(passage) } != nil }
        }
        try reader.read { block in
            for checksum in checksums { try checksum.update(block) }
        } passage: { passage, offset in
            if document == nil {
                let found = describe(reader, beginning: passage)
                document = found
                for filter in filters { try filter.begin(found) }
                analyzers = analyzers.filter { analyzer in attempt { try analyzer.begin(found) } != nil }
            }
            analyze(try filters.reduce(passage) { try $1.filter($0) })
            progress.show(offset)
        }
        // Text that a filter held back still goes through the filters after it.
        for (index, filter) in filters.enumerated() {
            let rest = try filter.finish()
            if !rest.isEmpty { analyze(try filters[(index + 1)...].reduce(rest) { try $1.filter($0) }) }
        }

        let analyses = analyzers.compactMap { analyzer in attempt { try analyzer.finish() } }
        let table = table(of: checksums)
        return Report.Section(
            document: document ?? describe(reader, beginning: ""), opening: opening,
            filters: namedFilters.map(\.title),
            tables: analyses.flatMap(\.tables) + (checksums.isEmpty ? [] : [table]),
            figures: analyses.flatMap(\.charts).compactMap(draw))
    }

    /// Writes the report.
    ///
    /// - Returns: whether a report now exists.
    func write(to file: ReportFile) -> Bool {
        guard !sections.isEmpty else {
            journal.write(localized("No document could be read, so no report was written."))
            return false
        }
        guard let exporter = pipeline.exporter() else {
            journal.write(localized("No report was written."))
            return false
        }
        let date = Date.now.formatted(
            Date.FormatStyle(date: .long, time: .shortened, locale: Locale(identifier: userLanguage)))
        var report = Report(
            title: localized("Document report"), language: userLanguage, date: date, sections: sections,
            notes: journal.problems)
        let cards = SummaryCards(
            exporter: exporter.object, in: exporter.bundle, nib: nib, file: file, journal: journal)
        report.card = cards.markup(for: report)
        // Problems of the card stand in the report too.
        report.notes = journal.problems
        do {
            try file.write(try exporter.object.export(report))
        } catch let failure as SystemFailure {
            journal.write(
                localized(
                    "The report could not be written to {0}: {1}. Fix that, or choose another file with --output.",
                    file.path, failure.reason))
            return false
        } catch {
            journal.write(localized("The report could not be written to {0}: {1}", file.path, "\(error)"))
            return false
        }
        cards.show(report)
        Journal.announce(localized("The report is {0}.", file.path))
        return true
    }

    private func describe(_ reader: DocumentReader, beginning: String) -> Document {
        Document(
            name: reader.name, byteCount: reader.byteCount,
            language: wordLists.language(of: String(beginning.prefix(20_000))) ?? userLanguage, wordLists: wordLists)
    }

    /// Some whole lines of the text's beginning, or a part of the first.
    private static func opening(of passage: String) -> String {
        let beginning = passage.prefix(openingLength)
        guard beginning.endIndex < passage.endIndex else { return passage }
        if let newline = beginning.lastIndex(of: "\n"), newline > beginning.startIndex {
            return String(beginning[..<newline])
        }
        return beginning + "…"
    }

    private func table(of checksums: [any Checksum]) -> Table {
        Table(
            title: localized("Checksums"),
            columns: [localized("Kind"), localized("Value"), localized("Computed by")],
            rows: checksums.map { [.text($0.title), .code($0.finish()), .text($0.means)] })
    }

    /// The chart, drawn by the first renderer for charts of this kind; nil if there is none.
    private func draw(_ chart: Chart) -> Report.Figure? {
        for renderer in pipeline.extensions(of: .chart) {
            if let svg = attempt({ try renderer.make().svg(for: chart) }) ?? nil {
                return Report.Figure(title: chart.title, svg: svg)
            }
        }
        return nil
    }

    /// The result of the body, or nil if it fails; the journal then notes the failure.
    private func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do { return try body() } catch {
            journal.report("\(error)")
            return nil
        }
    }
}

import DemoAPI
import Foundation
import PluginABI
import PluginHost

/// The card that sums the report up: on the page, and on the terminal in the nib's variant for it.
struct SummaryCards {
    private let exporter: any Exporter
    /// The exporter's bundle, which has the nib.
    private let bundle: PluginBundle
    private let nib: String?
    private let file: ReportFile
    private let journal: Journal

    /// `nib`: a XIB document to use in place of the exporter's own.
    init(exporter: any Exporter, in bundle: PluginBundle, nib: String?, file: ReportFile, journal: Journal) {
        self.exporter = exporter
        self.bundle = bundle
        self.nib = nib
        self.file = file
        self.journal = journal
    }

    /// Lets every plug-in's nib make the elements of cards.
    static func registerElements() {
        HostEnvironment.current.nibClasses.register(CardView.self, element: "view") { _ in CardView() }
        HostEnvironment.current.nibClasses.register(CardText.self, element: "textField") { _ in CardText() }
        HostEnvironment.current.nibClasses.register(CardImage.self, element: "imageView") { _ in CardImage() }
        HostEnvironment.current.nibClasses.register(CardLink.self, element: "button") { _ in CardLink() }
    }

    /// The card as HTML; empty if there is none.
    func markup(for report: Report) -> String {
        // Browsers scale images down for coarser screens.
        HostEnvironment.current.scale = 2
        defer { HostEnvironment.current.scale = 1 }
        return card(for: report, links: "")?.element.html ?? ""
    }

    /// Prints the card, and a line about the nib that made it.
    func show(_ report: Report) {
        HostEnvironment.current.device = "terminal"
        defer { HostEnvironment.current.device = nil }
        let clock = ContinuousClock()
        let start = clock.now
        // What is wrong was reported for the page.
        guard let card = card(for: report, links: URL(filePath: file.path).absoluteString) else { return }
        let time = clock.now - start
        for line in card.element.lines { Journal.announce("  " + line) }
        let path = nib ?? bundle.path(forResource: card.nibName, ofType: "xib") ?? card.nibName
        var outlets = 0
        var actions = 0
        do {
            try DocumentReader(path: path).read(block: { _ in }) { text, _ in
                outlets += text.ranges(of: "<outlet ").count
                actions += text.ranges(of: "<action ").count
            }
        } catch {
            return journal.report("\(error)")
        }
        let milliseconds = (time / .microseconds(1) / 100).rounded() / 10
        Journal.announce(
            localized(
                "{0}: language {1}, objects: {2}, outlets: {3}, actions: {4}, {5} ms",
                URL(filePath: path).lastPathComponent, bundle.preferredLocalizations.first ?? "–",
                "\(card.made.objects.count)", "\(outlets)", "\(actions)", "\(milliseconds)"))
    }

    /// The exporter's card, or nil; the journal then notes everything that is wrong with the nib.
    private func card(for report: Report, links: String) -> Card? {
        var options = NibOptions()
        let responders: [any NibObject] =
            [DocumentLinks(links)] + (report.notes.isEmpty ? [] : [NoteLinks(links)])
        options.responders = { responders }
        do {
            guard let summary = try exporter.summary(of: report) else { return nil }
            let source = try nib.map { try Nib(contentsOf: $0, bundle: bundle) } ?? bundle.nib(named: summary.nib)
            let owner = SummaryCard(summary, of: report)
            let made = try source.instantiate(owner: owner, options: options)
            return owner.element.map { Card(nibName: source.name, element: $0, made: made, owner: owner) }
        } catch let error as PluginError {
            for finding in error.findings {
                let place = finding.filePath.map { path in path + (finding.place.map { ":\($0)" } ?? "") + ": " } ?? ""
                journal.report(place + [finding.message, finding.remedy].filter { !$0.isEmpty }.joined(separator: " "))
            }
        } catch {
            journal.report("\(error)")
        }
        return nil
    }
}

/// What a nib made.
private struct Card {
    let nibName: String
    /// The outermost part.
    let element: any ReportElement
    let made: NibInstance
    /// Keeps the parts that outlets connect.
    let owner: SummaryCard
}

/// Answers the links of a card that lead to documents.
private final class DocumentLinks: NibObject {
    private let page: String

    /// `page`: the page's address; empty on the page itself.
    init(_ page: String) { self.page = page }

    static let nibInterface = NibInterface(for: DocumentLinks.self) { nib in
        nib.action("showFirstDocument:", DocumentLinks.showFirstDocument)
    }

    func showFirstDocument(_ sender: CardLink) { sender.address = page + "#document-1" }
}

/// Answers the links of a card that lead to the notes, while there are any.
private final class NoteLinks: NibObject {
    private let page: String

    init(_ page: String) { self.page = page }

    static let nibInterface = NibInterface(for: NoteLinks.self) { nib in
        nib.action("showNotes:", NoteLinks.showNotes)
    }

    func showNotes(_ sender: CardLink) { sender.address = page + "#notes" }
}

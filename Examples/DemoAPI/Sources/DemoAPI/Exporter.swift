public import PluginABI

/// Writes the report in a file format.
///
/// **Threads.** Any, one at a time for one object.
public protocol Exporter: Plugin {
    /// The extension of the files it writes, without the dot. It never changes.
    var fileExtension: String { get }

    /// Returns the complete report as text.
    ///
    /// The host writes the file.
    ///
    /// All strings of the report are plain text and must be escaped for the format; only the card and a figure's SVG are
    /// markup.
    func export(_ report: Report) throws -> String

    /// Sums a report up, for a card at its head.
    ///
    /// - Parameter report: the report, without a card.
    /// - Returns: what the card shows; nil, the default, for no card.
    /// - Throws: the reason why it cannot be summed up; the report then has no card.
    func summary(of report: Report) throws -> Summary?
}

extension Exporter {
    /// The default makes no card.
    public func summary(of report: Report) throws -> Summary? { nil }
}

/// The results for all documents.
public struct Report: Sendable {
    /// The title for people.
    public var title: String
    /// The language of the report's own words, as a BCP 47 tag.
    public var language: String
    /// When it was made, as the user writes dates.
    public var date: String
    /// One section for each document.
    public var sections: [Section]
    /// Notes for the user: documents and plug-ins that were left out, and why.
    public var notes: [String]
    /// The card at its head, as HTML; empty for none.
    public var card: String

    /// A report with the given parts.
    public init(
        title: String, language: String, date: String, sections: [Section] = [], notes: [String] = [], card: String = ""
    ) {
        self.title = title
        self.language = language
        self.date = date
        self.sections = sections
        self.notes = notes
        self.card = card
    }

    /// One document.
    public struct Section: Sendable {
        /// What is known about the document.
        public var document: Document
        /// The beginning of the document after the filters, as plain text.
        public var opening: String
        /// The filters that it went through, by their display names.
        public var filters: [String]
        /// The facts that the analysers found.
        public var tables: [Table]
        /// The charts that were drawn.
        public var figures: [Figure]

        /// A section with the given parts.
        public init(
            document: Document, opening: String = "", filters: [String] = [], tables: [Table] = [],
            figures: [Figure] = []
        ) {
            self.document = document
            self.opening = opening
            self.filters = filters
            self.tables = tables
            self.figures = figures
        }
    }

    /// A chart that was drawn.
    public struct Figure: Sendable {
        /// The title for people.
        public var title: String
        /// The drawing, as one `<svg>` element.
        public var svg: String

        /// A chart with its drawing.
        public init(title: String, svg: String) {
            self.title = title
            self.svg = svg
        }
    }
}

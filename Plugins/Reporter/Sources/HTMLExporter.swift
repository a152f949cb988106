import DemoAPI
import PluginABI

/// Writes the report as one self-contained HTML page, from the templates `report.html` and `section.html`.
final class HTMLExporter: Exporter {
    let fileExtension = "html"

    private let context: PluginContext
    private let page: HTMLTemplate
    private let section: HTMLTemplate
    private let numbers: NumberStyle

    init(context: PluginContext) throws {
        self.context = context
        page = HTMLTemplate(try context.resourceText("report", type: "html"))
        section = HTMLTemplate(try context.resourceText("section", type: "html"))
        numbers = NumberStyle(context: context)
    }

    func export(_ report: Report) -> String {
        let sections = report.sections.enumerated().map { html(of: $1, number: $0 + 1) }
        return page.filled([
            "language": escaped(report.language),
            "title": escaped(report.title),
            "date": escaped(report.date),
            "card": report.card.isEmpty ? "" : "<aside class=\"card\">\(report.card)</aside>",
            "contents": report.sections.count > 1 ? contents(of: report) : "",
            "notes": notes(of: report),
            "sections": sections.joined(separator: "\n"),
            "colophon": escaped(
                context.localizedString("Written by the plug-in Reporter for {host}.")
                    .replacing("{host}", with: context.hostName)),
        ])
    }

    func summary(of report: Report) -> Summary? {
        Summary(
            nib: "Summary",
            values: [
                "documents": numbers.text(report.sections.count),
                "words": sum(of: "Words", in: report).map { numbers.text(Int($0)) } ?? "–",
                "sentences": sum(of: "Sentences", in: report).map { numbers.text(Int($0)) } ?? "–",
                "minutes": sum(of: "Minutes to read", in: report).map { numbers.text($0) } ?? "–",
            ])
    }

    /// A number of all documents together, from the tables that the analyser of this plug-in made; nil if they lack it.
    private func sum(of name: String, in report: Report) -> Double? {
        let caption = context.localizedString(name)
        var sum: Double?
        for row in report.sections.flatMap(\.tables).flatMap(\.rows) where row.count == 2 {
            guard case .text(caption) = row[0] else { continue }
            switch row[1] {
            case .integer(let number): sum = (sum ?? 0) + Double(number)
            case .decimal(let number): sum = (sum ?? 0) + number
            default: break
            }
        }
        return sum
    }

    private func contents(of report: Report) -> String {
        let items = report.sections.enumerated().map { index, section in
            "<li><a href=\"#document-\(index + 1)\">\(escaped(section.document.name))</a></li>"
        }
        let title = escaped(context.localizedString("Documents"))
        return "<nav aria-label=\"\(title)\"><ol>\(items.joined())</ol></nav>"
    }

    private func notes(of report: Report) -> String {
        guard !report.notes.isEmpty else { return "" }
        let items = report.notes.map { "<li>\(escaped($0))</li>" }.joined()
        return "<aside class=\"notes\" id=\"notes\"><h2>\(string("Please note"))</h2><ul>\(items)</ul></aside>"
    }

    private func html(of content: Report.Section, number: Int) -> String {
        let figures = content.figures.map { figure in
            "<figure><figcaption>\(escaped(figure.title))</figcaption>\(figure.svg)</figure>"
        }
        var filters = ""
        if !content.filters.isEmpty {
            let items = content.filters.map { "<li>\(escaped($0))</li>" }.joined()
            filters = "<p class=\"label\">\(string("Filters"))</p><ul class=\"filters\">\(items)</ul>"
        }
        var opening = ""
        if !content.opening.isEmpty {
            let text = OpeningText(content.opening).html
            opening = "<blockquote lang=\"\(escaped(content.document.language))\">\(text)</blockquote>"
        }
        return section.filled([
            "number": "\(number)",
            "name": escaped(content.document.name),
            "filters": filters,
            "opening": opening,
            "figures": figures.joined(separator: "\n"),
            "tables": content.tables.map(html(of:)).joined(separator: "\n"),
        ])
    }

    private func html(of table: Table) -> String {
        var markup = "<div class=\"table\"><table><caption>\(escaped(table.title))</caption>"
        // A column is formatted as numbers if its first cell is a number.
        let isNumeric = (table.rows.first ?? []).map(\.isNumber)
        if !table.columns.isEmpty {
            let heads = table.columns.enumerated().map { index, title in
                let number = index < isNumeric.count && isNumeric[index] ? " class=\"number\"" : ""
                return "<th scope=\"col\"\(number)>\(escaped(title))</th>"
            }
            markup += "<thead><tr>\(heads.joined())</tr></thead>"
        }
        markup += "<tbody>"
        for row in table.rows {
            markup += "<tr>"
            for (index, cell) in row.enumerated() {
                let text = html(of: cell)
                if index == 0 {
                    markup += "<th scope=\"row\">\(text)</th>"
                } else {
                    markup += "<td\(cell.isNumber || table.columns.isEmpty ? " class=\"number\"" : "")>\(text)</td>"
                }
            }
            markup += "</tr>"
        }
        markup += "</tbody></table>"
        if !table.remark.isEmpty { markup += "<p class=\"remark\">\(escaped(table.remark))</p>" }
        return markup + "</div>"
    }

    private func html(of cell: Table.Cell) -> String {
        switch cell {
        case .text(let text): escaped(text)
        case .integer(let number): numbers.text(number)
        case .decimal(let number): numbers.text(number)
        case .percentage(let share): numbers.percentage(share)
        case .bytes(let count): numbers.size(count)
        case .code(let code): "<code>\(escaped(code))</code>"
        // A later version of the application may add cases.
        @unknown default: escaped("\(cell)")
        }
    }

    private func string(_ key: String) -> String { escaped(context.localizedString(key)) }
}

extension Table.Cell {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .decimal, .percentage, .bytes: true
        case .text, .code: false
        @unknown default: false
        }
    }
}

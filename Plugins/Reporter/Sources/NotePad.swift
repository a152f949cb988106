import DemoAPI
import PluginABI

/// Lists the headings of a Markdown document, and the number of words below each.
final class NotePad: TextAnalyzer {
    private struct Heading {
        var level: Int
        var title: String
        var line: Int
        var words = 0
    }

    /// The report is for people; the document itself contains all headings.
    private static let limit = 40
    private static let maximumLength = 160

    private let context: PluginContext
    private var headings: [Heading] = []
    private var headingCount = 0
    private var line = 0
    private var isInFence = false

    init(context: PluginContext) {
        self.context = context
    }

    func read(_ passage: String) {
        let text = passage.utf8.span
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
            line += 1
            read(text.extracting(start..<end))
            start = end + 1
        }
    }

    private func read(_ line: Span<UInt8>) {
        let number = UInt8(ascii: "#")
        let backquote = UInt8(ascii: "`")
        if line.count >= 3, line[0] == backquote, line[1] == backquote, line[2] == backquote {
            isInFence.toggle()
            return
        }
        var level = 0
        while level < line.count, line[level] == number { level += 1 }
        if !isInFence, (1...6).contains(level), level < line.count, line[level] == UInt8(ascii: " ") {
            headingCount += 1
            if headings.count < Self.limit {
                let title = line.string(level + 1..<line.count).filter { $0 != "`" }.prefix(Self.maximumLength)
                headings.append(Heading(level: level, title: String(title), line: self.line))
            }
        } else if !headings.isEmpty, headingCount <= Self.limit {
            var words = 0
            TextScanner.scan(line) { if case .word = $0 { words += 1 } }
            headings[headings.count - 1].words += words
        }
    }

    func finish() -> Analysis {
        guard !headings.isEmpty else { return Analysis() }
        let rows = headings.map { heading -> [Table.Cell] in
            // One em space for each level: every format can show this indentation.
            let indentation = String(repeating: "\u{2003}", count: heading.level - 1)
            return [.text(indentation + heading.title), .integer(heading.line), .integer(heading.words)]
        }
        var table = Table(
            title: context.localizedString("Outline"),
            columns: ["Heading", "Line", "Words"].map { context.localizedString($0) }, rows: rows)
        if headingCount > headings.count {
            table.remark = context.localizedString("Only the first headings are shown.")
        }
        return Analysis(tables: [table])
    }
}

import DemoAPI
import PluginABI

/// Lists the questions that a document asks.
final class QueryList: TextAnalyzer {
    private static let limit = 12
    /// Longer ones are probably not questions, but text without full stops.
    private static let maximumLength = 240

    private let context: PluginContext
    private var questions: [(line: Int, text: String)] = []
    private var count = 0
    private var line = 1

    init(context: PluginContext) {
        self.context = context
    }

    func read(_ passage: String) {
        let text = passage.utf8.span
        var sentence: Int?
        var words = 0
        TextScanner.scan(text) { token in
            switch token {
            case .word(let range, _):
                if sentence == nil { (sentence, words) = (range.lowerBound, 0) }
                words += 1
            case .mark(let scalar, let index):
                switch scalar {
                case 0x3F, 0xFF1F:  // ? ？
                    let end = index + (scalar == 0x3F ? 1 : 3)
                    // A question mark inside a word is not the end of a question: it is part of an address or of code.
                    let isEnd = scalar != 0x3F || end == text.count || text[end] <= 0x22 || text[end] >= 0x80
                    if let start = sentence, isEnd, words > 1, end - start <= Self.maximumLength {
                        add(text, start..<end)
                    }
                    sentence = nil
                case 0x0A:
                    line += 1
                    // A sentence continues on the next line, but not beyond an empty line, a heading or a list item.
                    let next = index + 1 < text.count ? text[index + 1] : 0x0A
                    if next == 0x0A || next == 0x23 || next == 0x2D || next == 0x2A || next == 0x7C { sentence = nil }
                case 0x2E, 0x21, 0x3A, 0x60, 0x7C, 0x2026, 0x3002, 0xFF01: sentence = nil  // . ! : ` | … 。 ！
                default: break
                }
            }
        }
    }

    private func add(_ text: Span<UInt8>, _ range: Range<Int>) {
        count += 1
        guard questions.count < Self.limit else { return }
        questions.append((line, text.string(range).split(whereSeparator: \.isWhitespace).joined(separator: " ")))
    }

    func finish() -> Analysis {
        guard count > 0 else { return Analysis() }
        var table = Table(
            title: context.localizedString("Questions"),
            columns: ["Question", "Line"].map { context.localizedString($0) },
            rows: questions.map { [.text($0.text), .integer($0.line)] })
        if count > questions.count { table.remark = context.localizedString("Only the first questions are shown.") }
        return Analysis(tables: [table])
    }
}

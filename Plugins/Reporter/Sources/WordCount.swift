import DemoAPI
import PluginABI

/// Finds the words that a document uses most, without those that are common in every text of its language.
final class WordCount: TextAnalyzer {
    /// Rows of the table and bars of the chart.
    private static let limit = 12
    /// Longer ones are not words, but encoded data.
    private static let maximumLength = 60

    private let context: PluginContext
    private var commonWords: Set<String> = []
    private var tally = WordTally()
    private var total = 0

    init(context: PluginContext) {
        self.context = context
    }

    func begin(_ document: Document) { commonWords = document.wordLists[document.language] }

    func read(_ passage: String) {
        let text = passage.utf8.span
        TextScanner.scan(text) { token in
            guard case .word(let range, let script) = token else { return }
            total += 1
            guard range.count <= Self.maximumLength, !isEnding(text, range.lowerBound) else { return }
            switch script {
            case .hiragana: break  // particles and endings, nearly all of them
            case .kanji: tally.add(text, range)
            case .katakana: if range.count >= 6 { tally.add(text, range) }
            case .letters: if range.count >= 2, text[range.lowerBound] > UInt8(ascii: "9") { tally.add(text, range) }
            }
        }
    }

    /// Whether a dot joins the word to the previous one, as in a file's name or an address: the “md” in “README.md” is
    /// not a word.
    private func isEnding(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start >= 2, text[start - 1] == UInt8(ascii: ".") else { return false }
        let before = text[start - 2]
        return before >= 0x80 || before | 0x20 &- 0x61 < 26 || before &- 0x30 < 10 || before == UInt8(ascii: "_")
    }

    func finish() -> Analysis {
        let words = tally.mostFrequent(Self.limit) { word in
            let plain = word.replacing("’", with: "'")
            // l'eau, qu'il: the word is the part after the apostrophe.
            let stem = plain.split(separator: "'").last.map(String.init) ?? plain
            return !commonWords.contains(plain) && !commonWords.contains(stem)
        }
        guard let most = words.first, most.count > 1 else { return Analysis() }
        let rows = words.map { word, count -> [Table.Cell] in
            [.text(word), .integer(count), .percentage(Double(count) / Double(total))]
        }
        let title = context.localizedString("Frequent words")
        let table = Table(
            title: title, columns: ["Word", "Occurrences", "Share"].map { context.localizedString($0) }, rows: rows)
        let chart = Chart(
            .bar, title: title, valueTitle: context.localizedString("Occurrences"),
            series: [Series(points: words.map { .init($0.word, Double($0.count)) })])
        return Analysis(tables: [table], charts: [chart])
    }
}

import DemoAPI
import PluginABI

/// Reports a document's figures: words, sentences, lines, and reading time.
///
/// It also draws the length of the sentences from beginning to end.
///
/// It is the bundle's principal class.
final class Reporter: TextAnalyzer {
    private let context: PluginContext
    private var document = Document(name: "", byteCount: 0, language: "")
    private var byteOffset = 0
    private var figures = Figures()
    /// The figures of pieces of the document, each of about `pieceLength` bytes in whole lines.
    private var course: [Figures] = []
    private var pieceLength = 256

    init(context: PluginContext) {
        self.context = context
    }

    func begin(_ document: Document) { self.document = document }

    func read(_ passage: String) {
        let text = passage.utf8.span
        var piece = course.popLast() ?? Figures()
        TextScanner.scan(text) { token in
            switch token {
            case .word(let range, let script):
                piece.add(word: text, range, script)
            case .mark(let scalar, let index):
                let end = index + (scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : 3)
                piece.add(mark: scalar, followedBy: end < text.count ? text[end] : nil)
                if scalar == 0x0A, byteOffset + index >= (course.count + 1) * pieceLength {
                    course.append(piece)
                    figures += piece
                    piece = Figures()
                    if course.count == Self.courseLength { coarsen() }
                }
            }
        }
        course.append(piece)
        for byte in passage.utf8 where byte & 0xC0 != 0x80 { figures.characters += 1 }
        byteOffset += text.count
    }

    func finish() -> Analysis {
        if let last = course.last { figures += last }
        let minutes = Double(figures.words) / 230 + Double(figures.ideographs) / 500
        var rows: [[Table.Cell]] = [
            [.text(string("Language")), .text(string(document.language, table: "Languages"))],
            [.text(string("Size")), .bytes(document.byteCount)],
            [.text(string("Characters")), .integer(figures.characters)],
            [.text(string("Words")), .integer(figures.words)],
            [.text(string("Sentences")), .integer(figures.sentences)],
            [.text(string("Lines")), .integer(figures.lines)],
        ]
        if figures.sentences > 0 {
            rows.append([.text(string("Words in a sentence")), .decimal(figures.sentenceLength)])
        }
        rows.append([.text(string("Minutes to read")), minutes < 10 ? .decimal(minutes) : .integer(Int(minutes))])
        return Analysis(tables: [Table(title: string("Summary"), rows: rows)], charts: [chart].compactMap(\.self))
    }

    /// Halves the number of pieces in the course of the text by joining them in pairs.
    ///
    /// The size of a piece is not derived from the file's length, because a pipe has no length and filters change it.
    private func coarsen() {
        course = stride(from: 0, to: course.count, by: 2).map { index in
            var pair = course[index]
            pair += course[index + 1]
            return pair
        }
        pieceLength *= 2
    }

    /// An even number that is small enough to draw every point of a line.
    private static let courseLength = 80

    /// Nil for a document that is too short for a chart.
    private var chart: Chart? {
        let pieces = course.filter { $0.sentences > 0 }
        guard pieces.count >= 8 else { return nil }
        let numbers = NumberStyle(context: context)
        let points = pieces.enumerated().map { index, piece in
            Series.Point(numbers.percentage(whole: index * 100 / (pieces.count - 1)), piece.sentenceLength)
        }
        return Chart(
            .line, title: string("Length of sentences through the document"),
            horizontalTitle: string("Position in the document"), valueTitle: string("Words in a sentence"),
            series: [Series(points: points)])
    }

    private func string(_ key: String, table: String? = nil) -> String { context.localizedString(key, table: table) }
}

/// Counts of a text, or of a part of it.
private struct Figures {
    var characters = 0
    var words = 0
    var ideographs = 0
    var sentences = 0
    var lines = 0

    var sentenceLength: Double { sentences == 0 ? 0 : Double(words) / Double(sentences) }

    mutating func add(word text: Span<UInt8>, _ range: Range<Int>, _ script: TextScanner.Script) {
        words += 1
        // About three bytes per character, in scripts without spaces.
        if script != .letters { ideographs += range.count / 3 }
    }

    mutating func add(mark scalar: UInt32, followedBy next: UInt8?) {
        switch scalar {
        case 0x0A: lines += 1
        case 0x2026: if next == nil || next! <= 0x20 { sentences += 1 }  // …
        case 0x2E, 0x21, 0x3F:  // . ! ?: the end where a space, a quotation mark or a bracket follows
            if next == nil || next! <= 0x22 || next! == 0x27 || next! == 0x29 || next! >= 0x80 { sentences += 1 }
        case 0x3002, 0xFF01, 0xFF1F: sentences += 1  // 。！？
        default: break
        }
    }

    static func += (total: inout Figures, part: Figures) {
        total.words += part.words
        total.ideographs += part.ideographs
        total.sentences += part.sentences
        total.lines += part.lines
    }
}

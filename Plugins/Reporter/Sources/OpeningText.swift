import DemoAPI

/// The beginning of a document as HTML.
///
/// The lines of each paragraph are joined, and Markdown is converted. Plain text contains only paragraphs, so the
/// result shows it unchanged.
///
/// It is not a full Markdown reader: tables become lines, and markup that is not closed, because the text was cut, is
/// shown unchanged.
struct OpeningText {
    private var markup = ""
    /// The lines of the current paragraph or list item, joined.
    private var paragraph = ""
    private var list: ListKind?

    private enum ListKind: String {
        case bullets = "ul"
        case numbers = "ol"
    }

    init(_ text: String) {
        var code: [Substring]?
        var isComment = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
            if words.hasPrefix("```") || words.hasPrefix("~~~") {
                if let lines = code { add(code: lines) } else { endList() }
                code = code == nil ? [] : nil
            } else if code != nil {
                code?.append(line)
            } else if isComment || words.hasPrefix("<!--") {
                isComment = !words.contains("-->")
            } else {
                read(words, isIndented: words.startIndex != line.startIndex)
            }
        }
        if let code { add(code: code) }
        endList()
    }

    /// Paragraphs, headings and lists.
    var html: String { markup }

    private mutating func read(_ line: Substring, isIndented: Bool) {
        if line.allSatisfy(\.isWhitespace) {
            endParagraph()
        } else if let (level, title) = Self.heading(line) {
            endList()
            // The report's own headings have higher levels.
            markup += "<h\(level + 2)>\(Self.inline(title))</h\(level + 2)>"
        } else if Self.isRule(line) {
            endParagraph()
        } else if let (kind, text) = Self.item(line) {
            endParagraph()
            if list != kind {
                endList()
                markup += "<\(kind.rawValue)>"
                list = kind
            }
            paragraph = String(text)
        } else if line.hasPrefix("|") {
            endList()
            let cells = line.split(separator: "|").map { $0.trimmed }.filter { !$0.isEmpty }
            paragraph = cells.joined(separator: " – ")
            endParagraph()
        } else {
            // A line without indentation after an empty line does not belong to the list before it.
            if paragraph.isEmpty, !isIndented { endList() }
            paragraph += (paragraph.isEmpty ? "" : " ") + line.drop { $0 == ">" || $0 == " " }.trimmed
        }
    }

    private mutating func endParagraph() {
        guard !paragraph.isEmpty else { return }
        let tag = list == nil ? "p" : "li"
        markup += "<\(tag)>\(Self.inline(paragraph[...]))</\(tag)>"
        paragraph = ""
    }

    private mutating func endList() {
        endParagraph()
        if let list { markup += "</\(list.rawValue)>" }
        list = nil
    }

    private mutating func add(code lines: [Substring]) {
        guard lines.contains(where: { !$0.isEmpty }) else { return }
        markup += "<pre><code>\(escaped(lines.joined(separator: "\n")))</code></pre>"
    }

    // MARK: Lines

    /// `## Title`; deeper levels than three count as three.
    private static func heading(_ line: Substring) -> (level: Int, title: Substring)? {
        let signs = line.prefix { $0 == "#" }
        let title = line[signs.endIndex...]
        guard (1...6).contains(signs.count), title.first == " " else { return nil }
        let last = title.lastIndex { $0 != "#" && $0 != " " }
        return last.map { (min(signs.count, 3), title[...$0].drop { $0 == " " }) }
    }

    /// A line of dashes or equals signs, below a heading or alone, or below a table's head; also if a filter has turned
    /// them into long dashes.
    private static func isRule(_ line: Substring) -> Bool {
        let signs = line.filter { !$0.isWhitespace }
        guard signs.count >= 3 || signs.first == "—" else { return false }
        return signs.allSatisfy { "-=*_|:—–".contains($0) }
    }

    private static func item(_ line: Substring) -> (kind: ListKind, text: Substring)? {
        let mark = line.prefix { !$0.isWhitespace }
        let text = line[mark.endIndex...].drop(while: \.isWhitespace)
        guard !text.isEmpty else { return nil }
        if ["-", "*", "+"].contains(mark) { return (.bullets, text) }
        guard mark.last == "." || mark.last == ")", (2...4).contains(mark.count) else { return nil }
        return mark.dropLast().allSatisfy(\.isNumber) ? (.numbers, text) : nil
    }

    // MARK: Inside a line

    /// Code, strong and emphasised words, and the text of links; everything else is escaped.
    private static func inline(_ text: Substring) -> String {
        var html = ""
        var rest = text[...]
        while let sign = rest.firstIndex(where: { "`*_[!".contains($0) }) {
            html += escaped(String(rest[..<sign]))
            // A mark between letters, as in snake_case, is not markup.
            let isInside = sign > text.startIndex && text[text.index(before: sign)].isLetter
            rest = rest[sign...]
            if let span = span(rest), !(isInside && "*_".contains(rest[sign])) {
                html += span.html
                rest = span.rest
            } else {
                html += escaped(String(rest.removeFirst()))
            }
        }
        return html + escaped(String(rest))
    }

    /// The marked-up part at the beginning of a text, if there is one.
    private static func span(_ text: Substring) -> (html: String, rest: Substring)? {
        func enclosed(by mark: String, _ tag: String) -> (html: String, rest: Substring)? {
            guard text.hasPrefix(mark) else { return nil }
            let inside = text.dropFirst(mark.count)
            guard let end = inside.firstRange(of: mark), end.lowerBound > inside.startIndex,
                inside.first?.isWhitespace == false
            else { return nil }
            let words = inside[..<end.lowerBound]
            let html = tag == "code" ? escaped(String(words)) : inline(words)
            return ("<\(tag)>\(html)</\(tag)>", inside[end.upperBound...])
        }
        if text.first == "[" || text.hasPrefix("![") {
            let words = text.dropFirst(text.first == "[" ? 1 : 2)
            guard let end = words.firstRange(of: "]("), let close = words[end.upperBound...].firstIndex(of: ")") else {
                return nil
            }
            return (inline(words[..<end.lowerBound]), words[words.index(after: close)...])
        }
        return enclosed(by: "`", "code") ?? enclosed(by: "**", "strong") ?? enclosed(by: "__", "strong")
            ?? enclosed(by: "*", "em") ?? enclosed(by: "_", "em")
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

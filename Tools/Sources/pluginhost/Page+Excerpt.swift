import PluginLinting

extension Page {
    /// Adds a line of a file, with a caret below a place in it.
    ///
    /// Tabs become blanks, control characters are written out, and a long line is cut around the place.
    mutating func excerpt(_ excerpt: LintFinding.Excerpt) {
        let shown = ShownExcerpt(excerpt, width: width - Self.excerptIndent)
        line((shown.text, .plain), indent: Self.excerptIndent)
        line((String(repeating: " ", count: shown.caret) + "^", .green), indent: Self.excerptIndent)
    }

    private static let excerptIndent = 2
}

/// A line as a terminal shows it.
struct ShownExcerpt {
    private(set) var text: String
    /// The column of the place, from 0.
    private(set) var caret: Int

    private static let tabWidth = 4
    private static let cut = Terminal.ellipsis

    /// `width`: how many columns are available.
    init(_ excerpt: LintFinding.Excerpt, width: Int) {
        // Count whole characters, because a combining mark on either side of the place takes no column.
        var before = Self.cells(excerpt.before, from: 0)
        let start = before.reduce(0) { $0 + $1.columns }
        var after = Self.cells(excerpt.after, from: start)
        if let first = excerpt.after.unicodeScalars.first, first.properties.isGraphemeExtend,
            let last = before.popLast()
        {
            // The place is inside a character. Show the whole character after it.
            after.insert(last, at: 0)
        }
        var isCutBefore = excerpt.isCutBefore
        var isCutAfter = excerpt.isCutAfter
        // Two thirds of the line are before the place, if there is enough after it to cut.
        let room = width * 2 / 3
        var columns = before.reduce(0) { $0 + $1.columns }
        var dropped = 0
        while dropped < before.count, columns > room {
            columns -= before[dropped].columns
            dropped += 1
            isCutBefore = true
        }
        before.removeFirst(dropped)
        caret = columns + (isCutBefore ? Self.cut.columns : 0)
        text = (isCutBefore ? Self.cut : "") + before.map(\.text).joined()
        columns = caret
        for cell in after {
            guard columns + cell.columns + Self.cut.columns <= width else {
                isCutAfter = true
                break
            }
            text += cell.text
            columns += cell.columns
        }
        if isCutAfter { text += Self.cut }
        while text.last == " " { text.removeLast() }
    }

    private struct Cell {
        let text: String
        let columns: Int
    }

    /// The texts to show for the characters of a line that begins at a column.
    private static func cells(_ text: String, from start: Int) -> [Cell] {
        var column = start
        return text.map { character in
            if character == "\t" {
                let columns = tabWidth - column % tabWidth
                column += columns
                return Cell(text: String(repeating: " ", count: columns), columns: columns)
            }
            let shown = String(character).asShown
            column += shown.columns
            return Cell(text: shown, columns: shown.columns)
        }
    }
}

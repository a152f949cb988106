extension Page {
    /// A column of a table that fits the terminal.
    struct Column {
        let title: String
        /// The smallest width.
        ///
        /// If a table is still too wide, its least important columns are removed first.
        let minimum: Int
        /// Columns with lower numbers are removed first.
        let importance: Int
        var cut = Cut.end

        /// Which part of a long text is replaced by “…”.
        ///
        /// A text that is `never` cut stays complete on every terminal, because readers copy it.
        enum Cut {
            case end
            case beginning
            case never
        }
    }

    struct Cell {
        let text: String
        var style = Style.plain

        init(_ text: String, _ style: Style = .plain) {
            self.text = text.asShown
            self.style = style
        }
    }

    /// Adds a table with a header.
    ///
    /// On a terminal the table is as wide as the terminal; elsewhere nothing is cut, so that a script sees everything.
    mutating func table(_ columns: [Column], _ rows: [[Cell]]) {
        let natural = columns.indices.map { number in
            Self.padded([columns[number].title.columns] + rows.map { $0[number].text.columns })
        }
        let widths = Self.fitted(columns, natural, into: tableWidth)
        let isWhole = tableWidth == nil
        let last = widths.lastIndex { $0 != nil }
        for row in [columns.map { Cell($0.title, .faint) }] + rows {
            var line = ""
            for number in columns.indices {
                guard let width = widths[number] else { continue }
                let text =
                    isWhole
                    ? row[number].text
                    : row[number].text.cut(to: width, columns[number].cut, mark: Terminal.ellipsis)
                if !line.isEmpty { line += "  " }
                line += styled(text, row[number].style)
                if number != last { line += String(repeating: " ", count: max(width - text.columns, 0)) }
            }
            put(line: line)
        }
    }

    /// The largest average number of spaces that pad the cells of a column.
    static let mostPadding = 256

    /// The width to which the cells of a column are padded: the width of the longest cell.
    ///
    /// If padding the others to the longest cells would make the table many times larger, these cells stick out. The
    /// width is then that of the longest cell for which the average padding is within ``mostPadding``.
    static func padded(_ lengths: [Int]) -> Int {
        let lengths = lengths.sorted()
        var sum = lengths.reduce(0, +)
        for (place, length) in lengths.enumerated().reversed() {
            if length * (place + 1) - sum <= mostPadding * lengths.count { return length }
            sum -= length
        }
        return 0
    }

    /// The width of each column; nil for columns that do not fit.
    static func fitted(_ columns: [Column], _ natural: [Int], into width: Int?) -> [Int?] {
        guard let width else { return natural }
        // A column that is never cut must leave room for the others, so its longer texts stick out.
        let most = width * 3 / 5
        let natural = zip(columns, natural).map { $0.cut == .never ? min($1, max(most, $0.minimum)) : $1 }
        var widths: [Int?] = natural
        func total() -> Int { widths.compactMap(\.self).reduce(-2) { $0 + $1 + 2 } }
        while total() > width {
            // Cut the widest column first, so that short ones stay complete.
            let shrinkable = columns.indices.filter { number in
                columns[number].cut != .never && widths[number].map { $0 > columns[number].minimum } ?? false
            }
            if let widest = shrinkable.max(by: { widths[$0]! < widths[$1]! }) {
                widths[widest]! -= 1
                continue
            }
            let left = columns.indices.filter { widths[$0] != nil }
            guard left.count > 1, let least = left.min(by: { columns[$0].importance < columns[$1].importance }) else {
                break
            }
            widths[least] = nil
            for number in columns.indices where widths[number] != nil { widths[number] = natural[number] }
        }
        return widths
    }
}

extension String {
    /// The text, cut to a number of terminal columns.
    ///
    /// A mark replaces the rest.
    func cut(to width: Int, _ cut: Page.Column.Cut = .end, mark: String = "…") -> String {
        guard cut != .never, columns > width else { return self }
        var kept: [Character] = []
        var left = width - mark.columns
        for character in cut == .end ? Array(self) : reversed() {
            left -= String(character).columns
            if left < 0 { break }
            kept.append(character)
        }
        return cut == .end ? String(kept) + mark : mark + String(kept.reversed())
    }
}

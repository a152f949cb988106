extension Page {
    /// A column of a table that fits the terminal.
    struct Column {
        let title: String
        /// How many columns must at least remain; a table that is too wide first loses its least important ones.
        let minimum: Int
        /// Columns with higher numbers stay longer.
        let importance: Int
        var cut = Cut.end

        /// Which part of a long text is replaced by “…”.
        enum Cut {
            case end
            case beginning
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

    /// Adds a table with a head.
    ///
    /// On a terminal the table is as wide as the terminal; elsewhere nothing is cut, so that a script sees everything.
    mutating func table(_ columns: [Column], _ rows: [[Cell]]) {
        let natural = columns.indices.map { number in
            max(columns[number].title.columns, rows.map { $0[number].text.columns }.max() ?? 0)
        }
        let widths = Self.fitted(columns, natural, into: tableWidth)
        let head = columns.map { Cell($0.title, .faint) }
        for row in [head] + rows {
            var line = ""
            for number in columns.indices {
                guard let width = widths[number] else { continue }
                let text = row[number].text.cut(to: width, columns[number].cut, mark: Terminal.ellipsis)
                if !line.isEmpty { line += "  " }
                line += styled(text, row[number].style)
                if number != widths.lastIndex(where: { $0 != nil }) {
                    line += String(repeating: " ", count: width - text.columns)
                }
            }
            put(line: line)
        }
    }

    /// The width of each column, nil for columns without room.
    static func fitted(_ columns: [Column], _ natural: [Int], into width: Int?) -> [Int?] {
        var widths: [Int?] = natural
        guard let width else { return widths }
        func total() -> Int { widths.compactMap(\.self).reduce(-2) { $0 + $1 + 2 } }
        while total() > width {
            // The widest column is cut first, so that short ones stay complete.
            let shrinkable = columns.indices.filter { number in
                widths[number].map { $0 > columns[number].minimum } ?? false
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
    /// The text, or as much of it as fits in that many columns of a terminal with a mark for the rest.
    func cut(to width: Int, _ cut: Page.Column.Cut = .end, mark: String = "…") -> String {
        guard columns > width else { return self }
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

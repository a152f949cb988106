import BundleReading
@_spi(Tools) import PluginHost

/// Text for people: lines with an indent, wrapped to the terminal, with control characters escaped.
///
/// Everything that is shown passes through here, so that no name in a bundle can move the cursor or forge a line.
struct Page {
    /// How a piece of text looks if colours are shown.
    ///
    /// The words carry the meaning without them too.
    enum Style: String {
        case plain = ""
        case bold = "1"
        case faint = "2"
        case red = "1;31"
        case green = "32"
        case yellow = "33"
    }

    private(set) var text = ""
    private let terminal: Terminal
    /// How many columns are available.
    var width: Int { terminal.width }
    /// How many columns a table may have; nil if it may be as wide as needed.
    var tableWidth: Int? { terminal.tableWidth }

    init(terminal: Terminal = .standardOutput) { self.terminal = terminal }

    /// An empty line, unless the page is empty.
    mutating func gap() {
        if !text.isEmpty { text += "\n" }
    }

    /// One line of pieces with a space between them, not wrapped.
    mutating func line(_ pieces: (String, Style)..., indent: Int = 0) {
        let shown = pieces.filter { !$0.0.isEmpty }.map { styled($0.0.asShown, $0.1) }
        text += String(repeating: " ", count: indent) + shown.joined(separator: " ") + "\n"
    }

    /// A paragraph, wrapped.
    mutating func paragraph(_ words: String, indent: Int = 0, _ style: Style = .plain) {
        for line in Self.wrapped(words.asShown, width: terminal.width - indent) {
            text += String(repeating: " ", count: indent) + styled(line, style) + "\n"
        }
    }

    /// Adds a label with its value beside it.
    ///
    /// Adds nothing if there is no value.
    ///
    /// The further lines of a long value are aligned with its first.
    mutating func field(_ label: String, _ value: String?, indent: Int = 2) {
        guard let value, !value.isEmpty else { return }
        let column = Self.labelWidth
        let lines = Self.wrapped(value.asShown, width: terminal.width - indent - column)
        for (number, line) in lines.enumerated() {
            let label = number == 0 ? label : ""
            let padding = String(repeating: " ", count: max(column - label.columns, 1))
            text += String(repeating: " ", count: indent) + styled(label, .faint) + padding + line + "\n"
        }
    }

    /// Rows below one another, with all but the last column padded.
    mutating func table(_ rows: [[String]], indent: Int) {
        let rows = rows.map { $0.map(\.asShown) }
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0 }
        for row in rows {
            var line = ""
            for (column, cell) in row.enumerated() where !cell.isEmpty || column + 1 < row.count {
                line += cell
                if column + 1 < row.count { line += String(repeating: " ", count: widths[column] - cell.columns + 2) }
            }
            while line.last == " " { line.removeLast() }
            text += String(repeating: " ", count: indent) + line + "\n"
        }
    }

    private static let labelWidth = 17

    /// A line of text that is already escaped and styled.
    mutating func put(line: String) {
        text += line
        while text.last == " " { text.removeLast() }
        text += "\n"
    }

    func styled(_ text: String, _ style: Style) -> String {
        guard terminal.showsColor, style != .plain, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }

    /// Breaks lines only at spaces.
    ///
    /// A path longer than the line stays complete, so that it can be copied.
    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var columns = 0
        for word in text.split(separator: " ") {
            let length = String(word).columns
            if !line.isEmpty, columns + 1 + length > width {
                lines.append(line)
                line = ""
                columns = 0
            }
            if !line.isEmpty {
                line += " "
                columns += 1
            }
            line += word
            columns += length
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

extension String {
    /// The text with nothing that controls a terminal: controls, line separators and direction marks are written out.
    var escapedForTerminal: String { escapedForDisplay }

    /// The text as people see it on standard output: with nothing that controls a terminal, and in ASCII if the locale
    /// has no other characters.
    var asShown: String { Terminal.isUTF8 ? escapedForTerminal : escapedForTerminal.inASCII }

    /// How many columns the text takes on a terminal.
    var columns: Int { reduce(0) { $0 + ($1.unicodeScalars.first?.isWide ?? false ? 2 : 1) } }
}

extension Unicode.Scalar {
    /// Whether terminals give it two columns (Unicode Standard Annex 11, East Asian Wide and Fullwidth).
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

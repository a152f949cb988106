/// Walks through plain text or Markdown, and leaves code and tags unchanged.
///
/// A typographer must not touch `print("…")`: fenced blocks, spans in backquotes and HTML tags are copied.
///
/// **Cost.** One pass over the UTF-8, whose bytes below 0x80 are never inside another character.
struct Prose {
    /// A longer one does not count: so searching for its end stays cheap in a text with many that never end.
    fileprivate static let maximumSpan = 2_000

    /// The marker of the fenced block in which the previous passage ended.
    private var fence: UInt8?

    /// Rewrites the text outside of code in a passage.
    ///
    /// `passage`: whole lines. `rewrite`: called at each byte outside of code; appends the replacement and returns how
    /// many bytes it has handled, or 0 to keep the byte.
    mutating func edit(
        _ passage: String, _ rewrite: (_ text: Span<UInt8>, _ index: Int, _ output: inout [UInt8]) -> Int
    ) -> String {
        let text = passage.utf8.span
        var output: [UInt8] = []
        output.reserveCapacity(text.count + text.count / 16 + 64)
        var index = 0
        while index < text.count {
            if index == 0 || text[index - 1] == .newline {
                if copyFence(text, &index, &output) { continue }
            }
            switch text[index] {
            case .backquote: copySpan(text, &index, &output)
            case .less:
                copy(text, through: text.endOfTag(at: index) ?? index, &index, &output)
            default:
                let count = rewrite(text, index, &output)
                if count == 0 { output.append(text[index]) }
                index += max(count, 1)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Copies a line that opens, closes or is inside a fenced block.
    private mutating func copyFence(_ text: Span<UInt8>, _ index: inout Int, _ output: inout [UInt8]) -> Bool {
        var start = index
        while start < text.count, text[start] == .space { start += 1 }
        let marker = start + 2 < text.count ? text[start] : 0
        let isMarker =
            (marker == .backquote || marker == .tilde) && text[start + 1] == marker && text[start + 2] == marker
        guard fence != nil || isMarker else { return false }
        if isMarker {
            if fence == nil { fence = marker } else if fence == marker { fence = nil }
        }
        copy(text, through: text.firstIndex(of: .newline, in: index..<text.count) ?? text.count - 1, &index, &output)
        return true
    }

    /// Copies a code span up to a run of backquotes as long as the first; if the line has none, only the first run.
    private func copySpan(_ text: Span<UInt8>, _ index: inout Int, _ output: inout [UInt8]) {
        let length = text.run(of: .backquote, at: index)
        var end = index + length
        let limit = min(text.count, end + Self.maximumSpan)
        while end < limit, text[end] != .newline {
            let run = text.run(of: .backquote, at: end)
            if run == length { return copy(text, through: end + run - 1, &index, &output) }
            end += max(run, 1)
        }
        copy(text, through: index + length - 1, &index, &output)
    }

    private func copy(_ text: Span<UInt8>, through last: Int, _ index: inout Int, _ output: inout [UInt8]) {
        while index <= last {
            output.append(text[index])
            index += 1
        }
    }
}

extension Span<UInt8> {
    /// The byte at an index; a line end before the first and after the last.
    func byte(at index: Int) -> UInt8 { indices.contains(index) ? self[index] : .newline }

    /// How many bytes starting at an index are equal to `byte`.
    func run(of byte: UInt8, at start: Int) -> Int {
        var end = start
        while end < count, self[end] == byte { end += 1 }
        return end - start
    }

    /// The first such byte in the range and in its first line.
    fileprivate func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range {
            if self[index] == byte { return index }
            if self[index] == .newline { return nil }
        }
        return nil
    }

    /// The `>` of the tag that begins at an index, or nil if none does.
    fileprivate func endOfTag(at index: Int) -> Int? {
        let next = byte(at: index + 1)
        guard next.isLetter || next == UInt8(ascii: "/") || next == UInt8(ascii: "!") else { return nil }
        for end in index + 1..<Swift.min(count, index + Prose.maximumSpan) {
            if self[end] == .greater { return end }
            // A tag contains no other tag, and does not continue on the next line.
            if self[end] == .less || self[end] == .newline { return nil }
        }
        return nil
    }
}

extension UInt8 {
    static var newline: Self { Self(ascii: "\n") }
    static var space: Self { Self(ascii: " ") }
    static var hyphen: Self { Self(ascii: "-") }
    static var period: Self { Self(ascii: ".") }
    static var backquote: Self { Self(ascii: "`") }
    static var tilde: Self { Self(ascii: "~") }
    static var less: Self { Self(ascii: "<") }
    static var greater: Self { Self(ascii: ">") }

    /// A letter, or a part of a character beyond ASCII.
    var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A || self >= 0x80 }
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isBlank: Bool { self == .space || self == .newline || self == 0x09 || self == 0x0D }
}

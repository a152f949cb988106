/// The comments of an entry.
///
/// The first one comes from the sources; further ones are the translators' own.
///
/// A comment that begins with `Flag:` is a mark. Its words are those of GNUstep's make_strings and GNU gettext.
struct EntryNote {
    /// The meaning of a mark.
    enum Flag: String, CaseIterable {
        /// The text is still that of the development language.
        case untranslated
        /// A translation that must be reviewed before it counts as finished.
        case needsReview = "needs-review"
        /// No source mentions the key.
        case unused = "unmatched"

        /// The words of the comment.
        var words: String { "Flag: \(rawValue)" }
        var comment: String { "/* \(words) */" }
    }

    /// The comments and the blanks between them, unchanged from the file.
    private var pieces: [Substring]

    init(_ note: String) {
        var pieces: [Substring] = []
        var rest = note[...]
        while !rest.isEmpty {
            let blanks = rest[..<Self.endOfBlanks(in: rest)]
            if !blanks.isEmpty { pieces.append(blanks) }
            rest = rest[blanks.endIndex...]
            let end = Self.end(of: rest)
            if rest.startIndex < end { pieces.append(rest[..<end]) }
            rest = rest[end...]
        }
        self.pieces = pieces
    }

    // Compare bytes, not characters: for the reader of tables, a comment ends at “*/” even if a combining character
    // follows.

    private static func endOfBlanks(in text: Substring) -> String.Index {
        var index = text.startIndex
        while index < text.endIndex {
            let isLineEnd = text[index...].utf8.startsWithUnicodeLineEnd
            guard isLineEnd || text.utf8[index] <= 0x20 else { return index }
            index = text.utf8.index(index, offsetBy: isLineEnd ? 3 : 1)
        }
        return index
    }

    private static func isOfLine(_ comment: Substring) -> Bool { comment.utf8.starts(with: "//".utf8) }

    /// A line comment ends where it ends for the reader of tables.
    private static func end(of comment: Substring) -> String.Index {
        let bytes = comment.utf8
        if isOfLine(comment) {
            return bytes.indices.first {
                bytes[$0] == 0x0A || bytes[$0] == 0x0D || bytes[$0] == 0xE2 && bytes[$0...].startsWithUnicodeLineEnd
            } ?? comment.endIndex
        }
        return endSign(of: comment).map { bytes.index($0, offsetBy: 2) } ?? comment.endIndex
    }

    /// The index of the “*/” that ends a comment; nil if there is none.
    static func endSign(of comment: Substring) -> String.Index? {
        var rest = comment.utf8.dropFirst(2)
        while let star = rest.firstIndex(of: UInt8(ascii: "*")) {
            rest = rest[rest.index(after: star)...]
            if rest.first == UInt8(ascii: "/") { return star }
        }
        return nil
    }

    /// The text of the note in the file.
    var text: String { pieces.joined() }

    private static func isBlank(_ piece: Substring) -> Bool { endOfBlanks(in: piece) == piece.endIndex }

    /// The words of a comment, without its delimiters.
    private static func words(_ comment: Substring) -> String {
        var words = comment.utf8.dropFirst(2)
        if !isOfLine(comment), words.suffix(2).elementsEqual("*/".utf8) { words = words.dropLast(2) }
        return lines(String(Substring(words))).map { $0.trimmed }.joined(separator: "\n").trimmed
    }

    /// The lines of a text, counted like the places of findings: U+2028 and U+0085 do not end a line.
    private static func lines(_ text: String) -> [Substring] {
        guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return [text[...]] }
        return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    }

    private static func flag(_ comment: Substring) -> Flag? {
        // Most comments are not marks, and need not be read to their ends.
        guard comment.utf8.dropFirst(2).drop(while: { $0 <= 0x20 }).starts(with: "Flag:".utf8) else { return nil }
        let words = words(comment)
        guard words.hasPrefix("Flag:") else { return nil }
        return Flag(rawValue: String(words.dropFirst("Flag:".count)).trimmed)
    }

    private var comments: [Int] { pieces.indices.filter { !Self.isBlank(pieces[$0]) && Self.flag(pieces[$0]) == nil } }

    /// The words of the first comment; nil if there is none.
    var first: String? { comments.first.map { Self.words(pieces[$0]) } }

    /// The words of all comments, each on a new line; nil if there is none.
    var words: String? {
        comments.isEmpty ? nil : comments.map { Self.words(pieces[$0]) }.joined(separator: "\n")
    }

    func has(_ flag: Flag) -> Bool { pieces.contains { !Self.isBlank($0) && Self.flag($0) == flag } }

    /// Adds or removes a mark, which is the last comment.
    mutating func set(_ flag: Flag, _ isSet: Bool, lineBreak: String) {
        guard isSet != has(flag) else { return }
        if isSet {
            if !pieces.isEmpty { pieces.append(lineBreak[...]) }
            pieces.append(flag.comment[...])
        } else {
            while let index = pieces.firstIndex(where: { !Self.isBlank($0) && Self.flag($0) == flag }) { remove(index) }
        }
    }

    /// Removes a comment and the blanks before it, or after it if it is the first.
    ///
    /// The line end after a line comment stays if another comment follows, which would otherwise become a part of it.
    private mutating func remove(_ index: Int) {
        pieces.remove(at: index)
        let isAfterLine = index > 1 && index < pieces.endIndex && Self.isOfLine(pieces[index - 2])
        let blanks = isAfterLine ? index : max(0, index - 1)
        if pieces.indices.contains(blanks), Self.isBlank(pieces[blanks]) { pieces.remove(at: blanks) }
    }

    /// Replaces the first comment, or adds one before the others.
    mutating func setFirst(_ words: String, replacing: Bool, lineBreak: String) {
        let comment = Self.comment(words, lineBreak: lineBreak)
        if replacing, let index = comments.first {
            pieces[index] = comment[...]
        } else {
            if !pieces.isEmpty { pieces.insert(lineBreak[...], at: 0) }
            pieces.insert(comment[...], at: 0)
        }
    }

    /// A comment with these words.
    ///
    /// The lines after the first one are indented.
    static func comment(_ words: String, lineBreak: String) -> String {
        guard words.utf8.contains(UInt8(ascii: "*")) else {
            return "/* " + lines(words).joined(separator: lineBreak + "   ") + " */"
        }
        var text: [UInt8] = []
        for byte in words.utf8 {
            if byte == UInt8(ascii: "/"), text.last == UInt8(ascii: "*") { text.append(UInt8(ascii: " ")) }
            text.append(byte)
        }
        let lines = lines(String(decoding: text, as: UTF8.self))
        return "/* " + lines.joined(separator: lineBreak + "   ") + " */"
    }

    /// A new note.
    static func text(_ words: String?, flags: [Flag], lineBreak: String) -> String {
        let comment = words.map { Self.comment($0, lineBreak: lineBreak) }
        return ([comment].compactMap(\.self) + flags.map(\.comment)).joined(separator: lineBreak)
    }
}

extension Substring.UTF8View {
    /// Whether it begins with U+2028 or U+2029, which end a line for the reader of tables.
    fileprivate var startsWithUnicodeLineEnd: Bool {
        guard first == 0xE2 else { return false }
        let bytes = Array(prefix(3))
        return bytes == [0xE2, 0x80, 0xA8] || bytes == [0xE2, 0x80, 0xA9]
    }
}

extension StringProtocol {
    /// The text without the blanks at both ends.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}

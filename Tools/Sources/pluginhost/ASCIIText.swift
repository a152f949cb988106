extension String {
    /// The text in ASCII: with plain quotation marks and dashes, and every other character as its number, such as
    /// `\u{00E9}`.
    var inASCII: String {
        guard unicodeScalars.contains(where: { !$0.isASCII }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isASCII ? String(scalar) : Self.typewritten[scalar] ?? scalar.escaped(asASCII: true)
        }
    }

    /// The non-ASCII characters in messages of the tool and the library.
    private static let typewritten: [Unicode.Scalar: String] = [
        "“": "\"", "”": "\"", "‘": "'", "’": "'", "…": "...", "–": "-", "—": "--", "·": "-", "×": "x", "→": "->",
        "≥": ">=", "≤": "<=", "\u{A0}": " ", "\u{202F}": " ",
        "│": "|", "├": "|", "└": "`", "─": "-",
    ]
}

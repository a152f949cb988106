extension String {
    /// The text in ASCII: marks as typewriters wrote them, and every other character by its number, as `\u{00E9}`.
    var inASCII: String {
        guard unicodeScalars.contains(where: { !$0.isASCII }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isASCII ? String(scalar) : Self.typewritten[scalar] ?? scalar.escaped(asASCII: true)
        }
    }

    /// What the tool and the library's messages write themselves.
    private static let typewritten: [Unicode.Scalar: String] = [
        "“": "\"", "”": "\"", "‘": "'", "’": "'", "…": "...", "–": "-", "—": "--", "·": "-", "×": "x", "→": "->",
        "≥": ">=", "≤": "<=", "\u{A0}": " ", "\u{202F}": " ",
        "│": "|", "├": "|", "└": "`", "─": "-",
    ]
}

extension String {
    /// The text in ASCII: plain quotation marks and dashes, and every other character by its number, as `\u{00E9}`.
    var inASCII: String {
        guard unicodeScalars.contains(where: { !$0.isASCII }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isASCII ? String(scalar) : Self.typewritten[scalar] ?? scalar.escaped(asASCII: true)
        }
    }

    /// The characters that the tool and the library's messages use themselves.
    private static let typewritten: [Unicode.Scalar: String] = [
        "“": "\"", "”": "\"", "‘": "'", "’": "'", "…": "...", "–": "-", "—": "--", "·": "-", "×": "x", "→": "->",
        "≥": ">=", "≤": "<=", "\u{A0}": " ", "\u{202F}": " ",
        "│": "|", "├": "|", "└": "`", "─": "-",
    ]
}

/// A text with placeholders: `{{name}}`.
struct HTMLTemplate {
    private enum Part {
        case text(Substring)
        case place(String)
    }

    private var parts: [Part] = []

    init(_ source: String) {
        var rest = source[...]
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
            parts.append(.text(rest[..<open.lowerBound]))
            parts.append(.place(String(rest[open.upperBound..<close.lowerBound])))
            rest = rest[close.upperBound...]
        }
        parts.append(.text(rest))
    }

    /// The text with its placeholders replaced in one pass.
    ///
    /// Inserted text is not searched for placeholders again. `values`: markup by the names of the placeholders. A
    /// placeholder without a value is removed.
    func filled(_ values: [String: String]) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let fixed): text += fixed
            case .place(let name): text += values[name] ?? ""
            }
        }
        return text
    }
}

/// Plain text as HTML, for use in an element or a quoted attribute.
func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        case "\n", "\t": result.unicodeScalars.append(scalar)
        // Control characters are not allowed in HTML, not even as a reference.
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += "\u{FFFD}"
        // Marks that change the direction of the following text, and line separators, are shown instead of applied.
        case "\u{61C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
            result += scalar.escaped(asASCII: true)
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// A text with places to fill in: `{{name}}`.
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

    /// The text with every place filled, in one pass: what is filled in is not searched for places again. `values`:
    /// markup by the places' names. A place without a value stays empty.
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

/// Plain text as it stands in HTML, in an element or a quoted attribute.
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
        // No control character may stand in HTML, not even as a reference.
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += "\u{FFFD}"
        // Marks that would turn the direction of what follows, and line separators, are shown and not obeyed.
        case "\u{61C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
            result += scalar.escaped(asASCII: true)
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

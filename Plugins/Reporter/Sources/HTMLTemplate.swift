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

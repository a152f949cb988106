/// The type of an argument, a result or a property, as it is written in a declaration.
struct DeclaredType {
    /// The type in the usual spelling of Swift code.
    let text: String
    /// The identifiers of the types that it mentions.
    let mentioned: [String]
    /// The reason why its values cannot be passed to another process; nil if they can.
    let obstacle: String?

    init(_ fragments: [Symbol.Fragment]) {
        text = fragments.text.replacing(" : ", with: ": ").trimmedSpaces
        mentioned = fragments.compactMap { $0.kind == "typeIdentifier" ? $0.preciseIdentifier : nil }
        obstacle = Self.obstacle(fragments, text)
    }

    private static func obstacle(_ fragments: [Symbol.Fragment], _ text: String) -> String? {
        if text.contains("->") {
            return "passes a function: pass a RemoteCallback, which works until the method returns"
        }
        if fragments.has("inout") { return "has an inout argument: return the changed value" }
        if fragments.has("some") { return "is generic (some): name the type" }
        if fragments.has("any") || fragments.has("Any") || fragments.has("AnyObject") {
            return "passes an object of any type: pass a value of a struct or an enum"
        }
        if fragments.contains(where: { $0.kind == "typeIdentifier" && $0.spelling == "Self" }) {
            return "uses Self: name the type"
        }
        if text.hasSuffix("...") { return "takes any number of arguments: take an array" }
        if innerTuple(text) { return "has a tuple inside of another type: use a struct" }
        return nil
    }

    private static func innerTuple(_ text: String) -> Bool {
        let parts = tupleParts(text) ?? [text]
        return parts.contains { part in
            part.split(separator: "(").dropFirst().contains { $0.contains(",") }
        }
    }

    /// The types of a tuple's elements; nil if it is not a tuple.
    var elements: [String]? { Self.tupleParts(text)?.map(Self.withoutLabel) }

    /// Whether the type means that there is no value.
    var isVoid: Bool { text.isEmpty || text == "()" || text == "Void" }

    /// The type with each name reduced to its last part: `Table.Cell` and `Cell` mean the same where both are used.
    var unqualified: String {
        var result = ""
        var word = ""
        for character in text {
            if character == "." {
                word = ""
            } else if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else {
                result += word + String(character)
                word = ""
            }
        }
        return result + word
    }

    /// The parts between the commas of `(a, b)`; nil for other texts.
    private static func tupleParts(_ text: String) -> [String]? {
        guard text.first == "(", text.last == ")" else { return nil }
        let parts = split(text.dropFirst().dropLast())
        return parts.count > 1 ? parts : nil
    }

    /// Splits a text at the commas outside of brackets.
    static func split(_ text: some StringProtocol) -> [String] {
        var parts: [String] = [""]
        var depth = 0
        for character in text {
            if "([<".contains(character) { depth += 1 }
            if ")]>".contains(character) { depth -= 1 }
            if character == ",", depth == 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map(\.trimmedSpaces).filter { !$0.isEmpty }
    }

    /// `label: Type` without the label.
    static func withoutLabel(_ part: String) -> String {
        var depth = 0
        for (index, character) in zip(part.indices, part) {
            if "([<".contains(character) { depth += 1 }
            if ")]>".contains(character) { depth -= 1 }
            if character == ":", depth == 0 { return String(part[part.index(after: index)...]).trimmedSpaces }
        }
        return part
    }
}

extension StringProtocol {
    var trimmedSpaces: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// The name in a spelling that is valid anywhere in code.
    var asIdentifier: String { swiftKeywords.contains(String(self)) ? "`\(self)`" : String(self) }
}

private let swiftKeywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "Self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try", "typealias", "var", "where", "while",
]

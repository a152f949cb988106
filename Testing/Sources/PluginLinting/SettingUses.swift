internal import SettingsReading

/// The settings that a Swift source names: `Setting("…", default: …)`, and `.init("…", default: …)` in an extension of
/// `Setting`.
///
/// Only literal keys count. The type of a setting is known from the extension, the type argument or the literal of the
/// default; that of an enumeration is not.
struct SettingUses {
    struct Use {
        let key: String
        /// Nil if it is not known.
        let type: SettingType?
        let offset: Int
    }

    private(set) var uses: [Use] = []
    private let tokens: [SourceTokens.Token]

    /// Finds the uses in a source.
    ///
    /// **Cost.** Linear in the number of tokens.
    init(_ source: SourceTokens) {
        tokens = source.tokens
        var depth = 0
        // The open extension of Setting: how many braces are open around it, and its type.
        var scope: (depth: Int, type: SettingType?)?
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            if token.isSign("{") { depth += 1 }
            if token.isSign("}") {
                depth -= 1
                if let open = scope, depth <= open.depth { scope = nil }
            }
            if token.isWord("extension"), word(index + 1, "Setting") {
                let head = self.head(from: index + 2)
                scope = (depth, head.type)
                index = head.end
                continue
            }
            if let use = use(at: index, in: scope != nil, scope?.type) { uses.append(use) }
            index += 1
        }
    }

    private func word(_ index: Int, _ word: String) -> Bool { index < tokens.count && tokens[index].isWord(word) }

    private func sign(_ index: Int, _ sign: Unicode.Scalar) -> Bool {
        index < tokens.count && tokens[index].isSign(sign)
    }

    private static func type(_ word: String?) -> SettingType? {
        switch word {
        case "Bool": .boolean
        case "Int": .integer
        case "Double": .real
        case "String": .text
        default: nil
        }
    }

    /// The head of an extension, up to its brace: `where Value == Double`.
    private func head(from start: Int) -> (type: SettingType?, end: Int) {
        var type: SettingType?
        // A real one is shorter.
        let last = min(tokens.count, start + 32)
        for index in start..<max(start, last) {
            if tokens[index].isSign("{") { return (type, index) }
            if tokens[index].isWord("Value"), sign(index + 1, "="), sign(index + 2, "="), index + 3 < tokens.count {
                type = Self.type(tokens[index + 3].word)
            }
        }
        return (type, min(start, tokens.count))
    }

    /// The setting that is made at a token.
    private func use(at index: Int, in isInExtension: Bool, _ type: SettingType?) -> Use? {
        var next = index + 1
        var type = type
        if tokens[index].isWord("Setting") {
            type = nil
            if sign(next, "<"), sign(next + 2, ">") {
                type = Self.type(tokens[next + 1].word)
                next += 3
            }
        } else if !(isInExtension && (tokens[index].isWord("init") || tokens[index].isWord("Self"))) {
            return nil
        }
        guard sign(next, "("), next + 1 < tokens.count, let key = tokens[next + 1].text, sign(next + 2, ","),
            word(next + 3, "default"), sign(next + 4, ":")
        else { return nil }
        return Use(key: key, type: type ?? literalType(next + 5), offset: tokens[next + 1].offset)
    }

    /// The type of a literal; nil for another expression.
    private func literalType(_ start: Int) -> SettingType? {
        let index = sign(start, "-") ? start + 1 : start
        guard index < tokens.count else { return nil }
        if tokens[index].isLiteral { return .text }
        guard let word = tokens[index].word else { return nil }
        if word == "true" || word == "false" { return .boolean }
        guard let first = word.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        return sign(index + 1, ".") ? .real : .integer
    }
}

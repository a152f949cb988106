/// The keys that a source uses, and every text in it that may be a key.
struct KeyUses {
    /// A call that looks up a localised string.
    struct Call {
        let key: String
        /// The table, if the call names it by a literal; nil for any.
        let table: String?
        let offset: Int
    }

    private(set) var calls: [Call] = []
    /// Texts without interpolations.
    private(set) var texts: Set<String> = []
    /// Texts around interpolations: they may mean a key that begins and ends in the same way.
    private(set) var patterns: [(start: String, end: String)] = []

    init(_ source: SourceTokens) {
        let tokens = source.tokens
        for (index, token) in tokens.enumerated() {
            switch token.kind {
            case .literal(let pieces):
                if pieces.count == 1 {
                    texts.insert(pieces[0])
                } else if let start = pieces.first, let end = pieces.last, !(start.isEmpty && end.isEmpty) {
                    patterns.append((start, end))
                }
            case .word(let word): addCall(word, Arguments(tokens, from: index + 1))
            case .sign: break
            }
        }
    }

    /// The arguments of a call that are literals.
    private struct Arguments {
        struct Argument {
            var label: String?
            var text: String?
            /// Whether it is nil, which means the default table.
            var isNil = false
            var offset = 0
        }

        private(set) var all: [Argument] = []

        /// `start`: the token that should be the opening parenthesis.
        init?(_ tokens: [SourceTokens.Token], from start: Int) {
            guard start < tokens.count, tokens[start].isSign("(") else { return nil }
            var open = 1
            var argument = Argument()
            var count = 0
            var index = start + 1
            // A call is short; one that is never closed does not make the rest of the file be read again for each word.
            while index < tokens.count, open > 0, index - start < 200 {
                let token = tokens[index]
                if token.isSign("(") || token.isSign("[") || token.isSign("{") {
                    open += 1
                } else if token.isSign(")") || token.isSign("]") || token.isSign("}") {
                    open -= 1
                } else if open == 1, token.isSign(",") {
                    all.append(argument)
                    argument = Argument()
                    count = 0
                    index += 1
                    continue
                } else if open == 1, count == 1, token.isSign(":"), case .word(let label) = tokens[index - 1].kind {
                    argument.label = label
                }
                // In C the text is often in a macro: PLUGIN_STRING("key"), @"key".
                if let text = token.text, argument.text == nil, open <= 2 {
                    argument.text = text
                    argument.offset = token.offset
                }
                if open == 1, token.isWord("nil") { argument.isNil = true }
                count += 1
                index += 1
            }
            all.append(argument)
        }

        subscript(labels: Set<String>) -> Argument? { all.first { $0.label.map(labels.contains) ?? false } }
    }

    /// The places of the key and the table among the arguments of the C and Objective-C functions.
    private static let functions: [String: (key: Int, table: Int?, isDefault: Bool)] = [
        "NSLocalizedString": (0, nil, true), "NSLocalizedStringFromTable": (0, 1, false),
        "NSLocalizedStringFromTableInBundle": (0, 1, false), "NSLocalizedStringWithDefaultValue": (0, 1, false),
        // Of plugin_resources: host, key, fallback, table.
        "localized_string": (1, 3, false),
    ]
    private static let tableLabels: Set = ["table", "tableName"]

    private mutating func addCall(_ function: String, _ arguments: Arguments?) {
        guard let arguments else { return }
        let key: Arguments.Argument?
        var table: Arguments.Argument?
        var isDefault = false
        switch function {
        case "localizedString":
            key = arguments[["forKey"]] ?? arguments.all.first.flatMap { $0.label == nil ? $0 : nil }
            table = arguments[Self.tableLabels]
            isDefault = table?.isNil ?? true
        case "String":
            key = arguments[["localized"]]
            table = arguments[Self.tableLabels]
            isDefault = table?.isNil ?? true
        default:
            guard let places = Self.functions[function] else { return }
            key = arguments.all.indices.contains(places.key) ? arguments.all[places.key] : nil
            table = arguments[Self.tableLabels]
            if table == nil, let place = places.table, arguments.all.indices.contains(place) {
                table = arguments.all[place]
            }
            isDefault = places.isDefault && table == nil
        }
        guard let key, let text = key.text else { return }
        let name = isDefault ? LocalizedTables.defaultTable : table?.text
        calls.append(
            Call(key: text, table: name.map { $0.isEmpty ? LocalizedTables.defaultTable : $0 }, offset: key.offset))
    }
}

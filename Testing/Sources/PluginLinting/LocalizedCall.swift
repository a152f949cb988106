/// A call that looks up a localised string, with its literal arguments.
@_spi(Tools) public struct LocalizedCall {
    /// The form of an argument.
    public enum Argument {
        /// The argument is missing or `nil`.
        case absent
        /// A literal, or several literals that are joined.
        case text(String, offset: Int)
        /// A literal with an interpolation. The text is known only at run time.
        case interpolated(offset: Int)
        /// Another expression.
        case expression(offset: Int)

        /// The text of a literal.
        public var text: String? {
            if case .text(let text, _) = self { text } else { nil }
        }

        /// The byte of the source where it begins; nil if it is absent.
        public var offset: Int? {
            switch self {
            case .absent: nil
            case .text(_, let offset), .interpolated(let offset), .expression(let offset): offset
            }
        }
    }

    /// The name of the function or initialiser.
    public let function: String
    /// The key.
    public internal(set) var key = Argument.absent
    /// The table.
    public internal(set) var table = Argument.absent
    /// The text to use if there is no translation.
    public internal(set) var value = Argument.absent
    /// The comment for translators.
    public internal(set) var comment = Argument.absent

    /// The literals that are written to tables.
    public var texts: [String] { [key.text, value.text, comment.text].compactMap(\.self) }

    /// The table's name; nil if it is not a literal.
    public var tableName: String? {
        switch table {
        case .absent: LocalizedTables.defaultTable
        case .text("", _): LocalizedTables.defaultTable
        case .text(let name, _): name.hasSuffix(".strings") ? String(name.dropLast(".strings".count)) : name
        case .interpolated, .expression: nil
        }
    }
}

/// Finds the calls that look up localised strings in a source.
///
/// These are calls of `NSLocalizedString` and its relatives with the endings `FromTable`, `FromTableInBundle` and
/// `WithDefaultValue`, of `CFCopyLocalizedString` and its relatives, of `localizedString` in all its forms, the message
/// `localizedStringForKey:value:table:`, `String(localized:)`, `AttributedString(localized:)`,
/// `LocalizedStringResource(_:)`, and the function `localized_string` of the C ABI.
@_spi(Tools) public struct LocalizedCallFinder {
    /// The functions that take the arguments of `NSLocalizedString` and also exist with the same endings.
    private let families: [String]

    /// - Parameter names: the names of the project's own functions with the arguments of `NSLocalizedString`.
    public init(names: [String] = []) {
        families = ["NSLocalizedString", "CFCopyLocalizedString"] + names
    }

    /// The calls, in the order of the source.
    public func calls(in source: SourceTokens) -> [LocalizedCall] {
        let tokens = source.tokens
        return tokens.indices.compactMap { index in
            guard let word = tokens[index].word, index + 1 < tokens.count else { return nil }
            // A declaration is not a call.
            if index > 0, tokens[index - 1].isWord("func") || tokens[index - 1].isWord("define") { return nil }
            if word == "localizedStringForKey", tokens[index + 1].isSign(":") {
                return Self.message(CallArguments(ofMessage: tokens, from: index, isSwift: source.isSwift))
            }
            guard let places = places(of: word), tokens[index + 1].isSign("(") else { return nil }
            return Self.call(word, places, CallArguments(tokens, from: index + 2, isSwift: source.isSwift))
        }
    }

    /// The positions of the arguments without labels, and the label of the key if it has one.
    private struct Places {
        var key: Int? = 0
        var table: Int?
        var value: Int?
        var comment: Int?
        var keyLabel: String?
    }

    private func places(of function: String) -> Places? {
        switch function {
        case "localizedString": return Places(keyLabel: "forKey")
        case "String", "AttributedString": return Places(key: nil, keyLabel: "localized")
        case "LocalizedStringResource": return Places()
        // The function of plugin_resources. Its arguments are host, key, fallback, table.
        case "localized_string": return Places(key: 1, table: 3, value: 2)
        default: break
        }
        for family in families where function.hasPrefix(family) {
            switch function.dropFirst(family.count) {
            case "": return Places(comment: 1)
            case "FromTable": return Places(table: 1, comment: 2)
            case "FromTableInBundle": return Places(table: 1, comment: 3)
            case "WithDefaultValue": return Places(table: 1, value: 3, comment: 4)
            default: continue
            }
        }
        return nil
    }

    private static func call(_ function: String, _ places: Places, _ arguments: CallArguments) -> LocalizedCall? {
        var call = LocalizedCall(function: function)
        let key = arguments[[places.keyLabel ?? ""]] ?? places.key.flatMap { arguments[$0] }
        guard let key else { return nil }
        call.key = key
        call.table = arguments[["table", "tableName"]] ?? places.table.flatMap { arguments[$0] } ?? .absent
        call.value = arguments[["value", "defaultValue"]] ?? places.value.flatMap { arguments[$0] } ?? .absent
        call.comment = arguments[["comment"]] ?? places.comment.flatMap { arguments[$0] } ?? .absent
        return call
    }

    private static func message(_ arguments: CallArguments) -> LocalizedCall? {
        guard let key = arguments[["localizedStringForKey"]] else { return nil }
        var call = LocalizedCall(function: "localizedStringForKey")
        call.key = key
        call.table = arguments[["table"]] ?? .absent
        call.value = arguments[["value"]] ?? .absent
        return call
    }
}

/// The arguments of a call.
private struct CallArguments {
    private var labelled: [(label: String, argument: LocalizedCall.Argument)] = []
    /// The arguments without labels, by their position among all arguments.
    private var plain: [Int: LocalizedCall.Argument] = [:]

    /// A real call is shorter.
    ///
    /// Without this limit, calls that are never closed would cause the rest of the file to be read again for each word.
    private static let mostTokens = 400

    /// `start`: the token after the opening parenthesis.
    init(_ tokens: [SourceTokens.Token], from start: Int, isSwift: Bool) {
        var count = 0
        for range in Self.parts(tokens, from: start, separatedBy: { tokens[$0].isSign(",") }) {
            let isLabelled = range.count >= 2 && tokens[range.lowerBound + 1].isSign(":") && isSwift
            if isLabelled, let label = tokens[range.lowerBound].word {
                labelled.append((label, LiteralReader.read(tokens[range.dropFirst(2)], isSwift: isSwift)))
            } else {
                plain[count] = LiteralReader.read(tokens[range], isSwift: isSwift)
            }
            count += 1
        }
    }

    /// The parts of an Objective-C message, `first: … second: …`.
    ///
    /// `start`: the first word.
    init(ofMessage tokens: [SourceTokens.Token], from start: Int, isSwift: Bool) {
        func isLabel(_ index: Int) -> Bool {
            tokens[index].word != nil && index + 1 < tokens.count && tokens[index + 1].isSign(":")
        }
        for range in Self.parts(tokens, from: start + 1, separatedBy: isLabel) {
            // The label precedes the part, and the part begins with the label's colon.
            guard let label = tokens[range.lowerBound - 1].word else { continue }
            labelled.append((label, LiteralReader.read(tokens[range.dropFirst()], isSwift: isSwift)))
        }
    }

    /// The ranges of tokens between separators, up to the closing parenthesis or bracket.
    private static func parts(
        _ tokens: [SourceTokens.Token], from start: Int, separatedBy isSeparator: (Int) -> Bool
    ) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var open = 0
        var first = start
        var index = start
        while index < min(tokens.count, start + mostTokens) {
            let token = tokens[index]
            if token.isSign("(") || token.isSign("[") || token.isSign("{") {
                open += 1
            } else if token.isSign(")") || token.isSign("]") || token.isSign("}") {
                open -= 1
                if open < 0 { break }
            } else if open == 0, isSeparator(index) {
                parts.append(first..<index)
                first = index + 1
            }
            index += 1
        }
        if index > first { parts.append(first..<index) }
        return parts
    }

    subscript(labels: Set<String>) -> LocalizedCall.Argument? {
        labelled.first { labels.contains($0.label) }?.argument
    }

    subscript(position: Int) -> LocalizedCall.Argument? { plain[position] }
}

/// Reads an expression that consists of literals.
private struct LiteralReader {
    private let tokens: ArraySlice<SourceTokens.Token>
    private let isSwift: Bool
    private var index: Int
    private var text = ""

    /// Macros and initialisers that make a string from a literal.
    private static let wrappers: Set = ["PLUGIN_STRING", "CFSTR", "String", "StaticString"]
    private static let nothing: Set = ["nil", "NULL", "nullptr", "kCFAllocatorDefault"]

    static func read(_ tokens: some Collection<SourceTokens.Token>, isSwift: Bool) -> LocalizedCall.Argument {
        let all = Array(tokens)[...]
        guard let first = all.first else { return .absent }
        // The tokens inside an interpolation come before its literal.
        if let literal = all.first(where: \.isInterpolated) { return .interpolated(offset: literal.offset) }
        if all.count == 1, let word = first.word, nothing.contains(word) { return .absent }
        var reader = LiteralReader(tokens: all, isSwift: isSwift, index: 0)
        guard reader.readJoined(), reader.index == all.endIndex else { return .expression(offset: first.offset) }
        return .text(reader.text, offset: all.first(where: \.isLiteral)?.offset ?? first.offset)
    }

    private var next: SourceTokens.Token? { index < tokens.endIndex ? tokens[index] : nil }

    /// Literals joined by `+` in Swift, or simply adjacent in C.
    private mutating func readJoined() -> Bool {
        guard readOne() else { return false }
        while let token = next, !token.isSign(")") {
            if isSwift {
                guard token.isSign("+") else { return false }
                index += 1
            }
            guard readOne() else { return false }
        }
        return true
    }

    private mutating func readOne() -> Bool {
        guard let token = next else { return false }
        index += 1
        if let literal = token.text {
            text += literal
            return true
        }
        if token.isSign("@"), !isSwift { return next?.text == nil ? false : readOne() }
        if let word = token.word {
            guard Self.wrappers.contains(word), next?.isSign("(") ?? false else { return false }
            index += 1
        } else if !token.isSign("(") {
            return false
        }
        guard readJoined(), next?.isSign(")") ?? false else { return false }
        index += 1
        return true
    }
}

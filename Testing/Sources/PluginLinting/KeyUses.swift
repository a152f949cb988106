/// The keys that a source uses, and every text in it that may be a key.
@_spi(Tools) public struct KeyUses: Sendable {
    /// A call that looks up a localised string by a literal key.
    struct Call: Sendable {
        let key: String
        /// The table, if the call names it by a literal; nil for any.
        let table: String?
        let offset: Int
    }

    private(set) var calls: [Call] = []
    /// Texts without interpolations.
    private(set) var texts: Set<String> = []
    private var patterns = TextPatterns()

    /// Creates an empty value.
    public init() {}

    init(_ source: SourceTokens) {
        addTexts(of: source)
        for call in LocalizedCallFinder().calls(in: source) {
            if case .text(let key, let offset) = call.key {
                calls.append(Call(key: key, table: call.tableName, offset: offset))
            }
        }
    }

    /// Adds the texts of a source, but not its calls.
    public mutating func addTexts(of source: SourceTokens) {
        for case .literal(let pieces) in source.tokens.lazy.map(\.kind) {
            if pieces.count == 1 {
                texts.insert(pieces[0])
            } else if let start = pieces.first, let end = pieces.last {
                patterns.add(start: start, end: end)
            }
        }
    }

    /// Adds the texts of other uses.
    mutating func addTexts(of other: KeyUses) {
        texts.formUnion(other.texts)
        patterns.add(other.patterns)
    }

    mutating func add(text: String) { texts.insert(text) }

    /// Whether a key is one of the texts, or an interpolation may produce it.
    public func mention(_ key: String) -> Bool { texts.contains(key) || patterns.mayProduce(key) }
}

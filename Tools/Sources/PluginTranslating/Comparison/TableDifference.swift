internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) internal import PluginLinting
public import PropertyLists

/// A difference between two tables, or two sets of tables.
///
/// **Threads.** A value; may be shared freely.
public struct TableDifference: Sendable, Hashable {
    /// The kind of a difference.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Only the first set has the table or key.
        case missing
        /// Only the second set has the table or key.
        case surplus
        /// The texts, or the plural forms, differ.
        case changed
        /// The placeholders differ, so the same arguments do not fit both texts.
        case placeholders
    }

    /// What differs.
    public let kind: Kind
    /// The table: “fr.lproj/Localizable”; empty if two files are compared.
    public let table: String
    /// The key; nil for the table as a whole.
    public let key: String?
    /// The value in the first table.
    public let first: PropertyList?
    /// The value in the second table.
    public let second: PropertyList?

    /// The differences between two sets, sorted by table and key.
    ///
    /// Texts are compared only if both sets are in the same language, or if the language of a set is unknown. Between
    /// two languages, all texts differ.
    public static func all(from first: TableSet, to second: TableSet) -> [TableDifference] {
        let comparesTexts = first.language == second.language || first.language == nil || second.language == nil
        var differences: [TableDifference] = []
        for name in Set(first.tables.keys).union(second.tables.keys).sorted() {
            switch (first.tables[name], second.tables[name]) {
            case (let one?, let two?):
                differences += compare(one.byKey, two.byKey, name.text, comparesTexts: comparesTexts)
            case (let one, let two):
                differences.append(
                    TableDifference(
                        kind: two == nil ? .missing : .surplus, table: name.text, key: nil, first: one?.list,
                        second: two?.list))
            }
        }
        return differences
    }

    private static func compare(
        _ first: [String: TableContent.Entry], _ second: [String: TableContent.Entry], _ table: String,
        comparesTexts: Bool
    ) -> [TableDifference] {
        Set(first.keys).union(second.keys).sorted().compactMap { key in
            let (one, two) = (first[key]?.value, second[key]?.value)
            let kind: Kind?
            if let one, let two {
                let fits = signature(one) == signature(two)
                kind = !fits ? .placeholders : comparesTexts && !isSame(one, two) ? .changed : nil
            } else {
                kind = two == nil ? .missing : .surplus
            }
            return kind.map { TableDifference(kind: $0, table: table, key: key, first: one, second: two) }
        }
    }

    private static func signature(_ value: PropertyList) -> FormatArguments.Signature? {
        switch value {
        case .string(let text): FormatArguments(text).signature
        case .dictionary(let entries): (PluralLint.arguments(of: entries) ?? FormatArguments("")).signature
        default: nil
        }
    }

    /// Whether two values have the same bytes.
    ///
    /// Comparing strings is not enough, because composed and decomposed letters are equal.
    private static func isSame(_ one: PropertyList, _ two: PropertyList) -> Bool {
        if let one = one.string, let two = two.string { return one.hasSameBytes(as: two) }
        return one == two
    }
}

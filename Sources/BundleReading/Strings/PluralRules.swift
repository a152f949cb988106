import HostBasics

/// Which form of a word a language uses with a number, following the rules of CLDR.
///
/// Source: UTS #35, part 3, "Language Plural Rules"; the rules themselves are in ``PluralRuleData``.
///
/// **Threads.** A value. **Cost.** Created once for each table; evaluating a number takes well under a microsecond.
public struct PluralRules: Sendable {
    /// In the order in which they are evaluated; the first that applies decides.
    private let rules: [(category: PluralCategory, alternatives: [[Relation]])]

    /// The rules of a language, by its name in bundles; a language that CLDR does not know has one form for all
    /// numbers.
    public init(language: String) {
        rules = Self.lines(of: language).compactMap { line in
            let parts = line.split(separator: ":")
            guard parts.count == 2, let category = PluralCategory(rawValue: String(parts[0])) else { return nil }
            return (category, parts[1].split(separator: " or ").map { $0.split(separator: " and ").map(Relation.init) })
        }
    }

    private static func lines(of language: String) -> [Substring] {
        guard let tag = LanguageTag(language)?.canonical else { return [] }
        // Angola's Portuguese follows that of Portugal. Parents with another language have separate rules.
        for ancestor in tag.ancestry where ancestor.language == tag.language {
            let key = ancestor.region.map { "\(tag.language)-\($0)" } ?? tag.language
            if let lines = PluralRuleData.rules[key] { return lines }
        }
        return PluralRuleData.rules[tag.language] ?? []
    }

    /// The categories of the whole numbers up to a thousand, which a translation needs.
    ///
    /// Some languages have one more for millions or for fractions, which most texts never show.
    public var usualCategories: Set<PluralCategory> {
        Set((0...1000).map { category(of: PluralOperands($0)) })
    }

    /// The category of a number.
    package func category(of number: PluralOperands) -> PluralCategory {
        rules.first { $0.alternatives.contains { $0.allSatisfy { $0.holds(for: number) } } }?.category ?? .other
    }
}

/// The forms that languages have for numbers.
///
/// No language has all of them, and every language has ``other``.
public enum PluralCategory: String, Sendable, CaseIterable {
    case zero, one, two, few, many, other
}

/// One comparison of a rule: `i % 100 != 12..14`.
private struct Relation: Sendable {
    private let operand: Character
    /// The divisor of the operand; nil if the operand is used unchanged.
    private let modulus: UInt64?
    private let isNegated: Bool
    private let ranges: [ClosedRange<UInt64>]

    /// - Precondition: written in CLDR's notation, which tests verify for the whole table.
    init(_ text: Substring) {
        let words = text.split(separator: " ")
        operand = words[0].first!
        modulus = words.count == 5 ? UInt64(words[2]) : nil
        isNegated = words[words.count - 2] == "!="
        ranges = words[words.count - 1].split(separator: ",").map { range in
            let bounds = range.split(separator: ".").compactMap { UInt64($0) }
            return bounds[0]...bounds[bounds.count - 1]
        }
    }

    func holds(for number: PluralOperands) -> Bool {
        isEqual(number) != isNegated
    }

    private func isEqual(_ number: PluralOperands) -> Bool {
        let whole: UInt64
        switch operand {
        case "n":
            // A number with a fraction never equals a whole number.
            guard number.t == 0 else { return false }
            whole = number.i
        case "i": whole = number.i
        case "v": whole = number.v
        case "w": whole = number.w
        case "f": whole = number.f
        case "t": whole = number.t
        // e, the exponent of compact forms (1.2M): numbers are never shown in these forms here.
        default: whole = 0
        }
        let value = modulus.map { whole % $0 } ?? whole
        return ranges.contains { $0.contains(value) }
    }
}

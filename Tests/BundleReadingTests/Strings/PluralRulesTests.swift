import TestSupport
import Testing

@testable import BundleReading

@Suite("PluralRules")
struct PluralRulesTests {
    /// One row of CLDR's samples.
    struct Row: Sendable, CustomTestStringConvertible {
        let languages: [String]
        let category: PluralCategory
        let samples: [String]

        var testDescription: String { "\(category) of \(languages.joined(separator: " "))" }
    }

    static let rows: [Row] = {
        let table = try? textFile("../Fixtures/plural-samples.tsv")
        return (table ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            let columns = line.split(separator: "\t")
            guard let category = PluralCategory(rawValue: String(columns[1])) else { return nil }
            return Row(
                languages: columns[0].split(separator: ",").map(String.init), category: category,
                samples: columns[2].split(separator: ",").flatMap { expanded($0) })
        }
    }()

    /// The numbers of a sample `0.1~0.9`, with as many digits as it has.
    private static func expanded(_ sample: Substring) -> [String] {
        let bounds = sample.split(separator: "~")
        guard bounds.count == 2 else { return [String(sample)] }
        let digits = bounds[0].split(separator: ".").dropFirst().first?.count ?? 0
        func units(_ text: Substring) -> Int { Int(text.filter { $0 != "." })! }
        return (units(bounds[0])...units(bounds[1])).map { number in
            var text = String(number)
            guard digits > 0 else { return text }
            text = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
            return text.dropLast(digits) + "." + text.suffix(digits)
        }
    }

    @Test func theSamplesAreRead() {
        #expect(Self.rows.count == 129)
        #expect(Set(Self.rows.flatMap(\.languages)).count == 215)
        #expect(Self.expanded("9.9~10.1") == ["9.9", "10.0", "10.1"])
    }

    @Test(arguments: rows)
    func theSamplesOfCLDRHaveTheirCategory(_ row: Row) throws {
        for language in row.languages {
            let rules = PluralRules(language: language)
            for sample in row.samples {
                let number = try #require(PluralOperands(sample))
                #expect(rules.category(of: number) == row.category, "\(language) \(sample)")
            }
        }
    }

    @Test func everyRuleOfTheTableHasSamples() {
        let sampled = Set(Self.rows.filter { $0.category != .other }.flatMap(\.languages))
        #expect(Set(PluralRuleData.rules.keys) == sampled)
        for (language, lines) in PluralRuleData.rules {
            for line in lines { #expect(line.contains(": "), "\(language): \(line)") }
        }
    }

    @Test(arguments: [
        ("fr-CA", 0, "one"), ("French", 1, "one"), ("fr", 1_000_000, "many"), ("pt", 0, "one"), ("pt-PT", 0, "other"),
        ("pt-AO", 0, "other"), ("pt_BR", 0, "one"), ("ru_RU.UTF-8", 22, "few"), ("sr-Latn", 3, "few"), ("sh", 3, "few"),
        ("iw", 2, "two"), ("mo", 2, "few"), ("tl", 4, "other"), ("ar-EG", 0, "zero"), ("ar", 11, "many"),
        ("zh-Hant", 1, "other"), ("hi-Latn", 0, "one"), ("nb-NO", 1, "one"), ("English", 1, "one"), ("xx", 1, "other"),
        ("1337", 1, "other"), ("", 1, "other"),
    ])
    func languagesAreFoundHoweverTheyAreWritten(_ language: String, _ number: Int, _ category: String) {
        #expect(PluralRules(language: language).category(of: PluralOperands(number)).rawValue == category)
    }

    @Test(
        arguments: [
            ("1", [1, 0, 0, 0, 0]), ("-1.30", [1, 2, 1, 30, 3]), ("+007.0", [7, 1, 0, 0, 0]), (".5", [0, 1, 1, 5, 5]),
            ("1.5e3", [1500, 0, 0, 0, 0]), ("15e-1", [1, 1, 1, 5, 5]), ("2e-2", [0, 2, 2, 2, 2]),
            ("123456789012345678901", [1_456_789_012_345_678_901, 0, 0, 0, 0]),
        ] as [(String, [UInt64])])
    func operandsAreReadFromDigits(_ text: String, _ expected: [UInt64]) throws {
        let number = try #require(PluralOperands(text))
        #expect([number.i, number.v, number.w, number.f, number.t] == expected)
    }

    @Test(arguments: ["", "-", ".", "x", "1x", "inf", "nan", "1e", "1e99999", "1.2.3", "1 "])
    func anArgumentThatIsNotANumberHasNoOperands(_ text: String) {
        #expect(PluralOperands(text) == nil)
    }

    @Test func numbersShowNoMoreDigitsThanTheyNeed() {
        #expect(PluralOperands(1.0) == PluralOperands("1"))
        #expect(PluralOperands(1.5) == PluralOperands("1.5"))
        #expect(PluralOperands(1e20) == PluralOperands("100000000000000000000"))
        #expect(PluralOperands(-2) == PluralOperands(2))
        #expect(PluralOperands(Int.min) == PluralOperands("9223372036854775808"))
        #expect(PluralOperands(Double.infinity) == nil)
        #expect(PluralOperands(Double.nan) == nil)
    }
}

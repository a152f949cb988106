import Testing

@testable import BundleReading

@Suite("CodeTable")
struct CodeTableTests {
    private let table: CodeTable = """
        a=aa,ab b=ba
        a-b=bb,a c=b
        """

    @Test func aKeyHasItsFirstValue() {
        #expect(table.value(of: "a") == "aa")
        #expect(table.value(of: "b") == "ba")
        #expect(table.value(of: "a-b") == "bb")
        #expect(table.value(of: "c") == "b")
    }

    @Test func aValueHasItsKey() {
        #expect(table.key(of: "ab") == "a")
        #expect(table.key(of: "bb") == "a-b")
        #expect(table.key(of: "a") == "a-b")
        #expect(table.key(of: "b") == "c")
    }

    @Test(arguments: ["", "x", "ab", "aa,ab", "a-", "b=ba", " "])
    func partsOfKeysAreNone(_ text: String) {
        #expect(table.value(of: text) == nil)
    }

    @Test(arguments: ["", "x", "c", "aa,ab", "b=ba", " ", "a-b"])
    func partsOfValuesAreNone(_ text: String) {
        #expect(table.key(of: text) == nil)
    }

    @Test func entriesAreTheValuesInTheirOrder() {
        let entries = table.entries.map { "\($0.key) \($0.value)" }
        #expect(entries == ["a aa", "a ab", "b ba", "a-b bb", "a-b a", "c b"])
    }

    /// A look-up uses the first match, and need not search further.
    @Test(arguments: [
        LanguageData.scripts, LanguageData.regions, LanguageData.englishParents, LanguageData.spanishParents,
        LanguageData.portugueseParents,
    ])
    func languagesAndRegionsHaveOneKey(_ table: CodeTable) {
        let values = table.entries.map(\.value)
        #expect(Set(values).count == values.count && values.count > 10)
    }

    @Test(arguments: [LanguageData.regionalScripts, LanguageData.scriptRegions])
    func languagesHaveOneValue(_ table: CodeTable) {
        let keys = table.entries.map(\.key)
        #expect(Set(keys).count == keys.count && keys.count > 10)
    }
}

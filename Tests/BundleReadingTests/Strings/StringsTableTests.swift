import Testing

@testable import BundleReading

@Suite("StringsTable")
struct StringsTableTests {
    @Test func everyEntryIsFoundAndNothingElse() {
        var entries: [String: String] = ["": "empty key", "empty": "", "ключ": "значение", "🧩": "puzzle"]
        for number in 0..<3_000 { entries[String(repeating: "k", count: number % 40) + "\(number)"] = "\(number)" }
        let table = StringsTable(entries)
        #expect(table.count == entries.count)
        for (key, value) in entries {
            #expect(table[key] == value)
            #expect(table[key + "!"] == nil)
        }
        #expect(table.dictionary == entries)
    }

    @Test func anEmptyTableHasNothing() {
        #expect(StringsTable([:])["a"] == nil)
        #expect(StringsTable([:])[""] == nil)
        #expect(StringsTable([:]).dictionary == [:])
    }
}

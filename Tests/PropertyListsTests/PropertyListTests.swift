import PropertyLists
import Testing

@Suite("Values")
struct PropertyListTests {
    static let samples: [(PropertyList, String)] = [
        (.string("s"), "a string"), (.integer(1), "an integer"), (.unsigned(.max), "an integer"),
        (.real(1.5), "a real number"),
        (.boolean(true), "a boolean"), (.date(1), "a date"), (.data([1]), "data"), (.array([.integer(1)]), "an array"),
        (.dictionary(["k": .integer(1)]), "a dictionary"), (.uid(1), "an archive reference"),
    ]

    @Test func typesHaveNames() {
        for (value, name) in Self.samples { #expect(value.typeName == name) }
    }

    @Test func accessorsGiveTheirTypeOnly() {
        let values = Self.samples.map(\.0)
        #expect(values.compactMap(\.string) == ["s"])
        #expect(values.compactMap(\.integer) == [1])
        #expect(values.compactMap(\.real) == [1, Double(UInt64.max), 1.5])
        #expect(values.compactMap(\.boolean) == [true])
        #expect(values.compactMap(\.date) == [1])
        #expect(values.compactMap(\.data) == [[1]])
        #expect(values.compactMap(\.array) == [[.integer(1)]])
        #expect(values.compactMap(\.dictionary) == [["k": .integer(1)]])
    }

    @Test func subscriptLooksIntoDictionariesOnly() {
        let list = PropertyList.dictionary(["a": .dictionary(["b": .integer(1)])])
        #expect(list["a"]?["b"] == .integer(1))
        #expect(list["b"] == nil)
        #expect(PropertyList.array([])["a"] == nil)
    }

    @Test func codesAreOpen() {
        #expect(PropertyListFault.Code(rawValue: "duplicate-key") == .duplicateKey)
        #expect(PropertyListFault.Code(rawValue: "of-a-later-version").description == "of-a-later-version")
    }
}

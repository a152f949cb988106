import Foundation
@_spi(Tools) import PluginLinting
import PropertyLists
import Testing

@testable import PluginTranslating

@Suite struct ListWriterTests {
    private static let common = ["string", "integer", "unsigned", "real", "boolean", "array", "dictionary"]

    private func dictionary(_ seed: UInt64, _ types: [String]) -> PropertyList {
        var random = RandomValues(seed: seed)
        return .dictionary(["a": random.value(types), "b": random.value(types), "c": random.value(types)])
    }

    @Test(arguments: 0..<60) func everyValueSurvivesTheBinaryForm(_ seed: UInt64) throws {
        let list = dictionary(seed, Self.common + ["date", "data", "uid"])
        let bytes = BinaryListWriter.bytes(list)
        let (value, format) = try PropertyListReader.read(bytes, limits: .stringsTable)
        #expect(value == list && format == .binary)
        #expect(BinaryListWriter.bytes(value) == bytes)
    }

    @Test(arguments: 0..<30) func foundationReadsTheBinaryForm(_ seed: UInt64) throws {
        let list = dictionary(seed, ["string", "integer", "boolean", "data", "dictionary"])
        let object = try PropertyListSerialization.propertyList(from: Data(BinaryListWriter.bytes(list)), format: nil)
        let xml = try PropertyListSerialization.data(fromPropertyList: object, format: .xml, options: 0)
        #expect(try PropertyListReader.read(Array(xml), limits: .stringsTable).value == list)
    }

    @Test func aListOfManyObjectsHasLargerReferences() throws {
        let list = PropertyList.array((0..<70_000).map { .string("text \($0)") })
        #expect(try PropertyListReader.read(BinaryListWriter.bytes(list), limits: .stringsTable).value == list)
    }

    @Test func textsThatAreEqualKeepTheirBytes() throws {
        let list = PropertyList.array([.string("\u{E9}"), .string("e\u{301}"), .real(0), .real(-0.0)])
        let read = try PropertyListReader.read(BinaryListWriter.bytes(list)).value.array ?? []
        #expect(read.prefix(2).map { Array(($0.string ?? "").unicodeScalars).count } == [1, 2])
        #expect(read.suffix(2).map { $0.real?.sign } == [.plus, .minus])
    }

    @Test(arguments: 0..<60) func everyValueSurvivesTheOldStyle(_ seed: UInt64) throws {
        let list = dictionary(seed, Self.common + ["date", "data"])
        let text = try OldStyleListWriter.text(list)
        let (value, format) = try PropertyListReader.read(Array(text.utf8), limits: .stringsTable)
        #expect(value == list && format == .openStep)
        #expect(try OldStyleListWriter.text(value) == text)
    }

    @Test(arguments: 0..<60) func everyValueSurvivesJSON(_ seed: UInt64) throws {
        let list = dictionary(seed, Self.common)
        let text = try JSONList.text(list)
        #expect(try JSONList.read(Array(text.utf8)) == list)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
    }

    @Test(arguments: [
        (PropertyList.data([1]), "data"), (.date(0), "a date"), (.uid(1), "an archive reference"),
        (.real(.infinity), "a real number"),
    ])
    func aValueThatJSONLacksIsNamedByItsKeyPath(_ value: PropertyList, _ type: String) {
        let list = PropertyList.dictionary(["a.b": .array([.string("x"), .dictionary(["c": value])])])
        let fault = #expect(throws: ListFault.self) { try JSONList.text(list) }
        #expect(fault?.path == ["a.b", "1", "c"])
        #expect(fault?.message == "The value at “a\\.b.1.c” is \(type), which JSON cannot hold.")
    }

    @Test(arguments: [
        ("{\"a\": null}", "not-representable", 1, 7), ("[1, 2", "truncated", 1, 6),
        ("[1,]", "unexpected-character", 1, 4),
        ("{\"a\": 1,\n \"a\": 2}", "duplicate-key", 2, 2), ("01", "invalid-real", 1, 1), ("1e999", "not-finite", 1, 1),
        ("18446744073709551616", "integer-overflow", 1, 1), ("\"\\x\"", "invalid-escape", 1, 2),
        ("\"\\ud800\"", "invalid-escape", 1, 2), ("\"a\nb\"", "unexpected-character", 1, 3), ("\"a", "truncated", 1, 1),
        ("1 2", "trailing-content", 1, 3), ("", "truncated", 1, 1), ("{1: 2}", "key-not-string", 1, 2),
        ("{\"a\" 2}", "missing-separator", 1, 6), ("tru", "unexpected-character", 1, 1), ("-", "invalid-real", 1, 1),
    ])
    func aFaultInJSONHasItsPlace(_ text: String, _ code: String, _ line: Int, _ column: Int) {
        let fault = #expect(throws: PropertyListFault.self) { try JSONList.read(Array(text.utf8)) }
        #expect(fault?.code.rawValue == code)
        #expect(fault?.position == .text(line: line, column: column))
    }

    @Test func jsonThatIsTooDeepOrTooLargeIsRefused() {
        let deep = String(repeating: "[", count: 1000)
        #expect(throws: PropertyListFault.self) { try JSONList.read(Array(deep.utf8)) }
        let limits = PropertyListLimits(size: 10, depth: 4, nodes: 3)
        for text in ["[1,2,3]", "[[[[[1]]]]]", "[          1]"] {
            #expect(throws: PropertyListFault.self, "\(text)") { try JSONList.read(Array(text.utf8), limits: limits) }
        }
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a.0.b", ["a", "0", "b"]), ("a\\.b", ["a.b"]), ("a\\\\.b", ["a\\", "b"]),
        ("a..b", ["a", "", "b"]),
    ])
    func aKeyPathIsReadAndWritten(_ text: String, _ parts: [String]) {
        #expect(ListKeyPath(reading: text)?.parts == parts)
        #expect(ListKeyPath(parts).text == text)
    }

    @Test(arguments: ["a\\", "a\\b"]) func aBackslashThatEscapesNothingIsRefused(_ text: String) {
        #expect(ListKeyPath(reading: text) == nil)
    }

    @Test(arguments: [
        ("a.b", "The value at “a” is an array of 2 elements, and has no index “b”."),
        ("a.2", "The value at “a” is an array of 2 elements, and has no index “2”."), ("x", "The list has no key “x”."),
        ("a.0.c", "The value at “a.0” is a string, and has no “c”."),
    ])
    func aKeyPathThatLeadsNowhereNamesItsPart(_ path: String, _ message: String) throws {
        let list = PropertyList.dictionary(["a": .array([.string("x"), .integer(1)])])
        let path = try #require(ListKeyPath(reading: path))
        #expect(#expect(throws: ListFault.self) { try path.value(in: list) }?.message == message)
    }

    @Test func aListIsShownForPeople() {
        let list = PropertyList.dictionary([
            "t": .string("a\"b\n"), "n": .integer(1), "r": .real(2), "b": .boolean(true), "d": .data([1, 255]),
            "l": .array([.date(0)]),
        ])
        let expected = """
            {
              "b" => true
              "d" => {length = 2, bytes = 0x01ff}
              "l" => [
                0 => 2001-01-01T00:00:00Z
              ]
              "n" => 1
              "r" => 2.0
              "t" => "a\\"b\\n"
            }
            """
        #expect(ListDescription.text(list) == expected)
        #expect(ListDescription.raw(list) == "b\nd\nl\nn\nr\nt")
        #expect(ListDescription.raw(.data([1, 255])) == "Af8=")
    }
}

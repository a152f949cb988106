import Foundation
import PropertyLists
import Testing

/// Numbers in names are those of the project's list of faults.
@Suite("StringsIndex: the fast way agrees with the reader")
struct StringsIndexTests {
    private static func text(_ bytes: [UInt8]) -> ListText {
        let text = ListText(capacity: bytes.count)
        text.bytes.update(from: bytes, count: bytes.count)
        return text
    }

    private static func index(_ bytes: [UInt8]) -> StringsIndex? { .recognizing(text(bytes)) }

    /// What the fast way accepts has no fault and is read in the same way; every entry is found, and no other.
    private static func expectAgreement(_ bytes: [UInt8], _ name: @autoclosure () -> String = "") {
        guard let index = index(bytes) else { return }
        let (entries, faults) = StringsReader.read(bytes)
        let isSame = faults.isEmpty && index.dictionary == entries && index.count == entries.count
        guard isSame else {
            Issue.record("\(name()) \(String(decoding: bytes.prefix(2_000), as: UTF8.self)): \(faults)")
            return
        }
        for (key, value) in entries {
            let number = Array(key.utf8).withUnsafeBufferPointer(index.places.find)
            #expect(number.map(index.value) == value, "\(name()) \(key)")
        }
        #expect(Array("?not there?".utf8).withUnsafeBufferPointer(index.places.find) == nil)
    }

    private static func encodings(of text: String) -> [[UInt8]] {
        [
            Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), utf16(text, bigEndian: true, mark: true),
            utf16(text, bigEndian: false, mark: true), utf16(text, bigEndian: true, mark: false),
            utf16(text, bigEndian: false, mark: false), utf32(text, bigEndian: false, mark: true),
        ]
    }

    static let samples: [URL] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Fixtures/strings")
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "strings" }
    }()

    @Test(arguments: samples)
    func samplesAgree(_ file: URL) throws {
        Self.expectAgreement([UInt8](try Data(contentsOf: file)), file.lastPathComponent)
    }

    static let entries = [
        #""key" = "value";"#, #"/* comment */ "a.b" = "é ü 漢字 🧩";"#, "// line\n\"x\" = \"y\";",
        #""e\n\"s\\c" = "\t\U00e9\u4e2d";"#,
        #""\Ud83e\udde9" = "\Ud83e\udde9 \101\345\12";"#, "\"spread\"\n=\r\n\t\"over\nlines\" ;", #""empty" = "";"#,
        #""" = "no key";"#,
        #""slash" = "/* no comment */ // none";"#, #""percent" = "%1$@ = %2$d;";"#,
        "\"long\" = \"\(String(repeating: "long text ", count: 40))\";",
        "\"много\" = \"\(String(repeating: "слов ", count: 30))\";",
        "\"日本\" = \"\(String(repeating: "カタカナひらがな漢字", count: 12))\";",
        "\"marks\" = \"\(String(repeating: "e\u{301}", count: 40))\";", "/**/\"c\" = \"d\";/***/",
        #""q" = "\'single\'";"#,
        "\"line\\\nbreak\" = \"con\\\ntinued\";",
    ]

    @Test func ordinaryTablesAreRecognized() {
        for (number, entry) in Self.entries.enumerated() {
            for bytes in Self.encodings(of: "\n\(entry)\n").prefix(6) {
                // A table that does not begin with an ASCII character is not recognised as UTF-16.
                #expect(Self.index(bytes) != nil, "entry \(number)")
                Self.expectAgreement(bytes)
            }
        }
        #expect(Self.index([])?.count == 0)
        #expect(Self.index(Array(" \n// nothing".utf8))?.count == 0)
    }

    @Test func faultsAreLeftToTheReader() {
        for text in [
            "a = b;", "\"a\";", "{ \"a\" = \"b\"; }", "\"a\" = \"b\"", "\"a\" = \"b\"; \"a\" = \"c\";", "\"a\" = 'b';",
            "\"a",
            "\"a\" = \"b\\", "\"a\" = \"\\Ud83d\";", "\"a\" = \"\\777\";", "\"a\" = \"\\Ux\";", "/* open", "/",
            "\"a\" = \"b\";\u{0}",
            "\"\u{e9}\" = \"1\"; \"e\u{301}\" = \"2\";", "\"\\U00e9\" = \"1\"; \"e\\U0301\" = \"2\";",
            "\"\u{212A}\" = \"Kelvin\"; \"K\" = \"K\";",
            "\"a\" = \"\(String(repeating: "\u{301}", count: 31))\";",
            "\"a\" = \"e\(String(repeating: "\\U0301", count: 31))\";",
            "\"a\" = \"e\(String(repeating: "\u{301}\\U0301", count: 16))\";", "\u{2028}\"a\" = \"b\";",
            "// \u{2028}\"a\" = \"b\";", "<plist/>", "\"\\n\" = \"1\"; \"\n\" = \"2\";",
        ] {
            #expect(Self.index(Array(text.utf8)) == nil, "\(text)")
        }
        #expect(Self.index(Array("\"a\" = \"v".utf8) + [0xE9] + Array("\";".utf8)) == nil)
        #expect(Self.index(utf16("\"a\" = \"b\";", bigEndian: false, mark: true) + [0x20]) == nil)
        #expect(Self.index(utf16("\"a\" = \"", bigEndian: false, mark: true) + [0x3D, 0xD8, 0x22, 0, 0x3B, 0]) == nil)
        let limits = PropertyListLimits(size: 10)
        #expect(StringsIndex.recognizing(Self.text(Array("\"a\" = \"b\";".utf8)), limits: limits) != nil)
        #expect(StringsIndex.recognizing(Self.text(Array(" \"a\" = \"b\";".utf8)), limits: limits) == nil)
        let few = PropertyListLimits(nodes: 2)
        #expect(StringsIndex.recognizing(Self.text(Array("\"a\" = \"b\"; \"c\" = \"d\";".utf8)), limits: few) == nil)
    }

    @Test("tables put together and damaged at random agree", .fault(101), arguments: 0..<8)
    func damagedTablesAgree(_ seed: UInt64) {
        var random = SeededGenerator(seed: 0x57 + seed)
        var recognized = 0
        for _ in 0..<400 {
            let count = Int.random(in: 1...6, using: &random)
            let text = (0..<count).map { _ in Self.entries.randomElement(using: &random)! }.joined(separator: "\n")
            var bytes = Self.encodings(of: text).randomElement(using: &random)!
            if Self.index(bytes) != nil { recognized += 1 }
            Self.expectAgreement(bytes)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(Array("\"\\;=/*{}' \n\u{0}U7".utf8).randomElement(using: &random)!, at: place)
                case 2: bytes[place] = UInt8.random(in: 0...255, using: &random)
                default: bytes.removeSubrange(place...)
                }
                if bytes.isEmpty { break }
            }
            Self.expectAgreement(bytes)
        }
        #expect(recognized > 130)
    }

    @Test func largeTablesAgree() {
        let text = (0..<600).map { "/* \($0) */ \"key \($0)\" = \"valeur n\\U00ba \($0), été\\n\";\n" }.joined()
        for bytes in Self.encodings(of: text) { Self.expectAgreement(bytes) }
        #expect(Self.index(Array(text.utf8))?.count == 600)
    }

    /// The index of a file in UTF-16 that arrives in pieces.
    private static func index(_ bytes: [UInt8], piecesOf length: Int) -> StringsIndex? {
        let file = text(bytes)
        guard var text = UTF16Text(beginning: file.buffer, size: file.count) else { return nil }
        var offset = text.start
        while offset < file.count {
            let piece = UnsafeBufferPointer(rebasing: file.buffer[offset..<min(offset + length, file.count)])
            guard let taken = text.append(piece), taken > 0 else { return nil }
            offset += taken
        }
        return .recognizing(text)
    }

    @Test func utf16InPiecesIsReadAsAWhole() throws {
        let text = (0..<40).map { "\"key \($0)\" = \"été 漢字 🧩\(String(repeating: "🧩", count: $0 % 5))\";\n" }.joined()
        for bigEndian in [true, false] {
            for mark in [true, false] {
                let bytes = utf16(text, bigEndian: bigEndian, mark: mark)
                let whole = try #require(Self.index(bytes))
                #expect(whole.count == 40)
                for length in 4...21 {
                    #expect(Self.index(bytes, piecesOf: length)?.dictionary == whole.dictionary, "\(length)")
                }
                // Half a unit and half a character at the end.
                #expect(Self.index(bytes + [0x20], piecesOf: 8) == nil)
                #expect(Self.index(bytes + (bigEndian ? [0xD8, 0x3D] : [0x3D, 0xD8]), piecesOf: 8) == nil)
            }
        }
        #expect(Self.index(Array("\"a\" = \"b\";".utf8), piecesOf: 8) == nil)
    }

    @Test func moreThanTheStatedSizeIsRefused() {
        let file = Self.text(utf16("\"a\" = \"漢字\";", bigEndian: false, mark: true))
        guard var text = UTF16Text(beginning: file.buffer, size: file.count) else {
            Issue.record("the mark is not seen")
            return
        }
        let content = UnsafeBufferPointer(rebasing: file.buffer[text.start...])
        let taken = text.append(content)
        #expect(taken == content.count)
        let more = text.append(content)
        #expect(more == nil)
        let none = text.append(UnsafeBufferPointer<UInt8>(start: nil, count: 0))
        #expect(none == 0)
        #expect(StringsIndex.recognizing(text)?.dictionary == ["a": "漢字"])
    }

    /// Keys are hashed and compared eight bytes at a time, the last of which overlap.
    @Test func keysOfEveryLengthAreFoundAndNoneLikeThem() {
        let keys = (0...40).map { String("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP".prefix($0)) }
        let index = StringsIndex(Dictionary(uniqueKeysWithValues: keys.map { ($0, $0.uppercased()) }))
        func find(_ key: [UInt8]) -> Int? {
            key.withUnsafeBufferPointer { bytes in
                let number = index.places.find(bytes)
                #expect(index.places.find(index.places.key(bytes)) == number)
                return number
            }
        }
        for key in keys {
            #expect(find(Array(key.utf8)).map(index.value) == key.uppercased())
            for place in key.utf8.indices {
                var other = Array(key.utf8)
                other[key.utf8.distance(from: key.utf8.startIndex, to: place)] = UInt8(ascii: "?")
                #expect(find(other) == nil, "\(key)")
            }
        }
    }

    @Test func aTableIsHiddenByTablesThatHaveItsKeys() {
        let index = StringsIndex(["a": "1", "b": "2"])
        let (a, b) = (StringsIndex(["a": "3"]), StringsIndex(["b": "4", "c": "5"]))
        #expect(index.isHidden(by: [a.places, b.places]))
        #expect(!index.isHidden(by: [a.places]))
        #expect(!index.isHidden(by: []))
        #expect(StringsIndex([:]).isHidden(by: []))
    }

    @Test func laterEntriesReplaceEarlierOnes() throws {
        let base = try #require(Self.index(Array("\"a\" = \"1\"; \"b\" = \"\\n\";".utf8)))
        let index = base.adding(["a": "2", "c": "3", "": "empty"])
        #expect(index.dictionary == ["a": "2", "b": "\n", "c": "3", "": "empty"])
        #expect(base.dictionary == ["a": "1", "b": "\n"])
        #expect(StringsIndex([:]).dictionary == [:])
        #expect(StringsIndex(["é": "ü"]).adding([:]).dictionary == ["é": "ü"])
    }
}

import Foundation
import Testing

@testable import PropertyLists

/// Numbers in names are those of the project's list of faults.
@Suite("Strings tables")
struct StringsReaderTests {
    private struct Expected: Decodable {
        let entries: [String: String]
        let faults: Int
    }

    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Fixtures/strings")
    private static let expected: [String: Expected] = {
        let data = try? Data(contentsOf: fixtures.appendingPathComponent("expected.json"))
        return data.flatMap { try? JSONDecoder().decode([String: Expected].self, from: $0) } ?? [:]
    }()

    private func read(_ text: String) -> (entries: [String: String], faults: [PropertyListFault]) {
        StringsReader.read(Array(text.utf8))
    }

    @Test func fixturesAreThere() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path).filter {
            $0.hasSuffix(".strings")
        }
        #expect(files.count == 28)
        #expect(Set(files) == Set(Self.expected.keys))
    }

    private static let unclosed: [(text: String, place: PropertyListFault.Position, keys: Set<String>)] = [
        ("\"a\" = \"one;\n\"b\" = \"two\";\n\"c\" = \"three\";\n", .text(line: 1, column: 7), ["b", "c"]),
        ("\"x\" = \"1\";\n\"a = \"one\";\n\"b\" = \"two\";\n", .text(line: 2, column: 1), ["x", "b"]),
        ("\"x\" = \"1\";\n\"a\" = one\";\n\"b\" = \"two\";\n", .text(line: 2, column: 10), ["x", "b"]),
        ("\"a\" = \"one\";\n\"b\" = \"two;\n", .text(line: 2, column: 7), ["a"]),
    ]

    @Test("an unclosed quotation mark is reported where it begins", .fault(830), arguments: unclosed.indices)
    func anUnclosedQuotationMarkIsReportedWhereItBegins(number: Int) {
        let expected = Self.unclosed[number]
        let (entries, faults) = read(expected.text)
        #expect(faults.first?.position == expected.place, "\(faults)")
        #expect(entries.keys.filter { expected.keys.contains($0) }.count == expected.keys.count, "\(entries)")
    }

    @Test(.fault(831)) func anInvisibleCharacterIsNamed() {
        let messages = ["\u{A0}", "\u{200B}", "\u{FEFF}", "\u{3000}"].map { character in
            read("\"a\"\(character)= \"b\";").faults.first?.message ?? ""
        }
        let names = [
            "U+00A0 (NO-BREAK SPACE)", "U+200B (ZERO WIDTH SPACE)", "U+FEFF (ZERO WIDTH NO-BREAK SPACE)",
            "U+3000 (IDEOGRAPHIC SPACE)",
        ]
        #expect(messages.count == names.count)
        for (message, name) in zip(messages, names) {
            #expect(message.hasPrefix("Found \(name) after the key"), "\(message)")
        }
    }

    /// Signs that look like those of a list, and characters that leave no mark although they are no blanks.
    @Test(.fault(892)) func aCharacterThatLooksLikeAnotherIsNamed() {
        let names = [
            "\u{37E}": "U+037E (GREEK QUESTION MARK)", "\u{FF1B}": "U+FF1B (FULLWIDTH SEMICOLON)",
            "\u{FF1D}": "U+FF1D (FULLWIDTH EQUALS SIGN)", "\u{3164}": "U+3164 (HANGUL FILLER)",
            "\u{2800}": "U+2800 (BRAILLE PATTERN BLANK)", "\u{301}": "U+0301 (COMBINING ACUTE ACCENT)",
            "\u{FE0F}": "U+FE0F (VARIATION SELECTOR-16)",
        ]
        for (character, name) in names {
            let message = read("\"a\" = \"b\" \(character) \"c\" = \"d\";").faults.first?.message ?? ""
            #expect(message.hasPrefix("Found \(name) after the value"), "\(message)")
        }
    }

    @Test("every sample file", .fault(101, 102), arguments: expected.keys.sorted())
    func sampleIsReadAsExpected(name: String) throws {
        let bytes = try [UInt8](Data(contentsOf: Self.fixtures.appendingPathComponent(name)))
        let expected = try #require(Self.expected[name])
        let (entries, faults) = StringsReader.read(bytes)
        #expect(entries == expected.entries)
        #expect(faults.count == expected.faults, "\(faults)")
    }

    @Test(
        "one bad entry never loses the table", .fault(101),
        arguments: [
            #""b" "c";"#, #""b" = ;"#, #""b" = "c" "d";"#, #""b" = "say "hi" now";"#, #""b" = (1, 2);"#,
            #""b" = { x = y; z = (")"); };"#, #""b" = <0f>;"#, #"= "c";"#,
            #""b" = "c"#, #""b = "c";"#, #"b" = "c";"#, #""b" = c";"#, #"'b" = "c";"#, #""b" = 'c";"#, #""b" == "c";"#,
            #""b": "c","#, #""b" ="#, #""b""#, "b",
            #""b" = @"c";"#, #""b" = "c"];"#, "garbage ; here", ")))", "}", "{", "é", "\"b\" = \"c\\\";", "\"", "'",
            "= = =", #""b" = ("#, #""b" = {"#, #""b" = <"#, "/", "*/", "#", "\u{7}",
            #""b" = "c" /"#, "<key>b</key>", "\\\"", "\"b\" = \"line\nline",
        ])
    func badEntryIsLostAlone(bad: String) {
        let (entries, faults) = read("\"first\" = \"1\";\n\(bad)\n\"two\" = \"2\";\n\"three\" = \"3\";\n")
        #expect(entries["first"] == "1")
        #expect(entries["two"] == "2")
        #expect(entries["three"] == "3")
        #expect((1...3).contains(faults.count), "\(faults)")
        #expect(
            faults.allSatisfy { if case .text(let line, _) = $0.position { (2...4).contains(line) } else { false } },
            "\(faults)")
    }

    @Test func badEntryOnTheSameLineIsLostAlone() {
        let (entries, faults) = read(#""a" = "1"; "b" "c"; "d" = ; "e" = "5"; ) ; "f" = "6";"#)
        #expect(entries == ["a": "1", "e": "5", "f": "6"])
        #expect(faults.map(\.code) == [.missingSeparator, .missingValue, .unexpectedCharacter])
        #expect(
            faults.map(\.position) == [
                .text(line: 1, column: 16), .text(line: 1, column: 27), .text(line: 1, column: 40),
            ])
    }

    @Test func forgottenKeySeparatorIsLocated() {
        let found = read("\"k\" = \"v\";\n\"b\" \"c\";\n\"two\" = \"2\";").faults
        #expect(
            found.map(\.description) == [
                "line 2, column 5: Found \"\\\"\" after the key \"b\"; \"=\" or \";\" is expected."
            ])
    }

    @Test func forgottenValueLosesNoNeighbour() {
        let (entries, faults) = read("\"a\"\n\"b\" = \"2\";")
        #expect(entries == ["b": "2"])
        #expect(faults.map(\.code) == [.missingSeparator])
    }

    @Test func forgottenSemicolonsKeepTheirEntries() {
        let (entries, faults) = read("\"a\" = \"1\"\n\"b\" = \"2\"\n\"c\";\n\"d\" = \"4\"")
        #expect(entries == ["a": "1", "b": "2", "c": "c", "d": "4"])
        #expect(
            faults.map(\.position) == [
                .text(line: 1, column: 10), .text(line: 2, column: 10), .text(line: 4, column: 10),
            ])
    }

    @Test func forgottenQuoteLosesItsEntryOnly() {
        let (entries, faults) = read("\"a\" = \"1;\n\"b\" = \"2\";\n\"c\" = \"3\";\n")
        #expect(entries == ["b": "2", "c": "3"])
        #expect(faults.count == 1)
    }

    @Test func textOfSeveralLinesIsNotAFault() {
        let (entries, faults) = read("\"a\" = \"line one\nline two;\n\";\n\"b\" = \"2\";")
        #expect(entries == ["a": "line one\nline two;\n", "b": "2"])
        #expect(faults.isEmpty)
    }

    @Test func bracesMayEnd() {
        #expect(read("{ a = b }").entries == ["a": "b"])
        #expect(read("{ a = b }").faults.isEmpty)
        #expect(read("{ a = b; } // end\n").faults.isEmpty)
        #expect(read("{ a = b; ").faults.map(\.code) == [.truncated])
        let (entries, faults) = read("{ a = b; } junk\n\"c\" = \"d\";")
        #expect(entries == ["a": "b", "c": "d"])
        #expect(faults.map(\.code) == [.trailingContent])
    }

    @Test func emptyKeysAndValuesAreKept() {
        #expect(read("\"\" = \"\"; x = '';").entries == ["": "", "x": ""])
    }

    @Test("duplicates: the last wins, each later one is located")
    func lastDuplicateWins() {
        let (entries, faults) = read("k = 1;\nk = 2;\n \"k\" = 3;")
        #expect(entries == ["k": "3"])
        #expect(faults.map(\.code) == [.duplicateKey, .duplicateKey])
        #expect(faults.map(\.position) == [.text(line: 2, column: 1), .text(line: 3, column: 2)])
    }

    @Test(
        "bad escapes are replaced and located",
        arguments: [
            (#"\Ud83d"#, "a\u{FFFD}b"), (#"\Ude00"#, "a\u{FFFD}b"), (#"\777"#, "a\u{FFFD}b"), (#"\Ux"#, "aUxb"),
            (#"\Ud83d\U41"#, "a\u{FFFD}Ab"),
        ])
    func badEscapeKeepsTheEntry(escape: String, expected: String) {
        // A hexadecimal digit after a short escape would belong to it.
        let (entries, faults) = read("k = \"a\(escape)" + "\" ;\nx = \"a\(escape)\\b\";")
        #expect(entries["k"] == String(expected.dropLast()))
        #expect(entries["x"] == String(expected.dropLast()) + "\u{8}")
        #expect(faults.map(\.code) == [.invalidEscape, .invalidEscape])
        #expect(faults.first?.position == .text(line: 1, column: 7))
    }

    @Test("odd UTF-16 and lone surrogates are replaced", .fault(102))
    func damagedUTF16KeepsTheTable() {
        let bytes =
            utf16("k = \"é", bigEndian: false, mark: true) + [0x3D, 0xD8]
            + utf16("\";\nx = y;\n", bigEndian: false, mark: false)
        let (entries, faults) = StringsReader.read(bytes + [0x20])
        #expect(entries == ["k": "é\u{FFFD}", "x": "y"])
        #expect(faults.first?.code == .invalidEncoding)
        #expect(faults.first?.position == .text(line: 1, column: 7))
        #expect((2...3).contains(faults.count))
    }

    @Test func latin1IsAssumedAndReported() {
        let bytes = Array("a = \"é\";\nk = \"vé".utf8) + [0xE9] + Array("\";".utf8)
        let (entries, faults) = StringsReader.read(bytes)
        #expect(entries == ["a": "Ã©", "k": "vÃ©é"])
        #expect(faults.map(\.code) == [.assumedLatin1])
        #expect(faults.first?.position == .text(line: 2, column: 9))
    }

    /// All bytes from 0x80 to 0x9F, which Latin-1 has for control characters (fault 788).
    @Test func windows1252IsReadAndNeverMakesControlCharacters() {
        let bytes = Array("a = \"é\";\nk = \"".utf8) + (0x80...0x9F) + [0xE9] + Array("\";".utf8)
        let (entries, faults) = StringsReader.read(bytes)
        #expect(
            entries == [
                "a": "Ã©",
                "k": "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸé",
            ])
        #expect(faults.map(\.code) == [.assumedLatin1] + Array(repeating: .invalidEncoding, count: 5))
        #expect(faults.first?.position == .text(line: 2, column: 6))
        #expect(faults.first?.message.contains("read as Windows-1252") == true)
    }

    @Test func bytesBeforeTheFirstBadOneAreCountedAsTheyAreRead() {
        // “…” in UTF-8 has bytes that Windows-1252 reads as three characters, of two or three bytes each.
        let bytes = Array("a = \"…\";\nk = \"…".utf8) + [0x92] + Array("\";".utf8)
        let (entries, faults) = StringsReader.read(bytes)
        #expect(entries == ["a": "â€¦", "k": "â€¦’"])
        #expect(faults.map(\.position) == [.text(line: 2, column: 9)])
    }

    @Test func aDeclaredLatin1IsReadAsTheAuthorSawIt() {
        let text = #"<?xml version="1.0" encoding="ISO-8859-1"?><plist><dict><key>k</key><string>"#
        let (entries, faults) = StringsReader.read(
            Array(text.utf8) + [0x93, 0x94] + Array("</string></dict></plist>".utf8))
        #expect(entries == ["k": "“”"])
        #expect(faults.isEmpty)
    }

    @Test func valuesOfXMLTablesMustBeText() {
        let (entries, faults) = read(
            xml("<dict><key>a</key><integer>1</integer><key>b</key><string>2</string><key>c</key><dict/></dict>"))
        #expect(entries == ["b": "2"])
        #expect(faults.map(\.code) == [.valueNotString, .valueNotString])
        #expect(faults.first?.message == "The value of the key \"a\" is an integer; a string is expected.")
    }

    @Test(
        "damaged XML tables", .fault(101),
        arguments: [
            ("<key>b</key><string>Tom & Jerry</string>", PropertyListFault.Code.unknownEntity),
            ("<key>b</key>", .missingValue), ("<string>b</string>", .keyNotString),
            ("<key>b</key><string>x</strin>", .unknownElement), ("<key>b</key><foo/>", .unknownElement),
            ("<key>b</key><integer>x</integer>", .invalidInteger),
            ("<key>b</key><array><string>x</array>", .malformedMarkup), ("text", .unexpectedCharacter),
            ("</array>", .malformedMarkup),
        ])
    func badXMLEntryIsLostAlone(bad: String, code: PropertyListFault.Code) {
        let (entries, faults) = read(
            xml("<dict><key>a</key><string>1</string>\n\(bad)\n<key>c</key><string>3</string></dict>"))
        #expect(entries == ["a": "1", "c": "3"])
        #expect(faults.map(\.code) == [code])
    }

    @Test func truncatedXMLTableKeepsWhatWasRead() {
        let (entries, faults) = read(
            "<plist><dict><key>a</key><string>1</string><key>b</key><string>2</string><key>c</key><str")
        #expect(entries == ["a": "1", "b": "2"])
        #expect(faults.map(\.code) == [.truncated])
        #expect(read("<plist><dict><key>a</key><string>1</string></dict></plist>junk").entries == ["a": "1"])
    }

    @Test func duplicatesOfListsAreReportedToo() {
        let (entries, faults) = read(xml("<dict><key>a</key><string>1</string><key>a</key><string>2</string></dict>"))
        #expect(entries == ["a": "2"])
        #expect(faults.map(\.code) == [.duplicateKey])
        let binary = BinaryList([
            [0xD2, 1, 1, 2, 3], BinaryList.ascii("a"), BinaryList.ascii("1"), BinaryList.ascii("2"),
        ]).bytes
        #expect(StringsReader.read(binary).entries == ["a": "2"])
        #expect(StringsReader.read(binary).faults.map(\.code) == [.duplicateKey])
    }

    @Test("damaged binary tables", .fault(101))
    func badBinaryEntryIsLostAlone() {
        func table(_ bad: [UInt8]) -> (entries: [String: String], faults: [PropertyListFault]) {
            StringsReader.read(
                BinaryList([
                    [0xD3, 1, 2, 3, 4, 5, 6], BinaryList.ascii("a"), BinaryList.ascii("b"), BinaryList.ascii("c"),
                    BinaryList.ascii("1"), bad, BinaryList.ascii("3"),
                ]).bytes)
        }
        for (bad, code) in [
            ([0x61, 0xD8, 0x00], .invalidEncoding), ([0xA1, 0], .cycle), ([0xF0], .invalidObject),
            ([0x10, 1], .valueNotString),
        ] as [([UInt8], PropertyListFault.Code)] {
            let (entries, faults) = table(bad)
            #expect(entries == ["a": "1", "c": "3"])
            #expect(faults.map(\.code) == [code])
        }
        let badKey = BinaryList([
            [0xD2, 1, 2, 3, 4], [0x10, 1], BinaryList.ascii("b"), BinaryList.ascii("1"), BinaryList.ascii("2"),
        ]).bytes
        #expect(StringsReader.read(badKey).entries == ["b": "2"])
        #expect(StringsReader.read(badKey).faults.map(\.code) == [.keyNotString])
    }

    @Test func tableMustBeADictionary() {
        for text in [xml("<array/>"), "<string>a</string>"] {
            #expect(read(text).entries.isEmpty)
            #expect(read(text).faults.map(\.code) == [.valueNotString])
        }
        #expect(StringsReader.read(BinaryList([[0xA0]]).bytes).faults.map(\.code) == [.valueNotString])
        #expect(StringsReader.read(Array("bplist00".utf8)).faults.map(\.code) == [.truncated])
    }

    @Test func limitsHold() {
        let limits = PropertyListLimits(size: 40, nodes: 4)
        #expect(
            StringsReader.read([UInt8](repeating: 0x20, count: 41), limits: limits).faults.map(\.code) == [.tooLarge])
        let (entries, faults) = StringsReader.read(Array("a;b;c;d;e;".utf8), limits: limits)
        #expect(entries.count == 3)
        #expect(faults.map(\.code) == [.tooManyNodes])
    }

    @Test func reportOfGarbageIsBounded() {
        let (entries, faults) = read(String(repeating: ");", count: 5_000) + "\n\"a\" = \"1\";")
        #expect(entries == ["a": "1"])
        #expect(faults.count == StringsReader.mostFaults)
        #expect(faults.last?.code == .furtherFaults)
    }

    @Test("every truncation and every flipped byte keeps what can be kept", .fault(101))
    func damageIsSurvived() {
        let text = Array(
            "/* c */ \"a\" = \"1\\U00e9\";\n'b' = 'x\\'y'; // d\nc; \"d\" = \"é\n2\";\n{ e = (f, \"g\"); h }\n\"z\" = \"26\";\n"
                .utf8)
        for length in text.indices {
            let (entries, _) = StringsReader.read(Array(text[..<length]))
            if length > 24 { #expect(entries["a"] == "1é", "length \(length)") }
        }
        for place in 25..<text.count {
            for mask in [0x01, 0x04, 0x20, 0x80] as [UInt8] {
                var damaged = text
                damaged[place] ^= mask
                #expect(StringsReader.read(damaged).entries["a"]?.first == "1", "byte \(place) ^ \(mask)")
            }
        }
    }

    @Test(
        "quotes, comments and brackets without end stay linear",
        arguments: [
            "\"a\"=\"b\";\n\"c\" = 'd\n", "\"a\"=\"b\";\n\"c\" = \"d\n", "\"a\" = (;\n", "\"a\" = {\n", "a = /*;\n",
            "'\\'\\'", "\"\\\n", "a='b'\"c", "'a' 'b\n", "\\'", "a = \"\n\";\n'", "'/*\"*/",
            "a = 'b\\\n", "\"a\" = \"b\" \"",
        ])
    func adversarialTablesAreLinear(part: String) {
        let text = Array(String(repeating: part, count: 400_000 / part.utf8.count).utf8)
        text.withUnsafeBufferPointer { text in
            var parser = StringsTableParser(text, limits: .stringsTable)
            parser.parse()
            let examined = parser.scanner.examined
            // Quadratic reading would examine thousands of times as many.
            #expect(examined <= ReadingBudget.factor * text.count)
            let faults = parser.finish().faults.faults
            #expect(!faults.isEmpty)
        }
    }
}

import PluginLinting
import PropertyLists
import Testing

@testable import PluginTranslating

@Suite struct TableTextTests {
    /// Tables in every spelling that the reader accepts without a fault.
    static let tables = [
        "", "\n", "// nothing but a comment", "\"a\" = \"1\";", "\"a\"=\"1\";\"b\"=\"2\";",
        "/* head */\n\n/* one */\n\"a\" = \"1\";\n\n// two\n\"b\"\n=\n\"2\"\n;\n/* end */\n",
        "{ a = b; \"c\" = 'd'; }\n", "{\n/* x */ a = b; c = d\n}", "\"same\";\nword;\n",
        "\"a;b\" = \"} /* not */ \\\" ;\";\n\"c\" /* in */ = /* the */ \"d\" /* middle */ ;",
        "\"escapes\" = \"\\n\\t\\r\\\\\\\"\\U00e9\\u00e9\\101 \\\nnext\";\n", "\u{FEFF}\"a\" = \"1\";\n",
        "\"a\" = \"1\";\r\n\r\n/* c */\r\n\"b\" = \"2\";\r\n", "path/to = http://x;\n",
        "// a\u{2028}\"a\" = \"1\";\n", "// a\u{B}b\u{C}c\u{85}d\n\"a\" = \"1\";\n",
        "\"a\" = \"1\";\u{2029}/* c */\u{2028}\"b\" = \"2\";\n", "/* a *\u{301}/ */\"a\" = \"1\";\n",
        "//\u{301}a\n\"a\" = \"1\";\n", "/* a */ // b\r\"a\" = \"1\";\r",
    ]

    @Test(arguments: tables) func thePartsOfATableAreItsText(_ text: String) throws {
        let table = try TableText(reading: text)
        #expect(table.text.hasSameBytes(as: text))
        #expect(table.values == StringsReader.read(Array(text.utf8)).entries)
    }

    @Test(arguments: [
        "\"a\" \"1\";", "\"a\" = \"1\"; \"a\" = \"2\";", "/* no end", "\"a\" = (1, 2);", "\"a\" = \"1\"; } junk",
    ])
    func aFaultyTableIsNotDivided(_ text: String) {
        #expect(throws: PropertyListFault.self) { try TableText(reading: text) }
    }

    @Test func everyScalarThatNeedsAnEscapeComesBack() throws {
        let scalars = (1..<0x250).compactMap(Unicode.Scalar.init) + "\u{2028}\u{202E}\u{2066}\u{FEFF}😀".unicodeScalars
        for scalar in scalars {
            let text = "x\(scalar)1"
            let quoted = StringsQuoting.quoted(text)
            let read = StringsReader.read(Array("\(quoted) = \(quoted);".utf8))
            #expect(read.faults.isEmpty && read.entries == [text: text], "U+\(String(scalar.value, radix: 16))")
            #expect(!quoted.unicodeScalars.contains { $0.value < 0x20 })
        }
    }

    @Test func commentsBelongToTheEntryBelowThem() throws {
        let table = try TableText(
            reading: """
                /* head */

                /* a1 */
                // a2
                "a" = "1";
                /* lost */

                "b" = "2";
                /* c */ "c" = "3";
                """)
        #expect(table.entries.map(\.note) == ["/* a1 */\n// a2", "", "/* c */"])
        #expect(table.entries.map { EntryNote($0.note).words } == ["a1\na2", nil, "c"])
    }

    /// What ends a line for the reader ends a comment that begins with “//”, and nothing else does.
    @Test(.fault(846), arguments: tables) func aNewCommentNeverChangesAnEntry(_ text: String) throws {
        let comments = [
            ("new", false), ("a */ b", false), ("a *//\u{301} b */", true), ("u\u{2028}v\u{85}w", true),
        ]
        for (words, flag) in comments {
            var table = try TableText(reading: text)
            let values = table.values
            for index in table.entries.indices {
                var note = EntryNote(table.entries[index].note)
                #expect(note.text.hasSameBytes(as: table.entries[index].note))
                note.setFirst(words, replacing: true, lineBreak: "\n")
                if flag { note.set(.needsReview, true, lineBreak: "\n") }
                table.entries[index].note = note.text
                if table.entries[index].gap.isEmpty { table.entries[index].gap = "\n" }
            }
            let read = try TableText(reading: table.text)
            #expect(read.values == values, "\(table.text)")
            for entry in read.entries {
                let expected = EntryNote(EntryNote.comment(words, lineBreak: "\n")).first
                #expect(EntryNote(entry.note).first == expected && EntryNote(entry.note).has(.needsReview) == flag)
            }
        }
    }

    @Test(.fault(846)) func theLinesOfACommentAreThoseOfTheReader() throws {
        #expect(EntryNote("// a\u{B}b\u{85}c").words == "a\u{B}b\u{85}c")
        #expect(EntryNote("/* a\u{2028}b\r\n   c\r d */").words == "a\u{2028}b\nc\nd")
        #expect(EntryNote("// a\u{2029}// b").words == "a\nb")
        // A comment of a line does not swallow what follows a mark that is removed.
        var note = EntryNote("// a\n/* Flag: unmatched */ /* c */")
        note.set(.unused, false, lineBreak: "\n")
        #expect(note.text == "// a\n/* c */" && note.words == "a\nc")
    }

    @Test(arguments: [
        ("", "\"n\" = \"N\";\n"),
        ("\"a\" = \"1\";\n\n\"z\" = \"2\";\n", "\"a\" = \"1\";\n\n\"n\" = \"N\";\n\n\"z\" = \"2\";\n"),
        ("\"z\" = \"2\";\n\"a\" = \"1\";\n", "\"z\" = \"2\";\n\"a\" = \"1\";\n\"n\" = \"N\";\n"),
        ("\"a\" = \"1\";", "\"a\" = \"1\";\n\n\"n\" = \"N\";\n"),
        ("/* Head */\n\n\"z\" = \"2\";\n", "/* Head */\n\n\"n\" = \"N\";\n\n\"z\" = \"2\";\n"),
        ("/* Head */\n", "/* Head */\n\n\"n\" = \"N\";\n"),
        ("{\r\n\"a\" = \"1\";\r\n}\r\n", "{\r\n\"a\" = \"1\";\r\n\r\n\"n\" = \"N\";\r\n}\r\n"),
    ])
    func aNewEntryGoesToItsPlace(_ before: String, _ after: String) throws {
        var table = try TableText(reading: before)
        table.add([TableText.NewEntry(key: "n", value: "N", note: "")])
        #expect(table.text == after)
        #expect(try TableText(reading: table.text) == table)
    }

    /// Its bytes are also those of UTF-16 with NUL between the characters.
    @Test(.fault(879)) func UTF32IsNotTakenForUTF16() throws {
        for isBig in [false, true] {
            for mark in ["", "\u{FEFF}"] {
                let bytes = (mark + "\"a\" = \"b\";\n").unicodeScalars.flatMap { scalar in
                    let units = (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
                    return isBig ? units.reversed() : units
                }
                #expect(TableEncoding.text(of: bytes) == nil, "\(bytes.prefix(8))")
                let finding = #expect(throws: LintFinding.self) {
                    try TableConversion(bytes, path: "/x/a.strings", to: .strings)
                }
                #expect(finding?.code.rawValue == "invalidEncoding" && finding?.remedy == "Save it as UTF-8.")
            }
        }
    }

    @Test(arguments: TableEncoding.allCases) func anEncodingIsRecognised(_ encoding: TableEncoding) throws {
        let text = "\"é\" = \"日本😀\";\n"
        let read = try #require(TableEncoding.text(of: encoding.bytes(of: text)))
        #expect(read.text == text && read.encoding == encoding)
        #expect(TableEncoding.text(of: encoding.bytes(of: ""))?.text == "")
    }

    @Test(arguments: [[0x22, 0xE9, 0x22], [0xFF, 0xFE, 0x22], [0xFF, 0xFE, 0x00, 0xD8]] as [[UInt8]])
    func bytesThatAreNoTextHaveNone(_ bytes: [UInt8]) {
        #expect(TableEncoding.text(of: bytes) == nil)
    }

    @Test func aMarkIsAddedAndRemovedWithoutATrace() {
        for text in ["", "/* a */", "// a", "/* a */\n\n// b", "/* Flag: unmatched */", "/* a\n   b */"] {
            var note = EntryNote(text)
            let had = note.has(.untranslated)
            note.set(.untranslated, true, lineBreak: "\n")
            #expect(note.has(.untranslated) && EntryNote(note.text).has(.untranslated))
            note.set(.untranslated, had, lineBreak: "\n")
            #expect(note.text == text)
        }
    }
}

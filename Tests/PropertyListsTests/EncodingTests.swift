import PropertyLists
import Testing

/// Numbers in names are those of the project's list of faults.
@Suite("Encodings of text lists")
struct EncodingTests {
    @Test("every wide encoding, both ways round, with a mark or without", arguments: [true, false], [true, false])
    func wideEncodingsAreRead(bigEndian: Bool, mark: Bool) throws {
        for text in ["<plist><string>é中😀</string></plist>", "{ k = \"é中😀\"; }"] {
            let expected = try value(of: text)
            #expect(try value(of: utf16(text, bigEndian: bigEndian, mark: mark)) == expected)
            #expect(try value(of: utf32(text, bigEndian: bigEndian, mark: mark)) == expected)
        }
    }

    @Test func byteOrderMarkOfUTF8IsSkipped() throws {
        #expect(try value(of: "\u{FEFF}<true/>") == .boolean(true))
        #expect(try value(of: "\u{FEFF}(é)".replacing("é", with: "a")) == .array([.string("a")]))
        #expect(fault(of: "\u{FEFF}<foo/>")?.position == .text(line: 1, column: 1))
    }

    @Test(arguments: ["UTF-8", "utf-8", "utf8", "US-ASCII", "ascii", "ISO-8859-1", "latin1"])
    func declaredEncodingsAreRead(name: String) throws {
        #expect(
            try value(of: "<?xml version='1.0' encoding='\(name)'?><plist><string>a</string></plist>") == .string("a"))
        #expect(
            try value(of: "<?xml version=\"1.0\" encoding = \"\(name)\" standalone=\"yes\"?><true/>") == .boolean(true))
    }

    @Test func declaredLatin1IsConverted() throws {
        let bytes =
            Array("<?xml version='1.0' encoding='ISO-8859-1'?>\n<plist><string>v".utf8) + [0xE9, 0xFF]
            + Array("</string></plist>".utf8)
        #expect(try value(of: bytes) == .string("véÿ"))
    }

    @Test func declaredASCIIIsChecked() {
        let found = fault(of: "<?xml version='1.0' encoding='US-ASCII'?>\n<plist><string>é</string></plist>")
        #expect(found?.code == .invalidEncoding)
        #expect(found?.position == .text(line: 2, column: 16))
    }

    @Test func byteOrderMarkOutweighsADeclaration() throws {
        let text = "<?xml version='1.0' encoding='UTF-8'?><string>é</string>"
        #expect(try value(of: utf16(text, bigEndian: false, mark: true)) == .string("é"))
        #expect(try value(of: "\u{FEFF}" + text.replacing("UTF-8", with: "ISO-8859-1")) == .string("é"))
    }

    @Test("unknown encodings", .fault(47), arguments: ["EBCDIC", "KOI8-R", "windows-1252", "UTF-7", "", "UTF-8 "])
    func unknownEncodingsAreRefused(name: String) {
        let text = "<?xml version='1.0' encoding='\(name)'?><true/>"
        let found = fault(of: text)
        #expect(found?.code == .unknownEncoding)
        #expect(found?.position == .text(line: 1, column: 31))
        #expect(fault(of: utf16(text, bigEndian: true, mark: true))?.code == .unknownEncoding)
    }

    @Test("a wide encoding that the bytes are not in", .fault(47), arguments: ["UTF-16", "UTF-32", "utf-16le"])
    func declaredWideEncodingMustBeThere(name: String) {
        #expect(fault(of: "<?xml version='1.0' encoding='\(name)'?><true/>")?.code == .unknownEncoding)
    }

    @Test("odd UTF-16", .fault(40), arguments: [true, false])
    func oddUTF16IsRefused(bigEndian: Bool) {
        let found = fault(of: utf16("<true/>\n", bigEndian: bigEndian, mark: true) + [0x20])
        #expect(found?.code == .invalidEncoding)
        #expect(found?.position == .text(line: 2, column: 1))
    }

    @Test(
        "lone surrogates", .fault(41),
        arguments: [
            ([0xD83D], 9), ([0xDE00], 9), ([0xD83D, 0x41], 9), ([0xDE00, 0xD83D], 9),
            ([0x41, 0xD83D, 0xD83D, 0xDE00], 10),
        ] as [([UInt16], Int)])
    func loneSurrogatesAreRefused(units: [UInt16], column: Int) {
        let bad = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let bytes =
            utf16("<string>", bigEndian: true, mark: true) + bad + utf16("</string>", bigEndian: true, mark: false)
        let found = fault(of: bytes)
        #expect(found?.code == .invalidEncoding)
        #expect(found?.position == .text(line: 1, column: column))
    }

    @Test("no character in UTF-32", .fault(41), arguments: [0x11_0000, 0xD800, 0xFFFF_FFFF] as [UInt32])
    func unitsOfUTF32MustBeCharacters(unit: UInt32) {
        let bad = [24, 16, 8, 0].map { UInt8(unit >> $0 & 0xFF) }
        let bytes =
            utf32("<string>", bigEndian: true, mark: true) + bad + utf32("</string>", bigEndian: true, mark: false)
        #expect(fault(of: bytes)?.code == .invalidEncoding)
        #expect(fault(of: utf32("(a)", bigEndian: true, mark: true) + [0])?.code == .invalidEncoding)
    }

    @Test(
        "UTF-8 that is not well-formed", .fault(46),
        arguments: [
            [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0xAF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0x80], [0xBF], [0xFF], [0xFE], [0xC3],
            [0xC3, 0x28], [0xE4, 0xB8], [0xE4, 0x28, 0xAD],
            [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x28, 0x80], [0xC0, 0x80],
        ] as [[UInt8]])
    func malformedUTF8IsLocated(bad: [UInt8]) {
        for (before, after) in [("<plist>\n<string>é", "</string></plist>"), ("{ key =\n \"ab\\n_é_", "\"; }")] {
            let found = fault(of: Array(before.utf8) + bad + Array(after.utf8))
            #expect(found?.code == .invalidEncoding)
            #expect(found?.position == .text(line: 2, column: 10))
        }
        // The same at the end of the file, where a sequence is cut off.
        #expect(fault(of: Array("(a)".utf8) + bad)?.code == .invalidEncoding)
    }

    @Test func everyWellFormedLengthIsRead() throws {
        let text = "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{D7FF}\u{E000}\u{10000}\u{10FFFF}"
        for padding in 0..<9 {
            let padded = String(repeating: " ", count: padding) + text
            #expect(try value(of: "<string>\(padded)</string>") == .string(padded))
        }
    }

    @Test("a NUL in text", arguments: ["<string>a\0b</string>", "{ a = \"\0\"; }", "(a)\0", "(a, b,\0 c)"])
    func rawNULIsRefused(text: String) {
        let found = fault(of: text)
        #expect(found?.code == .unexpectedCharacter)
        #expect(found?.message == "The text contains a NUL character.")
    }
}

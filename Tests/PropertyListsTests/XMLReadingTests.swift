import PropertyLists
import Testing

@Suite("XML lists that are read")
struct XMLReadingTests {
    @Test func everyElementGivesItsValue() throws {
        let list = try value(
            of: xml(
                """
                <dict>
                  <key>string</key><string>text</string>
                  <key>integer</key><integer>-42</integer>
                  <key>real</key><real>1.5</real>
                  <key>true</key><true/>
                  <key>false</key><false/>
                  <key>date</key><date>2001-01-02T00:00:01Z</date>
                  <key>data</key><data>
                    aGVs
                    bG8=
                  </data>
                  <key>array</key><array><string>a</string><array/></array>
                  <key>dict</key><dict><key>k</key><string/></dict>
                </dict>
                """))
        #expect(
            list
                == .dictionary([
                    "string": .string("text"), "integer": .integer(-42), "real": .real(1.5), "true": .boolean(true),
                    "false": .boolean(false), "date": .date(86_401), "data": .data(Array("hello".utf8)),
                    "array": .array([.string("a"), .array([])]), "dict": .dictionary(["k": .string("")]),
                ]))
    }

    @Test func formatIsReported() throws {
        #expect(try PropertyListReader.read(Array(xml("<true/>").utf8)).format == .xml)
    }

    @Test(arguments: [
        ("0", PropertyList.integer(0)), ("+7", .integer(7)), (" 5\n", .integer(5)), ("007", .integer(7)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .unsigned(1 << 63)), ("18446744073709551615", .unsigned(.max)),
        ("0x10", .integer(16)), ("-0xFf", .integer(-255)), ("0XFFFFFFFFFFFFFFFF", .unsigned(.max)),
    ])
    func integersOf64BitsAreRead(text: String, expected: PropertyList) throws {
        #expect(try value(of: xml("<integer>\(text)</integer>")) == expected)
    }

    @Test(arguments: [
        ("0", 0.0), ("-1.25", -1.25), ("1e3", 1000), ("+2.5E-1", 0.25), ("0.1", 0.1),
        ("1.7976931348623157e308", .greatestFiniteMagnitude),
        ("4.9406564584124654e-324", .leastNonzeroMagnitude),
    ])
    func realsAreRead(text: String, expected: Double) throws {
        #expect(try value(of: xml("<real> \(text) </real>")) == .real(expected))
    }

    @Test(arguments: [
        ("2001-01-01T00:00:00Z", 0.0), ("2000-12-31T23:59:59Z", -1), ("1970-01-01T00:00:00Z", -978_307_200),
        ("2000-02-29T00:00:00Z", -26_524_800), ("0001-01-01T00:00:00Z", -63_113_904_000),
        ("4001-01-01T00:00:00Z", 63_113_904_000), ("9999-12-31T23:59:59Z", 252_423_993_599),
        ("-0001-01-01T00:00:00Z", -63_177_062_400),
    ])
    func datesCountFrom2001(text: String, expected: Double) throws {
        #expect(try value(of: xml("<date>\(text)</date>")) == .date(expected))
    }

    @Test func predefinedEntitiesAreExpanded() throws {
        #expect(
            try value(of: xml("<string>&lt;a&gt; &amp;amp; &quot;b&quot; &apos;c&apos;</string>"))
                == .string("<a> &amp; \"b\" 'c'"))
    }

    @Test func characterReferencesAreExpanded() throws {
        #expect(
            try value(of: xml("<string>&#65;&#x42;&#xe9;&#128512;&#x0000041;&#13;&#7;</string>"))
                == .string("ABé😀A\r\u{7}"))
    }

    @Test func sectionsAndCommentsInterruptText() throws {
        #expect(
            try value(of: xml("<string>a<![CDATA[<b>&amp;]]]]><!-- no --><![CDATA[>]]>c</string>"))
                == .string("a<b>&amp;]]>c"))
    }

    @Test func blanksAndLineEndsInTextAreKept() throws {
        #expect(try value(of: xml("<string> a\r\n\tb </string>")) == .string(" a\r\n\tb "))
    }

    @Test func commentsAndInstructionsBetweenElementsAreSkipped() throws {
        let text =
            "<!-- one --><?note two?>"
            + "<plist><!-- <string> --><?x?><array><!-- 3 --><true/></array></plist><!-- end -->\n"
        #expect(try value(of: text) == .array([.boolean(true)]))
    }

    @Test(arguments: [
        "<true/>", "<plist><true/></plist>", "<plist version='1.0' xmlns:x=\"y\" ><true></true></plist >",
        "<!DOCTYPE plist><plist><true /></plist>",
        "\n <true/>",
        "<!DOCTYPE plist SYSTEM \"file://localhost/System/Library/DTDs/PropertyList.dtd\"><plist><true> </true></plist>",
    ])
    func wrappingIsOptional(text: String) throws {
        #expect(try value(of: text) == .boolean(true))
    }

    @Test func emptyElementsAreEmptyValues() throws {
        let list = try value(
            of: xml("<dict><key/><string/><key>d</key><data/><key>a</key><array></array><key>e</key><dict/></dict>"))
        #expect(list == .dictionary(["": .string(""), "d": .data([]), "a": .array([]), "e": .dictionary([:])]))
    }

    @Test func archiveReferenceIsRecognised() throws {
        #expect(try value(of: xml("<dict><key>CF$UID</key><integer>3</integer></dict>")) == .uid(3))
        #expect(
            try value(of: xml("<dict><key>CF$UID</key><integer>-3</integer></dict>"))
                == .dictionary(["CF$UID": .integer(-3)]))
    }

    @Test func longTextsWithoutBlanksAreReadWhole() throws {
        // Around the eight bytes that are read in one step.
        for count in 0...40 {
            let text = String(repeating: "é", count: count) + String(repeating: "x", count: count)
            #expect(try value(of: "<string>\(text)</string>") == .string(text))
            #expect(try value(of: "<string>\(text)&amp;</string>") == .string(text + "&"))
        }
    }
}

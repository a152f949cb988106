import PropertyLists
import Testing

@Suite("The XML writer")
struct WriterTests {
    @Test func layoutIsApples() throws {
        let list = PropertyList.dictionary([
            "b": .array([.string("x < y & z"), .boolean(true), .array([]), .array([.boolean(false)])]),
            "a": .integer(-1), "c": .dictionary([:]),
            "d": .dictionary(["k": .real(0.5)]), "e": .data([0, 1, 2, 3]), "f": .date(0), "g": .unsigned(.max),
            "h": .string(""),
        ])
        #expect(
            try PropertyListWriter.xml(list) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                \t<key>a</key>
                \t<integer>-1</integer>
                \t<key>b</key>
                \t<array>
                \t\t<string>x &lt; y &amp; z</string>
                \t\t<true/>
                \t\t<array/>
                \t\t<array>
                \t\t\t<false/>
                \t\t</array>
                \t</array>
                \t<key>c</key>
                \t<dict/>
                \t<key>d</key>
                \t<dict>
                \t\t<key>k</key>
                \t\t<real>0.5</real>
                \t</dict>
                \t<key>e</key>
                \t<data>
                \tAAECAw==
                \t</data>
                \t<key>f</key>
                \t<date>2001-01-01T00:00:00Z</date>
                \t<key>g</key>
                \t<integer>18446744073709551615</integer>
                \t<key>h</key>
                \t<string></string>
                </dict>
                </plist>

                """)
    }

    @Test func everyCharacterButNULComesBack() throws {
        let text =
            String(String.UnicodeScalarView((1...0x2FF).compactMap(Unicode.Scalar.init)))
            + "\u{2028}\u{FFFF}\u{10FFFF}\r\n"
        let list = PropertyList.dictionary([text: .string(text)])
        #expect(try value(of: PropertyListWriter.xml(list)) == list)
    }

    @Test func everyLengthOfDataComesBack() throws {
        for count in 0...120 {
            let list = PropertyList.data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151) })
            #expect(try value(of: PropertyListWriter.xml(list)) == list)
        }
    }

    @Test(arguments: [
        -1, 0, 1, 86_399, 86_400, -86_400, -86_401, -63_145_526_400, 252_423_993_599, 5_097_600, 757_382_399,
    ])
    func datesComeBack(seconds: Double) throws {
        #expect(try value(of: PropertyListWriter.xml(.date(seconds))) == .date(seconds))
        #expect(try value(of: PropertyListWriter.xml(.date(seconds + 0.75))) == .date(seconds))
    }

    @Test func everyDayOf800YearsComesBack() throws {
        for day in stride(from: -146_097.0, to: 146_097, by: 13) {
            #expect(try value(of: PropertyListWriter.xml(.date(day * 86_400))) == .date(day * 86_400))
        }
    }

    @Test func archiveReferencesComeBack() throws {
        #expect(
            try value(of: PropertyListWriter.xml(.array([.uid(0), .uid(4_294_967_295)])))
                == .array([.uid(0), .uid(4_294_967_295)]))
    }

    @Test(arguments: [
        PropertyList.real(.nan), .real(.infinity), .date(.nan), .date(-.infinity), .date(252_423_993_600),
        .date(-63_145_526_401), .date(1e300),
        .string("a\0b"), .dictionary(["\0": .boolean(true)]), .uid(1 << 32), .array([.array([.real(-.infinity)])]),
    ])
    func valuesThatXMLCannotExpressAreRefused(list: PropertyList) {
        do throws(PropertyListFault) {
            let text = try PropertyListWriter.xml(list)
            Issue.record("written as \(text)")
        } catch {
            #expect(error.code == .notRepresentable)
        }
    }

    @Test func deepNestingIsWrittenWithoutRecursion() throws {
        var list = PropertyList.boolean(true)
        for _ in 0..<PropertyListLimits.deepestSupported { list = .array([list]) }
        let limits = PropertyListLimits(depth: PropertyListLimits.deepestSupported)
        #expect(try value(of: PropertyListWriter.xml(list), limits: limits) == list)
    }
}

import PropertyLists
import Testing

/// Numbers in titles are those of the project's list of faults.
@Suite("Documents of any elements")
struct XMLDocumentTests {
    private static let limits = XMLDocument.Limits(size: 1 << 20, depth: 8, elements: 100, text: 1_000)

    private func read(_ text: String) throws -> XMLDocument { try XMLDocument(Array(text.utf8), limits: Self.limits) }

    private func fault(of text: String) -> PropertyListFault? { fault(of: Array(text.utf8)) }

    private func fault(of bytes: [UInt8], _ limits: XMLDocument.Limits = Self.limits) -> PropertyListFault? {
        do throws(PropertyListFault) {
            _ = try XMLDocument(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func aByteThatIsNoTextIsFoundAtEachPlace() throws {
        let text = Array("<a b=\"\(String(repeating: "c", count: 40))\"/>".utf8)
        #expect(fault(of: text) == nil)
        for offset in 6..<46 {
            for (byte, code) in [
                (0, PropertyListFault.Code.unexpectedCharacter), (0x80, .invalidEncoding), (0xFF, .invalidEncoding),
            ] {
                var bytes = text
                bytes[offset] = UInt8(byte)
                #expect(fault(of: bytes)?.code == code, "\(byte) at \(offset)")
            }
        }
    }

    @Test func elementsAttributesAndTextsAreFound() throws {
        let xml = try read(
            """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8" standalone='yes'?>
            <!-- a comment --><a one="1" two = 'a "word" &amp; &#x41;&#66;' three="x
            y&#10;z">
              <b/> <?work do?> <c key="k"> text &lt;b&gt; <!-- not this -->end</c>
              <d><e f=""/></d>
            </a>
            <!-- the end -->
            """)
        #expect(xml.count == 5)
        #expect(xml.name(ofElement: 0) == "a" && xml.isElement(0, named: "a") && !xml.isElement(0, named: "ab"))
        #expect(xml.children(of: 0).map(xml.name(ofElement:)) == ["b", "c", "d"])
        #expect(xml.attributes(ofElement: 0).map(xml.name(ofAttribute:)) == ["one", "two", "three"])
        #expect(xml.value("two", ofElement: 0) == "a \"word\" & AB")
        // XML: a line end in a value is a space, unless it is written as a reference.
        #expect(xml.value("three", ofElement: 0) == "x y\nz")
        #expect(xml.value("four", ofElement: 0) == nil)
        let c = try #require(xml.children(of: 0).first { xml.isElement($0, named: "c") })
        #expect(xml.text(ofElement: c) == " text <b> end")
        let d = try #require(xml.children(of: 0).first { xml.isElement($0, named: "d") })
        #expect(xml.children(of: d).map(xml.name(ofElement:)) == ["e"] && xml.text(ofElement: d).isEmpty)
        #expect(xml.value("f", ofElement: d + 1) == "")
    }

    @Test func placesCountLinesAndScalars() throws {
        let xml = try read("<a>\r\n <é b='1'/>\n\t<c/></a>")
        let places = xml.places(of: [xml.offset(ofElement: 1), xml.offset(ofAttribute: 0), xml.offset(ofElement: 2)])
        #expect(places.map(\.line) == [2, 2, 3] && places.map(\.column) == [2, 5, 2])
    }

    @Test("an empty file, blanks, NULs", .fault(202), arguments: ["", " \n", "<!-- only -->", "\0", "\0\0\0\0"])
    func fileWithoutElementIsRefused(text: String) {
        #expect(fault(of: text)?.code == (text.hasPrefix("\0") ? .unexpectedCharacter : .empty))
    }

    @Test("every truncation of a document is a fault", .fault(205))
    func everyTruncationIsRefused() {
        let text = Array("<?xml version=\"1.0\"?><!--c--><a b='c &amp; d'><e>t&#x20;</e><f/></a>".utf8)
        #expect(fault(of: text) == nil)
        for length in 0..<text.count {
            #expect(fault(of: Array(text[..<length])) != nil, "of length \(length)")
        }
    }

    @Test("other encodings, and bytes that are not UTF-8", .fault(207))
    func otherEncodingsAreRefused() {
        #expect(fault(of: "<?xml version='1.0' encoding='ISO-8859-1'?><a/>")?.code == .unknownEncoding)
        #expect(fault(of: "<?xml version='1.0' encoding='KOI8-R'?><a/>")?.code == .unknownEncoding)
        #expect(fault(of: "<a/>".utf8.flatMap { [$0, 0] })?.code == .unknownEncoding)
        #expect(fault(of: [0xFF, 0xFE, 0x3C, 0, 0x61, 0])?.code == .unknownEncoding)
        for bytes: [UInt8] in [[0xC3, 0x28], [0xED, 0xA0, 0x80]] {
            let file: [UInt8] = Array("<a b='".utf8) + bytes + Array("'/>".utf8)
            #expect(fault(of: file)?.code == .invalidEncoding)
        }
    }

    @Test(
        "document types, entities and CDATA", .fault(208),
        arguments: [
            "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a><!DOCTYPE a></a>",
            "<a><![CDATA[text]]></a>", "<a>&b;</a>", "<a b='&c;'/>", "<a>&#0;</a>", "<a>&#xD800;</a>",
            "<a>&#x110000;</a>",
            "<a>&#99999999999999999999;</a>", "<a>&amp</a>", "<a b='&#;'/>",
        ])
    func whatDeclaresOrUsesEntitiesIsRefused(text: String) {
        #expect(fault(of: text) != nil)
    }

    /// XML 1.0, section 2.11.
    @Test(.fault(740), arguments: ["\r\n", "\r", "\n"])
    func everyLineEndOfATextIsALineFeed(lineEnd: String) throws {
        let lines = [
            "<a b='1", "2&#13;&#10;3'>", "<c>", "x &lt; &#13;y", "z</c><d><!-- e", "f -->g", "</d><e>", "</e></a>",
        ]
        let xml = try read(lines.joined(separator: lineEnd))
        #expect(xml.value("b", ofElement: 0) == "1 2\r\n3")
        #expect(
            xml.text(ofElement: 1) == "\nx < \ry\nz" && xml.text(ofElement: 2) == "g\n"
                && xml.text(ofElement: 3) == "\n")
        // Text without references; after the only line end of the file, too.
        let plain = try read("<a><b>x</b><c>y\(lineEnd)\(lineEnd)z</c><d>u</d></a>")
        #expect((1...3).map(plain.text(ofElement:)) == ["x", "y\n\nz", "u"])
        #expect(plain.places(of: [plain.offset(ofElement: 3)])[0].line == 3)
    }

    /// XML 1.0, section 2.2.
    @Test(.fault(741)) func charactersThatXMLForbidsAreRefused() throws {
        let forbidden = Array(1...8) + [0xB, 0xC] + Array(0xE...0x1F) + [0xFFFE, 0xFFFF]
        for scalar in forbidden.compactMap(Unicode.Scalar.init) {
            for length in [0, 3, 40] {
                let before = String(repeating: "x", count: length)
                for text in [
                    "<a>\n\(before)\(scalar)</a>", "<a\nb='\(before)\(scalar)y'/>", "<a><!--\n\(scalar)--></a>",
                ] {
                    let found = fault(of: text)
                    #expect(found?.code == .unexpectedCharacter, "U+\(String(scalar.value, radix: 16))")
                    if case .text(let line, _)? = found?.position {
                        #expect(line == 2)
                    } else {
                        Issue.record("no place")
                    }
                }
            }
            #expect(fault(of: "<a>&#\(scalar.value);</a>")?.code == .unexpectedCharacter)
            #expect(fault(of: "<a b='&#\(scalar.value);'/>")?.code == .unexpectedCharacter)
        }
        let allowed = "\t\u{20}\u{7F}\u{85}\u{A0}\u{2028}\u{FF1A}\u{FFFD}\u{1F600}"
        #expect(try read("<a b='&#9;&#x7F;&#xFFFD;'>\(allowed)</a>").text(ofElement: 0) == allowed)
    }

    @Test("too deep", .fault(209))
    func depthIsLimited() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(String(repeating: "<a>", count: depth).utf8) + Array(String(repeating: "</a>", count: depth).utf8)
        }
        #expect(fault(of: nested(8)) == nil)
        #expect(fault(of: nested(9))?.code == .tooDeep)
        let limits = XMLDocument.Limits(size: 1 << 24, depth: 128, elements: 1 << 24, text: 1)
        #expect(fault(of: nested(128), limits) == nil)
        #expect(fault(of: nested(129), limits)?.code == .tooDeep)
        #expect(fault(of: nested(1_000_000), limits)?.code == .tooDeep)
    }

    @Test("too many elements", .fault(210))
    func elementsAreLimited() {
        let text = { (count: Int) in "<a>" + String(repeating: "<b/>", count: count - 1) + "</a>" }
        #expect(fault(of: text(100)) == nil)
        #expect(fault(of: text(101))?.code == .tooManyNodes)
        let attributes = (0...128).map { " a\($0)=''" }.joined()
        #expect(fault(of: "<a\(attributes)/>")?.code == .tooManyNodes)
        #expect(fault(of: "<a>" + String(repeating: "x", count: 1_001) + "</a>")?.code == .tooLarge)
        #expect(fault(of: "<a b='" + String(repeating: "x", count: 1_001) + "'/>")?.code == .tooLarge)
        #expect(fault(of: "<" + String(repeating: "a", count: 1_025) + "/>")?.code == .tooLarge)
        #expect(fault(of: Array(repeating: 0x20, count: (1 << 20) + 1))?.code == .tooLarge)
    }

    @Test("an attribute twice in an element", .fault(211))
    func secondAttributeOfANameIsLocated() {
        let found = fault(of: "<a>\n  <b one='1' two='2' one='3'/></a>")
        #expect(found?.code == .duplicateKey && found?.position == .text(line: 2, column: 22))
    }

    @Test("attributes of neighbours that are the same, in another order, missing, new, or written with other blanks")
    func attributesOfNeighboursAreTheirOwn() throws {
        let rows = [
            "identifier='1' title='2' tag='3'", "identifier='4' title='5' tag='6'", "tag='7' identifier='8' title='9'",
            "identifier='1' tag='2'", "title='3'", "identifier='4' identifiers='5' title='6' tag='7'",
            "identifier=\"8\" title = '9'", "", "identifier='1'  title='2'\n tag='3'", "id='4' title='5'",
        ]
        let xml = try read("<a>" + rows.map { "<row \($0)/>" }.joined() + "</a>")
        let read = xml.children(of: 0).map { row in
            xml.attributes(ofElement: row)
                .map { "\(xml.name(ofAttribute: $0))=\(xml.value(ofAttribute: $0))" }.joined(separator: " ")
        }
        #expect(
            read == [
                "identifier=1 title=2 tag=3", "identifier=4 title=5 tag=6", "tag=7 identifier=8 title=9",
                "identifier=1 tag=2", "title=3", "identifier=4 identifiers=5 title=6 tag=7",
                "identifier=8 title=9", "", "identifier=1 title=2 tag=3", "id=4 title=5",
            ])
        for second in ["a='' b='' a=''", "b='' a='' b=''", "c='' a='' a=''", "a='' c='' a=''", "a='' b='' c='' b=''"] {
            #expect(fault(of: "<r><e a='' b='' c=''/><e \(second)/></r>")?.code == .duplicateKey, "\(second)")
        }
        let all = (0..<128).map { " a\($0)=''" }.joined()
        #expect(fault(of: "<r><e\(all)/><e\(all)/></r>") == nil)
        #expect(fault(of: "<r><e\(all)/><e b=''\(all)/></r>")?.code == .tooManyNodes)
    }

    @Test("names are numbered: equal ones have one number, also among many and with equal beginnings")
    func namesAreNumbered() throws {
        let names = (0..<99).map { "element-\($0)" }
        let xml = try read("<a>" + names.map { "<\($0) \($0)='' identifier='\($0)'/>" }.joined() + "</a>")
        let identifier = xml.name("identifier"), absent = xml.name("identifie")
        for (child, name) in zip(xml.children(of: 0), names) {
            #expect(xml.name(ofElement: child) == name && xml.value(identifier, ofElement: child) == name)
            #expect(xml.attribute(absent, ofElement: child) == nil && !xml.isElement(child, named: absent))
            let first = try #require(xml.attributes(ofElement: child).first)
            #expect(xml.isElement(child, named: xml.numberedName(ofAttribute: first)))
        }
        #expect(xml.isElement(50, named: xml.name("element-49")))
        var table = XMLValueTable(xml, reserving: 4)
        for (number, child) in xml.children(of: 0).enumerated() {
            #expect(table.insert(try #require(xml.attribute(identifier, ofElement: child)), number) == nil)
        }
        #expect(names.map { table.number(of: $0) } == Array(0..<99) && table.number(of: "element") == nil)
    }

    @Test(
        "what is not XML is refused",
        arguments: [
            "a", "<a", "<a>", "<a></b>", "<a></a></a>", "</a>", "<a/><b/>", "<a/>text", "<1/>", "< a/>", "<a b/>",
            "<a b=c/>",
            "<a b='<'/>", "<a b='1'c='2'/>", "<a>text<b/></a>", "<a><b/>text</a>", "<a/b>", "<a></a b='c'>", "<!--",
            "<a><!-</a>",
            "<a><?x</a>",
        ])
    func malformedMarkupIsRefused(text: String) {
        #expect(fault(of: text) != nil)
    }

    @Test("each byte of a document replaced: a fault or a document, and never the end of the process", .fault(206))
    func everyFlippedByteIsRead() {
        let text = Array("<?xml version=\"1.0\"?><a b='c &amp; d'><e g=\"h\">t&#x20;</e><!--f--></a>".utf8)
        var sound = 0
        for index in text.indices {
            for byte in stride(from: UInt8(1), through: 255, by: 7) {
                var changed = text
                changed[index] ^= byte
                guard let xml = try? XMLDocument(changed, limits: Self.limits) else { continue }
                sound += 1
                for element in 0..<xml.count {
                    _ = xml.name(ofElement: element) + xml.text(ofElement: element)
                    for attribute in xml.attributes(ofElement: element) { _ = xml.value(ofAttribute: attribute) }
                }
            }
        }
        #expect(sound > 0)
    }

    @Test func tablesAreSmall() throws {
        let line = "        <textField id=\"abc-de-fgh\" title=\"Some text\" tag=\"12\" key=\"field\"/>\n"
        let xml = try XMLDocument(
            Array(("<a>" + String(repeating: line, count: 90) + "</a>").utf8), limits: Self.limits)
        #expect(xml.memory.tables <= 2 * xml.memory.file)
    }

    @Test("a thousand comments that never end take no longer than one")
    func unendedCommentsAreLinear() {
        let text = "<a>" + String(repeating: "<b><!-- ", count: 100_000)
        let start = ContinuousClock.now
        #expect(fault(of: text) != nil)
        #expect(ContinuousClock.now - start < .seconds(2))
    }
}

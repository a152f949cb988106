import PropertyLists
import Testing

/// Numbers in names are those of the project's list of faults.
@Suite("XML lists that are refused")
struct XMLFaultTests {
    @Test("an empty file", .fault(23), arguments: ["", " ", "\n\t\r\n ", "\u{FEFF}", "\u{FEFF}  "])
    func fileOfBlanksIsEmpty(text: String) {
        #expect(fault(of: text)?.code == .empty)
    }

    @Test("a file of NULs", .fault(23), arguments: [1, 2, 3, 4, 8, 100])
    func fileOfNULsIsNotText(count: Int) {
        #expect(fault(of: [UInt8](repeating: 0, count: count))?.code == .unexpectedCharacter)
    }

    @Test(
        "a key that is no string", .fault(42),
        arguments: ["<integer>1</integer>", "<true/>", "<dict/>", "<string>k</string>"])
    func keyMustBeAKeyElement(key: String) {
        let found = fault(of: xml("<dict>\(key)<string>v</string></dict>"))
        #expect(found?.code == .keyNotString)
        #expect(found?.position == .text(line: 4, column: 7))
    }

    @Test("equal keys", .fault(43))
    func secondEqualKeyIsLocated() throws {
        let text = xml("<dict>\n<key>a</key><true/>\n<key>b</key><true/>\n <key>a</key><false/></dict>")
        let read = try Array(text.utf8).withUnsafeBytes { try PropertyListReader.readAll($0) }
        #expect(read.value == .dictionary(["a": .boolean(true), "b": .boolean(true)]))
        #expect(
            read.duplicates.listed == [
                DuplicateKey(name: "a", outermost: "a", position: .text(line: 7, column: 2), hasSameValue: false)
            ])
    }

    @Test("keys of different bytes are two keys, also where String takes them for one", .fault(43))
    func composedAndDecomposedKeysAreTwo() throws {
        let text = xml("<dict><key>\u{E9}</key><true/><key>e\u{301}</key><false/></dict>")
        let read = try Array(text.utf8).withUnsafeBytes { try PropertyListReader.readAll($0) }
        #expect(read.duplicates.isEmpty && read.value == .dictionary(["\u{E9}": .boolean(true)]))
    }

    @Test("a checker distinguishes equal keys with the same value from those with another", .fault(294, 295))
    func repeatedKeysAreReported() {
        func codes(_ text: String) -> [PropertyListFault.Code] {
            Array(text.utf8).withUnsafeBytes { ListInspector.inspect($0, as: .propertyList, limits: .standard) }.faults
                .map(\.fault.code)
        }
        #expect(codes(xml("<dict><key>a</key><true/><key>a</key><true/></dict>")) == [.repeatedKey])
        #expect(codes(xml("<dict><key>a</key><true/><key>a</key><false/></dict>")) == [.duplicateKey])
        #expect(codes("a = b; a = b; a = c;") == [.repeatedKey, .duplicateKey])
    }

    @Test(
        "entities that are not predefined", .fault(44),
        arguments: ["&nbsp;", "&x;", "&", "&;", "&amp", "& ", "&LT;", "&am;"])
    func otherEntitiesAreRefused(reference: String) {
        #expect(fault(of: xml("<string>\(reference)</string>"))?.code == .unknownEntity)
    }

    @Test(
        "references to no character", .fault(44),
        arguments: [
            "&#;", "&#x;", "&#xD800;", "&#x110000;", "&#99999999999999999999;", "&#0;", "&#12", "&#1a;", "&#-1;",
        ])
    func referencesToNoCharacterAreRefused(reference: String) {
        #expect(fault(of: xml("<string>\(reference)</string>"))?.code == .unknownEntity)
    }

    @Test("a billion laughs", .fault(44))
    func declaredEntitiesAreRefusedBeforeTheyExpand() {
        var text = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist [\n<!ENTITY a \"ha\">\n"
        for level in 1...30 { text += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);\">\n" }
        text += "]>\n<plist><string>&a30;</string></plist>"
        let found = fault(of: text)
        #expect(found?.code == .documentTypeSubset)
        #expect(found?.position == .text(line: 2, column: 17))
    }

    @Test("an external entity", .fault(44))
    func externalEntitiesAreRefused() {
        let text =
            "<!DOCTYPE plist SYSTEM \"x\" [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><plist><string>&x;</string></plist>"
        #expect(fault(of: text)?.code == .documentTypeSubset)
    }

    @Test(
        "what is opened and never closed", .fault(45),
        arguments: [
            "<!-- never", "<!--", "<?xml", "<!DOCTYPE plist", "<!DOCTYPE plist \"", "<plist><!-- </plist>",
            "<plist><string><![CDATA[ </string></plist>", "<plist><string><!-- </string></plist>", "<plist", "<plist ",
            "<plist version", "<plist version=", "<plist version='1.0", "<string>", "<string>a", "<array>",
            "<array><true/>",
            "<plist><true/>", "<dict><key>a</key>", "<", "<plist><", "<string>a<", "<string>a</", "<string>a</string",
        ])
    func unclosedMarkupIsTruncated(text: String) {
        // "<" alone could also begin old-style data.
        #expect(fault(of: text)?.code == .truncated)
    }

    @Test("the place of an unclosed comment is where it begins", .fault(45))
    func unclosedCommentIsLocated() {
        #expect(fault(of: "<plist>\n <!-- a -- ></plist>")?.position == .text(line: 2, column: 2))
    }

    @Test(
        "whole numbers beyond 64 bits", .fault(50),
        arguments: [
            "18446744073709551616", "-9223372036854775809", "0x10000000000000000", "-18446744073709551615",
            String(repeating: "9", count: 500),
        ])
    func integersBeyond64BitsOverflow(text: String) {
        #expect(fault(of: xml("<integer>\(text)</integer>"))?.code == .integerOverflow)
    }

    @Test(
        "text that is no whole number", .fault(50),
        arguments: ["", " ", "-", "+", "0x", "1.5", "1e3", "1 2", "--1", "0xg", "١", "a", "12a"])
    func otherTextIsNotAnInteger(text: String) {
        #expect(fault(of: xml("<integer>\(text)</integer>"))?.code == .invalidInteger)
    }

    @Test(
        "numbers that are not finite", .fault(50),
        arguments: ["nan", "NaN", "inf", "-inf", "+infinity", "Infinity", "1e999", "-1e309"])
    func realsMustBeFinite(text: String) {
        #expect(fault(of: xml("<real>\(text)</real>"))?.code == .notFinite)
    }

    @Test(
        "text that is no number", .fault(50),
        arguments: ["", ".", "e", "1e", "0x1p3", "1,5", "1.5.5", "nano", "1 2", "--1"])
    func otherTextIsNotAReal(text: String) {
        #expect(fault(of: xml("<real>\(text)</real>"))?.code == .invalidReal)
    }

    @Test(
        "dates that do not exist", .fault(50),
        arguments: [
            "", "2001-01-01", "2001-13-01T00:00:00Z", "2001-00-01T00:00:00Z", "2001-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2001-01-32T00:00:00Z", "2001-01-00T00:00:00Z", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z",
            "2001-01-01T00:00:61Z",
            "2001-01-01T00:00:00", "2001-01-01T00:00:00Zx", "12345-01-01T00:00:00Z", "2001-1-1T00:00:00Z", "inf",
            "999999999999999999999",
        ])
    func datesMustExist(text: String) {
        #expect(fault(of: xml("<date>\(text)</date>"))?.code == .invalidDate)
    }

    @Test(
        "data that is no base64",
        arguments: ["A", "AA", "AAA", "AAAA=", "AA=A", "A===", "=", "AA==AA==", "AA-_", "é", "AA=", "AAA=="])
    func dataMustBePaddedBase64(text: String) {
        #expect(fault(of: xml("<data>\(text)</data>"))?.code == .invalidData)
    }

    @Test(
        "something after the end", .fault(51),
        arguments: ["x", "<plist/>", "<true/>", "</plist>", "&amp;", "<!DOCTYPE plist>"])
    func nothingMayFollowTheList(text: String) {
        #expect(fault(of: xml("<true/>") + text)?.code == .trailingContent)
    }

    @Test("NUL after the end", .fault(51))
    func trailingNULIsRefused() {
        #expect(fault(of: xml("<true/>") + "\0")?.code == .unexpectedCharacter)
    }

    @Test("a second value", .fault(51))
    func onlyOneValueIsAllowed() {
        #expect(fault(of: xml("<true/><false/>"))?.code == .trailingContent)
        #expect(fault(of: "<true/><false/>")?.code == .trailingContent)
    }

    @Test(
        "markup that lists do not have",
        arguments: [
            ("<foo/>", PropertyListFault.Code.unknownElement), ("<String>a</String>", .unknownElement),
            ("<stringstring>", .unknownElement),
            ("<xxxxxstring>", .unknownElement), ("<html><body></body></html>", .unknownElement),
            ("<array><foo/></array>", .unknownElement),
            ("<array></dict>", .malformedMarkup), ("<array></array ></array>", .trailingContent),
            ("<array><string>a</key></array>", .malformedMarkup),
            ("<array>text</array>", .unexpectedCharacter), ("<string><b/></string>", .malformedMarkup),
            ("<string>a<true/></string>", .malformedMarkup),
            ("<array a></array>", .malformedMarkup), ("<array a=b></array>", .malformedMarkup),
            ("<array a='<'></array>", .malformedMarkup),
            ("<array/ >", .malformedMarkup), ("<array></array a='b'>", .malformedMarkup),
            ("<array><></array>", .malformedMarkup),
            ("<array>< true/></array>", .malformedMarkup), ("<key>a</key>", .malformedMarkup),
            ("<array><key>a</key></array>", .malformedMarkup),
            ("<plist><dict><key>a</key><true/></plist>", .malformedMarkup),
            ("<plist><array></plist>", .malformedMarkup),
            ("<plist></plist>", .missingValue), ("<plist/>", .missingValue), ("</plist>", .missingValue),
            ("</array>", .malformedMarkup),
            ("<plist><plist><true/></plist></plist>", .malformedMarkup), ("<array><plist/></array>", .malformedMarkup),
            ("<true>x</true>", .unexpectedCharacter), ("<dict><key>a</key></dict>", .missingValue),
            ("<dict><key>a</key><key>b</key></dict>", .missingValue),
            ("<![CDATA[a]]>", .malformedMarkup), ("<!DOCTYPE plist><!DOCTYPE plist><true/>", .malformedMarkup),
            ("<!DOCTYPE plist <x>><true/>", .malformedMarkup),
        ])
    func malformedMarkupIsReported(text: String, code: PropertyListFault.Code) {
        #expect(fault(of: text)?.code == code)
    }

    @Test func aMissingEndTagIsReportedWhereItsElementBegins() {
        let missing = fault(of: "<plist>\n<dict>\n<key>a</key>\n<true/>\n</plist>")
        #expect(missing?.position == .text(line: 2, column: 1))
        #expect(missing?.description.contains("its </dict> is missing") == true, "\(missing?.description ?? "")")
        #expect(fault(of: "<plist><array><true/></plist>")?.description.contains("its </array> is missing") == true)
    }

    @Test func positionCountsScalarsAndAllLineEnds() {
        let text = "<plist><array>\r\n<!-- é😀 --> \r<string>ü</string>\n\n 中 <true/></array></plist>"
        #expect(fault(of: text)?.position == .text(line: 5, column: 2))
        #expect(fault(of: "<array>é😀<true/></array>")?.position == .text(line: 1, column: 8))
        #expect(fault(of: "<array><string>é😀</string>x</array>")?.position == .text(line: 1, column: 27))
    }

    @Test func descriptionIsPositionAndSentence() {
        #expect(
            fault(of: "<array><integer>x</integer></array>")?.description
                == "line 1, column 8: <integer> holds \"x\"; a whole number is expected.")
    }

    @Test func excerptsAreShortAndEscaped() throws {
        let found = try #require(
            fault(of: xml("<integer>\u{1B}[31m\"\u{202E}" + String(repeating: "x", count: 500) + "</integer>")))
        #expect(found.message.contains("\\u{1B}[31m\\\"\\u{202E}xxx"))
        #expect(found.message.utf8.count < 150)
    }

    @Test("runs of combining marks, which take minutes to compare", .fault(54))
    func longRunsOfCombiningMarksAreRefused() throws {
        func marks(_ count: Int) -> String {
            "a" + String(String.UnicodeScalarView((0..<count).map { $0 % 2 == 0 ? "\u{301}" : "\u{316}" }))
        }
        #expect(
            try value(of: xml("<dict><key>\(marks(30))</key><string>\(marks(30)) \(marks(30))</string></dict>"))
                .dictionary?.count == 1)
        #expect(fault(of: xml("<dict><key>\(marks(31))</key><true/></dict>"))?.code == .unsafeText)
        #expect(fault(of: xml("<string>\(marks(200_000))</string>"))?.code == .unsafeText)
    }
}

import Foundation
import PropertyLists
import Testing

/// Numbers in names are those of the project's list of faults.
@Suite("ListText: the fast way through an Info.plist agrees with the reader")
struct ListItemsTests {
    /// The entries from the fast way, nil if it leaves the list to the reader.
    private static func entries(_ bytes: [UInt8]) -> [String: PropertyList]? {
        let text = ListText(capacity: bytes.count)
        text.bytes.update(from: bytes, count: bytes.count)
        var found: [(String, ListPlace)] = []
        let isRecognized = text.forEachItem { key, place in
            found.append((String(decoding: key, as: UTF8.self), place))
            return true
        }
        guard isRecognized else { return nil }
        let values = found.map { ($0.0, text.value(at: $0.1)!) }
        return Dictionary(uniqueKeysWithValues: values)
    }

    private static func entries(_ text: String) -> [String: PropertyList]? { entries(Array(text.utf8)) }

    /// What the fast way accepts has no fault and is read in the same way.
    private static func expectAgreement(_ bytes: [UInt8]) {
        guard let entries = entries(bytes) else { return }
        let read = Result { try PropertyListReader.read(bytes).value }
        let isSame = (try? read.get()) == .dictionary(entries)
        if !isSame { Issue.record("\(String(decoding: bytes.prefix(2_000), as: UTF8.self)): \(entries), \(read)") }
    }

    static let usual = xml(
        """
        <dict>
        \t<key>CFBundleIdentifier</key>
        \t<string>org.example.sample</string>
        \t<!-- a comment -->
        \t<key>NSHumanReadableCopyright</key>
        \t<string>Copyright © the authors, &amp; &lt;others&gt; &quot;too&quot; &apos;</string>
        \t<key>Types</key><array><string>txt</string><string/><array/><dict/></array>
        \t<key>PHFactories</key>
        \t<array>
        \t\t<dict><key>name</key><string>a</string><key>version</key><integer>-12</integer></dict>
        \t</array>
        \t<key>Fast</key> <true/><key>Slow</key> <false/>
        \t<key></key><string></string>
        </dict>
        """)

    @Test func aUsualListIsRecognised() throws {
        let entries = try #require(Self.entries(Self.usual))
        #expect(try value(of: Self.usual) == .dictionary(entries))
        #expect(entries.count == 7)
        #expect(entries["NSHumanReadableCopyright"]?.string?.hasSuffix("& <others> \"too\" '") == true)
        for bare in ["<dict></dict>", "<plist version=\"1.0\"><dict> </dict></plist>\n"] {
            #expect(Self.entries(bare) == [:])
        }
    }

    @Test func listsOfTheProgramsThatWriteThemAreRecognised() throws {
        let written = try PropertyListWriter.xml(.dictionary(["a": .string("b"), "c": .array([.integer(1)])]))
        #expect(Self.entries(written)?.count == 2)
        let list = ["a": "b", "c": ["d": [1, true]]] as [String: Any]
        let theirs = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        #expect(Self.entries([UInt8](theirs))?.count == 2)
        let old = Self.usual.replacing("Apple//DTD", with: "Apple Computer//DTD")
        #expect(Self.entries(old)?.count == 7)
    }

    static let others = [
        "", "<", "<dict>", "<dict/>", "<array></array>", "<dict></dict>x", "<dict></array>", "{ a = b; }", "bplist00",
        "<plist version=\"1.0\"><dict></dict>", "<dict></dict></plist>", "<dict></dict><dict></dict>",
        "<dict><key>a</key></dict>", "<dict><string>a</string></dict>", "<dict><key>a</key><key>b</key></dict>",
        "<dict><key>a</key><string>b</dict>", "<dict><key>a</key><string>b</key></dict>", "<dict><key>a",
        "<dict><key>a</key><string>b&</string></dict>", "<dict><key>a</key><string>&unknown;</string></dict>",
        "<dict><key>a</key><string>\u{0}</string></dict>", "<dict><!-- \u{0} --></dict>", "<dict><!-- --</dict>",
        "<dict><key>a</key><integer></integer></dict>", "<dict><key>a</key><integer>1x</integer></dict>",
        "<dict><key>a</key><integer>12345678901234567890123</integer></dict>", "<dict><key>a</key><true></dict>",
        "<dict><key>a</key><string>1</string><key>a</key><string>2</string></dict>",
        "<dict><key>a</key><dict><key>b</key><true/><key>b</key><true/></dict></dict>",
        "<dict><key>a</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>",
        "<dict><key>\u{E9}</key><true/><key>e\u{301}</key><true/></dict>",
        "<dict><key>a</key><string>a\(String(repeating: "\u{301}", count: 31))</string></dict>",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><dict><key>a</key><string>é</string></dict>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><dict></dict>", "\u{FEFF}<dict></dict>", "<?php ?><dict></dict>",
        "<dict><key>a</key>\(String(repeating: "<array>", count: 70))\(String(repeating: "</array>", count: 70))</dict>",
    ]

    @Test("what is wrong or unusual is left to the reader", .fault(26, 27, 29, 30), arguments: others)
    func theUnusualIsLeftToTheReader(_ text: String) {
        #expect(Self.entries(text) == nil)
    }

    @Test func bytesThatAreNoUTF8AreLeftToTheReader() {
        let list = Array("<dict><key>a</key><string>b</string></dict>".utf8)
        for place in [list.firstIndex(of: UInt8(ascii: "a"))!, list.firstIndex(of: UInt8(ascii: "b"))!] {
            var bytes = list
            bytes[place] = 0xE9
            #expect(Self.entries(bytes) == nil)
        }
    }

    @Test func anOverlongListIsLeftToTheReader() {
        let key = "<dict><key>a</key><string>", end = "</string></dict>"
        let room = (1 << 16) - key.utf8.count - end.utf8.count
        #expect(Self.entries(key + String(repeating: "b", count: room) + end) != nil)
        #expect(Self.entries(key + String(repeating: "b", count: room + 1) + end) == nil)
        let entries = (0..<129).map { "<key>\($0)</key><true/>" }
        #expect(Self.entries("<dict>" + entries.dropLast().joined() + "</dict>")?.count == 128)
        #expect(Self.entries("<dict>" + entries.joined() + "</dict>") == nil)
    }

    @Test func theWalkEndsWhereTheCallerSays() {
        let text = ListText(capacity: Self.usual.utf8.count)
        text.bytes.update(from: Array(Self.usual.utf8), count: Self.usual.utf8.count)
        var count = 0
        let isRecognized = text.forEachItem { _, _ in
            count += 1
            return count < 3
        }
        #expect(!isRecognized && count == 3)
    }

    @Test func everyCutAndEveryChangedByteAgree() {
        let bytes = Array(Self.usual.utf8)
        // The document type has no part that is not also elsewhere.
        let others = Array("<>/&;a\"-! \n0".utf8) + [0, 0x80, 0xCC, 0xFF]
        for place in bytes.indices where !(60..<150).contains(place) {
            Self.expectAgreement(Array(bytes[..<place]))
            Self.expectAgreement(Array(bytes[..<place] + bytes[(place + 1)...]))
            for turn in 0..<3 {
                var changed = bytes
                changed[place] = others[(place * 3 + turn) % others.count]
                Self.expectAgreement(changed)
            }
        }
    }

    @Test func randomListsAgree() throws {
        var recognized = 0
        for list in RandomLists.corpus(500, .everything) {
            for list in [list, Self.plain(list)] {
                guard let text = try? PropertyListWriter.xml(.dictionary(["list": list])) else { continue }
                Self.expectAgreement(Array(text.utf8))
                if Self.entries(text) != nil { recognized += 1 }
            }
        }
        #expect(recognized > 200)
    }

    /// The list with only ordinary values and keys.
    private static func plain(_ list: PropertyList) -> PropertyList {
        switch list {
        case .array(let values): .array(values.map(plain))
        case .dictionary(let entries):
            .dictionary(
                Dictionary(uniqueKeysWithValues: entries.values.enumerated().map { ("key \($0)", plain($1)) }))
        case .string, .integer, .boolean: list
        default: .boolean(true)
        }
    }
}

import Glibc
import PropertyLists
import TestSupport
import Testing

@testable import BundleReading
@testable import HostBasics

@Suite struct CompiledTableTests {
    private let log = FindingLog()
    private static let time = 315_532_800

    private static func text(_ word: String) -> String {
        (0..<300).map { "\"k\($0)\" = \"\(word) \($0)\";\n" }.joined()
    }

    /// A folder with a table and a compiled one.
    ///
    /// Their texts differ, which shows which one was read.
    private func tree(compiled: String, text: String? = nil) throws -> TemporaryTree {
        let tree = try TemporaryTree(["fr.lproj/Localizable.strings": Self.text("texte")])
        let file = tree.path + "/fr.lproj/Localizable.strings"
        setTime(of: file, Self.time)
        var bytes = try #require(
            CompiledStrings.compile(Array(Self.text(compiled).utf8), modified: Int64(Self.time) * 1_000_000_000))
        // The head states the size and hash of the text that is in the folder.
        let source = Array((text ?? Self.text("texte")).utf8)
        func put(_ number: UInt64, at place: Int) {
            for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(byte))) }
        }
        put(UInt64(source.count), at: 24)
        put(source.withUnsafeBytes { CompiledStrings.hash($0) }, at: 40)
        try write(bytes, to: tree.path + "/fr.lproj/Localizable.compiled-strings")
        return tree
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try FileReplacement().replace(path, with: bytes)
    }

    private func setTime(of path: String, _ seconds: Int) {
        var times = utimbuf(actime: seconds, modtime: seconds)
        #expect(utime(path, &times) == 0)
    }

    private func strings(_ tree: TemporaryTree) -> BundleStrings {
        BundleStrings(finder: finder(tree, region: "en", languages: ["fr"])) { [log] in log.add($0) }
    }

    private func string(_ number: Int, _ strings: BundleStrings) -> String {
        strings.localizedString(forKey: "k\(number)", value: nil, table: nil)
    }

    @Test func aCompiledTableIsReadInThePlaceOfItsText() throws {
        // The tree removes its files when it is released.
        let tree = try tree(compiled: "compile")
        defer { withExtendedLifetime(tree) {} }
        let strings = strings(tree)
        // After some strings the whole table is read into memory. That is the compiled table too.
        for number in 0..<300 { #expect(string(number, strings) == "compile \(number)") }
        #expect(strings.localizedString(forKey: "none", value: "x", table: nil) == "x")
        #expect(log.calls.isEmpty)
    }

    @Test(.fault(487)) func aTextOfAnotherSizeOrOtherBytesCounts() throws {
        for change in ["\"more\" = \"x\";\n" + Self.text("texte"), Self.text("TEXTE")] {
            let tree = try tree(compiled: "compile")
            let path = tree.path + "/fr.lproj/Localizable.strings"
            try write(Array(change.utf8), to: path)
            let expected = change.hasPrefix("\"more") ? "texte 1" : "TEXTE 1"
            #expect(string(1, strings(tree)) == expected)
        }
    }

    @Test(.fault(487)) func aCopyWithoutTimesIsRecognisedByItsBytes() throws {
        let tree = try tree(compiled: "compile")
        setTime(of: tree.path + "/fr.lproj/Localizable.strings", Self.time + 9_999)
        #expect(string(1, strings(tree)) == "compile 1")
    }

    @Test(.fault(486)) func aDamagedTableCostsNothingButTime() throws {
        let sound = try tree(compiled: "compile")
        let path = "/fr.lproj/Localizable.compiled-strings"
        let bytes = try OpenedFile(path: sound.path + path).bytes(atMost: 1 << 20)
        for damage in [[], Array(bytes.prefix(40)), Array(bytes.prefix(bytes.count - 1)), bytes.map { $0 ^ 0xFF }] {
            let tree = try tree(compiled: "compile")
            try write(damage, to: tree.path + path)
            #expect(string(1, strings(tree)) == "texte 1")
        }
    }

    @Test(.fault(486)) func aFIFOInItsPlaceIsNotWaitedFor() throws {
        let tree = try tree(compiled: "compile")
        let path = tree.path + "/fr.lproj/Localizable.compiled-strings"
        unlink(path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(string(1, strings(tree)) == "texte 1")
    }

    @Test func pluralsAreAddedToIt() throws {
        let tree = try tree(compiled: "compile")
        try write(
            Array("{ k1 = { NSStringLocalizedFormatKey = \"pluriel\"; }; }".utf8),
            to: tree.path + "/fr.lproj/Localizable.stringsdict")
        let strings = strings(tree)
        #expect(string(1, strings) == "pluriel" && string(2, strings) == "compile 2")
    }
}

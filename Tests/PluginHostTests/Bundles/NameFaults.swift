import Glibc
@_spi(Tools) import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Names that are not text, that lead nowhere, or that control a display.
@Suite struct NameFaults {
    @Test(.fault(260)) func namesOfCPluginsThatAreNotUTF8AreRefusedWithTheirBytes() async {
        await #expect(processExitsWith: .success) {
            for (number, names) in [
                #"{"a\xFF\xFE" "b", 4}, {"", 0}"#, #"{"good", 4}, {"p\xC0\x80", 3}"#, #"{"\xED\xA0\x80", 3}, {"", 0}"#,
            ].enumerated() {
                let source = """
                    #include "plugin_abi.h"
                    static plugin_status make(const plugin_factory *f, const plugin_host *h, void **i) { return 0; }
                    static void drop(void *i) { (void)i; }
                    static const plugin_factory bad = {{sizeof bad, 1}, \(names), 1, 0, 0, 0, make, 0, drop};
                    PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                        return h->register_factory(h, &bad) == PLUGIN_INVALID_ARGUMENT ? PLUGIN_OK : PLUGIN_FAILED; }
                    PLUGIN_DECLARE_NOTE;
                    """
                let code = try OpenedFile(path: ELFFixtures.c("notUTF8-\(number).so", source)).bytes(atMost: 1 << 20)
                let tree = try TemporaryTree([
                    "X.bundle/Contents/Info.plist": """
                    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>x\(number)</string></dict></plist>
                    """
                ])
                try tree.write("X.bundle/Contents/Linux/X", bytes: code)
                let bundle = try PluginBundle.open(path: tree("X.bundle"))
                bundle.load()
                guard let error = bundle.loadError else { preconditionFailure("\(names) was accepted") }
                precondition(error.code == .registrationInvalid, error.description)
                precondition(error.description.contains("is not UTF-8"), error.description)
                let shown = [#"a\xFF\xFEb"#, #"p\xC0\x80"#, #"\xED\xA0\x80"#][number]
                precondition(error.description.contains(shown), error.description)
                precondition(!error.description.contains("\u{FFFD}"))
            }
        }
    }

    @Test(
        .fault(261),
        arguments: [
            ("Contents/Info.plist", "../../gone.plist"), ("Contents/Info.plist", "/nowhere/Info.plist"),
            ("Contents", "../gone"),
        ])
    func anInfoListThatIsALinkToNothingIsNamedAsSuch(_ link: String, _ target: String) throws {
        let tree = try TemporaryTree(["X.bundle/": ""])
        if link != "Contents" { try tree.write("X.bundle/Contents/") }
        try tree.link("X.bundle/" + link, to: target)
        let error = try #require(try PluginBundle.open(path: tree("X.bundle")).manifestError)
        #expect(error.filePath == tree("X.bundle/" + link))
        #expect(error.subject == target)
        #expect(error.description.contains("is a broken link to"))
        #expect(error.description.contains("“\(target)”"))
        #expect(!error.description.contains("does not exist"))
    }

    @Test(.fault(263)) func charactersThatControlADisplayAreEscapedInOnePlace() {
        let obeyed =
            [0x061C, 0x200E, 0x200F] + Array(0x202A...0x202E) + Array(0x2066...0x2069) + Array(0..<0x20)
            + Array(0x7F...0x9F) + [0x2028, 0x2029]
        for value in obeyed {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let name = "a\(scalar)b"
            #expect(!name.escapedForDisplay.unicodeScalars.contains(scalar), "U+\(String(value, radix: 16))")
            #expect(!quoted(name).unicodeScalars.contains(scalar))
        }
        for plain in ["Ünïcode 漢字 🧩", "עברית", "العربية", "a b"] { #expect(plain.escapedForDisplay == plain) }
        #expect(quoted("x\u{202E}gpj") == "“x\\u{202E}gpj”")
    }

    @Test func bytesAreShownAsFarAsTheyAreText() {
        func shown(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { $0.shownBytes } }
        #expect(shown([0x61, 0xC3, 0xA9, 0xFF, 0x62]) == #"aé\xFFb"#)
        #expect(shown([0xF0, 0x9F]) == #"\xF0\x9F"#)
        #expect(shown([0x0A, 0x80]) == "\n" + #"\x80"#)
        #expect(shown(Array(repeating: 0xFF, count: 1000)).utf8.count < 300)
    }
}

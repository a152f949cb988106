import PropertyLists
import Testing

@Suite("Recognition of the format")
struct FormatRecognitionTests {
    @Test(arguments: [
        "<?xml version=\"1.0\"?><true/>", "<!DOCTYPE plist><true/>", "<!-- c --><true/>", "<plist><true/></plist>",
        " \n<dict/>", "<array/>", "<data></data>",
        "<date>2001-01-01T00:00:00Z</date>", "<string>a</string>", "<integer>1</integer>", "<real>1</real>", "<false/>",
    ])
    func markupIsXML(text: String) throws {
        #expect(try PropertyListReader.read(Array(text.utf8)).format == .xml)
    }

    @Test(arguments: [
        "<0fbd77>", "<fade>", "<FADE >", "< dead >", "<>", "<*BY>", "<[aGk=]>", "<dada>", "<ac>", "{}", "()", "a",
        "\"<plist>\"", "// <plist>\na",
    ])
    func dataAndTypedValuesAreOldStyle(text: String) throws {
        #expect(try PropertyListReader.read(Array(text.utf8)).format == .openStep)
    }

    @Test func unknownElementIsCalledThat() {
        #expect(fault(of: "<html>")?.code == .unknownElement)
        #expect(fault(of: "</plist>")?.code == .missingValue)
    }

    @Test func binaryIsRecognisedByItsHeaderAlone() throws {
        #expect(try PropertyListReader.read(BinaryList([[0x09]]).bytes).format == .binary)
        #expect(fault(of: "bplist = x;")?.code == .unsupportedVersion)
        #expect(try value(of: " bplist = x;") == .dictionary(["bplist": .string("x")]))
    }

    @Test func buffersAndArraysReadAlike() throws {
        let bytes = Array("{ a = b; }".utf8)
        let fromBuffer = try bytes.withUnsafeBytes { try PropertyListReader.read($0).value }
        #expect(fromBuffer == .dictionary(["a": .string("b")]))
        #expect(throws: PropertyListFault.self) {
            try PropertyListReader.read(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}

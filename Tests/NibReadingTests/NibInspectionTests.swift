import HostBasics
import NibReading
import TestSupport
import Testing

/// Nibs that are checked without any class; numbers are those of docs/faults.md.
@Suite struct NibInspectionTests {
    private func report(_ text: String) throws -> NibInspection.Report {
        try NibInspection(Array(text.utf8), named: "-", limits: NibLimits()).report(classes: NibInspection.Classes())
    }

    /// As the items of a toolbar.
    @Test(.fault(743)) func anElementWithAReferenceIsNoFault() throws {
        let text = NibText.document(
            "<x id=\"s\"><items><y reference=\"a\"/></items><z key=\"k\" reference=\"a\"/></x><v id=\"a\"/>")
        #expect(try report(text).findings.isEmpty)
    }

    @Test func aReferenceOutsideOfACollectionIsAWarning() throws {
        let text = NibText.document("<view id=\"s\"><view reference=\"s\"/></view><view reference=\"s\"/>")
        let report = try report(text)
        #expect(report.findings.map(\.code) == [.nibReferenceInvalid, .nibReferenceInvalid])
        #expect(report.findings.allSatisfy { $0.severity == .warning && $0.message.contains("refers to") })
    }

    /// Whoever does not know the class does not know what it declares.
    @Test(.fault(745)) func aPathOfAnUnknownClassIsNoError() throws {
        let text = NibText.document(
            "<view id=\"a\"><userDefinedRuntimeAttributes><userDefinedRuntimeAttribute type=\"number\" keyPath=\"layer.cornerRadius\" value=\"1\"/></userDefinedRuntimeAttributes></view>"
        )
        #expect(try report(text).findings.isEmpty)
    }
}

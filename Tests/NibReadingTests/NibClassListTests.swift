import HostBasics
import TestSupport
import Testing

@testable import NibReading

/// Classes that lists declare.
@Suite struct NibClassListTests {
    private func list(_ entries: String) -> NibClassList {
        NibClassList(reading: Array("{ IBClasses = ( \(entries) ); }".utf8))
    }

    @Test func eachWrongModuleIsReportedOnce() throws {
        var classes = NibInspection.Classes()
        classes.own = [list("{ CLASS = Row; MODULE = Main; }")]
        let objects = ["Main", "Other", "Other"].enumerated().map { number, module in
            "<customObject id=\"a\(number)\" customClass=\"Row\" customModule=\"\(module)\"/>"
        }
        let nib = try NibInspection(
            Array(NibText.document(objects.joined(separator: "\n")).utf8), named: "-", limits: NibLimits())
        let findings = nib.report(classes: classes).findings
        #expect(findings.map(\.code) == [.nibClassMissing, .nibClassMissing])
        #expect(findings.map(\.place?.line) == [6, 7])
    }
}

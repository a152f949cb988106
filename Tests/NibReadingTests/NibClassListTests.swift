import HostBasics
import TestSupport
import Testing

@testable import NibReading

/// Classes that lists declare.
@Suite struct NibClassListTests {
    private func list(_ entries: String) -> NibClassList {
        NibClassList(reading: Array("{ IBClasses = ( \(entries) ); }".utf8))
    }

    @Test func aRequiredOutletMayBeInherited() {
        let base = "{ CLASS = Base; OUTLETS = { next = \"*\"; }; },"
        let inherited = list(
            base + "{ CLASS = A; SUPERCLASS = Base; }, { CLASS = B; SUPERCLASS = A; REQUIRED = next; }")
        #expect(inherited.faults.isEmpty)
        let missing = list(base + "{ CLASS = B; SUPERCLASS = Base; REQUIRED = last; }, { CLASS = C; REQUIRED = next; }")
        #expect(
            missing.faults.map(\.message) == [
                "REQUIRED of “B” names “last”, which is not among its OUTLETS.",
                "REQUIRED of “C” names “next”, which is not among its OUTLETS.",
            ])
        // The superclass is of another list, and declares it perhaps.
        #expect(list("{ CLASS = B; SUPERCLASS = Base; REQUIRED = next; }").faults.isEmpty)
        // Another check reports the circle.
        #expect(list("{ CLASS = B; SUPERCLASS = B; REQUIRED = next; }").faults.isEmpty)
    }

    /// Applications add types of their own: see NibAttribute.
    @Test(arguments: [
        ("String", true), ("Int?", true), ("Enum(a|b)?", true), ("Money", true), ("Money?", true), ("Angle", true),
        ("Strng", false), ("Colour", false), ("int", false), ("?", false), ("", false), ("Int??", false),
    ])
    func anAttributeMayHaveATypeOfTheApplication(type: String, isType: Bool) {
        let faults = list("{ CLASS = A; ATTRIBUTES = { x = \"\(type)\"; }; }").faults
        #expect(
            faults.map(\.message)
                == (isType ? [] : ["The attribute “x” of “A” has the type “\(type)”, which does not exist."]))
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

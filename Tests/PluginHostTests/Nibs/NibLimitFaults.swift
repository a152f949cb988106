import HostBasics
import NibReading
import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Nibs that are too large, or large in one way; numbers are those of docs/faults.md.
///
/// Tests/NibReadingTests has those that need no bundle.
@Suite struct NibLimitFaults {
    private static func inspection(_ objects: String) throws -> NibInspection {
        try NibInspection(
            Array(NibText.document(objects).utf8), named: "/T.xib", limits: HostEnvironment.current.nibLimits)
    }

    /// Each reader of a nib reports the limit, and nothing else.
    @Test(.fault(730), arguments: ["objects", "connections"])
    func aNibOverALimitIsOneFindingForEveryReader(limit: String) throws {
        let actions = (0...20_000).map { "<action selector=\"x\" target=\"gone\" id=\"c\($0)\"/>" }.joined()
        let nib =
            limit == "objects"
            ? NibText.objects(4_097) : "<view id=\"a\" title=\"b\"><connections>\(actions)</connections></view>"
        let world = try NibWorld()
        let error = try world.error(nib)
        let inspection = try Self.inspection(nib)
        let code = inspection.findings(withCodeOf: world.bundle)
        #expect(code.unknownClasses.isEmpty)
        let report = inspection.report(classes: NibInspection.Classes(), in: world.bundle)
        let all = [error.findings, code.findings, report.findings]
        for findings in all {
            try #require(findings.count == 1)
            #expect(findings[0].code == .nibUnreadable && findings[0].message.contains("the limit is"))
            #expect(findings[0].remedy.contains("--max-\(limit)"))
        }
        #expect(all.allSatisfy { $0[0].place == all[0][0].place } && all[0][0].place != nil)
    }

    /// What the caller gives is not made.
    @Test(.fault(730)) func placeholdersDoNotCountAsObjects() throws {
        let placeholders = (0..<5_000).map { "<placeholder placeholderIdentifier=\"P\($0)\" id=\"p\($0)\"/>" }.joined()
        let made = try NibWorld().nib(placeholders + NibText.objects(4_096)).instantiate()
        #expect(made.objects.count == 4_096)
    }

    @Test(.fault(730)) func theApplicationRaisesTheLimit() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.nibLimits.objects = 5_000
            let nib = NibText.objects(5_000)
            let made = try NibWorld().nib(nib).instantiate()
            #expect(made.objects.count == 5_000)
            let inspection = try NibLimitFaults.inspection(nib)
            #expect(inspection.report(classes: NibInspection.Classes(), in: nil).findings.isEmpty)
        }
    }

    @Test(.fault(731)) func longNamesAreNotCompared() throws {
        let long = String(repeating: "x", count: 200_000)
        let error = try NibWorld().error(
            "<view id=\"\(long)a\"/><view id=\"b\"><connections><outlet property=\"next\" destination=\"\(long)b\" id=\"c\"/></connections></view>"
        )
        #expect(error.code == .nibReferenceInvalid && error.findings.count == 1)
        #expect(error.description.utf8.count < 20_000)
    }

    @Test(.fault(739), arguments: NibText.largeShapes)
    func aLargeNibIsRefusedLikeASmallOne(shape: String) throws {
        #expect(throws: PluginError.self) { try NibWorld(classes: []).nib(NibText.large(shape)).instantiate() }
    }

    @Test(.fault(738)) func namesInMessagesAreShortened() throws {
        let long = String(repeating: "n", count: 500_000)
        let nib = "<view id=\"a\" customClass=\"\(long)\" \(String(repeating: "m", count: 900))=\"1\"/>"
        let error = try NibWorld().error(nib + NibText.objects(300, " customClass=\"\(long.prefix(9_000))\""))
        #expect(error.findings.count == 101)
        for finding in error.findings {
            #expect((finding.message + finding.remedy + (finding.subject ?? "")).utf8.count < 30_000)
        }
    }
}

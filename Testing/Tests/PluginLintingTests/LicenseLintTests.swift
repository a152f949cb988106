import Testing

@testable import PluginLinting

@Suite struct LicenseLintTests {
    @Test(arguments: [
        "MIT", "mit", "Apache-2.0 OR GPL-3.0-or-later", "GPL-2.0+", "LGPL-2.1-only WITH Classpath-exception-2.0",
        "(MIT AND (BSD-3-Clause OR Zlib))", "LicenseRef-My.own-1", "DocumentRef-x:LicenseRef-a", "Apache-2.0+",
        "MIT and Zlib", " MIT ",
    ])
    func aListedLicenseIsFine(_ text: String) throws { try LicenseLint.check(text) }

    @Test(arguments: [
        ("", "ends where a licence is expected"), ("MIT OR", "ends where a licence is expected"),
        ("My licence", "SPDX does not list as a licence"), ("MIT Zlib", "AND or OR is expected"),
        ("(MIT", "not closed"), ("MIT)", "AND or OR is expected"), ("MIT WITH", "an exception is expected"),
        ("MIT WITH MIT", "the exception “MIT”"), ("LicenseRef-", "SPDX does not list"),
        ("LicenseRef-a_b", "SPDX does not list"),
        (String(repeating: "(", count: 1_001), "longer than"), (String(repeating: "(", count: 1_000), "ends where"),
    ])
    func anotherTextIsAFault(_ text: String, complaint: String) {
        let fault = #expect(throws: LicenseLint.Fault.self) { try LicenseLint.check(text) }
        #expect(fault?.complaint.contains(complaint) == true, "\(fault?.complaint ?? "")")
    }

    @Test func theKeyIsAWarningWithItsPlace() throws {
        let fixture = try LintFixture(info: LintFixture.english + "<key>PHLicense</key><string>MYOB</string>", [:])
        let findings = try fixture.findings()
        #expect(findings.count == 1 && findings.first?.hasSuffix(" warning manifestInvalid PHLicense") == true)
    }

    @Test func anUnknownTypeIsANote() throws {
        let info =
            LintFixture.english + """
                <key>CFBundleDocumentTypes</key><array><dict><key>LSItemContentTypes</key>
                <array><string>public.midi-audio</string><string>org.example.score</string></array></dict></array>
                """
        let findings = try LintFixture(info: info, [:]).findings()
        #expect(findings.count == 1 && findings.first?.hasSuffix(" note manifestInvalid CFBundleDocumentTypes") == true)
    }
}

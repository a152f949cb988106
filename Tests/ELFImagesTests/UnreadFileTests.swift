import Glibc
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// A disk that fails while the libraries around a plug-in are read.
@Suite struct UnreadFileTests {
    @Test(.fault(267)) func aLibraryThatCannotBeReadIsReportedAndItsSymbolsAreNotCalledMissing() async {
        await #expect(processExitsWith: .success) {
            let path = try ELFFixtures.sound()
            for call in ["read", "open"] {
                FailingCalls.fail(call, "/libc.so.6", EIO)
                let findings = completeInspection(path)
                FailingCalls.stop()
                try #require(findings.count == 1, "\(findings)")
                try #require(findings[0].message.contains("libc.so.6” cannot be read"), "\(findings)")
                try #require(findings[0].systemMessage == "Input/output error" && findings[0].severity == .error)
                try #require(findings[0].remedy.contains("the system's log"))
                // The next look-up succeeds.
                try #require(completeInspection(path).isEmpty)
            }
        }
    }
}

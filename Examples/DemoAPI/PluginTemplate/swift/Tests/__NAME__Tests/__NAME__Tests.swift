import DemoAPI
import PluginABI
import PluginHost
import PluginTesting
import Testing

/// Tests the plug-in from the host's side.
///
/// Each test runs in an application of its own, whose user reads English.
@Suite(.testHost) struct __NAME__Tests {
    /// A bundle of this package's Info.plist and Resources, and of the library that “swift test” has just built.
    let bundle: PluginBundle

    init() throws { bundle = try PluginBundle.underTest() }

    /// The plug-in's only filter, made as the application makes it.
    private func filter() throws -> any TextFilter { try #require(try bundle.providers(of: .textFilter).first).make() }

    @Test func linesAreNumbered() throws {
        let filter = try filter()
        #expect(try filter.filter("one\ntwo\n") == "1\tone\n2\ttwo\n")
        // The count continues in the next passage, whose last line has no line end.
        #expect(try filter.filter("three") == "3\tthree")
        // The line is from Ending.xib.
        #expect(try filter.finish() == "\n────────────────────\nLines in this document: 3\n")
    }

    @Test(.testHost(languages: ["de"])) func theRemarkIsInTheUsersLanguage() throws {
        #expect(try filter().finish() == "\n────────────────────\nZeilen in diesem Dokument: 0\n")
    }

    @Test func infoPlistDeclaresWhatTheCodeRegisters() { expectDeclaredRegistrations(of: bundle) }

    @Test func everyTextIsTranslated() { expectCompleteLocalizations(of: bundle, in: "de", "en", "fr", "ja") }

    @Test func objectsAreReleased() throws {
        try expectObjectsReleased(of: bundle) { _ = try filter().filter("one") }
    }
}

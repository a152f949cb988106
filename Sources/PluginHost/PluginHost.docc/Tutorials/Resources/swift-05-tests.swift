import DemoAPI
import PluginABI
import PluginHost
import PluginTesting
import Testing

@Suite(.testHost) struct NumbersTests {
    let bundle: PluginBundle

    init() throws { bundle = try PluginBundle.underTest() }

    private func filter() throws -> any TextFilter { try #require(try bundle.providers(of: .textFilter).first).make() }

    @Test func linesAreNumberedAndEmptyOnesCounted() throws {
        let filter = try filter()
        #expect(try filter.filter("one\n\n") == "1\tone\n2\t\n")
        #expect(try filter.filter("three") == "3\tthree\n")
        #expect(try filter.finish() == "\nLines in this document: 3\nEmpty lines: 1\n")
    }

    @Test(.testHost(languages: ["de"])) func theRemarkIsInTheUsersLanguage() throws {
        #expect(try filter().finish() == "\nZeilen in diesem Dokument: 0\nLeere Zeilen: 0\n")
    }

    @Test func infoPlistDeclaresWhatTheCodeRegisters() { expectDeclaredRegistrations(of: bundle) }

    @Test func everyTextIsTranslated() { expectCompleteLocalizations(of: bundle, in: "de", "en") }

    @Test func objectsAreReleased() throws {
        try expectObjectsReleased(of: bundle) { _ = try filter().filter("one") }
    }
}

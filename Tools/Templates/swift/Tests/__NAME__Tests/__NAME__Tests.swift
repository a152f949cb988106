import PluginHost
import PluginTesting
import __NAME__
import Testing

/// Tests the plug-in from the host's side.
///
/// Each test runs in an application of its own, whose user reads English.
@Suite(.testHost) struct __NAME__Tests {
    /// Info.plist and Resources of this package, with the code linked into the tests.
    let bundle: PluginBundle

    init() throws { bundle = try PluginBundle.underTest(entry: pluginEntry) }

    @Test func linesAreCounted() throws {
        let counter = try bundle.makePrincipal(as: LineCounter.self)
        #expect(counter.report(on: "one\ntwo\n") == "Lines in this text: 2")
        #expect(counter.report(on: "one\ntwo") == "Lines in this text: 2")
        #expect(counter.report(on: "") == "Lines in this text: 0")
    }

    @Test func theUserMayLeaveOutTheRest() throws {
        try TestHost.current?.setValues(["countsRest": .boolean(false)], of: bundle)
        let counter = try bundle.makePrincipal(as: LineCounter.self)
        #expect(counter.report(on: "one\ntwo") == "Lines in this text: 1")
    }

    @Test(.testHost(languages: ["de"])) func theReportIsInTheUsersLanguage() throws {
        let counter = try bundle.makePrincipal(as: LineCounter.self)
        #expect(counter.report(on: "eins") == "Zeilen in diesem Text: 1")
    }

    @Test func infoPlistDeclaresWhatTheCodeRegisters() { expectDeclaredRegistrations(of: bundle) }

    @Test func everyTextIsTranslated() { expectCompleteLocalizations(of: bundle) }

    @Test func objectsAreReleased() throws {
        try expectObjectsReleased(of: bundle) { _ = try bundle.makePrincipal(as: LineCounter.self).report(on: "one") }
    }
}

import __NAME__API
import PluginHost
import PluginTesting
import Testing

/// Tests the plug-in from the application's side.
///
/// Each test runs in an application of its own, whose user reads English.
@Suite(.testHost) struct __PLUGIN_NAME__Tests {
    /// A bundle of this package's Info.plist and Resources, and of the library that “swift test” has just built. So the
    /// same tests run in a sandbox: PLUGIN_TEST_EXECUTION=sandboxed swift test
    let bundle: PluginBundle

    init() throws { bundle = try PluginBundle.underTest() }

    private func filtered(_ text: String) throws -> String {
        try #require(try bundle.providers(of: .textFilter).first).make().filter(text)
    }

    @Test func theTextIsChanged() throws { #expect(try filtered("Hello") == "Remember: Hello") }

    @Test(.testHost(languages: ["de"])) func theTextIsInTheUsersLanguage() throws {
        #expect(try filtered("Hallo") == "Merke: Hallo")
    }

    @Test func infoPlistDeclaresWhatTheCodeRegisters() { expectDeclaredRegistrations(of: bundle) }

    @Test func everyTextIsTranslated() { expectCompleteLocalizations(of: bundle) }
}

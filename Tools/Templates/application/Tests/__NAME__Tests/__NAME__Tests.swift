import Foundation
import __NAME__API
import PluginHost
import PluginTesting
import Testing

/// Tests the plug-in Signature from the application's side.
///
/// Each test runs in an application of its own, whose user reads English.
@Suite(.testHost) struct __NAME__Tests {
    /// A bundle of the folder's Info.plist and Resources, and of the library that “swift test” has just built.
    let bundle: PluginBundle

    init() throws { bundle = try PluginBundle.underTest("Signature", source: "Plugins/Signature") }

    private func signed(_ text: String) throws -> String {
        try #require(try bundle.providers(of: .textFilter).first).make().filter(text)
    }

    @Test func aTextIsSigned() throws { #expect(try signed("Hello").hasPrefix("Hello\nWritten on ")) }

    /// As the program finds it.
    @Test func theCatalogueHasTheFilter() throws {
        let catalog = try #require(try TestHost.current?.catalog(of: bundle))
        let filter = try #require(catalog.extension(named: "signature", of: .textFilter))
        #expect(filter.displayName == "Signature" && filter.plugin.displayName == "Signature")
        #expect(try filter.make().filter("Hello").hasPrefix("Hello\nWritten on "))
    }

    @Test(.testHost(languages: ["de"])) func theSignatureIsInTheUsersLanguage() throws {
        #expect(try signed("Hallo").hasPrefix("Hallo\nGeschrieben auf "))
    }

    @Test(.testHost(.init(execution: .isolated))) func aTextIsSignedInAProcessOfItsOwn() throws {
        #expect(try signed("Hello").hasPrefix("Hello\nWritten on "))
    }

    @Test func infoPlistDeclaresWhatTheCodeRegisters() { expectDeclaredRegistrations(of: bundle) }

    @Test func everyTextIsTranslated() throws {
        expectCompleteLocalizations(of: bundle, in: "de", "en")
        // The program's own texts.
        let resources = URL(filePath: #filePath).appending(path: "../../../Sources/__PROGRAM__/Resources").standardized
        expectCompleteLocalizations(of: try PluginBundle.open(path: resources.path), in: "de", "en")
    }
}

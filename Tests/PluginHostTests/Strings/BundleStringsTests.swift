@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost

@Suite("The strings of a bundle and its plug-in")
struct BundleStringsTests {
    @Test func aPlugInSpeaksTheUsersLanguageWithItsPlurals() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "Contents/Resources/fr.lproj/Localizable.strings": "hello = Bonjour; \"%@ of %d\" = \"%2$d : %1$@\";",
                "Contents/Resources/fr.lproj/Localizable.stringsdict": pluralFormats,
                "Contents/Resources/en.lproj/Localizable.strings": "hello = Hello;",
                "Contents/Resources/fr.lproj/Other.strings": "hello = Salut;",
            ])
            let bundle = try PluginBundle.open(path: tree.path)
            let context = PluginContext(services: HostTable(bundle: bundle))
            HostEnvironment.current.preferredLanguages = ["fr"]
            precondition(context.preferredLocalizations == ["fr"])
            precondition(context.localizedString("hello") == "Bonjour")
            precondition(context.localizedString("hello", table: "Other") == "Salut")
            precondition(context.localizedString("none", value: "x") == "x")
            precondition(context.localizedString("%d files", arguments: 1) == "1 file left")
            precondition(context.localizedString("%d files", arguments: [2]) == "2 files left")
            precondition(context.localizedString("%@ of %d", arguments: "a", 3) == "3 : a")
            // The plug-in's context follows the host too.
            HostEnvironment.current.preferredLanguages = ["en"]
            precondition(context.localizedString("hello") == "Hello")
        }
    }

    @Test func bundlesFormatInTheLanguageOfTheirTable() async throws {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "Contents/Resources/fr.lproj/Localizable.stringsdict": pluralFormats,
                "Contents/Resources/en.lproj/Localizable.stringsdict": pluralFormats,
            ])
            let bundle = try PluginBundle.open(path: tree.path)
            HostEnvironment.current.preferredLanguages = ["fr"]
            precondition(bundle.localizedString(forKey: "%d files", arguments: 1.5) == "1.5 file left")
            HostEnvironment.current.preferredLanguages = ["en"]
            precondition(bundle.localizedString(forKey: "%d files", arguments: 1) == "1 file left")
            precondition(bundle.localizedString(forKey: "%d files", arguments: [2]) == "2 files left")
            let numbers: [any CVarArg] = [0]
            precondition(bundle.localizedString(forKey: "%d files", table: "", arguments: numbers) == "No file left")
            precondition(bundle.localizedString(forKey: "%@ %@", value: "%2$@ %1$@", arguments: "a", 2) == "2 a")
            precondition(bundle.localizedString(forKey: "%d files", value: nil, table: nil) == "%d files left")
            precondition(NSLocalizedString("%d files", bundle: bundle, comment: "") == "%d files left")
            precondition(NSLocalizedString("none", bundle: bundle, value: "other", comment: "") == "other")
            precondition(NSLocalizedString("none", comment: "the main bundle has no tables") == "none")
        }
    }
}

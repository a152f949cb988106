@_spi(PluginHost) import PluginABI
import Testing

@testable import PluginHost

@Suite("PluginContext: the strings of a plug-in's own bundle")
struct PluginContextStringsTests {
    @Test func aPlugInSpeaksTheUsersLanguageWithItsPlurals() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "Contents/Resources/fr.lproj/Localizable.strings": "hello = Bonjour; \"%@ of %d\" = \"%2$d : %1$@\";",
                "Contents/Resources/fr.lproj/Localizable.stringsdict": LocalizedFormatTests.files,
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
}

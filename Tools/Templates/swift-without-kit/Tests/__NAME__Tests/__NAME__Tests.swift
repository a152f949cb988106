import Foundation
import PluginHost
import __NAME__
import Testing

/// The plug-in from the host's side.
///
/// Its code is linked into the tests instead of loaded from a file.
private func bundle() throws -> PluginBundle {
    // The package's directory has Info.plist and Resources, as a bundle has.
    let package = URL(filePath: #filePath).appending(path: "../../..").standardized
    return try PluginBundle.linked(at: package.path, entry: pluginEntry)
}

@Test func infoPlistDeclaresWhatTheCodeRegisters() throws {
    let bundle = try bundle()
    try bundle.loadAndReturnError()
    #expect(bundle.loadWarnings.isEmpty)
}

@Test func everyLanguageHasTheStringsOfTheCode() throws {
    let bundle = try bundle()
    #expect(!bundle.localizations.isEmpty)
    for language in bundle.localizations {
        let table = bundle.path(
            forResource: "Localizable", ofType: "strings", inDirectory: nil, forLocalization: language)
        #expect(table != nil, "\(language) has no Localizable.strings")
    }
}

import Foundation
import PluginHost
import __NAME__
import Testing

/// The plug-in's bundle, as a host sees it.
///
/// The plug-in's code is linked into the tests instead of loaded from a file.
private func bundle() throws -> PluginBundle {
    // The package's directory has Info.plist and Resources, as a bundle has.
    let package = URL(filePath: #filePath).appending(path: "../../..").standardized
    return try PluginBundle.linked(at: package.path, entry: pluginEntry)
}

@Test func linesAreCounted() throws {
    let counter = try bundle().makePrincipal(as: LineCounter.self)
    #expect(counter.report(on: "one\ntwo\n").hasSuffix(" 2"))
    #expect(counter.report(on: "one\ntwo").hasSuffix(" 2"))
    #expect(counter.report(on: "").hasSuffix(" 0"))
}

@Test func everyLanguageHasTheStringsOfTheCode() throws {
    let bundle = try bundle()
    for language in bundle.localizations {
        let table = bundle.path(
            forResource: "Localizable", ofType: "strings", inDirectory: nil, forLocalization: language)
        #expect(table != nil, "\(language) has no Localizable.strings")
    }
}

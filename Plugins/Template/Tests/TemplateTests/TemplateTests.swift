import DemoAPI
import Foundation
import PluginHost
import Template
import Testing

/// The plug-in's bundle, as a host sees it.
///
/// The plug-in's code is linked into the tests instead of loaded from a file.
private func bundle() throws -> PluginBundle {
    // The package's directory has Info.plist and Resources, as a bundle has.
    let package = URL(filePath: #filePath).appending(path: "../../..").standardized
    return try PluginBundle.linked(at: package.path, entry: pluginEntry)
}

@Test func linesAreNumbered() throws {
    let provider = try #require(try bundle().providers(of: .textFilter).first)
    let filter = try provider.make()
    #expect(try filter.filter("one\ntwo\n") == "1\tone\n2\ttwo\n")
    // The count continues in the next passage, whose last line has no line end.
    #expect(try filter.filter("three") == "3\tthree")
    #expect(try filter.finish().hasSuffix(" 3\n"))
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

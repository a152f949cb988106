import Foundation
import PluginHost
import PluginTesting
import PropertyLists
import Testing

@testable import struct PluginTesting.BundleSourceFolder

/// Expects an error of the kit whose description contains the texts.
private func expect<Result>(
    _ code: TestKitError.Code, _ texts: String..., from body: () throws -> Result,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let error = #expect(throws: TestKitError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    for text in texts {
        #expect(
            error?.description.contains(text) == true, "\(String(describing: error))", sourceLocation: sourceLocation)
    }
}

/// Where the bundle under test comes from, and each error of the kit.
@Suite(.testHost) struct BundleUnderTestTests {
    @Test func theBundleIsAssembledOnceWithCodeInfoAndResources() throws {
        let bundle = try Greeting.bundle()
        #expect(bundle === (try Greeting.bundle()))
        #expect(bundle.bundlePath.hasSuffix("/Greeter.bundle") && !bundle.isLoaded)
        #expect(bundle.executablePath == bundle.bundlePath + "/Contents/Linux/Greeter")
        #expect(bundle.localizations.sorted() == ["de", "en"])
        #expect(bundle.manifest.name == "Greeter" && bundle.manifest.packageType == "BNDL")
    }

    @Test func codeThatIsLinkedIntoTheTestsNeedsNoFile() throws {
        let bundle = try PluginBundle.underTest(entry: { _ in 0 }, source: Greeting.source)
        #expect(bundle.bundlePath.hasSuffix("/Tests/Greeter"))
        expectPluginError(.nothingRegistered) { try bundle.loadAndReturnError() }
    }

    @Test func aPackedBundleIsFoundByItsPath() throws {
        let packed = try TemporaryBundle("Packed", strings: ["en": ["Localizable": ["a": "b"]]])
        let bundle = try PluginBundle.underTest(packed: packed.path)
        #expect(bundle.localizedString(forKey: "a", value: nil, table: nil) == "b")
        expect(.notBuilt, "Greeter.bundle”", "pluginhost pack --build") {
            try PluginBundle.underTest(packed: "Greeter.bundle")
        }
    }

    @Test func aLibraryThatIsNotBuiltIsReportedWithTheProductToAdd() {
        expect(.notBuilt, "libNobody.so”", ".library(name: \"Nobody\", type: .dynamic, targets: [\"Nobody\"])") {
            try builtLibrary(named: "Nobody")
        }
        expect(.notBuilt, "libNobody.so”") { try PluginBundle.underTest("Nobody", source: Greeting.source) }
    }

    @Test func aFolderWithoutInfoPlistIsReportedWithTheWayToNameIt() {
        expect(.sourceMissing, "Testing”", "underTest(“Greeter”, source: “Plugins/Greeter”)") {
            try PluginBundle.underTest("Greeter")
        }
        expect(.sourceMissing, "has a Package.swift") {
            try PluginBundle.underTest(filePath: "/nonexistent/Tests.swift")
        }
    }

    @Test func anInfoPlistThatIsNoDictionaryIsReported() throws {
        let package = try TemporaryBundle(
            "Package", resources: ["Package.swift": "", "List/Info.plist": "(a)", "Text/Info.plist": "<plist>"])
        let test = package.path + "/Contents/Resources/Test.swift"
        for folder in ["List", "Text"] {
            expect(.manifestInvalid, "\(folder)/Info.plist”", "pluginhost lint") {
                try BundleSourceFolder(name: nil, folder: folder, testFile: test)
            }
        }
        try FileManager.default.createDirectory(
            atPath: package.path + "/Contents/Resources/Folder/Info.plist", withIntermediateDirectories: true)
        expect(.unreadable, "Folder/Info.plist”") {
            try BundleSourceFolder(name: nil, folder: "Folder", testFile: test)
        }
    }

    @Test func aTemporaryBundleExistsUntilTheEndOfItsHost() async throws {
        let path = try await withTestHost { _ in
            let path = try TemporaryBundle("Words").open().bundlePath
            #expect(FileManager.default.fileExists(atPath: path))
            return path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

/// Outside of a host.
@Suite struct TemporaryBundleTests {
    @Test func aTemporaryBundleIsRemovedWithItsObject() throws {
        var bundle: TemporaryBundle? = try TemporaryBundle(
            "Words", info: ["Sizes": [1, true, ["a": "b"]]], resources: ["fr.lproj/welcome.txt": "Bonjour"])
        let path = try #require(bundle?.path)
        let opened = try bundle?.open()
        #expect(opened?.bundleIdentifier == "org.example.Words")
        #expect(opened?.path(forResource: "welcome", ofType: "txt", inDirectory: nil, forLocalization: "fr") != nil)
        bundle = nil
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: URL(filePath: path).deletingLastPathComponent().path))
    }

    @Test(arguments: ["", "..", "a/b", "a\0b"]) func aNameThatLeadsElsewhereIsRefused(_ name: String) {
        expect(.nameInvalid, "without “/”") { try TemporaryBundle(name) }
        expect(.nameInvalid, "relative path") { try TemporaryBundle("Words", resources: ["x/../\(name)": ""]) }
    }

    @Test func anExecutableThatIsMissingIsUnreadableAndAValueThatNoListHoldsIsInvalid() {
        expect(.unreadable, "“/nonexistent.so”") { try TemporaryBundle("Words", executable: "/nonexistent.so") }
        expect(.manifestInvalid, "Words.bundle”") { try TemporaryBundle("Words", info: ["Size": .real(.nan)]) }
    }

    @Test func aDirectoryThatCannotBeWrittenIsReported() throws {
        expect(.notWritable, "TMPDIR") {
            try TemporaryBundle("Words", resources: ["words": "a file", "words/one.txt": "in a file"])
        }
    }
}

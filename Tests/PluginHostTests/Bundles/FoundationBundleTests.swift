import Foundation
import Glibc
import TestSupport
import Testing

@testable import PluginHost

/// What swift-corelibs-foundation expects of its own Bundle, in our words.
///
/// The source is Tests/Foundation/TestBundle.swift there. Each test names the test that it follows.
/// test_bundleReverseBundleLookup and test_bundleMacro are left out, because they use internals of Foundation.
@Suite struct FoundationBundleTests {
    /// The ways of installing a bundle on Linux in that suite, each with an executable and with a library.
    enum Layout: String, CaseIterable, Sendable {
        case flatProgram, flatLibrary, sharedProgram, sharedLibrary, besideProgram, besideLibrary

        var isLibrary: Bool { rawValue.hasSuffix("Library") }

        /// The bundle's directory.
        var root: String {
            switch self {
            case .flatProgram, .flatLibrary: "MyBundle.bundle"
            case .sharedProgram, .sharedLibrary: "share/MyBundle.resources"
            case .besideProgram, .besideLibrary: "MyBundle.resources"
            }
        }

        private func file(_ name: String) -> String { isLibrary ? "lib\(name).so" : name }

        var executable: String {
            switch self {
            case .flatProgram: root + "/MyBundle"
            case .flatLibrary: root + "/" + file("MyBundle")
            case .sharedProgram: "bin/MyBundle"
            case .sharedLibrary: "lib/" + file("MyBundle")
            case .besideProgram, .besideLibrary: file("MyBundle")
            }
        }

        var auxiliary: String {
            switch self {
            case .sharedProgram, .sharedLibrary: "libexec/MyBundle.executables/" + file("auxiliaryExecutable")
            default: root + "/" + file("auxiliaryExecutable")
            }
        }

        /// All files are empty, including those in the place of code.
        func tree() throws -> TemporaryTree {
            let resources = ["hello.world", "goodbye.world", "swift.org", "Sources/main.swift"]
            let files = [executable, auxiliary] + resources.map { root + "/" + $0 }
            return try TemporaryTree(Dictionary(uniqueKeysWithValues: files.map { ($0, "") }))
        }

        func bundle(_ tree: TemporaryTree) throws -> PluginBundle { try PluginBundle.open(path: tree(root)) }
    }

    /// The bundle of the suite itself, as the package manager makes it.
    private func own() throws -> (PluginBundle, TemporaryTree) {
        let tree = try TemporaryTree([
            "T.resources/Info.plist": """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleDevelopmentRegion</key><string>en</string>
            <key>CFBundleIdentifier</key><string>org.swift.TestFoundation</string>
            <key>CFBundleName</key><string>TestFoundation</string>
            </dict></plist>
            """,
            "T.resources/Test.plist": "{}",
        ])
        return (try PluginBundle.open(path: tree("T.resources")), tree)
    }

    @Test("test_paths") func placesAreThoseOfTheDirectory() throws {
        let (bundle, tree) = try own()
        #expect(bundle.bundlePath == tree("T.resources") && bundle.bundleURL.path == bundle.bundlePath)
        #expect(bundle.path(forAuxiliaryExecutable: "no_such_file") == nil)
        #expect(bundle.appStoreReceiptURL == nil)
    }

    @Test("test_resources") func resourcesAreFoundByEachForm() throws {
        let (bundle, tree) = try own()
        #expect(bundle.url(forResource: nil, withExtension: nil, subdirectory: nil) == nil)
        #expect(bundle.url(forResource: "", withExtension: "", subdirectory: nil) == nil)
        #expect(bundle.url(forResource: "no_such_file", withExtension: nil, subdirectory: nil) == nil)
        let path = tree("T.resources/Test.plist")
        #expect(bundle.url(forResource: "Test", withExtension: "plist")?.path == path)
        #expect(bundle.url(forResource: "Test", withExtension: "plist", subdirectory: nil)?.path == path)
        #expect(bundle.path(forResource: "Test", ofType: "plist") == path)
        #expect(bundle.path(forResource: "Test", ofType: "plist", inDirectory: nil) == path)
    }

    @Test("test_infoPlist") func theListHasTheNameAndTheIdentifier() throws {
        let (bundle, _) = try own()
        #expect(bundle.bundleIdentifier == "org.swift.TestFoundation")
        let info = try #require(bundle.infoDictionary)
        #expect(info["CFBundleName"] as? String == "TestFoundation")
        #expect(info["CFBundleIdentifier"] as? String == "org.swift.TestFoundation")
        #expect(bundle.localizedInfoDictionary == nil)
    }

    @Test("test_localizations") func theDevelopmentRegionIsTheOnlyLocalisation() async throws {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.preferredLanguages = []
            let (bundle, _) = try FoundationBundleTests().own()
            precondition(bundle.localizations == ["en"])
            precondition(bundle.preferredLocalizations == ["en"])
            precondition(PluginBundle.preferredLocalizations(from: ["en", "pl", "es"]) == ["en"])
        }
    }

    @Test("test_URLsForResourcesWithExtension", arguments: Layout.allCases)
    func resourcesOfATypeAreListed(layout: Layout) throws {
        let tree = try layout.tree()
        let bundle = try layout.bundle(tree)
        let urls: [URL]? = bundle.urls(forResourcesWithExtension: "world", subdirectory: nil)
        #expect(urls?.map(\.lastPathComponent) == ["goodbye.world", "hello.world"])
        #expect(bundle.path(forResource: "main", ofType: "swift", inDirectory: "Sources") != nil)
    }

    @Test("test_bundleLoad, test_bundleLoadWithError, test_bundlePreflight") func theMainBundleIsLoaded() throws {
        let main = PluginBundle.main
        #expect(main.isLoaded && main.state == .active)
        try main.preflight()
        #expect(main.load() && main.isLoaded)
        try main.loadAndReturnError()
        #expect(main.loadError == nil && main.registrations.isEmpty)
        // The program cannot be unloaded.
        #expect(!main.unload() && main.isLoaded)
    }

    @Test("test_bundleLoadWithError, test_bundlePreflight", arguments: Layout.allCases)
    func anEmptyFileInThePlaceOfCodeIsRefused(layout: Layout) throws {
        let tree = try layout.tree()
        let bundle = try layout.bundle(tree)
        #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(throws: PluginError.self) { try bundle.preflight() }
        #expect(!bundle.isLoaded)
    }

    @Test("test_bundleLoadWithError, test_bundlePreflight", arguments: Layout.allCases)
    func norIsItLoadedWithAnInfoPlist(layout: Layout) throws {
        let tree = try layout.tree()
        try tree.write(layout.root + "/Info.plist", "{ NSExecutable = MyBundle; }")
        let bundle = try layout.bundle(tree)
        let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(error?.code == .notLoadable && error?.filePath == tree(layout.executable))
        #expect(throws: PluginError.self) { try bundle.preflight() }
    }

    @Test("test_bundleWithInvalidPath") func aPathWithoutADirectoryIsNotABundle() throws {
        let tree = try TemporaryTree()
        #expect(PluginBundle(path: tree("test.playground")) == nil)
    }

    @Test("test_bundleFindExecutable", arguments: Layout.allCases)
    func theExecutableIsFound(layout: Layout) throws {
        let tree = try layout.tree()
        #expect(try layout.bundle(tree).executableURL?.path == tree(layout.executable))
    }

    @Test("test_bundleFindExecutable, test_mainBundleExecutableURL") func theMainExecutableIsTheProgram() throws {
        let program = try #require(realpath("/proc/self/exe", nil))
        defer { free(program) }
        #expect(PluginBundle.main.executableURL?.path == String(cString: program))
    }

    @Test("test_bundleFindAuxiliaryExecutables", arguments: Layout.allCases)
    func auxiliaryExecutablesAreFound(layout: Layout) throws {
        let tree = try layout.tree()
        let bundle = try layout.bundle(tree)
        #expect(bundle.url(forAuxiliaryExecutable: "auxiliaryExecutable")?.path == tree(layout.auxiliary))
        #expect(bundle.url(forAuxiliaryExecutable: "does_not_exist_at_all") == nil)
    }

    @Test("test_bundleForClass") func aClassOfTheProgramBelongsToTheMainBundle() {
        final class Own {}
        #expect(PluginBundle(for: Own.self) === PluginBundle.main)
    }
}

import Glibc
import TestSupport
import Testing

@testable import PluginHost

/// What GNUstep expects of its NSBundle, in our words, except for tests that need compiled code.
///
/// The source is Tests/base/NSBundle in gnustep/libs-base. Each test names the file that it follows. The tests that
/// need compiled code are in the integration tests, GNUstepBundles.swift.
///
/// Two things are left out: the bundle of GNUstep's own library (bundleForLibrary:), and the number that its runtime keeps
/// with a bundle (setBundleVersion:).
@Suite struct GNUstepBundleTests {
    /// TestBundle.bundle and TestFramework.framework as GNUstep's make files build them, and the directory above.
    static func tree() throws -> TemporaryTree {
        var files = [
            "basic.m": "", "create.m": "",
            "Resources/TestBundle.bundle/TestBundle": "",
            "Resources/TestFramework.framework/Versions/2/libTestFramework.so.2": "",
        ]
        for root in ["Resources/TestBundle.bundle/Resources", "Resources/TestFramework.framework/Versions/2/Resources"]
        {
            let name = root.contains("framework") ? "TestFramework" : "TestBundle"
            let identifier = root.contains("framework") ? "" : "CFBundleIdentifier = \"Test Bundle Identifier 1\"; "
            files[root + "/Info-gnustep.plist"] = "{ \(identifier)NSExecutable = \(name); NSPrincipalClass = \(name); }"
            files[root + "/Localizable.strings"] = "{test = 42;}"
            files[root + "/NonLocalRes.txt"] = ""
            for language in ["English", "French", "de"] { files["\(root)/\(language).lproj/TextRes.txt"] = "" }
        }
        let tree = try TemporaryTree(files)
        for (link, target) in [
            ("Versions/Current", "2"), ("Resources", "Versions/Current/Resources"),
            ("libTestFramework.so", "Versions/Current/libTestFramework.so.2"),
        ] { try tree.link("Resources/TestFramework.framework/" + link, to: target) }
        return tree
    }

    @Test("basic.m") func aBundleIsAnObject() throws {
        let tree = try Self.tree()
        let bundle = try PluginBundle.open(path: tree("Resources/TestBundle.bundle"))
        #expect(bundle.isEqual(bundle) && !bundle.isEqual("text") && bundle.hash == bundle.hashValue)
        #expect(!bundle.description.isEmpty)
        // One object for each directory.
        #expect(try PluginBundle.open(path: tree("Resources/TestBundle.bundle")) === bundle)
    }

    @Test("create.m") func anyDirectoryIsABundle() throws {
        let tree = try Self.tree()
        let bundle = try #require(PluginBundle(path: tree("Resources")))
        #expect(bundle.bundlePath == tree("Resources"))
        #expect(bundle.infoDictionary?.isEmpty == true)
        #expect(PluginBundle(path: tree("Resources/nonexistent")) == nil)
        #expect(PluginBundle.allBundles.contains(bundle) && PluginBundle.allBundles.first === PluginBundle.main)
    }

    @Test("general.m") func theFirstClassOfTheProgramIsThePrincipalClass() throws {
        final class TestClass {}
        let main = PluginBundle(for: TestClass.self)
        #expect(main === PluginBundle.main)
        // The program of these tests has many; the linker decides which one is first.
        let first: AnyClass = try #require(main.principalClass)
        #expect(main.classNames.first == String(reflecting: first))
        #expect(main.classNamed("PluginHost.PluginBundle") == PluginBundle.self)
        #expect(main.classNamed("NoSuchClass") == nil)
    }

    @Test("general.m") func bundlesAreFoundByTheirIdentifiers() throws {
        let tree = try Self.tree()
        let bundle = try #require(PluginBundle(path: tree("Resources/TestBundle.bundle")))
        #expect(bundle.executablePath == tree("Resources/TestBundle.bundle/TestBundle"))
        #expect(PluginBundle(identifier: "Test Bundle Identifier 1") === bundle)
        #expect(PluginBundle(identifier: "Test Bundle Identifier 2") == nil)
    }

    @Test("resources.m") func resourcesBesideTheFolderAreFound() throws {
        let tree = try Self.tree()
        let bundle = try #require(PluginBundle(path: tree.path))
        #expect(bundle.paths(forResourcesOfType: "m", inDirectory: nil) == [tree("basic.m"), tree("create.m")])
        #expect(bundle.path(forResource: "hiwelf0-2", ofType: nil, inDirectory: nil) == nil)
        #expect(bundle.path(forResource: "hiwelf0-2", ofType: nil) == nil)
        #expect(bundle.path(forResource: nil, ofType: "tiff") == nil)
        #expect(bundle.path(forResource: "hiwelf0-2", ofType: "") == nil)
        #expect(bundle.path(forResource: "", ofType: "tiff") == nil)
        #expect(bundle.resourcePath == tree("Resources"))
    }

    @Test("resources.m") func resourcesOfADirectoryAreFound() throws {
        let tree = try TemporaryTree([
            "B/Resources/NSTimeZones/abbreviations.plist": "", "B/Resources/NSTimeZones/README.m": "",
            "B/Resources/NSTimeZones/abbreviations": "",
        ])
        let zones = tree("B/Resources/NSTimeZones")
        #expect(
            PluginBundle.path(forResource: "abbreviations", ofType: "plist", inDirectory: zones)
                == zones + "/abbreviations.plist")
        let bundle = try #require(PluginBundle(path: tree("B")))
        #expect(bundle.paths(forResourcesOfType: "m", inDirectory: "NSTimeZones") == [zones + "/README.m"])
        func find(_ name: String, _ type: String?, _ directory: String?) -> String? {
            bundle.path(forResource: name, ofType: type, inDirectory: directory)
        }
        #expect(find("abbreviations", "plist", "NSTimeZones") == zones + "/abbreviations.plist")
        #expect(find("abbreviations", "8nicola8", "NSTimeZones") == nil)
        #expect(find("abbreviations", "plist", "NSTimeZones_dummy") == nil)
        #expect(find("abbreviations", nil, "NSTimeZones") == zones + "/abbreviations")
        #expect(find("whasssdlkf", nil, "NSTimeZones") == nil)
        #expect(find("NSTimeZones", nil, nil) == zones)
    }

    @Test("resources2.m", arguments: ["TestBundle.bundle", "TestFramework.framework"])
    func localisedResourcesAreListedForEachLanguage(name: String) async throws {
        await #expect(processExitsWith: .success) { [name] in
            HostEnvironment.current.preferredLanguages = ["English"]
            let tree = try GNUstepBundleTests.tree()
            let path = tree("Resources/" + name)
            guard let bundle = PluginBundle(path: path) else { preconditionFailure("\(name) opens") }
            let global = path + "/Resources/NonLocalRes.txt"
            let english = path + "/Resources/English.lproj/TextRes.txt"
            let all = bundle.paths(forResourcesOfType: "txt", inDirectory: nil)
            precondition(all == [global, english])
            precondition(PluginBundle.paths(forResourcesOfType: "txt", inDirectory: path) == all)
            func list(_ language: String) -> [String] {
                bundle.paths(forResourcesOfType: "txt", inDirectory: nil, forLocalization: language)
            }
            precondition(list("English") == [global, english] && list("en") == [global, english])
            precondition(list("German") == [global, path + "/Resources/de.lproj/TextRes.txt"])
            precondition(bundle.localizedString(forKey: "test", value: "not-found", table: nil) == "42")
        }
    }
}

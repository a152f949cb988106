import DemoAPI
import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Finding bundles, and the classes that belong to them.
@Suite struct BundleObjects {
    @Test func oneDirectoryHasOneObjectUnderEverySpellingOfItsPath() throws {
        let fixture = try BundleFixture("Spelled", code: .none)
        let bundle = try PluginBundle.open(path: fixture.path)
        let link = Workspace.temporary.appending(path: "link-\(UUID().uuidString).bundle")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.url)
        #expect(PluginBundle(path: fixture.path + "/") === bundle)
        #expect(PluginBundle(path: fixture.path + "/Contents/..") === bundle)
        #expect(PluginBundle(path: fixture.path.replacing("/bundles/", with: "/./bundles//")) === bundle)
        #expect(PluginBundle(path: link.path) === bundle)
        #expect(PluginBundle(url: fixture.url) === bundle)
        #expect(PluginBundle.allBundles.contains(bundle))
    }

    @Test func aPathWithoutADirectoryIsNilAndTellsWhy() throws {
        let file = Workspace.temporary.appending(path: "file.bundle")
        try "x".write(to: file, atomically: true, encoding: .utf8)
        #expect(PluginBundle(path: "/does/not/exist.bundle") == nil)
        #expect(PluginBundle(path: file.path) == nil)
        #expect(PluginBundle(path: "") == nil)
        #expect(PluginBundle(path: "a\0b") == nil)
        let missing = #expect(throws: PluginError.self) { try PluginBundle.open(path: "/does/not/exist.bundle") }
        #expect(missing?.code == .bundleNotFound)
        #expect(
            missing?.description == "The bundle “/does/not/exist.bundle”: There is no bundle directory at "
                + "“/does/not/exist.bundle”: No such file or directory. Check the path and the permissions of the "
                + "directories above it.")
        let notDirectory = #expect(throws: PluginError.self) { try PluginBundle.open(path: file.path) }
        #expect(notDirectory?.description.contains("a regular file, not a directory") == true)
    }

    @Test func anIdentifierFindsALoadedBundleFirstThenTheHighestVersionThenTheLastOpened() throws {
        func fixture(_ version: String, _ code: BundleFixture.Code = .none) throws -> PluginBundle {
            try PluginBundle.open(
                path: BundleFixture(
                    "Versioned", info: ["CFBundleIdentifier": "org.example.versions", "CFBundleVersion": version],
                    code: code
                ).path)
        }
        let old = try fixture("1.9", .c(Source.good + "/* versioned */"))
        let high = try fixture("1.10")
        let same = try fixture("1.10.0")
        #expect(PluginBundle(identifier: "org.example.versions") === same)
        try old.loadAndReturnError()
        #expect(PluginBundle(identifier: "org.example.versions") === old)
        #expect(PluginBundle(identifier: "org.example.nobody") == nil)
        withExtendedLifetime(high) {}
    }

    static let classes = """
        import PluginABI
        public class First: Plugin { public required init(context: PluginContext) throws {} }
        final class Reporter: First {
            final class Inner {}
        }
        final class Generic<T> {}
        @c(plugin_entry)
        public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { plugin in
                plugin.register(Reporter.self)
                plugin.register(First.self, as: "Alias")
            }
        }
        """

    @Test func classesOfTwoBundlesWithOneModuleNameAreKeptApart() throws {
        let first = try PluginBundle.open(path: BundleFixture("SameModule", code: .swift(Self.classes)).path)
        let second = try PluginBundle.open(path: BundleFixture("SameModule", code: .swift(Self.classes)).path)
        let one: AnyClass = try #require(first.classNamed("Reporter"))
        let two: AnyClass = try #require(second.classNamed("Reporter"))
        #expect(ObjectIdentifier(one) != ObjectIdentifier(two))
        #expect(PluginBundle(for: one) === first)
        #expect(PluginBundle(for: two) === second)
        for name in ["SameModule.Reporter", "Reporter"] { #expect(first.classNamed(name).map { $0 == one } == true) }
        let alias: AnyClass = try #require(first.classNamed("Alias"))
        #expect(first.classNamed("First").map { $0 == alias } == true)
        let inner: AnyClass = try #require(first.classNamed("Reporter.Inner"))
        #expect(first.classNamed("SameModule.Reporter.Inner").map { $0 == inner } == true)
        #expect(PluginBundle(for: inner) === first)
        for name in ["Nobody", "Generic", "NSObject", "Foundation.NSObject", "PluginBundle", "", "."] {
            #expect(first.classNamed(name) == nil, "\(name)")
        }
    }

    @Test func aHostsClassBelongsToTheMainBundle() {
        final class Own {}
        #expect(PluginBundle(for: Own.self) === PluginBundle.main)
    }

    @Test func thePrincipalClassIsThatOfTheKeyElseTheFirstRegistered() throws {
        let first = try PluginBundle.open(path: BundleFixture("Principal1", code: .swift(Self.classes)).path)
        #expect(first.principalClass.map { "\($0)" } == "Reporter")
        for (name, expected) in [
            ("First", "First"), ("Principal2.First", "First"), ("Reporter.Inner", "Inner"), ("Alias", "First"),
        ] {
            let bundle = try PluginBundle.open(
                path: BundleFixture("Principal2", info: ["NSPrincipalClass": name], code: .swift(Self.classes)).path)
            #expect(bundle.principalClass.map { "\($0)" } == expected)
        }
        let missing = try PluginBundle.open(
            path: BundleFixture("Principal3", info: ["NSPrincipalClass": "Nobody"], code: .swift(Self.classes)).path)
        #expect(missing.principalClass == nil)
        let error = #expect(throws: PluginError.self) { try missing.makePrincipal(as: (any Plugin).self) }
        #expect(error?.code == .principalClassMissing)
        #expect(error?.subject == "Nobody")
        #expect(error?.findings[0].remedy.contains("the bundle has “Principal3.") == true)
    }

    /// The check reads the classes from the file, and runs no code.
    @Test func aMisspeltPrincipalClassIsAWarningOfTheCheck() throws {
        func finding(_ name: String) throws -> PluginFinding? {
            let bundle = try PluginBundle.open(
                path: BundleFixture("Principal5", info: ["NSPrincipalClass": name], code: .swift(Self.classes)).path)
            let found = bundle.findings().filter { $0.code == .principalClassMissing }
            #expect(found.count < 2 && !bundle.isLoaded)
            return found.first
        }
        for name in ["Reporter", "Principal5.Reporter", "Reporter.Inner", "Principal5.Reporter.Inner"] {
            #expect(try finding(name) == nil, "\(name)")
        }
        let slip = try #require(try finding("Reportr"))
        #expect(slip.severity == .warning && slip.subject == "NSPrincipalClass")
        #expect(slip.filePath?.hasSuffix("Info.plist") ?? false)
        #expect(slip.message.contains("“Reportr”, but “") && slip.message.hasSuffix("defines no class with that name."))
        #expect(slip.remedy.hasPrefix("Did you mean “Reporter”?"))
        #expect(try finding("Principal5.Reportr")?.remedy.hasPrefix("Did you mean “Principal5.Reporter”?") ?? false)
        #expect(try finding("Inner") != nil && finding("Other.Reporter") != nil)
        #expect(try finding("Conductor")?.remedy.hasPrefix("Write one of “Principal5.First”, ") ?? false)
    }

    @Test func aPrincipalOfAnotherTypeThanRequestedIsAnError() throws {
        let bundle = try PluginBundle.open(path: BundleFixture("Principal4", code: .swift(Self.classes)).path)
        _ = try bundle.makePrincipal(as: (any Plugin).self)
        let error = #expect(throws: PluginError.self) { try bundle.makePrincipal(as: (any TextFilter).self) }
        #expect(error?.code == .principalClassMissing)
        #expect(error?.description.contains("it is no TextFilter") == true)
    }

    @Test func theNotificationBringsTheClassNamesInTheOrderOfTheFile() throws {
        let path = try BundleFixture("Announced", code: .swift(Self.classes)).path
        nonisolated(unsafe) var names: [[String]] = []
        let bundle = try PluginBundle.open(path: path)
        let observer = NotificationCenter.default.addObserver(
            forName: PluginBundle.didLoadNotification, object: bundle, queue: nil
        ) { note in
            if let found = note.userInfo?[PluginBundle.loadedClassesKey] as? [String] { names.append(found) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try bundle.loadAndReturnError()
        #expect(names == [["Announced.First", "Announced.Reporter", "Announced.Reporter.Inner"]])
        #expect(PluginBundle.didLoadNotification.rawValue == "NSBundleDidLoadNotification")
        #expect(PluginBundle.loadedClassesKey == "NSLoadedClasses")
    }

    @Test func theSequenceOfLoadsGivesEachLoadOnce() async throws {
        let bundle = try PluginBundle.open(path: BundleFixture("Streamed", code: .swift(Self.classes)).path)
        var loads = PluginBundle.loads.makeAsyncIterator()
        try bundle.loadAndReturnError()
        while let event = await loads.next() {
            guard event.bundle === bundle else { continue }  // other tests load too
            #expect(event.classNames.first == "Announced.First" || event.classNames.first == "Streamed.First")
            break
        }
    }
}

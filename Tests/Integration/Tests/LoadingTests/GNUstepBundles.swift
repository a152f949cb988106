import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// What GNUstep expects of an NSBundle with code, in our words.
///
/// The source is Tests/base/NSBundle in gnustep/libs-base: load/load.m, and the classes of resources2.m and general.m.
/// GNUstepBundleTests has the rest.
@Suite struct GNUstepBundles {
    private static func source(_ name: String) -> String {
        """
        import PluginABI
        public final class \(name): Plugin {
            public required init(context: PluginContext) throws {}
        }
        @c(plugin_entry)
        public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { $0.register(\(name).self) }
        }
        """
    }

    /// A bundle in the layout of GNUstep's make files; `code` is the place of the executable in it.
    private func install(_ directory: String, resources: String, code: String, _ name: String) throws -> URL {
        let built = try BundleFixture(name, code: .swift(Self.source(name))).executable
        let root = Workspace.temporary.appending(path: "gnustep/\(UUID().uuidString)/\(directory)")
        for folder in [root.appending(path: resources), root.appending(path: code).deletingLastPathComponent()] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(at: built, to: root.appending(path: code))
        try "{ CFBundleIdentifier = \"org.gnustep.\(name)\"; NSExecutable = \(name); NSPrincipalClass = \(name); }"
            .write(
                to: root.appending(path: resources + "/Info-gnustep.plist"), atomically: false, encoding: .utf8)
        return root
    }

    @Test("load/load.m") func aBundleIsLoadedAndItsClassesAreUsed() throws {
        let root = try install("TestBundle.bundle", resources: "Resources", code: "TestBundle", "TestBundle")
        let bundle = try #require(PluginBundle(path: root.path))
        #expect(bundle.bundlePath == root.path)
        #expect(bundle.resourcePath == root.appending(path: "Resources").path)
        #expect(bundle.infoDictionary?.count == 3 && bundle.executablePath == root.appending(path: "TestBundle").path)
        #expect(bundle.load())
        let type: AnyClass = try #require(bundle.classNamed("TestBundle"))
        #expect(String(describing: type) == "TestBundle")
        #expect(bundle.principalClass == type)
        _ = try bundle.makePrincipal(as: (any Plugin).self)
        #expect(PluginBundle(for: type) === bundle)
        #expect(PluginBundle.allBundles.contains(bundle))
        #expect(PluginBundle(identifier: "org.gnustep.TestBundle") === bundle)
    }

    @Test("resources2.m") func classesOfAVersionedFrameworkAreUsed() throws {
        let version = "Versions/2/"
        let root = try install(
            "TestFramework.framework", resources: version + "Resources", code: version + "libTestFramework.so.2",
            "TestFramework")
        for (link, target) in [("Versions/Current", "2"), ("Resources", "Versions/Current/Resources")] {
            try FileManager.default.createSymbolicLink(
                atPath: root.appending(path: link).path, withDestinationPath: target)
        }
        let bundle = try #require(PluginBundle(path: root.path))
        try bundle.loadAndReturnError()
        let type: AnyClass = try #require(bundle.classNamed("TestFramework"))
        #expect(PluginBundle(for: type) === bundle && bundle.principalClass == type)
        #expect(PluginBundle.allFrameworks.contains(bundle))
    }
}

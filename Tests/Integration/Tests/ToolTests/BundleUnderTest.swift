import Fixtures
import Foundation
import PluginHost
import PluginTesting
import Testing

/// The test kit assembles the bundle under test of the same files as `pluginhost pack`.
@Suite struct BundleUnderTest {
    private func files(in bundle: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: bundle) {
            files[path] = FileManager.default.contents(atPath: "\(bundle)/\(path)")
        }
        return files
    }

    @Test(.testHost, arguments: ["Reporter", "Typography", "Charts", "Checksum", "Template", "Wordlist"])
    func aSampleHasTheFilesOfThePackedOne(_ name: String) throws {
        let assembled = try PluginBundle.underTest(name, source: "../../Plugins/\(name)")
        let packed = try Workspace.samplePlugins.get().appending(path: "\(name).bundle").path
        var (made, expected) = (try files(in: assembled.bundlePath), try files(in: packed))
        // The packer adds what a host needs none of to load: the compiled form of tables, the code's note, and the
        // interfaces that it was compiled against.
        expected = expected.filter { !$0.key.hasSuffix(".compiled-strings") }
        let path = "Contents/Info.plist"
        let lists = try [made, expected].map { files in
            let data = try #require(files[path])
            let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            let shared = try #require(list).filter { !["PHBuiltFor", "PHInterfaces"].contains($0.key) }
            return NSDictionary(dictionary: shared)
        }
        #expect(lists[0] == lists[1])
        made[path] = nil
        expected[path] = nil
        #expect(made.keys.sorted() == expected.keys.sorted())
        #expect(made == expected)
    }
}

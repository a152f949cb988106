import Fixtures
import Foundation
import Testing

/// `pluginhost pack --build --scratch-path`: the named package is built, whichever package was built in the folder before.
@Suite struct SharedBuildFolderTests {
    private let folder: URL

    init() throws {
        folder = Workspace.temporary.appending(path: "shared-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Writes the package of a plug-in in C, which prints a text.
    private func write(_ name: String, printing text: String) throws {
        let header = Workspace.project.appending(path: "Sources/CPluginSupport/include").path
        let source = PluginSource.good.replacing("the plug-in prints", with: text)
        let files = [
            "Package.swift": """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "\(name)", products: [.library(name: "\(name)", type: .dynamic, targets: ["\(name)"])],
                targets: [.target(name: "\(name)", cSettings: [.unsafeFlags(["-I", "\(header)"])])])
            """,
            "Info.plist":
                "{ CFBundleIdentifier = \"org.example.\(name)\"; CFBundleVersion = 1; NSExecutable = \(name); }",
            "Sources/\(name)/include/\(name).h": "",
            "Sources/\(name)/plugin.c": "#include \"plugin_abi.h\"\nPLUGIN_DECLARE_NOTE;\n\(source)\n",
        ]
        for (path, content) in files {
            let file = folder.appending(path: "\(name)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            // A file that did not change keeps its time, as in an author's folder.
            if try FileManager.default.fileExists(atPath: file.path)
                && String(contentsOf: file, encoding: .utf8) == content
            {
                continue
            }
            try content.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    /// Packs a plug-in, and returns its code.
    private func packed(_ name: String) throws -> Data {
        let pack = try PluginHostTool.run(
            "pack", "--build", "--scratch-path", folder.appending(path: "build").path, "--output", folder.path,
            folder.appending(path: name).path)
        #expect(pack.status == 0, "\(pack)")
        return try Data(contentsOf: folder.appending(path: "\(name).bundle/Contents/Linux/\(name)"))
    }

    @Test func theChangedPackageIsBuiltAfterAnotherOne() throws {
        try write("One", printing: "first")
        try write("Two", printing: "second")
        _ = try packed("Two")
        _ = try packed("One")
        try write("Two", printing: "changed")
        #expect(try packed("Two").range(of: Data("changed".utf8)) != nil)
        try write("One", printing: "another")
        #expect(try packed("One").range(of: Data("another".utf8)) != nil)
    }
}

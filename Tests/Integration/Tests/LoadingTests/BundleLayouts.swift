import Fixtures
import Foundation
import PluginHost
import Testing

/// Code loads from every layout, even if links were lost.
///
/// The library's own tests check where things are found without loading.
@Suite struct BundleLayouts {
    /// A directory of a test's own with a bundle in it; its code is placed as in the layout.
    private struct Tree {
        let root = Workspace.temporary.appending(path: "layouts/\(UUID().uuidString)")

        func write(_ name: String, _ content: String) throws {
            let file = try directory(of: name)
            try content.write(to: file, atomically: false, encoding: .utf8)
        }

        func link(_ name: String, to target: String) throws {
            let file = try directory(of: name)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
        }

        /// A separate file each time, because a process loads one file only once.
        func writeCode(_ name: String) throws {
            let fixture = try BundleFixture("Laid", code: .c(Source.good + "/* laid out */"))
            let file = try directory(of: name)
            try FileManager.default.copyItem(at: fixture.executable, to: file)
        }

        private func directory(of name: String) throws -> URL {
            let file = root.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            return file
        }
    }

    private static let info = "{ CFBundleIdentifier = org.example.laid; NSExecutable = X; }"

    /// Expects that a bundle in a tree of files loads.
    ///
    /// `bundle`: the bundle's path in the tree. `list`: its Info.plist. `code`: its executable.
    private func expectLoad(
        _ bundle: String, list: String, code: String, links: [(String, String)] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let tree = Tree()
        try tree.write(list, Self.info)
        try tree.writeCode(code)
        for (link, target) in links { try tree.link(link, to: target) }
        let loaded = try PluginBundle.open(path: tree.root.appending(path: bundle).path)
        try loaded.preflight()
        try loaded.loadAndReturnError()
        #expect(loaded.isLoaded && loaded.bundleIdentifier == "org.example.laid", sourceLocation: sourceLocation)
        #expect(loaded.registrations.map(\.name).sorted() == ["Thing", "entry_calls"], sourceLocation: sourceLocation)
    }

    @Test func codeLoadsFromEveryKindOfBundle() throws {
        try expectLoad("X.bundle", list: "X.bundle/Contents/Info.plist", code: "X.bundle/Contents/Linux/X")
        try expectLoad("X.bundle", list: "X.bundle/Contents/Info-linux.plist", code: "X.bundle/Contents/libX.so")
        try expectLoad("X.bundle", list: "X.bundle/Resources/Info-gnustep.plist", code: "X.bundle/X")
        try expectLoad("X.bundle", list: "X.bundle/Support Files/Info.plist", code: "X.bundle/Support Files/Linux/X.so")
        try expectLoad("X.bundle", list: "X.bundle/Info.plist", code: "X.bundle/X.so")
        try expectLoad("X.bundle", list: "X.bundle/contents/Info.plist", code: "X.bundle/contents/Linux/X")
    }

    @Test func codeLoadsFromFrameworksWithAndWithoutTheirLinks() throws {
        let list = "X.framework/Versions/0/Resources/Info.plist"
        try expectLoad(
            "X.framework", list: list, code: "X.framework/Versions/0/libX.so.1.2",
            links: [
                ("X.framework/Versions/Current", "0"), ("X.framework/Resources", "Versions/Current/Resources"),
                ("X.framework/X", "Versions/Current/X"), ("X.framework/Versions/0/X", "libX.so"),
                ("X.framework/Versions/0/libX.so", "libX.so.1"), ("X.framework/Versions/0/libX.so.1", "libX.so.1.2"),
            ])
        try expectLoad("X.framework", list: list, code: "X.framework/Versions/0/libX.so.0")
        try expectLoad("X.framework", list: "X.framework/Resources/Info.plist", code: "X.framework/Versions/A/X")
    }

    @Test func codeLoadsFromWrappedBundlesAndBesideResources() throws {
        try expectLoad(
            "W.app", list: "W.app/Wrapper/X.app/Info.plist", code: "W.app/Wrapper/X.app/X",
            links: [("W.app/WrappedBundle", "Wrapper/X.app")])
        try expectLoad("lib/X.resources", list: "lib/X.resources/Info.plist", code: "lib/libX.so")
        try expectLoad("share/X.resources", list: "share/X.resources/Info.plist", code: "lib/libX.so")
    }

    @Test func codeOutsideIsRefusedThoughResourcesOutsideAreRead() throws {
        let tree = Tree()
        try tree.write("share/X/Info-gnustep.plist", Self.info)
        try tree.write("share/X/en.lproj/Localizable.strings", "a = A;")
        try tree.writeCode("share/X/libX.so")
        try tree.link("lib/X.app/Resources", to: "../../share/X")
        try tree.link("lib/X.app/X", to: "Resources/libX.so")
        let bundle = try PluginBundle.open(path: tree.root.appending(path: "lib/X.app").path)
        #expect(bundle.localizedString(forKey: "a", value: nil, table: nil) == "A")
        let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(error?.code == .executableOutsideBundle)
    }

    @Test func theArchitecturesAreThoseOfTheExecutableAndNilWithoutOne() throws {
        let code = try PluginBundle.open(path: BundleFixture("Machine", code: .c(Source.good)).path)
        let none = try PluginBundle.open(path: BundleFixture("Machine", code: .none).path)
        #expect(code.executableArchitectures?.count == 1)
        #if arch(x86_64)
        #expect(code.executableArchitectures == [0x0100_0007])
        #elseif arch(arm64)
        #expect(code.executableArchitectures == [0x0100_000C])
        #endif
        #expect(none.executableArchitectures == nil)
        #expect(!none.unload())
    }
}

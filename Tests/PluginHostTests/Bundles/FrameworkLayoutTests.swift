import TestSupport
import Testing

@testable import PluginHost

/// Frameworks: with versions, with the links that lead to them, and in the forms that remain if packing loses
/// those links.
@Suite struct FrameworkLayoutTests {
    private static let info = "{ CFBundleIdentifier = org.example.X; CFBundleExecutable = X; }"

    private func framework(_ files: [String: String], links: [String: String] = [:]) throws -> (
        PluginBundle, TemporaryTree
    ) {
        let tree = try TemporaryTree()
        for (name, content) in files { try tree.write("X.framework/" + name, content) }
        for (name, target) in links { try tree.link("X.framework/" + name, to: target) }
        return (try PluginBundle.open(path: tree("X.framework")), tree)
    }

    /// Checks that the identifier, the executable and a localised string are found, and where the first two are.
    private func expect(
        _ files: [String: String], links: [String: String] = [:], info: String, executable: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (bundle, tree) = try framework(files, links: links)
        #expect(bundle.bundleIdentifier == "org.example.X", sourceLocation: sourceLocation)
        #expect(bundle.manifestPath == tree("X.framework/" + info), sourceLocation: sourceLocation)
        #expect(bundle.executablePath == tree("X.framework/" + executable), sourceLocation: sourceLocation)
        #expect(try bundle.openExecutable().path == bundle.executablePath, sourceLocation: sourceLocation)
        let string = bundle.localizedString(forKey: "a", value: nil, table: nil)
        #expect(string == "A", sourceLocation: sourceLocation)
        withExtendedLifetime(tree) {}
    }

    private static let strings = "en.lproj/Localizable.strings"

    @Test func versionsAreReachedThroughTheLinksOnTop() throws {
        try expect(
            [
                "Versions/A/Resources/Info.plist": Self.info, "Versions/A/Resources/\(Self.strings)": "a = A;",
                "Versions/A/X": "",
            ],
            links: ["Versions/Current": "A", "Resources": "Versions/Current/Resources", "X": "Versions/Current/X"],
            info: "Resources/Info.plist", executable: "X")
    }

    @Test func versionsAreReachedThroughCurrentAlone() throws {
        try expect(
            [
                "Versions/1/Resources/Info.plist": Self.info, "Versions/1/Resources/\(Self.strings)": "a = A;",
                "Versions/1/X": "", "Versions/2/Resources/Info.plist": "{ CFBundleIdentifier = newer; }",
            ],
            links: ["Versions/Current": "1"], info: "Versions/Current/Resources/Info.plist",
            executable: "Versions/Current/X")
    }

    @Test func lostLinks1_theExecutableOnlyInTheVersionAndResourcesOnTop() throws {
        try expect(
            ["Resources/Info.plist": Self.info, "Resources/\(Self.strings)": "a = A;", "Versions/A/X": ""],
            info: "Resources/Info.plist", executable: "Versions/A/X")
        try expect(
            [
                "Resources/Info.plist": Self.info, "Resources/\(Self.strings)": "a = A;", "Versions/A/X": "",
                "Versions/A/Resources/Info.plist": Self.info,
            ],
            info: "Resources/Info.plist", executable: "Versions/A/X")
    }

    @Test func lostLinks2_everythingInBothPlaces() throws {
        var files: [String: String] = [:]
        for prefix in ["", "Versions/A/", "Versions/Current/"] {
            files[prefix + "Resources/Info.plist"] = Self.info
            files[prefix + "Resources/" + Self.strings] = "a = A;"
            files[prefix + "X"] = ""
        }
        try expect(files, info: "Resources/Info.plist", executable: "X")
    }

    @Test func lostLinks3_onlyTheVersionBesideHeaders() throws {
        try expect(
            [
                "Versions/A/Resources/Info.plist": Self.info, "Versions/A/Resources/\(Self.strings)": "a = A;",
                "Versions/A/X": "", "Headers/X.h": "",
            ],
            info: "Versions/A/Resources/Info.plist", executable: "Versions/A/X")
    }

    @Test func lostLinks4_flatBesideResourcesWithLanguages() throws {
        try expect(
            ["Info.plist": Self.info, "X": "", "Resources/\(Self.strings)": "a = A;", "Libraries/libGL.dylib": ""],
            info: "Info.plist", executable: "X")
    }

    @Test func lostLinks5_nothingOutsideOfTheVersion() throws {
        try expect(
            [
                "Versions/A/Resources/Info.plist": Self.info, "Versions/A/Resources/\(Self.strings)": "a = A;",
                "Versions/A/X": "",
            ],
            info: "Versions/A/Resources/Info.plist", executable: "Versions/A/X")
    }

    @Test func linksThatWereUnpackedAsTextAreNotLinks() throws {
        try expect(
            [
                "Versions/A/Resources/Info.plist": Self.info, "Versions/A/Resources/\(Self.strings)": "a = A;",
                "Versions/A/X": "", "Versions/Current": "A", "Resources": "Versions/Current/Resources",
                "X": "Versions/Current/X",
            ],
            info: "Versions/A/Resources/Info.plist", executable: "Versions/A/X")
    }

    @Test(arguments: [(["9", "10"], "10"), (["A", "B"], "B"), (["1.9", "1.10", "0"], "1.10")])
    func ofSeveralVersionsWithoutCurrentTheHighestCounts(versions: [String], highest: String) throws {
        var files: [String: String] = [:]
        for version in versions {
            files["Versions/\(version)/Resources/Info.plist"] = "{ CFBundleShortVersionString = \"\(version)\"; }"
        }
        let (bundle, _) = try framework(files)
        #expect(bundle.manifest.shortVersion == highest)
    }

    @Test func aFrameworkInstalledWithoutItsDevelopersLinksHasAnExecutable() throws {
        try expect(
            [
                "Versions/0/Resources/Info-gnustep.plist": Self.info, "Versions/0/Resources/\(Self.strings)": "a = A;",
                "Versions/0/libX.so.0.1.1": "",
            ],
            links: ["Versions/0/libX.so.0": "libX.so.0.1.1"],
            info: "Versions/0/Resources/Info-gnustep.plist", executable: "Versions/0/libX.so.0.1.1")
    }

    @Test func versionsThatContainThemselvesEnd() throws {
        let (bundle, _) = try framework(["a.txt": ""], links: ["Versions": ".", "Current": "."])
        #expect(bundle.manifestError?.code == .manifestUnreadable)
    }

    @Test func aFrameworksOwnFrameworksAndPlugInsAreFoundInItsVersion() throws {
        let (bundle, tree) = try framework([
            "Versions/A/Resources/Info.plist": Self.info,
            "Versions/A/Frameworks/Y.framework/Resources/Info.plist": "{}",
            "Versions/A/PlugIns/Z.bundle/Contents/Info.plist": "{ CFBundleIdentifier = z; }",
        ])
        #expect(bundle.privateFrameworksPath == tree("X.framework/Versions/A/Frameworks"))
        let plugIns = try #require(bundle.builtInPlugInsPath)
        let nested = PluginCatalog(searchPaths: [plugIns], options: .init(index: .none)).candidates
        #expect(nested.map(\.identifier) == ["z"])
    }

    @Test func aLibraryBelongsToTheInnermostFrameworkAroundIt() throws {
        let tree = try TemporaryTree([
            "A.framework/Versions/A/Frameworks/B.framework/Versions/1/libB.so.1": "", "lib/other.so": "",
        ])
        try tree.link("lib/libB.so.1", to: "../A.framework/Versions/A/Frameworks/B.framework/Versions/1/libB.so.1")
        let inner = tree("A.framework/Versions/A/Frameworks/B.framework")
        let direct = BundleOpening.framework(containing: inner + "/Versions/1/libB.so.1")
        #expect(direct?.bundlePath == inner)
        #expect(BundleOpening.framework(containing: tree("lib/libB.so.1")) === direct)
        #expect(BundleOpening.framework(containing: tree("lib/other.so")) == nil)
        let all = PluginBundle.allFrameworks
        #expect(try all.contains(#require(direct)))
        #expect(!PluginBundle.allBundles.contains { $0.bundlePath == inner })
    }
}

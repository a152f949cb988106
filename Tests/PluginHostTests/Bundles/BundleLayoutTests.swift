import BundleReading
import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Every layout of docs/bundle-format.md, and the forms of installed bundles.
///
/// The executables are plain files: these tests only check that they are found.
@Suite struct BundleLayoutTests {
    private static let info = "{ CFBundleIdentifier = org.example.X; NSExecutable = X; }"

    /// The facts about a bundle after it was opened.
    private struct Found: Equatable {
        var layout: String
        var info: String?
        var executable: String?
        var resources: String?
    }

    private func bundle(_ tree: TemporaryTree, _ name: String) throws -> PluginBundle {
        try PluginBundle.open(path: tree(name))
    }

    private func found(_ bundle: PluginBundle) -> Found {
        func relative(_ path: String?) -> String? {
            path.map { $0 == bundle.bundlePath ? "" : String($0.dropFirst(bundle.bundlePath.count + 1)) }
        }
        return Found(
            layout: bundle.layoutName, info: bundle.manifestError == nil ? relative(bundle.manifestPath) : nil,
            executable: relative(bundle.executablePath), resources: relative(bundle.resourcePath))
    }

    // MARK: The kinds

    @Test(arguments: ["Linux", "Linux-\(BundleLayout.machine)", "\(BundleLayout.machine)-linux", ""])
    func contentsHoldsCodeForThisSystemAndMachine(place: String) throws {
        let directory = place.isEmpty ? "Contents" : "Contents/" + place
        let tree = try TemporaryTree([
            "X.bundle/Contents/Info.plist": Self.info, "X.bundle/\(directory)/X": "",
            "X.bundle/Contents/Resources/a.txt": "",
        ])
        #expect(
            found(try bundle(tree, "X.bundle"))
                == Found(
                    layout: "Contents", info: "Contents/Info.plist", executable: directory + "/X",
                    resources: "Contents/Resources"))
    }

    @Test func otherKindsAreKnownByTheirFolders() throws {
        let tree = try TemporaryTree([
            "O.app/Resources/Info-gnustep.plist": Self.info, "O.app/X": "",
            "S.bundle/Support Files/Info.plist": Self.info, "S.bundle/Support Files/X": "",
            "S.bundle/Support Files/Resources/a.txt": "",
            "F.bundle/Info.plist": Self.info, "F.bundle/X.so": "",
        ])
        #expect(
            found(try bundle(tree, "O.app"))
                == Found(
                    layout: "OpenStep", info: "Resources/Info-gnustep.plist", executable: "X", resources: "Resources")
        )
        #expect(
            found(try bundle(tree, "S.bundle"))
                == Found(
                    layout: "Support Files", info: "Support Files/Info.plist", executable: "Support Files/X",
                    resources: "Support Files/Resources"))
        #expect(
            found(try bundle(tree, "F.bundle"))
                == Found(layout: "flat", info: "Info.plist", executable: "X.so", resources: ""))
    }

    @Test func ofSeveralKindsAFrameworkPrefersResourcesAndOthersContents() throws {
        var files: [String: String] = [:]
        for root in ["X.framework", "X.bundle"] {
            for folder in ["Contents", "Resources", "Support Files"] {
                files["\(root)/\(folder)/Info.plist"] = Self.info
            }
        }
        let tree = try TemporaryTree(files)
        #expect(try bundle(tree, "X.framework").layoutName == "OpenStep")
        #expect(try bundle(tree, "X.bundle").layoutName == "Contents")
    }

    @Test func theFoldersOfTheRootAreKnownInAnyCase() throws {
        let tree = try TemporaryTree([
            "L.bundle/contents/Info.plist": Self.info, "L.bundle/contents/Linux/X": "",
            "U.bundle/RESOURCES/Info.plist": Self.info, "U.bundle/X": "",
            "B.bundle/CONTENTS/Info.plist": "{ CFBundleName = wrong; }",
            "B.bundle/Contents/Resources/a.txt": "", "B.bundle/Contents/Info-gnustep.plist": Self.info,
        ])
        #expect(
            found(try bundle(tree, "L.bundle"))
                == Found(
                    layout: "Contents", info: "contents/Info.plist", executable: "contents/Linux/X", resources: nil))
        #expect(
            found(try bundle(tree, "U.bundle"))
                == Found(layout: "OpenStep", info: "RESOURCES/Info.plist", executable: "X", resources: "RESOURCES"))
        // The usual spelling comes before all others.
        #expect(try bundle(tree, "B.bundle").manifestPath == tree("B.bundle/Contents/Info-gnustep.plist"))
    }

    @Test func aFileInThePlaceOfAFolderIsNotAFolder() throws {
        let tree = try TemporaryTree(["X.bundle/Contents": "", "X.bundle/Info.plist": Self.info, "X.bundle/X": ""])
        try tree.link("X.bundle/Resources", to: "nowhere")
        #expect(
            found(try bundle(tree, "X.bundle"))
                == Found(layout: "flat", info: "Info.plist", executable: "X", resources: ""))
    }

    @Test func infoGnustepIsReadOnlyWhereThereIsNoInfoPlist() throws {
        let tree = try TemporaryTree([
            "X.app/Resources/Info-gnustep.plist": "{ CFBundleIdentifier = gnustep; }",
            "X.app/Resources/Info.plist": "{ CFBundleIdentifier = general; }",
        ])
        #expect(try bundle(tree, "X.app").bundleIdentifier == "general")
    }

    // MARK: Resources beside the folder of resources

    /// What the package manager writes for `.copy("Resources")`, `.copy("Data")`, and `.process` of all others, with a
    /// defaultLocalization; the same in debug and release.
    private static let swiftPackage = [
        "P_T.resources/Info.plist": "{ CFBundleDevelopmentRegion = en; }", "P_T.resources/Resources/in.txt": "",
        "P_T.resources/Resources/both.txt": "", "P_T.resources/both.txt": "", "P_T.resources/beside.txt": "",
        "P_T.resources/Data/deep/x.dat": "", "P_T.resources/en.lproj/Localizable.strings": "hello = Hello;",
        "P_T.resources/fr.lproj/Localizable.strings": "hello = Bonjour;", "P_T.resources/fr.lproj/only.txt": "",
    ]

    @Test func ofOpenStepsLayoutTheRootIsSearchedAfterItsResources() throws {
        let tree = try TemporaryTree(Self.swiftPackage)
        let bundle = try bundle(tree, "P_T.resources")
        func find(_ name: String, _ type: String?, _ directory: String? = nil) -> String? {
            bundle.path(forResource: name, ofType: type, inDirectory: directory)
                .map { String($0.dropFirst(bundle.bundlePath.count + 1)) }
        }
        #expect(bundle.layoutName == "OpenStep" && bundle.resourcePath == tree("P_T.resources/Resources"))
        for _ in 0..<2 {
            #expect(find("in", "txt") == "Resources/in.txt")
            #expect(
                find("in", "txt", "Resources") == "Resources/in.txt"
                    && find("Resources/in", "txt") == "Resources/in.txt")
            #expect(find("beside", "txt") == "beside.txt" && find("both", "txt") == "Resources/both.txt")
            #expect(find("x", "dat", "Data/deep") == "Data/deep/x.dat" && find("x", "dat") == nil)
            #expect(find("Data", nil) == "Data" && find("../P_T.resources/beside", "txt") == nil)
        }
        let listed = bundle.paths(forResourcesOfType: "txt", inDirectory: nil).map(Path.lastComponent)
        #expect(listed == ["both.txt", "in.txt", "beside.txt"])
        // Files that are added or removed later are noticed in both.
        try tree.write("P_T.resources/late.txt")
        tree.remove("P_T.resources/Resources/both.txt")
        usleep(100)
        #expect(find("late", "txt") == "late.txt" && find("both", "txt") == "both.txt")
    }

    @Test func localisationsInTheRootOfOpenStepsLayoutCount() async throws {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(Self.swiftPackage)
            let bundle = try PluginBundle.open(path: tree("P_T.resources"))
            HostEnvironment.current.preferredLanguages = ["fr"]
            precondition(bundle.localizations == ["en", "fr"] && bundle.preferredLocalizations == ["fr"])
            precondition(bundle.localizedString(forKey: "hello", value: nil, table: nil) == "Bonjour")
            precondition(bundle.path(forResource: "only", ofType: "txt") == tree("P_T.resources/fr.lproj/only.txt"))
            HostEnvironment.current.preferredLanguages = ["en"]
            precondition(bundle.localizedString(forKey: "hello", value: nil, table: nil) == "Hello")
            precondition(bundle.path(forResource: "only", ofType: "txt") == nil)
        }
    }

    @Test func aPackagesProcessedResourcesAreFlat() throws {
        let tree = try TemporaryTree([
            "P_T.resources/Info.plist": "{ CFBundleDevelopmentRegion = en; }", "P_T.resources/plain.txt": "",
            "P_T.resources/en.lproj/Localizable.strings": "hello = Hello;",
        ])
        let bundle = try bundle(tree, "P_T.resources")
        #expect(bundle.layoutName == "flat" && bundle.resourcePath == bundle.bundlePath)
        #expect(bundle.path(forResource: "plain", ofType: "txt") == tree("P_T.resources/plain.txt"))
        #expect(bundle.localizations == ["en"])
    }

    // MARK: Wrapped

    @Test func aWrappedBundleIsReadThroughItsLink() throws {
        let tree = try TemporaryTree([
            "W.app/Wrapper/X.app/Info.plist": Self.info, "W.app/Wrapper/X.app/X": "",
            "W.app/Wrapper/X.app/en.lproj/Localizable.strings": "a = A;", "W.app/Wrapper/iTunesMetadata.plist": "",
        ])
        try tree.link("W.app/WrappedBundle", to: "Wrapper/X.app")
        let bundle = try bundle(tree, "W.app")
        #expect(
            found(bundle)
                == Found(
                    layout: "wrapped flat", info: "Wrapper/X.app/Info.plist", executable: "Wrapper/X.app/X",
                    resources: "Wrapper/X.app"))
        #expect(bundle.bundlePath == tree("W.app"))
        #expect(bundle.localizedString(forKey: "a", value: nil, table: nil) == "A")
    }

    @Test func aWrappingLinkThatLeavesTheBundleOrIsAbsoluteIsNotFollowed() throws {
        let tree = try TemporaryTree(["Other.app/Info.plist": Self.info, "A.app/Wrapper/X.app/Info.plist": Self.info])
        for name in ["Out.app", "Self.app", "Loop.app"] { try tree.write(name + "/Wrapper/a.txt") }
        try tree.link("Out.app/WrappedBundle", to: "../Other.app")
        try tree.link("Self.app/WrappedBundle", to: ".")
        try tree.link("Loop.app/WrappedBundle", to: "WrappedBundle")
        try tree.link("A.app/WrappedBundle", to: tree("A.app/Wrapper/X.app"))
        for name in ["Out.app", "Self.app", "Loop.app", "A.app"] {
            let bundle = try bundle(tree, name)
            #expect(bundle.layoutName == "flat")
            #expect(bundle.manifestError?.code == .manifestUnreadable)
        }
    }

    @Test func aBundleWithContentsIsNotWrapped() throws {
        let tree = try TemporaryTree([
            "A.app/Contents/Info.plist": "{ CFBundleIdentifier = outer; }", "A.app/Wrapper/X.app/Info.plist": Self.info,
            "B.app/Contents/Info-linux.plist": "{ CFBundleIdentifier = outer; }",
            "B.app/Wrapper/X.app/Info.plist": Self.info,
        ])
        for name in ["A.app", "B.app"] {
            try tree.link(name + "/WrappedBundle", to: "Wrapper/X.app")
            #expect(try bundle(tree, name).bundleIdentifier == "outer")
        }
    }

    // MARK: Resources beside a library or program

    @Test func resourcesAreFoundBesideTheirLibrary() throws {
        let tree = try TemporaryTree([
            "lib/X.resources/Info.plist": "{ CFBundleIdentifier = org.example.X; }", "lib/libX.so": "",
            "usr/share/Y.resources/Info.plist": "{ CFBundleIdentifier = org.example.Y; }", "usr/lib/libY.so": "",
            "usr/bin/Y": "",
        ])
        let beside = try bundle(tree, "lib/X.resources")
        #expect(beside.executablePath == tree("lib/libX.so"))
        #expect(beside.resourcePath == beside.bundlePath)
        #expect(try beside.openExecutable().path == tree("lib/libX.so"))
        #expect(try bundle(tree, "usr/share/Y.resources").executablePath == tree("usr/lib/libY.so"))
    }

    @Test func auxiliaryExecutablesAreInTheDirectoriesOfTheLayout() throws {
        let tree = try TemporaryTree([
            "usr/share/X.resources/a.txt": "", "usr/libexec/X.executables/helper": "",
            "usr/libexec/X.executables/libplain.so": "", "usr/libexec/Y.executables/other": "", "usr/lib/libX.so": "",
            "lib/Z.resources/libinner.so": "", "lib/beside": "", "lib/libexec/Z.executables/far": "",
            "B.bundle/Contents/Info.plist": Self.info, "B.bundle/Contents/Linux/tool": "",
        ])
        let installed = try bundle(tree, "usr/share/X.resources")
        #expect(installed.path(forAuxiliaryExecutable: "helper") == tree("usr/libexec/X.executables/helper"))
        #expect(installed.path(forAuxiliaryExecutable: "plain") == tree("usr/libexec/X.executables/libplain.so"))
        #expect(installed.path(forAuxiliaryExecutable: "other") == nil)
        #expect(installed.path(forAuxiliaryExecutable: "../Y.executables/other") == nil)
        let beside = try bundle(tree, "lib/Z.resources")
        #expect(beside.path(forAuxiliaryExecutable: "inner") == tree("lib/Z.resources/libinner.so"))
        #expect(beside.path(forAuxiliaryExecutable: "beside") == tree("lib/beside"))
        #expect(beside.path(forAuxiliaryExecutable: "far") == nil)
        #expect(
            try bundle(tree, "B.bundle").path(forAuxiliaryExecutable: "tool")
                == tree("B.bundle/Contents/Linux/tool"))
    }

    @Test func besideResourcesTooALinkMustNotLeaveTheLibrariesDirectory() throws {
        let tree = try TemporaryTree(["lib/X.resources/Info.plist": Self.info, "lib/libY.so.1": "", "other/Z": ""])
        try tree.link("lib/libX.so", to: "libY.so.1")
        let bundle = try bundle(tree, "lib/X.resources")
        #expect(try bundle.openExecutable().path == tree("lib/libX.so"))
        tree.remove("lib/libX.so")
        try tree.link("lib/libX.so", to: "../other/Z")
        let error = #expect(throws: PluginError.self) { _ = try bundle.openExecutable().path }
        #expect(error?.code == .executableOutsideBundle)
    }

    // MARK: Executables

    @Test(arguments: ["X", "X.so", "libX.so", "libX.so.1", "libX.so.1.2", "X.so.3"])
    func theExecutablesNameMayHaveWhatBuildSystemsAdd(name: String) throws {
        let tree = try TemporaryTree(["X.bundle/Contents/Info.plist": Self.info, "X.bundle/Contents/Linux/\(name)": ""])
        let bundle = try bundle(tree, "X.bundle")
        #expect(bundle.executablePath == tree("X.bundle/Contents/Linux/\(name)"))
        #expect(try bundle.openExecutable().path == bundle.executablePath)
    }

    @Test func ofVersionedLibrariesTheHighestIsTaken() throws {
        let tree = try TemporaryTree(["X.bundle/Info.plist": Self.info])
        for name in ["libX.so.2.9", "libX.so.2.10", "libX.so.9.debug", "libXY.so.11", "libX.so."] {
            try tree.write("X.bundle/" + name)
        }
        #expect(try bundle(tree, "X.bundle").executablePath == tree("X.bundle/libX.so.2.10"))
    }

    @Test func aChainOfLinksInsideTheBundleLeadsToTheExecutable() throws {
        let tree = try TemporaryTree([
            "X.framework/Versions/0/Resources/Info-gnustep.plist": Self.info, "X.framework/Versions/0/libX.so.1.2": "",
        ])
        for (link, target) in [
            ("Versions/Current", "0"), ("Resources", "Versions/Current/Resources"), ("X", "Versions/Current/X"),
            ("Versions/0/X", "libX.so"), ("Versions/0/libX.so", "libX.so.1"), ("Versions/0/libX.so.1", "libX.so.1.2"),
        ] { try tree.link("X.framework/" + link, to: target) }
        let bundle = try bundle(tree, "X.framework")
        let executable = try bundle.openExecutable()
        #expect(executable.path == tree("X.framework/X"))
        #expect(executable.file.resolvedPath == tree("X.framework/Versions/0/libX.so.1.2"))
        #expect(bundle.resourcePath == tree("X.framework/Resources"))
    }

    @Test func machineSpecificCodeIsFoundWithoutAnyInfoPlist() throws {
        let file = "Synth.vst3/Contents/\(BundleLayout.machine)-linux/Synth.so"
        let tree = try TemporaryTree([file: "", "Synth.vst3/Contents/Resources/a.txt": ""])
        let bundle = try bundle(tree, "Synth.vst3")
        #expect(bundle.executablePath == tree(file))
        #expect(bundle.manifestError?.code == .manifestUnreadable)
        #expect(bundle.bundleIdentifier == nil && bundle.infoDictionary?.isEmpty == true)
        #expect(bundle.path(forResource: "a", ofType: "txt") == tree("Synth.vst3/Contents/Resources/a.txt"))
    }

    @Test(arguments: ["${EXECUTABLE_NAME}", "$(EXECUTABLE_NAME)"])
    func anUnexpandedNameBesideARightOneIsIgnored(variable: String) throws {
        let tree = try TemporaryTree([
            "A.app/Resources/Info.plist": "{ CFBundleExecutable = \"\(variable)\"; NSExecutable = X; }", "A.app/X": "",
        ])
        #expect(try bundle(tree, "A.app").executablePath == tree("A.app/X"))
    }

    @Test func anApplicationWithoutItsExecutableOpensAndTellsSo() throws {
        let tree = try TemporaryTree(["A.app/Resources/Info-gnustep.plist": Self.info])
        let bundle = try bundle(tree, "A.app")
        #expect(bundle.executablePath == nil)
        let error = #expect(throws: PluginError.self) { _ = try bundle.openExecutable().path }
        #expect(error?.code == .executableMissing)
    }

    @Test func codeForAnotherSystemIsToldFromMissingCode() throws {
        let tree = try TemporaryTree(["A.app/Contents/Info.plist": Self.info, "A.app/Contents/MacOS/X": ""])
        let bundle = try bundle(tree, "A.app")
        let error = #expect(throws: PluginError.self) { _ = try bundle.openExecutable().path }
        #expect(error?.description.contains("code for macOS, in “\(tree("A.app/Contents/MacOS"))”") == true)
    }

    @Test func aBundleOfResourcesHasNoCodeAndNoFault() throws {
        let tree = try TemporaryTree([
            "R.bundle/Info.plist": "{ CFBundleIdentifier = org.example.R; }", "R.bundle/a.txt": "",
        ])
        let bundle = try bundle(tree, "R.bundle")
        #expect(bundle.executablePath == nil && bundle.findings().isEmpty)
        let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(error?.code == .notCode)
        #expect(bundle.principalClass == nil)
    }

    @Test func resourcesMayBeOutsideOfTheBundleButCodeMayNot() throws {
        let tree = try TemporaryTree([
            "share/A/Info-gnustep.plist": Self.info, "share/A/French.lproj/Localizable.strings": "a = A;",
            "lib/A.app/X": "", "share/code": "", "lib/B.app/x.txt": "",
        ])
        try tree.link("lib/A.app/Resources", to: "../../share/A")
        try tree.link("lib/B.app/Resources", to: "../../share/A")
        try tree.link("lib/B.app/X", to: "../../share/code")
        let good = try bundle(tree, "lib/A.app")
        #expect(good.bundleIdentifier == "org.example.X" && good.localizations == ["French"])
        #expect(try good.openExecutable().path == tree("lib/A.app/X"))
        let bad = try bundle(tree, "lib/B.app")
        #expect(bad.localizations == ["French"])
        let error = #expect(throws: PluginError.self) { _ = try bad.openExecutable().path }
        #expect(error?.code == .executableOutsideBundle)
    }

    @Test func aDirectoryNamedAsABundleNeedNotBeOne() throws {
        let tree = try TemporaryTree(["doc/gorm.app/changelog.gz": "", "lib/gorm.app/Resources/a.txt": ""])
        for path in ["doc/gorm.app", "lib/gorm.app"] {
            let bundle = try bundle(tree, path)
            #expect(bundle.executablePath == nil && bundle.bundleIdentifier == nil)
            #expect(bundle.manifestError?.code == .manifestUnreadable)
        }
    }
}

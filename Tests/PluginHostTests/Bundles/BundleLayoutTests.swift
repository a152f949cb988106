import Testing

@_spi(Tools) @testable import PluginHost

/// Every layout of docs/bundle-format.md, and the shapes in which installed bundles are met. The executables are plain
/// files: finding them is what is tested here.
@Suite struct BundleLayoutTests {
    private static let info = "{ CFBundleIdentifier = org.example.X; NSExecutable = X; }"

    /// What a bundle is like once it was opened.
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
        // The usual spelling is before all others.
        #expect(try bundle(tree, "B.bundle").manifestPath == tree("B.bundle/Contents/Info-gnustep.plist"))
    }

    @Test func aFileInAFoldersPlaceIsNoFolder() throws {
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

    @Test func resourcesStandBesideTheirLibrary() throws {
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
        #expect(bundle.bundleIdentifier == nil && bundle.infoDictionary == nil)
        #expect(bundle.path(forResource: "a", ofType: "txt") == tree("Synth.vst3/Contents/Resources/a.txt"))
    }

    @Test(arguments: ["${EXECUTABLE_NAME}", "$(EXECUTABLE_NAME)"])
    func anUnexpandedNameBesideARightOneIsPassedOver(variable: String) throws {
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

    @Test func resourcesMayStandOutsideOfTheBundleAndCodeMayNot() throws {
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

import FoundationEssentials
import Testing

@testable import PluginHost

/// Info.plist as a bundle's users see it.
@Suite struct BundleInformationTests {
    /// The bundle, and the tree that it stands in, which lives as long as somebody holds it.
    private func bundle(_ files: [String: String]) throws -> (PluginBundle, TemporaryTree) {
        let tree = try TemporaryTree()
        for (name, content) in files { try tree.write("X.bundle/" + name, content) }
        return (try PluginBundle.open(path: tree("X.bundle")), tree)
    }

    // MARK: Which list

    @Test(arguments: ["Contents/", "Resources/", "Support Files/", ""])
    func infoLinuxReplacesInfoPlistInEveryLayout(directory: String) throws {
        let (bundle, tree) = try bundle([
            directory + "Info.plist": "{ CFBundleIdentifier = general; CFBundleName = G; }",
            directory + "Info-linux.plist": "{ CFBundleIdentifier = here; }",
            directory + "Info-macos.plist": "{ CFBundleIdentifier = there; }",
        ])
        #expect(bundle.bundleIdentifier == "here")
        #expect(bundle.manifestPath == tree("X.bundle/\(directory)Info-linux.plist"))
        // It replaces the other, and is not laid over it.
        #expect(bundle.infoDictionary?.count == 1)
    }

    @Test func infoLinuxAloneIsAnInfoPlist() throws {
        let (bundle, _) = try bundle(["Contents/Info-linux.plist": "{ CFBundleIdentifier = here; }"])
        #expect(bundle.bundleIdentifier == "here" && bundle.manifestError == nil)
    }

    @Test func aBadInfoLinuxIsReportedAndNotPassedOver() throws {
        let (bundle, tree) = try bundle([
            "Contents/Info.plist": "{ CFBundleIdentifier = general; }", "Contents/Info-linux.plist": "{ bad",
        ])
        #expect(bundle.manifestError?.filePath == tree("X.bundle/Contents/Info-linux.plist"))
        #expect(bundle.bundleIdentifier == nil)
    }

    @Test func anUnreadableListReadsAsEmptyAndItsErrorIsKept() throws {
        let (bundle, tree) = try bundle(["Contents/Info.plist": "no list {", "Contents/Resources/a.txt": ""])
        let path = tree("X.bundle/Contents/Info.plist")
        #expect(bundle.manifestError?.code == .manifestUnreadable && bundle.manifestError?.filePath == path)
        #expect(bundle.findings().first?.filePath == path)
        #expect(bundle.infoDictionary == nil && bundle.bundleIdentifier == nil)
        #expect(bundle.object(forInfoDictionaryKey: "CFBundleName") == nil)
        #expect(bundle.developmentLocalization == nil && bundle.localizations == [])
        #expect(bundle.displayName == "X")
        #expect(bundle.path(forResource: "a", ofType: "txt") == tree("X.bundle/Contents/Resources/a.txt"))
    }

    // MARK: Localised values

    @Test func aLocalisedValueGoesFirstAndThenInfoPlists() throws {
        let (bundle, tree) = try bundle([
            "Contents/Info.plist": "{ CFBundleName = Plain; CFBundleVersion = 7; }",
            "Contents/Resources/en.lproj/InfoPlist.strings": "CFBundleName = Localised; NSHumanReadableCopyright = C;",
        ])
        #expect(bundle.object(forInfoDictionaryKey: "CFBundleName") as? String == "Localised")
        // Foundation: nil for every key that InfoPlist.strings lacks.
        #expect(bundle.object(forInfoDictionaryKey: "CFBundleVersion") as? String == "7")
        #expect(bundle.object(forInfoDictionaryKey: "NSHumanReadableCopyright") as? String == "C")
        #expect(bundle.object(forInfoDictionaryKey: "Missing") == nil)
        #expect(bundle.localizedInfoDictionary?.keys.sorted() == ["CFBundleName", "NSHumanReadableCopyright"])
        #expect(bundle.infoDictionary?["CFBundleName"] as? String == "Plain")
        withExtendedLifetime(tree) {}
    }

    @Test func withoutInfoPlistStringsThereAreNoLocalisedValues() throws {
        let (bundle, tree) = try bundle(["Info.plist": "{ CFBundleName = Plain; }", "en.lproj/a.txt": ""])
        #expect(bundle.localizedInfoDictionary == nil)
        #expect(bundle.object(forInfoDictionaryKey: "CFBundleName") as? String == "Plain")
        withExtendedLifetime(tree) {}
    }

    // MARK: What Foundation's Bundle traps on

    @Test func aListWithoutTheUsualKeysGivesNil() throws {
        let (bundle, _) = try bundle(["Contents/Info.plist": "{ Other = 1; }"])
        #expect(bundle.developmentLocalization == nil && bundle.bundleIdentifier == nil)
        #expect(bundle.executablePath == nil && !bundle.unload() && !bundle.isLoaded)
    }

    @Test func fault49_keysOfTheWrongTypeGiveNil() throws {
        let (bundle, _) = try bundle([
            "Contents/Info.plist":
                "{ CFBundleIdentifier = (a); CFBundleDevelopmentRegion = { a = b; }; CFBundleVersion = 1; }"
        ])
        #expect(bundle.bundleIdentifier == nil && bundle.developmentLocalization == nil)
        #expect(bundle.infoDictionary?["CFBundleIdentifier"] as? [String] == ["a"])
        #expect(bundle.manifest.version == "1")
    }

    @Test func theBundlesOfTheProcessAreListedOnceEach() throws {
        let (bundle, tree) = try bundle(["Contents/Info.plist": "{}"])
        try tree.write("X.framework/Resources/Info.plist", "{}")
        let framework = try PluginBundle.open(path: tree("X.framework"))
        let bundles = PluginBundle.allBundles
        let frameworks = PluginBundle.allFrameworks
        #expect(bundles.first === PluginBundle.main)
        #expect(bundles.count { $0 === bundle } == 1 && !bundles.contains(framework))
        #expect(frameworks.count { $0 === framework } == 1 && !frameworks.contains(bundle))
    }

    // MARK: Old-style lists

    @Test func typedValuesOfOldStyleListsHaveTheirTypes() throws {
        let (bundle, _) = try bundle([
            "Resources/Info-gnustep.plist": """
            {
                Yes = <*BY>; No = <*BN>; Whole = <*I-12>; Real = <*R1.5>; Date = <*D2001-01-01 00:00:10 +0000>;
                NSMIMETypes = (image/svg+xml, text/x-c++); CFBundleAllowMixedLocalizations = <*BY>;
                Last = value
            }
            """
        ])
        let info = try #require(bundle.infoDictionary)
        #expect(info["Yes"] as? Bool == true && info["No"] as? Bool == false)
        #expect(info["Whole"] as? Int == -12 && info["Real"] as? Double == 1.5)
        #expect(info["Date"] as? Date == Date(timeIntervalSinceReferenceDate: 10))
        #expect(info["NSMIMETypes"] as? [String] == ["image/svg+xml", "text/x-c++"])
        #expect(info["Last"] as? String == "value")
        #expect(bundle.manifest.allowsMixedLocalizations && bundle.manifest.findings.isEmpty)
    }

    @Test func anOldStyleListNeedsNoBracesAroundIt() throws {
        let (bundle, _) = try bundle([
            "Resources/Info-gnustep.plist": """
            /* as a strings file */
            CFBundleIdentifier = org.example.bare;
            NSExecutable = "X";
            NSTypes = ( { NSName = text; } );
            """
        ])
        #expect(bundle.manifestError == nil && bundle.bundleIdentifier == "org.example.bare")
        #expect(bundle.manifest.executable == "X" && bundle.infoDictionary?.count == 3)
    }
}

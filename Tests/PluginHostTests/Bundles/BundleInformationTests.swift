import FoundationEssentials
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Info.plist as a bundle's users see it.
@Suite struct BundleInformationTests {
    /// The bundle, and its tree, which exists as long as somebody holds it.
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
        // It replaces the other list; the two are not merged.
        #expect(bundle.infoDictionary?.count == 1)
    }

    @Test func infoLinuxAloneIsAnInfoPlist() throws {
        let (bundle, _) = try bundle(["Contents/Info-linux.plist": "{ CFBundleIdentifier = here; }"])
        #expect(bundle.bundleIdentifier == "here" && bundle.manifestError == nil)
    }

    @Test func aBadInfoLinuxIsReportedAndNotIgnored() throws {
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
        #expect(bundle.infoDictionary?.isEmpty == true && bundle.bundleIdentifier == nil)
        #expect(bundle.object(forInfoDictionaryKey: "CFBundleName") == nil)
        #expect(bundle.developmentLocalization == nil && bundle.localizations == [])
        #expect(bundle.displayName == "X")
        #expect(bundle.path(forResource: "a", ofType: "txt") == tree("X.bundle/Contents/Resources/a.txt"))
    }

    @Test func aDirectoryWithoutAListHasAnEmptyOne() throws {
        let (bundle, _) = try bundle(["Contents/Resources/a.txt": ""])
        #expect(bundle.infoDictionary?.isEmpty == true && bundle.manifestError?.code == .manifestUnreadable)
        // Of a bare program, as of the one that runs this test.
        #expect(PluginBundle.main.infoDictionary?.isEmpty == true)
    }

    // MARK: Duplicate keys

    private static func list(_ entries: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n\(entries)</dict>\n</plist>\n"
    }

    /// The entries as XML and as old-style text; each opens with the first value.
    private func bundles(_ entries: [(String, String)]) throws -> [PluginBundle] {
        let xml = entries.map { "<key>\($0)</key><string>\($1)</string>\n" }.joined()
        let text = "{" + entries.map { "\"\($0)\" = \"\($1)\";\n" }.joined() + "}"
        return try [Self.list(xml), text].map { try bundle(["Contents/Info.plist": $0]).0 }
    }

    @Test(.fault(294)) func aDuplicateKeyWithTheSameValueIsAWarning() throws {
        for bundle in try bundles([("NSExecutable", "X"), ("CFBundleName", "N"), ("NSExecutable", "X")]) {
            #expect(bundle.manifestError == nil && bundle.manifest.executable == "X" && bundle.manifest.name == "N")
            #expect(bundle.infoDictionary?.count == 2)
            let finding = try #require(bundle.manifest.findings.first)
            #expect(bundle.manifest.findings.count == 1 && finding.severity == .warning)
            #expect(finding.code == .manifestInvalid && finding.subject == "NSExecutable")
            #expect(finding.message.hasSuffix(", with the same value.") && finding.message.contains("again at line "))
            #expect(bundle.findings().contains(finding))
            // The load continues with the executable.
            let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
            #expect(error?.code == .executableMissing)
        }
    }

    @Test(arguments: ["CFBundleName", "CFBundleIconFile", "MyKey", "NSExecutable-macos"])
    func ofADuplicateKeyTheFirstValueCounts(key: String) throws {
        for bundle in try bundles([("NSExecutable", "X"), (key, "first"), (key, "second"), (key, "first")]) {
            #expect(bundle.manifestError == nil)
            #expect(key.hasSuffix("-macos") || bundle.infoDictionary?[key] as? String == "first")
            #expect(bundle.manifest.findings.map(\.severity) == [.warning, .warning])
            #expect(bundle.manifest.findings.first?.message.contains("of which the first counts") == true)
            let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
            #expect(error?.code == .executableMissing)
        }
    }

    @Test(
        .fault(295),
        arguments: [
            "NSExecutable", "NSPrincipalClass", "CFBundleExecutable", "CFBundleIdentifier", "NSExecutable-linux",
        ])
    func aKeyWithTwoValuesThatDecidesAboutCodeKeepsFromLoading(key: String) throws {
        for bundle in try bundles([(key, "first"), ("CFBundleName", "N"), (key, "second")]) {
            #expect(bundle.manifestError == nil && bundle.manifest.name == "N")
            let error = try #require(throws: PluginError.self) { try bundle.loadAndReturnError() }
            #expect(error.code == .manifestInvalid && error.findings.map(\.subject) == [key])
            #expect(error.description.contains("with different values, of which none counts"))
        }
    }

    @Test(.fault(295)) func inAnEntryOfPHFactoriesToo() throws {
        let entry = "<dict><key>name</key><string>a</string><key>name</key><string>b</string></dict>"
        let (bundle, _) = try bundle([
            "Contents/Info.plist": Self.list("<key>Other</key><true/><key>PHFactories</key><array>\(entry)</array>")
        ])
        let error = try #require(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(error.findings.map(\.subject) == ["PHFactories"])
        #expect(error.description.contains("The key “name” in PHFactories occurs twice"))
    }

    @Test(.fault(295)) func keysBeyondTheListedOnesCount() throws {
        let many = (0..<150).flatMap { _ in [("a", "b")] }
        for (value, severity) in [("X", PluginFinding.Severity.warning), ("Y", .error)] {
            let entries = [("NSExecutable", "X")] + many + [("NSExecutable", value)]
            for bundle in try bundles(entries) {
                #expect(bundle.manifest.findings.count == 100)
                #expect(bundle.manifest.findings.last?.severity == severity)
            }
        }
    }

    @Test func keysThatDifferInTheirUnicodeFormAreTwoKeys() throws {
        for bundle in try bundles([("NSExecutable", "X"), ("\u{E9}", "composed"), ("e\u{301}", "decomposed")]) {
            #expect(bundle.manifestError == nil && bundle.manifest.findings.isEmpty)
            #expect(bundle.infoDictionary?["\u{E9}"] as? String == "composed")
        }
    }

    // MARK: Localised values

    @Test func aLocalisedValueComesBeforeInfoPlists() throws {
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

    @Test(.fault(49)) func keysOfTheWrongTypeGiveNil() throws {
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

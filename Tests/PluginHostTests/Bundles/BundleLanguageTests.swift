import Glibc
import TestSupport
import Testing

@testable import PluginHost

@Suite("The languages of a bundle follow the host")
struct BundleLanguageTests {
    /// A bundle with a table in English, French and German that names its language.
    static func tree(_ more: [String: String] = [:]) throws -> TemporaryTree {
        var files = more
        for language in ["en", "fr", "de"] {
            files["Contents/Resources/\(language).lproj/Localizable.strings"] = "language = \(language);"
            files["Contents/Resources/\(language).lproj/InfoPlist.strings"] = "CFBundleName = \"in \(language)\";"
            files["Contents/Resources/\(language).lproj/note.txt"] = ""
        }
        return try TemporaryTree(files)
    }

    @Test func anotherLanguageIsSpokenFromTheNextLookUpOn() async throws {
        await #expect(processExitsWith: .success) {
            let tree = try BundleLanguageTests.tree()
            let bundle = try PluginBundle.open(path: tree.path)
            func speaks(_ languages: [String]?, _ expected: String) {
                HostEnvironment.current.preferredLanguages = languages
                for _ in 0..<2 {
                    precondition(bundle.localizedString(forKey: "language", value: nil, table: nil) == expected)
                    precondition(bundle.preferredLocalizations == [expected])
                    precondition(bundle.localizedInfoDictionary?["CFBundleName"] as? String == "in \(expected)")
                    precondition(bundle.displayName == "in \(expected)")
                    let note = bundle.path(forResource: "note", ofType: "txt")
                    precondition(note == tree("Contents/Resources/\(expected).lproj/note.txt"))
                }
            }
            setenv("LANGUAGE", "en", 1)
            speaks(["fr"], "fr")
            speaks(["de-AT", "fr"], "de")
            speaks(["fr"], "fr")
            speaks(["it"], "en")
            speaks(nil, "en")
            // Another part of the environment changes nothing.
            HostEnvironment.current.name = "other"
            precondition(bundle.preferredLocalizations == ["en"])
        }
    }

    @Test func aFormerLanguagesTablesAreKept() async throws {
        await #expect(processExitsWith: .success) {
            let tree = try BundleLanguageTests.tree()
            let bundle = try PluginBundle.open(path: tree.path)
            func spoken(_ language: String) -> String {
                HostEnvironment.current.preferredLanguages = [language]
                return bundle.localizedString(forKey: "language", value: nil, table: nil)
            }
            precondition(spoken("fr") == "fr")
            try tree.write("Contents/Resources/fr.lproj/Localizable.strings", "language = changed;")
            precondition(spoken("de") == "de")
            precondition(spoken("fr") == "fr")
        }
    }

    @Test func manyThreadsSeeOneLanguageOrTheOther() async throws {
        await #expect(processExitsWith: .success) {
            let tree = try BundleLanguageTests.tree()
            let bundle = try PluginBundle.open(path: tree.path)
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<500 {
                            let language = bundle.localizedString(forKey: "language", value: nil, table: nil)
                            precondition(["fr", "de", "en"].contains(language))
                        }
                    }
                }
                for number in 0..<200 {
                    HostEnvironment.current.preferredLanguages = [number % 2 == 0 ? "fr" : "de"]
                }
                await group.waitForAll()
            }
            precondition(bundle.localizedString(forKey: "language", value: nil, table: nil) == "de")
        }
    }

    @Test func theDevelopmentRegionIsALocalisationIfBaseHasItOrThereIsNoOther() throws {
        // As Foundation's Bundle answers for the same bundles.
        let cases: [([String], String, [String])] = [
            ([], "en", ["en"]), ([], "../en", []), (["fr"], "en", ["fr"]),
            (["Base", "fr"], "en", ["Base", "fr", "en"]),
            (["Base", "English"], "en", ["Base", "English"]), (["Base", "en_US"], "en-US", ["Base", "en_US"]),
        ]
        for (folders, region, expected) in cases {
            var files = ["Contents/Info.plist": "{ CFBundleDevelopmentRegion = \"\(region)\"; }"]
            for folder in folders { files["Contents/Resources/\(folder).lproj/a.txt"] = "" }
            let tree = try TemporaryTree(files)
            #expect(try PluginBundle.open(path: tree.path).localizations == expected, "\(folders) \(region)")
        }
        let declared = "{ CFBundleDevelopmentRegion = en; CFBundleLocalizations = (de); }"
        let tree = try TemporaryTree(["Contents/Info.plist": declared])
        #expect(try PluginBundle.open(path: tree.path).localizations == ["de"])
    }

    @Test func withBaseTheRegionIsPreferredAndItsResourcesAreThoseOfBase() async throws {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "Contents/Info.plist": "{ CFBundleDevelopmentRegion = en; }",
                "Contents/Resources/Base.lproj/a.txt": "", "Contents/Resources/fr.lproj/a.txt": "",
            ])
            let bundle = try PluginBundle.open(path: tree.path)
            for (language, preferred, folder) in [("en-GB", "en", "Base"), ("fr", "fr", "fr"), ("it", "en", "Base")] {
                HostEnvironment.current.preferredLanguages = [language]
                precondition(bundle.preferredLocalizations.first == preferred, language)
                let path = bundle.path(forResource: "a", ofType: "txt")
                precondition(path == tree("Contents/Resources/\(folder).lproj/a.txt"), language)
            }
        }
    }

    /// What the key and a main bundle with localisations do together is tested by LocalizationSettings.
    @Test func theKeyForMixedLocalisationsIsReadInEveryForm() throws {
        func info(_ allows: String) -> [String: String] {
            ["Contents/Info.plist": "{ CFBundleAllowMixedLocalizations = \(allows); }"]
        }
        for (value, allows) in [("YES", true), ("1", true), ("NO", false), ("0", false)] {
            let tree = try Self.tree(info(value))
            #expect(try PluginBundle.open(path: tree.path).manifest.allowsMixedLocalizations == allows)
        }
        // The main bundle of this process restricts nothing.
        #expect(PluginBundle.main.localizations.isEmpty)
    }
}

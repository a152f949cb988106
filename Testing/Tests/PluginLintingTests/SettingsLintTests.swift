import PluginHost
import Testing

@_spi(Tools) @testable import PluginLinting

/// Settings.bundles, and the sources that use their settings.
@Suite struct SettingsLintTests {
    private static let root = """
        { StringsTable = Root; PreferenceSpecifiers = (
            { Type = PSGroupSpecifier; Title = Speech; FooterText = "How it reads"; },
            { Type = PSSliderSpecifier; Key = rate; DefaultValue = <*R0.5>; },
            { Type = PSMultiValueSpecifier; Key = count; Values = (<*I1>, <*I2>); Titles = ("1", Two); }
        ); }
        """

    private func fixture(_ files: [String: String]) throws -> LintFixture {
        try LintFixture(["Settings.bundle/Root.plist": Self.root].merging(files) { $1 })
    }

    private func table(_ keys: String...) -> String { keys.map { "\"\($0)\" = \"\($0)!\";\n" }.joined() }

    private func sources(_ text: String, _ fixture: LintFixture) throws -> [String] {
        try fixture.tree.write("Sources/Code.swift", text)
        return try fixture.findings(BundleLinter(sources: [fixture.tree("Sources")]))
    }

    @Test func aPageWithAllItsTextsIsFine() throws {
        #expect(try fixture([:]).findings().isEmpty, "without languages, texts are shown as written")
        let complete = table("Speech", "How it reads", "Two")
        let fixture = try fixture(["Settings.bundle/en.lproj/Root.strings": complete])
        #expect(try fixture.findings().isEmpty)
    }

    @Test func aTextThatNoTableHasIsFound() throws {
        let fixture = try fixture(["Settings.bundle/en.lproj/Root.strings": table("Speech", "Two")])
        #expect(try fixture.findings() == ["Settings.bundle/Root.plist warning undefinedKey How it reads"])
    }

    @Test func aTextThatOneLanguageLacksIsFound() throws {
        let fixture = try fixture([
            "Settings.bundle/en.lproj/Root.strings": table("Speech", "How it reads", "Two"),
            "Settings.bundle/fr.lproj/Root.strings": table("Speech", "How it reads"),
        ])
        let found = try fixture.findings()
        #expect(found.contains("Settings.bundle/fr.lproj/Root.strings warning missingEntry Two"), "\(found)")
    }

    @Test func aTableThatDoesNotExistIsFound() throws {
        let fixture = try fixture(["Settings.bundle/en.lproj/Other.strings": table("Speech")])
        #expect(try fixture.findings().contains("Settings.bundle/Root.plist warning missingTable Root"))
    }

    @Test func aDamagedTableIsFound() throws {
        let fixture = try fixture(["Settings.bundle/en.lproj/Root.strings": "\"Speech\" = "])
        #expect(try fixture.findings().contains { $0.hasPrefix("Settings.bundle/en.lproj/Root.strings:1") })
    }

    @Test func aSettingThatTheSchemaLacksOrContradictsIsFound() throws {
        let found = try sources(
            """
            extension Setting where Value == Double {
                static var rate: Self { .init("rate", default: 1) }
                static var rat: Self { Self("rat", default: 1) }
            }
            extension Setting where Value == Bool { static var count: Self { .init("count", default: true) } }
            extension Setting where Value == Voice { static var voice: Self { .init("count", default: .low) } }
            let a = Setting<Int>("count", default: 3), b = Setting("rate", default: 2), c = Setting("rate", default: -2.5)
            let d = Setting("none", default: "x"), e = Setting(key, default: "x"), f = Other("none", default: "x")
            let g = Thing(.init("none", default: 1))
            """, fixture([:]))
        #expect(
            found == [
                "Sources/Code.swift:3:33 warning settingUndeclared rat",
                "Sources/Code.swift:5:72 warning settingUndeclared count",
                "Sources/Code.swift:7:56 warning settingUndeclared rate",
                "Sources/Code.swift:8:17 warning settingUndeclared none",
            ])
    }

    @Test func aSettingOfABundleWithoutASettingsBundleIsFound() throws {
        let found = try sources("let a = Setting(\"rate\", default: 1)\n", LintFixture([:]))
        #expect(found == ["Sources/Code.swift:1:17 warning settingUndeclared rate"])
    }

    @Test func sourcesThatEndInTheMiddleAreRead() throws {
        for text in [
            "extension Setting where Value ==", "Setting(", "Setting<", "extension Setting", "Setting(\"a\", default:",
            "}}}",
        ] {
            _ = try sources(text, fixture([:]))
        }
    }
}

import HostBasics
import PluginABI
import TestSupport
import Testing

@testable import SettingsReading

@Suite struct SettingsSchemaTests {
    private func declaration(_ element: String) throws -> SettingDeclaration {
        let schema = try SettingsFixture(element).schema
        #expect(schema.findings.isEmpty, "\(schema.findings)")
        return try #require(schema.declarations.first)
    }

    @Test func aSwitchIsABooleanUnlessItHasOtherValues() throws {
        let plain = try declaration("{ Type = PSToggleSwitchSpecifier; Key = on; Title = On; DefaultValue = YES; }")
        #expect(plain.type == .boolean && plain.defaultValue == .boolean(true) && plain.allowed == .any)
        #expect(try declaration(SettingsFixture.toggle).defaultValue == .boolean(false))
        let texts = try declaration(
            "{ Type = PSToggleSwitchSpecifier; Key = on; TrueValue = loud; FalseValue = quiet; DefaultValue = <*BY>; }")
        #expect(texts.type == .text && texts.allowed == .values([.text("loud"), .text("quiet")]))
        #expect(texts.defaultValue == .text("loud"))
        let numbers = try declaration(
            "{ Type = PSToggleSwitchSpecifier; Key = on; TrueValue = <*I2>; FalseValue = <*I1>; }")
        #expect(numbers.type == .integer && numbers.defaultValue == .integer(1))
    }

    @Test func aFieldHasTheTypeOfItsDefault() throws {
        #expect(try declaration(SettingsFixture.name).defaultValue == .text(""))
        let number = try declaration(
            """
            { Type = PSTextFieldSpecifier; Key = n; DefaultValue = <*I5>; MinimumValue = <*I1>; MaximumValue = <*I9>;
              KeyboardType = NumberPad; }
            """)
        #expect(number.type == .integer && number.allowed == .range(minimum: 1, maximum: 9))
        #expect(number.allowedWords == "a whole number from 1 to 9")
        #expect(try declaration("{ Type = PSTextFieldSpecifier; Key = n; DefaultValue = <*R1.5>; }").type == .real)
        let secret = try SettingsFixture("{ Type = PSTextFieldSpecifier; Key = p; IsSecure = <*BY>; }").schema
        #expect(secret.declarations[0].isSecret && secret.panes[0].elements[0].isSecret)
    }

    @Test func aSliderIsARealFromNoughtToOne() throws {
        let slider = try declaration("{ Type = PSSliderSpecifier; Key = rate; }")
        #expect(slider.type == .real && slider.allowed == .range(minimum: 0, maximum: 1))
        #expect(slider.defaultValue == .real(0))
        let whole = try declaration(
            "{ Type = PSSliderSpecifier; Key = rate; MinimumValue = <*I2>; MaximumValue = <*I8>; DefaultValue = <*I3>; }"
        )
        #expect(whole.defaultValue == .real(3) && (try? whole.checked(.integer(8))) == .real(8))
        #expect((try? whole.checked(.integer(9))) == nil)
    }

    @Test func aChoiceHasOneOfItsValues() throws {
        for type in ["PSMultiValueSpecifier", "PSRadioGroupSpecifier"] {
            let choice = try declaration("{ Type = \(type); Key = l; Values = (en, fr); Titles = (English, French); }")
            #expect(choice.defaultValue == .text("en") && choice.allowed == .values([.text("en"), .text("fr")]))
            #expect(choice.allowedWords == "one of “en”, “fr”")
        }
        // A whole number among reals is a real.
        let mixed = try declaration(
            "{ Type = PSMultiValueSpecifier; Key = l; Values = (<*I1>, <*R0.5>); Titles = (a, b); DefaultValue = <*I1>; }"
        )
        #expect(mixed.type == .real && mixed.defaultValue == .real(1))
    }

    @Test func aShownValueMayHaveAnyValueOfItsType() throws {
        let value = try declaration(
            "{ Type = PSTitleValueSpecifier; Key = v; DefaultValue = <*I3>; Values = (<*I3>); Titles = (three); }")
        #expect(value.type == .integer && value.allowed == .any)
        #expect(try declaration("{ Type = PSTitleValueSpecifier; Key = v; }").defaultValue == .text(""))
    }

    @Test func panesAreReadInTheOrderOfTheirLinks() throws {
        let fixture = try SettingsFixture(
            """
            { Type = PSGroupSpecifier; Title = Group; FooterText = Foot; }, \(SettingsFixture.toggle),
            { Type = PSChildPaneSpecifier; Title = More; File = More; }
            """)
        try fixture.tree.write(
            "P.bundle/Settings.bundle/More.plist",
            "{ StringsTable = More; PreferenceSpecifiers = (\(SettingsFixture.slider), \(SettingsFixture.toggle)); }")
        let schema = fixture.schema
        #expect(schema.findings.isEmpty && schema.panes.map(\.name) == ["Root", "More"])
        #expect(schema.panes[0].elements.map(\.kind) == [.group, .toggle, .childPane])
        #expect(schema.panes[0].elements[0].footer == "Foot" && schema.panes[0].elements[2].pane == "More")
        #expect(schema.panes[0].table == nil && schema.panes[1].table == "More")
        // The second element of the key has the same values, so it is the same setting.
        #expect(schema.declarations.map(\.key) == ["on", "rate"] && schema.panes[1].elements.count == 2)
    }

    @Test func whatApplesSchemaHasForOtherSystemsIsNotReported() throws {
        let fixture = try SettingsFixture()
        try fixture.tree.write(
            "P.bundle/Settings.bundle/Root.plist",
            """
            { ApplicationGroupContainerIdentifier = group; Title = App; StringsTable = Root; PreferenceSpecifiers = (
              { Type = PSToggleSwitchSpecifier; Key = on; SupportedUserInterfaceIdioms = (Pad); }); }
            """)
        #expect(fixture.schema.findings.isEmpty && fixture.schema.declarations.count == 1)
    }
}

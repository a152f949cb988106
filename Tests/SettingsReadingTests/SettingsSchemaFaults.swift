import Glibc
import HostBasics
import PluginABI
import PropertyLists
import TestSupport
import Testing

@testable import SettingsReading

/// What can be wrong with the lists of a Settings.bundle.
@Suite struct SettingsSchemaFaults {
    private func only(_ fixture: SettingsFixture) throws -> PluginFinding {
        let findings = fixture.schema.findings
        #expect(findings.count == 1, "\(findings)")
        return try #require(findings.first)
    }

    @Test(.fault(561)) func aRootThatIsNoSmallRegularFileIsNamed() throws {
        for damage in ["missing", "FIFO", "directory", "large", "array", "broken", "outside"] {
            let fixture = try SettingsFixture()
            let path = fixture.tree("P.bundle/Settings.bundle/Root.plist")
            fixture.tree.remove("P.bundle/Settings.bundle/Root.plist")
            switch damage {
            case "FIFO": #expect(mkfifo(path, 0o600) == 0)
            case "directory": try fixture.tree.write("P.bundle/Settings.bundle/Root.plist/", "")
            case "large":
                try fixture.tree.write(
                    "P.bundle/Settings.bundle/Root.plist", String(repeating: " ", count: 2 << 20))
            case "array": try fixture.tree.write("P.bundle/Settings.bundle/Root.plist", "( a )")
            case "broken":
                try fixture.tree.write("P.bundle/Settings.bundle/Root.plist", "{ PreferenceSpecifiers = (\n{ ")
            case "outside":
                try fixture.tree.write("out.plist", "{ PreferenceSpecifiers = (\(SettingsFixture.toggle)); }")
                try fixture.tree.link("P.bundle/Settings.bundle/Root.plist", to: fixture.tree("out.plist"))
            default: break
            }
            let finding = try only(fixture)
            #expect(finding.code == .settingsUnreadable && finding.filePath == path, "\(damage)")
            #expect(!finding.remedy.isEmpty && fixture.schema.panes.isEmpty, "\(damage)")
            if damage == "broken" { #expect(finding.place?.line == 2) }
        }
    }

    @Test(.fault(562), arguments: ["../Root", "a/b", "", "..", "Root", "Missing", "<*I3>"])
    func aChildThatIsNoOtherListIsLeftOut(_ name: String) throws {
        let text = name.hasPrefix("<") ? name : "\"\(name)\""
        let fixture = try SettingsFixture("{ Type = PSChildPaneSpecifier; File = \(text); }, \(SettingsFixture.toggle)")
        let finding = try only(fixture)
        #expect(finding.code == .settingsMalformed && fixture.schema.declarations.count == 1)
        if name != "Missing" { #expect(finding.place != nil && finding.message.contains("Element 1")) }
    }

    @Test(.fault(562)) func circlesAndDeepPanesEnd() throws {
        let fixture = try SettingsFixture(
            "{ Type = PSChildPaneSpecifier; File = P1; }, { Type = PSChildPaneSpecifier; File = A; }")
        func write(_ name: String, _ children: String...) throws {
            let links = children.map { "{ Type = PSChildPaneSpecifier; File = \($0); }" }.joined(separator: ", ")
            try fixture.tree.write("P.bundle/Settings.bundle/\(name).plist", "{ PreferenceSpecifiers = (\(links)); }")
        }
        for depth in 1...9 { try write("P\(depth)", "P\(depth + 1)") }
        // A circle that does not go through the root.
        try write("A", "B")
        try write("B", "A")
        let findings = fixture.schema.findings
        #expect(findings.count == 2 && findings.allSatisfy { $0.code == .settingsMalformed }, "\(findings)")
        #expect(findings.contains { $0.message.contains("leads back to the pane “A”") })
        #expect(findings.contains { $0.message.contains("more than 8 panes deep") })
        #expect(fixture.schema.panes.count == 10)
    }

    @Test(.fault(563)) func eachElementWithoutEachKeyOrWithAWrongTypeIsNamedAndTheOthersWork() throws {
        let elements: [String: [String: String]] = [
            "PSToggleSwitchSpecifier": ["Key": "k", "TrueValue": "a", "FalseValue": "b"],
            "PSTextFieldSpecifier": ["Key": "k", "IsSecure": "<*BY>", "KeyboardType": "URL"],
            "PSSliderSpecifier": [
                "Key": "k", "MinimumValue": "<*I0>", "MaximumValue": "<*I1>", "MinimumValueImage": "i",
            ],
            "PSTitleValueSpecifier": ["Key": "k", "Values": "(a)", "Titles": "(A)"],
            "PSMultiValueSpecifier": ["Key": "k", "Values": "(a)", "Titles": "(A)", "ShortTitles": "(s)"],
            "PSRadioGroupSpecifier": ["Key": "k", "Values": "(a)", "Titles": "(A)", "FooterText": "f"],
            "PSChildPaneSpecifier": ["File": "More"], "PSGroupSpecifier": ["FooterText": "f"],
        ]
        for (type, keys) in elements {
            func schema(_ keys: [String: String]) throws -> SettingsSchema {
                let text = keys.map { "\($0) = \($1); " }.joined()
                let fixture = try SettingsFixture("{ Type = \(type); \(text)}, \(SettingsFixture.toggle)")
                try fixture.tree.write("P.bundle/Settings.bundle/More.plist", "{ PreferenceSpecifiers = (); }")
                return fixture.schema
            }
            #expect(try schema(keys).findings.isEmpty, "\(type)")
            for key in keys.keys {
                var wrong = keys
                wrong[key] = "{ a = b; }"
                let damaged = try schema(wrong)
                #expect(!damaged.findings.isEmpty && damaged["on"] != nil, "\(type) \(key)")
                for finding in damaged.findings {
                    #expect(finding.code == .settingsMalformed && finding.place != nil, "\(type) \(key): \(finding)")
                    #expect(!finding.remedy.isEmpty && finding.message.contains("Element 1"), "\(type) \(key)")
                }
                wrong[key] = nil
                #expect(try schema(wrong)["on"] != nil, "\(type) \(key)")
            }
        }
    }

    @Test(
        .fault(563),
        arguments: [
            ("{ Type = PSToggleSwitchSpecifier; }", "has no Key"),
            ("{ Key = a; }", "has no Type"),
            ("{ Type = (a); Key = a; }", "an array as its Type"),
            ("{ Type = PSToggleSwitchSpecifier; Key = \"\"; }", "has the Key"),
            ("{ Type = PSToggleSwitchSpecifier; Key = a; DefaultValue = maybe; }", "DefaultValue “maybe”"),
            ("{ Type = PSToggleSwitchSpecifier; Key = a; TrueValue = a; }", "no usable pair"),
            ("{ Type = PSSliderSpecifier; Key = a; DefaultValue = <*I2>; }", "it counts as 0.0"),
            ("{ Type = PSSliderSpecifier; Key = a; MinimumValue = <*I2>; }", "which is empty"),
            ("{ Type = PSMultiValueSpecifier; Key = a; Values = (a, b); Titles = (A); }", "has 1 Titles for 2 Values"),
            (
                "{ Type = PSMultiValueSpecifier; Key = a; Values = (a); Titles = (A); DefaultValue = b; }",
                "DefaultValue “b”"
            ),
            ("{ Type = PSMultiValueSpecifier; Key = a; Values = (a, a); Titles = (A, B); }", "the value “a” twice"),
            ("{ Type = PSMultiValueSpecifier; Key = a; Values = (a, <*I1>); Titles = (A, B); }", "several types"),
            ("{ Type = PSMultiValueSpecifier; Key = a; Values = (); Titles = (); }", "has no usable Values"),
            ("{ Type = PSTextFieldSpecifier; Key = a; MinimumValue = <*I2>; }", "its values are texts"),
            ("a", "a string, not a dictionary"),
        ])
    func aFaultNamesTheElement(_ element: String, _ message: String) throws {
        let finding = try only(SettingsFixture("\(element), \(SettingsFixture.slider)"))
        #expect(finding.code == .settingsMalformed && finding.message.contains(message), "\(finding.message)")
        #expect(finding.severity == .error && !finding.remedy.isEmpty)
    }

    @Test(.fault(563)) func aFaultIsAtItsLine() throws {
        let findings = try SettingsFixture(
            "\n{},\n\(SettingsFixture.toggle),\n{ Type = PSSliderSpecifier;\nKey = a;\n  DefaultValue = x; }"
        ).schema.findings
        // The empty element before it has no place of its own, and does not move the others.
        #expect(findings.map(\.subject) == ["Type", "DefaultValue"] && findings[0].place == nil)
        #expect(findings[1].place == PluginFinding.Place(line: 6, column: 3))
    }

    @Test func unknownTypesAndKeysAreWarnings() throws {
        let findings = try SettingsFixture(
            "{ Type = PSTogleSwitchSpecifier; Key = a; }, { Type = PSSliderSpecifier; Key = b; Colour = red; }"
        ).schema
            .findings
        #expect(findings.map(\.code) == [.settingUnknown, .settingUnknown])
        #expect(findings.allSatisfy { $0.severity == .warning && $0.place?.line == 1 })
        #expect(findings[0].remedy == "Did you mean “PSToggleSwitchSpecifier”?")
    }

    @Test func aSecretWithADefaultIsAnErrorThatHidesIt() throws {
        let fixture = try SettingsFixture(
            "{ Type = PSTextFieldSpecifier; Key = p; IsSecure = <*BY>; DefaultValue = hunter2; }")
        let finding = try only(fixture)
        #expect(finding.code == .settingSecret && !finding.message.contains("hunter2"))
        #expect(fixture.schema.declarations[0].defaultValue == .text(""))
    }

    @Test func aKeyWithTwoMeaningsIsAnError() throws {
        let fixture = try SettingsFixture("\(SettingsFixture.toggle), { Type = PSTextFieldSpecifier; Key = on; }")
        let finding = try only(fixture)
        #expect(finding.message.contains("declares the key “on”, which another element declares"))
        #expect(fixture.schema.declarations[0].type == .boolean && fixture.schema.panes[0].elements.count == 1)
    }

    @Test(.fault(564)) func listsBeyondTheLimitsAreCutAndNamed() throws {
        let many = try SettingsFixture(
            (0..<300).map { "{ Type = PSToggleSwitchSpecifier; Key = k\($0); }" }.joined(separator: ","))
        #expect(many.schema.declarations.count == SettingsLimits.mostKeys && many.schema.findings.count == 44)
        let more = try SettingsFixture(
            (0..<1_100).map { _ in "{ Type = PSGroupSpecifier; }" }.joined(separator: ","))
        #expect(more.schema.panes[0].elements.count == SettingsLimits.mostElements)
        #expect(try only(more).message.contains("more than 1000 elements"))
        // A MiB of elements: the number of values is the limit.
        let huge = try SettingsFixture(String(repeating: "{},", count: 200_000))
        #expect(try only(huge).code == .settingsUnreadable)
        let faulty = try SettingsFixture((0..<500).map { "{ a\($0) = b; }" }.joined(separator: ","))
        #expect(faulty.schema.findings.count == SettingsLimits.mostFindings + 1)
        #expect(faulty.schema.findings.last?.message.contains("400 more") ?? false)
        let long = try SettingsFixture(
            "{ Type = PSToggleSwitchSpecifier; Key = \(String(repeating: "k", count: 129)); }")
        #expect(try only(long).message.contains("has the Key"))
    }

    @Test(.fault(582)) func aFormerKeyThatIsAlsoAKeyIsNotUsed() throws {
        let fixture = try SettingsFixture(
            """
            { Type = PSToggleSwitchSpecifier; Key = a; PHFormerKeys = (b, c); },
            { Type = PSToggleSwitchSpecifier; Key = b; PHFormerKeys = (a); }
            """)
        #expect(fixture.schema["a"]?.formerKeys == ["c"] && fixture.schema["b"]?.formerKeys == [])
        #expect(fixture.schema.findings.count == 2)
    }

    /// Every damage of one byte gives a schema with or without findings, and never ends the process.
    @Test(.fault(561, 563)) func aListThatIsDamagedAtAnyByteIsRead() throws {
        let fixture = try SettingsFixture(
            "\(SettingsFixture.toggle), \(SettingsFixture.slider), \(SettingsFixture.language), \(SettingsFixture.name)"
        )
        let path = "P.bundle/Settings.bundle/Root.plist"
        let bytes = try OpenedFile(path: fixture.tree(path)).bytes(atMost: 9_999)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x15
            try fixture.tree.write(path, bytes: damaged)
            let schema = fixture.schema
            #expect(schema.declarations.count <= 4)
            #expect(schema.declarations.count == 4 || !schema.findings.isEmpty)
        }
    }
}

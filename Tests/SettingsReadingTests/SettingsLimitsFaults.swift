import HostBasics
import PluginABI
import TestSupport
import Testing

@testable import SettingsReading

/// Each limit of a Settings.bundle and of the files: what is just within it is used, and what is just beyond it is named.
@Suite struct SettingsLimitsFaults {
    private func switches(_ count: Int) -> String {
        (0..<count).map { "{ Type = PSToggleSwitchSpecifier; Key = k\($0); }" }.joined(separator: ",")
    }

    private func texts(_ count: Int, _ bytes: Int) -> String {
        let text = String(repeating: "x", count: bytes)
        return (0..<count).map { "{ Type = PSTextFieldSpecifier; Key = k\($0); DefaultValue = \(text); }" }
            .joined(separator: ",")
    }

    private func write(_ fixture: SettingsFixture, _ pane: String, _ elements: String) throws {
        try fixture.tree.write(
            "P.bundle/Settings.bundle/\(pane).plist", "{ PreferenceSpecifiers = (\(elements)); }")
    }

    private func pane(_ name: String) -> String { "{ Type = PSChildPaneSpecifier; File = \(name); }" }

    @Test(.fault(564)) func sixtyFourListsAreReadAndNoneMore() throws {
        for count in [63, 64] {
            let names = (1...count).map { "P\($0)" }
            let fixture = try SettingsFixture(names.map(pane).joined(separator: ","))
            for name in names {
                try write(fixture, name, "{ Type = PSToggleSwitchSpecifier; Key = \(name); }")
            }
            let schema = fixture.schema
            // The root is a list too.
            #expect(schema.panes.count == SettingsLimits.mostLists && schema.declarations.count == 63)
            #expect(schema.findings.count == count - 63, "\(schema.findings)")
            if let finding = schema.findings.first {
                #expect(finding.code == .settingsMalformed && finding.message.contains("the 64 lists"))
                #expect(finding.message.contains("P64") || finding.message.contains("Element 64"))
            }
        }
    }

    @Test(.fault(562)) func eightPanesAreReadAndTheNinthIsNamed() throws {
        for depth in [8, 9] {
            let fixture = try SettingsFixture(pane("P2"))
            for level in 2..<depth { try write(fixture, "P\(level)", pane("P\(level + 1)")) }
            try write(fixture, "P\(depth)", SettingsFixture.toggle)
            let schema = fixture.schema
            #expect(schema.panes.count == 8 && schema.findings.count == depth - 8, "\(schema.findings)")
            #expect(schema.declarations.count == 9 - depth)
        }
    }

    @Test(.fault(561)) func aListHasAtMostAMebibyte() throws {
        for more in [0, 1] {
            let fixture = try SettingsFixture()
            let list = "{ PreferenceSpecifiers = (\(SettingsFixture.toggle)); }"
            let spaces = String(repeating: " ", count: (1 << 20) - list.utf8.count + more)
            try fixture.tree.write("P.bundle/Settings.bundle/Root.plist", list + spaces)
            #expect(fixture.schema.declarations.count == 1 - more)
            #expect(fixture.schema.findings.map(\.code) == Array(repeating: .settingsUnreadable, count: more))
        }
    }

    @Test(.fault(564)) func aThousandElementsAreReadAndNoneMore() throws {
        for count in [1_000, 1_001] {
            let fixture = try SettingsFixture(
                Array(repeating: "{ Type = PSGroupSpecifier; }", count: count).joined(separator: ","))
            #expect(fixture.schema.panes[0].elements.count == 1_000)
            #expect(fixture.schema.findings.count == count - 1_000, "\(fixture.schema.findings)")
        }
        // The elements of all lists count together.
        let group = "{ Type = PSGroupSpecifier; }"
        let fixture = try SettingsFixture(
            (Array(repeating: group, count: 600) + [pane("More")]).joined(separator: ","))
        try write(fixture, "More", Array(repeating: group, count: 400).joined(separator: ","))
        let panes = fixture.schema.panes
        #expect(panes.map(\.elements.count) == [601, 399])
        #expect(fixture.schema.findings.first?.filePath?.hasSuffix("More.plist") ?? false)
    }

    @Test(.fault(564)) func twoHundredAndFiftySixKeysAreDeclaredAndNoneMore() throws {
        #expect(try SettingsFixture(switches(256)).schema.findings.isEmpty)
        let schema = try SettingsFixture(switches(257)).schema
        #expect(schema.declarations.count == 256 && schema["k256"] == nil && schema["k255"] != nil)
        #expect(schema.findings.count == 1 && schema.findings[0].message.contains("more than 256 keys"))
    }

    @Test(.fault(564)) func aKeyHasAtMost128Bytes() throws {
        for (key, count) in [
            (String(repeating: "k", count: 128), 1), (String(repeating: "k", count: 129), 0),
            (String(repeating: "é", count: 64), 1), (String(repeating: "é", count: 64) + "k", 0),
        ] {
            let schema = try SettingsFixture("{ Type = PSToggleSwitchSpecifier; Key = \"\(key)\"; }").schema
            #expect(schema.declarations.count == count && schema.findings.count == 1 - count, "\(schema.findings)")
        }
    }

    @Test(.fault(567)) func aTextHasAtMost16KiB() throws {
        let longest = String(repeating: "x", count: 16 << 10)
        #expect(try SettingsFixture(texts(1, 16 << 10)).schema["k0"]?.defaultValue == .text(longest))
        let schema = try SettingsFixture(texts(1, (16 << 10) + 1)).schema
        #expect(schema["k0"]?.defaultValue == .text("") && schema.findings.map(\.code) == [.settingsMalformed])
        let fixture = try SettingsFixture(SettingsFixture.name)
        try fixture.write("home", "{ Settings = { name = \(longest); }; }")
        #expect(fixture.resolution().values["name"] == .text(longest) && fixture.resolution().findings.isEmpty)
        try fixture.write("home", "{ Settings = { name = \(longest)x; }; }")
        #expect(fixture.resolution().values["name"] == .text(""))
        #expect(fixture.resolution().findings.map(\.code) == [.settingInvalid])
    }

    /// One list has a mebibyte as well, so these are in two.
    @Test(.fault(567)) func theDefaultTextsHaveAMebibyteTogether() throws {
        for last in ["PSGroupSpecifier", "PSTextFieldSpecifier"] {
            let fixture = try SettingsFixture("\(texts(32, 16 << 10)), \(pane("More"))")
            let more = texts(32, 16 << 10).replacing("Key = k", with: "Key = more")
            try write(fixture, "More", "\(more), { Type = \(last); Key = over; DefaultValue = x; }")
            let schema = fixture.schema
            let textBytes = schema.declarations.reduce(0) { sum, declaration in
                if case .text(let text) = declaration.defaultValue { sum + text.utf8.count } else { sum }
            }
            #expect(textBytes == SettingsLimits.longestTexts && schema["over"] == nil)
            let isOver = schema.findings.contains { $0.message.contains("1048576 bytes together") }
            #expect(isOver == (last == "PSTextFieldSpecifier"), "\(schema.findings)")
        }
    }

    @Test(.fault(564)) func aHundredFindingsOfAFileAreListed() throws {
        for count in [100, 101] {
            let fixture = try SettingsFixture(switches(count))
            try fixture.write("home", "{ Settings = { \((0..<count).map { "k\($0) = x; " }.joined())}; }")
            let findings = fixture.resolution().findings
            #expect(findings.count == count && findings[99].code == .settingInvalid)
            #expect((findings.last?.message.contains("1 more") ?? false) == (count == 101))
            let faulty = try SettingsFixture((0..<count).map { "{ a\($0) = b; }" }.joined(separator: ",")).schema
            #expect(faulty.findings.count == count)
            #expect((faulty.findings.last?.message.contains("1 more") ?? false) == (count == 101))
        }
    }
}

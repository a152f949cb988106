import Glibc
import HostBasics
import PluginABI
import PropertyLists
import TestSupport
import Testing

@testable import SettingsReading

/// Which value counts, and what is wrong with the files of the layers.
@Suite struct SettingsLayersFaults {
    private let all =
        "\(SettingsFixture.toggle), \(SettingsFixture.slider), \(SettingsFixture.language), \(SettingsFixture.name)"

    @Test func theLastLayerWithAValueCounts() throws {
        let fixture = try SettingsFixture(all)
        func expect(
            _ value: Double, _ layer: SettingsLayer, _ path: String?, _ overrides: [String: SettingScalar] = [:]
        ) {
            let resolution = fixture.resolution(overrides: overrides)
            #expect(resolution.findings.isEmpty, "\(resolution.findings)")
            #expect(resolution.values["rate"] == .real(value))
            #expect(resolution.origins["rate"]?.layer == layer && resolution.origins["rate"]?.path == path)
        }
        expect(0.5, .plugin, fixture.tree("P.bundle/Settings.bundle/Root.plist"))
        try fixture.write("data2", "{ Settings = { rate = 0.1; }; }")
        expect(0.1, .distribution, fixture.path("data2"))
        // The first directory wins.
        try fixture.write("data1", "{ Settings = { rate = 0.15; }; }")
        expect(0.15, .distribution, fixture.path("data1"))
        try fixture.write("etc2", "{ Settings = { rate = <*R0.2>; }; }")
        expect(0.2, .administrator, fixture.path("etc2"))
        try fixture.write("home", "{ Settings = { rate = 1; }; }")
        expect(1, .user, fixture.path("home"))
        expect(0, .run, nil, ["rate": .integer(0)])
    }

    @Test(.fault(566)) func aFileThatCannotBeUsedIsNamedAndTheLayerBelowCounts() throws {
        for directory in ["data1", "etc1", "home"] {
            for damage in ["", "( a )", "{ Settings = a; }", "{ Settings = { rate = ", "FIFO", "writable", "directory"]
            {
                let fixture = try SettingsFixture(all)
                try fixture.write(directory, damage)
                let path = fixture.path(directory)
                if damage == "FIFO" || damage == "directory" {
                    fixture.tree.remove(path.dropPrefix(fixture.tree.path + "/"))
                }
                if damage == "FIFO" { #expect(mkfifo(path, 0o600) == 0) }
                if damage == "directory" { #expect(mkdir(path, 0o700) == 0) }
                if damage == "writable" {
                    try fixture.write(directory, "{ Settings = { rate = 0.9; }; }")
                    #expect(chmod(path, 0o666) == 0)
                }
                let resolution = fixture.resolution()
                let finding = try #require(resolution.findings.first, "\(directory) \(damage)")
                #expect(resolution.findings.count == 1 && finding.code == .settingsUnreadable, "\(directory) \(damage)")
                #expect(finding.filePath == path && !finding.remedy.isEmpty)
                #expect(resolution.values["rate"] == .real(0.5))
            }
        }
    }

    @Test(.fault(566)) func aFileThatIsDamagedAtAnyByteIsReadOrNamed() throws {
        let fixture = try SettingsFixture(all)
        let bytes = Array("{ Settings = { rate = 0.25; language = fr; on = YES; }; Locked = ( rate ); }".utf8)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x15
            try fixture.tree.write("etc1/app/settings/org.example.p.plist", bytes: damaged)
            let resolution = fixture.resolution()
            #expect(resolution.values.count == 4)
        }
    }

    @Test(.fault(566)) func aFileOfAnotherUserIsNotUsed() throws {
        guard geteuid() == 0 else { return }
        let fixture = try SettingsFixture(all)
        try fixture.write("home", "{ Settings = { rate = 0.9; }; }")
        #expect(chown(fixture.path("home"), 4_242, 4_242) == 0)
        #expect(fixture.resolution().findings.first?.message.contains("belongs to another user") ?? false)
    }

    @Test(
        .fault(567),
        arguments: [
            ("rate", "fast"), ("rate", "2"), ("rate", "-0.1"), ("rate", "nan"), ("rate", "(1)"), ("rate", "<0102>"),
            ("on", "2"), ("on", "maybe"), ("language", "de"), ("language", "<*I1>"), ("name", "<*I1>"),
            ("count", "0.5"),
            ("count", "9223372036854775808"), ("count", "11"),
        ])
    func aValueThatDoesNotFitIsNamedWithItsLine(_ key: String, _ value: String) throws {
        let count = "{ Type = PSTextFieldSpecifier; Key = count; DefaultValue = <*I5>; MaximumValue = <*I10>; }"
        let fixture = try SettingsFixture("\(all), \(count)")
        try fixture.write("etc1", "{ Settings = { rate = 0.25; }; }")
        try fixture.write("home", "{ Settings = {\n    \(key) = \"\(value)\";\n}; }".unquoted(value))
        let resolution = fixture.resolution()
        let finding = try #require(resolution.findings.first)
        #expect(resolution.findings.count == 1 && finding.code == .settingInvalid && finding.severity == .warning)
        #expect(finding.place == PluginFinding.Place(line: 2, column: 5) && finding.subject == key)
        #expect(finding.message.contains("counts:") && finding.remedy.hasPrefix("Write "))
        if key == "rate" {
            #expect(resolution.values[key] == .real(0.25) && finding.message.contains("the administrator counts: 0.25"))
        }
    }

    @Test(.fault(567)) func numbersAndTextsOutsideOfTheLimitsDoNotCount() throws {
        let fixture = try SettingsFixture(all)
        let overrides: [String: SettingScalar] = [
            "rate": .real(.nan), "name": .text(String(repeating: "x", count: 17 << 10)), "on": .integer(1),
            "else": .integer(1),
        ]
        let resolution = fixture.resolution(overrides: overrides)
        #expect(resolution.findings.count == 4 && resolution.values["rate"] == .real(0.5))
        #expect(resolution.values["name"] == .text("") && resolution.values["else"] == nil)
        // A NaN in XML is a fault of the file.
        try fixture.write(
            "home", "<plist><dict><key>Settings</key><dict><key>rate</key><real>nan</real></dict></dict></plist>")
        #expect(fixture.resolution().findings.map(\.code) == [.settingsUnreadable])
    }

    @Test(.fault(568)) func onlyAFileOfRootThatNobodyElseWritesCanLock() throws {
        let fixture = try SettingsFixture(all)
        try fixture.write("home", "{ Settings = { rate = 0.9; }; Locked = ( rate ); }")
        var resolution = fixture.resolution()
        #expect(resolution.locks.isEmpty && resolution.values["rate"] == .real(0.9))
        #expect(resolution.findings.first?.message.contains("only a file of the administrator") ?? false)
        try fixture.write("home", "{ Settings = { rate = 0.9; }; }")
        try fixture.write("etc1", "{ Locked = ( rate ); }")
        #expect(chmod(fixture.path("etc1"), 0o664) == 0)
        resolution = fixture.resolution()
        #expect(resolution.locks.isEmpty && resolution.findings.first?.message.contains("must belong to root") ?? false)
        #expect(chmod(fixture.path("etc1"), 0o644) == 0)
        #expect(fixture.resolution().locks == ["rate": fixture.path("etc1")])
        // The owner is not root.
        let files = SettingsFiles(fixture.places, lockOwner: geteuid() + 1)
        #expect(SettingsResolution(fixture.schema, files).locks.isEmpty)
        try fixture.write("etc1", "{ Locked = rate; }")
        #expect(fixture.resolution().findings.first?.message.contains("not an array of keys") ?? false)
    }

    @Test(.fault(569)) func aLockedSettingHasTheValueOfTheLowerLayers() throws {
        let fixture = try SettingsFixture(all)
        try fixture.write("data1", "{ Settings = { rate = 0.1; }; }")
        try fixture.write("etc1", "{ Settings = { rate = fast; }; Locked = ( rate ); }")
        try fixture.write("home", "{ Settings = { rate = 0.9; }; }")
        let resolution = fixture.resolution(overrides: ["rate": .real(1)])
        #expect(resolution.values["rate"] == .real(0.1) && resolution.locks["rate"] != nil)
        #expect(
            resolution.findings.map(\.code).sorted { $0.rawValue < $1.rawValue } == [.settingInvalid, .settingLocked])
    }

    @Test(.fault(568)) func theLocksOfTheUsualDirectoryCountWhateverTheVariableSays() throws {
        let fixture = try SettingsFixture(all)
        try fixture.write("root", "{ Settings = { rate = 0.3; }; Locked = ( rate ); }")
        try fixture.write("etc1", "{ Settings = { rate = 0.7; on = YES; }; }")
        try fixture.write("home", "{ Settings = { rate = 0.9; }; }")
        let resolution = fixture.resolution()
        #expect(resolution.values["rate"] == .real(0.3) && resolution.locks["rate"] == fixture.path("root"))
        // Only its locks count, not its other values.
        #expect(resolution.values["on"] == .boolean(true))
    }

    @Test(.fault(582)) func aValueUnderAFormerKeyCountsWhereTheNewOneIsNotSet() throws {
        let fixture = try SettingsFixture(
            "{ Type = PSSliderSpecifier; Key = rate; PHFormerKeys = (speed, tempo); }")
        try fixture.write("etc1", "{ Settings = { rate = 0.2; }; }")
        try fixture.write("home", "{ Settings = { tempo = 0.8; speed = 7; }; }")
        let resolution = fixture.resolution()
        #expect(resolution.values["rate"] == .real(0.8) && resolution.origins["rate"]?.key == "tempo")
        #expect(resolution.findings.map(\.code) == [.settingInvalid])
        try fixture.write("etc1", "{ Locked = ( tempo ); }")
        #expect(fixture.resolution().locks["rate"] != nil)
    }

    @Test func keysThatNobodyDeclaresAreReportedInTheFilesThatPeopleWrite() throws {
        let fixture = try SettingsFixture(all)
        try fixture.write("data1", "{ Settings = { on = NO; }; }")
        try fixture.write("etc1", "{ Settings = {\n    langauge = fr;\n}; Locked = ( raet, entirelyOther ); }")
        let findings = fixture.resolution().findings
        #expect(findings.map(\.code) == [.settingUndeclared, .settingUndeclared, .settingUndeclared])
        #expect(findings.map(\.subject) == ["entirelyOther", "langauge", "raet"])
        #expect(findings[1].place == PluginFinding.Place(line: 2, column: 5))
        #expect(findings[1].remedy == "Did you mean “language”?" && findings[1].message.contains("has a value for"))
        #expect(findings[2].remedy == "Did you mean “rate”?" && findings[2].message.contains("locks"))
        let many = (0..<5_000).map { "k\($0) = 1;" }.joined()
        try fixture.write("etc1", "{ Settings = { \(many) }; }")
        #expect(fixture.resolution().findings.count == ReadingBudget.mostFindings + 1)
    }

    @Test(.fault(584)) func keysOfAnotherVersionAreNeitherUsedNorReported() throws {
        let fixture = try SettingsFixture(all)
        try fixture.write("home", "{ Settings = { later = 3; rate = 0.9; }; Later = yes; }")
        let resolution = fixture.resolution()
        #expect(resolution.findings.isEmpty && resolution.values["later"] == nil)
    }

    @Test func aSecretComesFromTheApplicationOnly() throws {
        let fixture = try SettingsFixture("{ Type = PSTextFieldSpecifier; Key = p; IsSecure = <*BY>; }")
        try fixture.write("home", "{ Settings = { p = hunter2; }; }")
        let resolution = fixture.resolution()
        #expect(resolution.values["p"] == .text("") && resolution.findings.map(\.code) == [.settingSecret])
        #expect(!resolution.findings[0].message.contains("hunter2"))
        #expect(fixture.resolution(overrides: ["p": .text("x")]).values["p"] == .text("x"))
    }

    @Test(.fault(586), arguments: ["a/b", "..", ".", "", String(repeating: "x", count: 255), "a\0b"])
    func aNameThatCannotBeAFilesHasNoFiles(_ identifier: String) throws {
        let directories = try SettingsFixture().directories
        #expect(SettingsPlaces(of: identifier, in: "app", directories) == .none)
        #expect(SettingsPlaces(of: "app", in: identifier, directories) == .none || identifier.utf8.count == 255)
    }

    @Test(.fault(585)) func aProgramWithMoreRightsReadsNoVariable() {
        let places = SettingsPlaces(of: "p", in: "app", UserDirectories { _ in nil })
        #expect(places.distribution == ["/usr/local/share/app/settings/p.plist", "/usr/share/app/settings/p.plist"])
        #expect(places.administrator == ["/etc/xdg/app/settings/p.plist"] && places.locks == places.administrator[0])
        #expect(places.user?.hasSuffix("/.config/app/settings/p.plist") ?? true)
    }

    @Test func moreThanAHundredFindingsAreCounted() throws {
        let fixture = try SettingsFixture(
            (0..<200).map { "{ Type = PSToggleSwitchSpecifier; Key = k\($0); }" }.joined(separator: ","))
        try fixture.write("home", "{ Settings = { \((0..<200).map { "k\($0) = x; " }.joined())}; }")
        let findings = fixture.resolution().findings
        #expect(findings.count == 101 && findings.last?.message.contains("100 more") ?? false)
    }

    @Test(.fault(567)) func allTextsTogetherAreLimited() throws {
        let fixture = try SettingsFixture(
            (0..<80).map { "{ Type = PSTextFieldSpecifier; Key = k\($0); }" }.joined(separator: ","))
        let text = String(repeating: "x", count: 16_000)
        try fixture.write("home", "{ Settings = { \((0..<80).map { "k\($0) = \(text); " }.joined())}; }")
        let resolution = fixture.resolution()
        let used = resolution.values.values.filter { $0 == .text(text) }.count
        #expect(used == 65 && resolution.findings.count == 15)
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }

    /// Typed values and arrays stand without quotation marks.
    fileprivate func unquoted(_ value: String) -> String {
        guard value.hasPrefix("<") || value.hasPrefix("(") else { return self }
        return self.replacing("\"\(value)\"", with: value)
    }
}

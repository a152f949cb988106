import Dispatch
import Foundation
import Glibc
import HostBasics
@_spi(PluginHost) import PluginABI
import PropertyLists
import SettingsReading
import TestSupport
import Testing

@testable import PluginHost

@Suite struct PluginSettingsTests {
    @Test func aValueHasItsDeclaredType() throws {
        let host = try SettingsHost()
        #expect(host.settings[.rate] == 0.5 && host.settings[.on] == false && host.settings[.count] == 3)
        #expect(host.settings[.name] == "" && host.settings[.voice] == .low && host.settings[.level] == .two)
        try host.write("home", "{ Settings = { rate = 0.25; on = YES; count = 7; name = Ada; voice = high; }; }")
        host.settings.refresh()
        #expect(host.settings[.rate] == 0.25 && host.settings[.on] && host.settings[.count] == 7)
        #expect(host.settings[.name] == "Ada" && host.settings[.voice] == .high)
        let snapshot = host.settings.snapshot
        host.settings.overrides["rate"] = .real(1)
        host.settings.overrides["voice"] = .text("low")
        #expect(snapshot[.rate] == 0.25 && snapshot[.voice] == .high && host.settings[.rate] == 1)
        #expect(snapshot[.count] == 7 && snapshot[.name] == "Ada" && snapshot[.level] == .two)
        host.settings.overrides.removeAll()
        #expect(host.settings[.rate] == 0.25 && host.settings.findings.isEmpty)
    }

    @Test(.fault(583)) func whatTheCodeAndTheSchemaDisagreeAboutHasTheCodesDefaultAndIsLoggedOnce() async {
        await #expect(processExitsWith: .success) {
            let logged = Lock<[String]>([])
            HostEnvironment.current.log = { record in logged.withLock { $0.append(record.message) } }
            let host = try SettingsHost(
                """
                { Type = PSTextFieldSpecifier; Key = rate; },
                { Type = PSTextFieldSpecifier; Key = voice; DefaultValue = deep; },
                { Type = PSTextFieldSpecifier; Key = level; DefaultValue = <*I9>; }
                """)
            for _ in 0..<3 {
                #expect(host.settings[.rate] == -1 && host.settings[.count] == -1)
                #expect(host.settings[.voice] == .low && host.settings[.level] == .one)
                #expect(host.settings.snapshot[.voice] == .low)
            }
            let lines = logged.withLock(\.self)
            #expect(lines.count == 4, "\(lines)")
            #expect(lines[0].contains("“rate” as Double") && lines[1].contains("does not declare"))
            #expect(lines[2].contains("“deep”, and Voice has no such case") && lines[3].contains("“9”, and Level"))
        }
    }

    @Test func aStoredValueIsInTheFileAndCountsAtOnce() throws {
        let host = try SettingsHost()
        try host.write("home", "{ Settings = { later = 3; }; Later = yes; }")
        try host.settings.set(.rate, to: 0.75)
        try host.settings.set(.voice, to: .high)
        #expect(host.settings[.rate] == 0.75 && host.settings[.voice] == .high)
        let origin = try #require(host.settings.origin(of: "rate"))
        #expect(origin.layer == .user && origin.path == host.path("home") && origin.place != nil && origin.lock == nil)
        // What another version wrote stays.
        let text = try host.text("home")
        #expect(text.contains("<key>later</key>") && text.contains("<key>Later</key>") && text.hasPrefix("<?xml"))
        try host.settings.reset(.rate)
        #expect(host.settings[.rate] == 0.5 && host.settings.origin(of: "rate")?.layer == .plugin)
        try host.settings.set("count", to: .integer(9))
        #expect(host.settings.value(of: "count") == .integer(9) && host.settings[.count] == 9)
        #expect(host.settings.keys == ["rate", "on", "count", "name", "voice", "password", "level"])
    }

    @Test(.fault(570)) func aValueThatMayNotBeStoredIsRefusedWithTheReason() throws {
        let host = try SettingsHost()
        func code(_ key: String, _ value: SettingScalar) -> PluginError.Code? {
            do { try host.settings.set(key, to: value) } catch {
                let error = error as? PluginError
                #expect(!(error?.findings[0].remedy.isEmpty ?? true) && error?.bundlePath == host.bundle.bundlePath)
                return error?.code
            }
            return nil
        }
        #expect(code("rate", .real(2)) == .settingInvalid && code("rate", .text("x")) == .settingInvalid)
        #expect(code("rate", .real(.infinity)) == .settingInvalid && code("count", .integer(-1)) == .settingInvalid)
        #expect(code("name", .text(String(repeating: "x", count: 17 << 10))) == .settingInvalid)
        #expect(code("none", .real(2)) == .settingUndeclared && code("password", .text("x")) == .settingSecret)
        #expect(FileIdentity(path: host.path("home")) == nil, "nothing was written")
        guard geteuid() == 0 else { return }
        // Only root can lock.
        try host.write("etc", "{ Locked = ( rate ); }")
        #expect(code("rate", .real(0.1)) == .settingLocked && code("count", .integer(1)) == nil)
        #expect(throws: PluginError.self) { try host.settings.reset(.rate) }
        #expect(host.settings.origin(of: "rate")?.lock == host.path("etc"))
    }

    @Test(.fault(573)) func aFileThatCannotBeWrittenIsAnErrorAndThisRunStillWorks() throws {
        let host = try SettingsHost()
        try host.tree.write("home", "a file in the place of the directory")
        let error = #expect(throws: PluginError.self) { try host.settings.set(.rate, to: 0.1) }
        #expect(error?.code == .settingsUnreadable && error?.description.contains(host.tree("home")) ?? false)
        #expect(host.settings[.rate] == 0.5)
        host.settings.overrides["rate"] = .real(0.1)
        #expect(host.settings[.rate] == 0.1)
        // No home, or no name for a file.
        let homeless = FileSettings(
            bundlePath: "/p", identifier: "p", schema: host.files.schema, places: .none, texts: nil)
        let none = #expect(throws: PluginError.self) { try homeless.set("rate", to: .real(0.1)) }
        #expect(none?.description.contains("Set HOME") ?? false)
    }

    @Test(.fault(566)) func theNextChangeKeepsADamagedFile() throws {
        let host = try SettingsHost()
        try host.write("home", "{ Settings = ")
        host.settings.refresh()
        #expect(host.settings.findings.map(\.code) == [.settingsUnreadable])
        try host.settings.set(.rate, to: 0.1)
        #expect(host.settings[.rate] == 0.1 && host.settings.findings.isEmpty)
        let kept = try OpenedFile(path: host.path("home") + ".damaged").bytes(atMost: 999)
        #expect(String(decoding: kept, as: UTF8.self) == "{ Settings = ")
    }

    /// XML cannot hold a NUL, but the other forms of a list can.
    @Test(.fault(566, 584)) func anEntryThatCannotBeWrittenIsReportedAndBlocksNoOther() throws {
        let host = try SettingsHost()
        let list = #"{ Settings = { "a\000b" = 1; later = { x = "\000"; }; name = "n\000"; count = 4; kept = 5; }; }"#
        try host.write("home", list)
        host.settings.refresh()
        #expect(host.settings[.count] == 4 && host.settings[.name] == "")
        let codes = host.settings.findings.map(\.code)
        #expect(codes == [.settingInvalid, .settingInvalid])
        #expect(host.settings.findings[0].message.contains("3 entries, the first of them “a"))
        #expect(throws: PluginError.self) { try host.settings.set(.name, to: "x\0") }
        // What gets a value now is not among what was left out.
        var content = try #require(SettingsContent(PropertyListReader.read(Array(list.utf8)).value))
        #expect(content.leftOut.sorted() == ["a\0b", "later", "name"])
        content.apply(.init(values: ["name": .string("n")]))
        #expect(content.leftOut.sorted() == ["a\0b", "later"])
        try host.settings.set(.rate, to: 0.1)
        try host.settings.set(.count, to: 6)
        let text = try host.text("home")
        #expect(host.settings[.rate] == 0.1 && host.settings[.count] == 6 && host.settings.findings.isEmpty)
        #expect(text.contains("<key>kept</key>") && !text.contains("later"))
        let kept = try OpenedFile(path: host.path("home") + ".damaged").bytes(atMost: 999)
        #expect(String(decoding: kept, as: UTF8.self) == list)
    }

    @Test(.fault(574)) func aLockThatIsNeverReleasedEndsTheWait() throws {
        let host = try SettingsHost()
        try host.write("home", "{ }")
        let lock = try DirectoryLock(Path.parent(host.path("home")), waitingAtMost: .zero)
        let clock = ContinuousClock()
        var error: PluginError?
        let time = clock.measure {
            error = #expect(throws: PluginError.self) { try host.settings.set(.rate, to: 0.1) }
        }
        extendLifetime(lock)
        #expect(time > .seconds(4) && time < .seconds(8) && host.settings[.rate] == 0.5)
        #expect(error?.description.contains("another process holds its lock") ?? false)
    }

    @Test(.fault(582)) func theNextChangeStoresTheNewNameAndKeepsTheOld() throws {
        let host = try SettingsHost(
            """
            { Type = PSSliderSpecifier; Key = rate; PHFormerKeys = (speed); },
            { Type = PSTextFieldSpecifier; Key = name; }
            """)
        try host.write("home", "{ Settings = { speed = 0.8; }; }")
        host.settings.refresh()
        #expect(host.settings[.rate] == 0.8)
        try host.settings.set(.name, to: "Ada")
        let text = try host.text("home")
        // An older version of the plug-in still finds its value.
        #expect(text.contains("<key>rate</key>") && text.contains("<key>speed</key>"))
        try host.settings.reset(.rate)
        let rest = try host.text("home")
        #expect(host.settings[.rate] == 0 && !rest.contains("speed"))
    }

    @Test func changesAreReportedOnceForEachDifferentValue() async throws {
        let host = try SettingsHost()
        var changes = host.settings.changes.makeAsyncIterator()
        try host.settings.set(.rate, to: 0.7)
        let first = await changes.next()
        #expect(first?.keys == ["rate"])
        // The same value is no change; a slow reader gets the union.
        try host.settings.set(.rate, to: 0.7)
        try host.settings.set(.count, to: 4)
        host.settings.overrides["on"] = .boolean(true)
        let change = await changes.next()
        #expect(
            change?.keys == ["count", "on"] && change?.contains(.count) ?? false && !(change?.contains(.rate) ?? true))
        host.settings.endChanges()
        let end = await changes.next()
        var late = host.settings.changes.makeAsyncIterator()
        let none = await late.next()
        #expect(end == nil && none == nil)
    }

    @Test func aLoopWhoseTaskIsCancelledEnds() async throws {
        let host = try SettingsHost()
        let task = Task { [settings = host.settings] in
            var count = 0
            for await _ in settings.changes { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test(.fault(575)) func whatOtherProcessesWriteCountsSoon() throws {
        let host = try SettingsHost()
        host.files.begin()
        // The directories do not exist yet.
        func counts(_ rate: Double) -> Bool {
            let wait = Wait(atMost: .seconds(5))
            while host.settings[.rate] != rate { guard wait.sleep() else { return false } }
            return true
        }
        try host.write("home", "{ Settings = { rate = 0.1; }; }")
        #expect(counts(0.1))
        try host.write("home.new", "{ Settings = { rate = 0.2; }; }")
        #expect(rename(host.path("home.new"), host.path("home")) == 0)
        #expect(counts(0.2))
        try host.tree.rename("home/app", to: "home/other")
        #expect(counts(0.5))
        try host.write("home", "{ Settings = { rate = 0.3; }; }")
        #expect(counts(0.3))
        host.tree.remove("home")
        #expect(counts(0.5))
        try host.write("etc", "{ Settings = { rate = 0.4; }; }")
        #expect(counts(0.4))
    }

    /// Each writer has a thread and a list of its own, and so its own lock of the directory, as another process does.
    @Test(.fault(572)) func fiftyWritersOfAHundredKeysLoseNothing() throws {
        let host = try SettingsHost()
        let path = host.path("home")
        let limit = Wait.ofATest
        let writers = DispatchGroup()
        for writer in 0..<50 {
            DispatchQueue(label: "writer \(writer)").async(group: writers) {
                for part in 0..<5 where !Self.write(writer, part, path, limit) { return }
            }
        }
        writers.wait(until: "all writers have ended")
        let bytes = try OpenedFile(path: path).bytes(atMost: 16 << 20)
        let values = try PropertyListReader.read(bytes).value["Settings"]?.dictionary ?? [:]
        #expect(values.count == 5_000)
        for writer in 0..<50 {
            for key in 0..<100 where values["w\(writer)k\(key)"] != .integer(Int64(key)) {
                Issue.record("w\(writer)k\(key) is lost")
            }
        }
    }

    /// Stores twenty keys of a writer; false if that failed.
    private static func write(_ writer: Int, _ part: Int, _ path: String, _ limit: Wait) -> Bool {
        var change = SettingsContent.Change()
        for key in part * 20..<part * 20 + 20 { change.values["w\(writer)k\(key)"] = .integer(Int64(key)) }
        while true {
            do throws(PluginFinding) {
                try SettingsContent.separate(at: path).write(change)
                return true
            } catch {
                // Where the writers of a slow machine wait too long, the refusal says so, and nothing was written.
                if error.message.contains("lock"), !limit.isOver { continue }
                Issue.record("\(error)")
                return false
            }
        }
    }

    /// A limit on the size of files makes the same call fail as a full disk: after a part was written.
    @Test(.fault(573)) func aWriteThatFailsHalfWayLeavesTheOldFile() async {
        await #expect(processExitsWith: .success) {
            let host = try SettingsHost()
            try host.settings.set(.name, to: "before")
            let before = try host.text("home")
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let usual = limit.rlim_cur
            limit.rlim_cur = rlim_t(before.utf8.count + 100)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let long = String(repeating: "x", count: 10_000)
            let error = #expect(throws: PluginError.self) { try host.settings.set(.name, to: long) }
            #expect(error?.code == .settingsUnreadable && error?.description.contains(host.path("home")) ?? false)
            limit.rlim_cur = usual
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(try host.text("home") == before)
            #expect(host.settings[.name] == "before")
            // No part of the new file stays.
            let names = try FileManager.default.contentsOfDirectory(atPath: Path.parent(host.path("home")))
            #expect(names == ["org.example.p.plist"])
            host.settings.overrides["name"] = .text(long)
            #expect(host.settings[.name] == long)
            host.settings.overrides["name"] = nil
            try host.settings.set(.name, to: long)
            #expect(host.settings[.name] == long)
        }
    }

    @Test(.fault(573)) func aDirectoryThatMayNotBeWrittenIsNamed() async {
        await #expect(processExitsWith: .success) {
            let host = try SettingsHost()
            try host.write("home", "{ }")
            let directory = Path.parent(host.path("home"))
            // Root may write everywhere, so another user tries.
            if geteuid() == 0 {
                for path in [host.tree.path, host.tree("home"), host.tree("home/app"), directory, host.path("home")] {
                    #expect(chown(path, 65_534, 65_534) == 0)
                }
                #expect(seteuid(65_534) == 0)
            }
            #expect(chmod(directory, 0o500) == 0)
            let error = #expect(throws: PluginError.self) { try host.settings.set(.rate, to: 0.1) }
            #expect(error?.code == .settingsUnreadable && error?.description.contains(host.path("home")) ?? false)
            host.settings.overrides["rate"] = .real(0.1)
            #expect(host.settings[.rate] == 0.1 && chmod(directory, 0o700) == 0)
        }
    }

    @Test func moreThanTwentyChangesASecondWait() throws {
        let pace = WritePace()
        let clock = ContinuousClock()
        #expect(clock.measure { for _ in 0..<20 { pace.wait() } } < .milliseconds(500))
        #expect(clock.measure { for _ in 0..<10 { pace.wait() } } > .milliseconds(300))
    }

    @Test func aSecretIsNeitherStoredNorShown() throws {
        let host = try SettingsHost()
        host.settings.overrides["password"] = .text("hunter2")
        #expect(host.settings[Setting<String>("password", default: "")] == "hunter2")
        let page = try JSONEncoder().encode(host.settings.page())
        #expect(!String(decoding: page, as: UTF8.self).contains("hunter2"))
    }

    @Test(.fault(587)) func twoApplicationsOfOneNameShareTheFile() throws {
        let tree = try TemporaryTree()
        let one = try SettingsHost(tree: tree)
        let other = try SettingsHost(tree: tree)
        try one.settings.set(.rate, to: 0.9)
        other.settings.refresh()
        #expect(other.settings[.rate] == 0.9)
    }

    // MARK: Bundles

    @Test(.fault(560)) func aBundleWithoutASettingsBundleHasNone() throws {
        let tree = try TemporaryTree(["P.bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"org.example.p\"; }"])
        let bundle = try PluginBundle.open(path: tree("P.bundle"))
        #expect(try bundle.settings == nil)
        let context = PluginContext(services: HostTable(bundle: bundle))
        #expect(context.settings[.rate] == -1 && context.settings.page().panes.isEmpty)
        #expect(throws: PluginError.self) { try context.settings.set(.rate, to: 0.5) }
    }

    @Test(.fault(561)) func aSettingsBundleThatCannotBeReadIsAnErrorForTheApplicationOnly() throws {
        let tree = try TemporaryTree([
            "P.bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"org.example.p\"; }",
            "P.bundle/Contents/Resources/Settings.bundle/Root.plist": "{ PreferenceSpecifiers = ",
        ])
        let bundle = try PluginBundle.open(path: tree("P.bundle"))
        let error = #expect(throws: PluginError.self) { try bundle.settings }
        #expect(error?.code == .settingsUnreadable)
        #expect(PluginContext(services: HostTable(bundle: bundle)).settings[.rate] == -1)
    }

    @Test(.fault(586), arguments: ["a/b", "..", "$HOME/x"])
    func anIdentifierThatCannotBeAFilesNameHasDefaultsAndThisRunOnly(_ identifier: String) throws {
        let tree = try TemporaryTree([
            "P.bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"\(identifier)\"; }",
            "P.bundle/Contents/Resources/Settings.bundle/Root.plist": SettingsSource.root(),
        ])
        let settings = try #require(try PluginBundle.open(path: tree("P.bundle")).settings)
        #expect(settings[.rate] == 0.5)
        settings.overrides["rate"] = .real(0.25)
        #expect(settings[.rate] == 0.25 && settings.origin(of: "rate")?.layer == .run)
        let error = #expect(throws: PluginError.self) { try settings.set(.rate, to: 0.1) }
        #expect(error?.description.contains("cannot be the name of a file") ?? false)
    }

    @Test(arguments: ["xml", "binary", "old"]) func aFileWithValuesMayHaveAnyForm(_ form: String) throws {
        let host = try SettingsHost()
        let list = ["Settings": ["rate": 0.25, "on": true, "count": 7, "name": "Ada"] as [String: Any]]
        try host.write("home", "{ Settings = { rate = 0.25; on = yes; count = 7; name = Ada; }; }")
        if form != "old" {
            let data = try PropertyListSerialization.data(
                fromPropertyList: list, format: form == "xml" ? .xml : .binary, options: 0)
            try data.write(to: URL(filePath: host.path("home")))
            #expect(chmod(host.path("home"), 0o600) == 0)
        }
        host.settings.refresh()
        #expect(host.settings.findings.isEmpty && host.settings[.rate] == 0.25 && host.settings[.on])
        #expect(host.settings[.count] == 7 && host.settings[.name] == "Ada")
        // A binary list has no lines.
        let origin = try #require(host.settings.origin(of: "rate"))
        #expect(origin.layer == .user && (origin.place == nil) == (form == "binary"))
        try host.settings.set(.count, to: 8)
        #expect(try host.text("home").hasPrefix("<?xml") && host.settings[.rate] == 0.25)
    }

    @Test(.fault(565)) func aPageHasTheTextsOfTheLanguageAndEverythingAToolkitNeeds() throws {
        let host = try SettingsHost()
        let folder = "P.bundle/Contents/Resources/Settings.bundle"
        try host.tree.write("\(folder)/fr.lproj/Root.strings", "\"Voice\" = \"Voix\"; \"Low\" = \"Grave\";")
        try host.write("etc", "{ Settings = { count = 4; }; }")
        host.settings.refresh()
        let page = host.settings.page(languages: ["fr"])
        #expect(page.title == "Pea" && page.panes.map(\.name) == ["Root"])
        let rows = page.panes[0].rows
        #expect(rows.map(\.kind).prefix(3) == [.group, .slider, .toggle] && rows[0].footer == "How it reads")
        let voice = try #require(rows.first { $0.key == "voice" })
        #expect(voice.title == "Voix" && voice.choices.map(\.title) == ["Grave", "High"])
        #expect(voice.value == .text("low") && voice.type == .text && voice.layer == .plugin)
        let count = try #require(rows.first { $0.key == "count" })
        #expect(count.value == .integer(4) && count.defaultValue == .integer(3) && count.layer == .administrator)
        #expect(count.minimum == 0 && count.title == "Count")
        // Without a table, texts are shown as written.
        let plain = try SettingsHost().settings.page(languages: ["fr"])
        #expect(plain.panes[0].rows.first { $0.key == "voice" }?.title == "Voice")
        let copy = try JSONDecoder().decode(SettingsPage.self, from: JSONEncoder().encode(page))
        #expect(copy.panes[0].rows.count == rows.count && copy.title == page.title)
    }

    @Test func aPageHasTheHintsThePicturesAndTheOrderOfTheTexts() throws {
        let folder = "P.bundle/Contents/Resources/Settings.bundle"
        let tree = try TemporaryTree([
            "\(folder)/More.plist": SettingsSource.root("{ Type = PSToggleSwitchSpecifier; Key = more; }"),
            "\(folder)/small.png": "", "\(folder)/de.lproj/Root.strings": "\"beta\" = \"Zeta\";",
        ])
        let host = try SettingsHost(
            """
            { Type = PSTextFieldSpecifier; Key = address; KeyboardType = URL; AutocorrectionType = No; },
            { Type = PSSliderSpecifier; Key = size; MinimumValueImage = small; MaximumValueImage = missing; },
            { Type = PSToggleSwitchSpecifier; Key = loud; TrueValue = yes; FalseValue = no; },
            { Type = PSRadioGroupSpecifier; Key = tone; Values = (b, a, c); Titles = (beta, Alpha, gamma);
              DisplaySortedByTitle = <*BY>; FooterText = Foot; },
            { Type = PSMultiValueSpecifier; Key = unit; Values = (<*I1>, <*I2>); Titles = (Metre, Mile);
              ShortTitles = (m, mi); },
            { Type = PSChildPaneSpecifier; Title = More; File = More; }
            """, tree: tree)
        #expect(host.settings.findings.isEmpty)
        let page = host.settings.page(languages: ["de"])
        let rows = page.panes[0].rows
        #expect(rows[0].hints == ["KeyboardType": "URL", "AutocorrectionType": "No"])
        #expect(rows[1].minimumImage == tree("\(folder)/small.png") && rows[1].maximumImage == nil)
        #expect(rows[1].minimum == 0 && rows[1].maximum == 1)
        #expect(rows[2].trueValue == .text("yes") && rows[2].falseValue == .text("no") && rows[2].value == .text("no"))
        // Sorted by the texts that the reader sees.
        #expect(rows[3].choices.map(\.title) == ["Alpha", "gamma", "Zeta"] && rows[3].footer == "Foot")
        #expect(rows[4].choices.map(\.shortTitle) == ["m", "mi"] && rows[4].value == .integer(1))
        #expect(rows[5].pane == "More" && rows[5].key == nil && page.panes[1].rows[0].key == "more")
    }

    @Test func theIconOfTheSettingsIsFoundByItsNames() throws {
        let tree = try TemporaryTree([
            "P.bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"org.example.p\"; }",
            "P.bundle/Contents/Resources/Icon.png": "",
        ])
        let bundle = try PluginBundle.open(path: tree("P.bundle"))
        func name() -> String? { bundle.settingsIconFiles.first.map { Path.lastComponent($0.path) } }
        #expect(name() == "Icon.png")
        try tree.write("P.bundle/Contents/Resources/Icon-Small.png")
        #expect(name() == "Icon-Small.png")
        try tree.write("P.bundle/Contents/Resources/Icon-Settings.png")
        #expect(name() == "Icon-Settings.png")
    }
}

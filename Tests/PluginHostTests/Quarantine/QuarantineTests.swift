import ELFImages
import Glibc
import HostBasics
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import HostRecords
@_spi(Tools) @testable import PluginHost

/// An application's plug-ins and its quarantine, in a directory of a test.
struct QuarantineFixture {
    let tree: CatalogTree
    let quarantine: Quarantine

    init() throws {
        tree = try CatalogTree()
        for name in ["One", "Two"] {
            try tree.write("a/\(name).bundle", CatalogTree.list(name.lowercased()))
            try tree.tree.write("a/\(name).bundle/Contents/Linux/\(name)", "the code of \(name)")
        }
        quarantine = Quarantine.at(tree("state/app/quarantine"))
    }

    var file: String { tree("state/app/quarantine") }
    /// Another process would see the file like this.
    var inFile: [Quarantine.Entry] {
        guard let bytes = try? fileBytes(file),
            let list = try? PropertyListReader.read(bytes, limits: ListFile.limits).value
        else { return [] }
        return QuarantineList(list)?.entries ?? []
    }

    var catalog: PluginCatalog {
        PluginCatalog(
            searchPaths: [tree("a")], options: .init(index: .directory(tree("index")), quarantine: file))
    }

    func bundle(_ name: String = "One") throws -> PluginBundle {
        try PluginBundle.open(path: tree("a/\(name).bundle"))
    }

    func evidence(_ name: String = "One") throws -> Quarantine.Entry {
        let bundle = try bundle(name)
        return Quarantine.Entry(
            bundle.displayIdentifier, bundlePath: bundle.bundlePath, files: try bundle.codeFiles())
    }

    func death(_ seconds: Int64 = 1_790_000_000, isCertain: Bool = true) -> Quarantine.Death {
        Quarantine.Death(
            time: seconds * 1_000_000_000, end: "the signal SIGSEGV", phase: "code", isCertain: isCertain)
    }

    var verdicts: [String: PluginVerdict] {
        Dictionary(uniqueKeysWithValues: catalog.candidates.map { ($0.identifier, $0.verdict) })
    }
}

@Suite struct QuarantineTests {
    @Test func whatRequiresAPluginInQuarantineNamesTheQuarantine() throws {
        let fixture = try QuarantineFixture()
        try fixture.tree.write("a/Needy.bundle", CatalogTree.list("needy", "1", "PHRequires = { one = \"1\"; };"))
        try fixture.quarantine.note(
            fixture.death(), of: fixture.evidence(), QuarantineList.Limit(deaths: 1, within: .seconds(300)))
        #expect(fixture.verdicts["needy"] == .unresolved)
        let finding = try #require(fixture.catalog.candidates.first { $0.identifier == "needy" }?.findings.first)
        #expect(
            finding.message.contains("is installed, but not used. ") && finding.message.contains("is in quarantine."))
        #expect(finding.remedy.contains("pluginhost quarantine clear"), "\(finding.remedy)")
    }

    @Test(.fault(765)) func theApplicationItselfIsNeverASuspect() async throws {
        let tree = try TemporaryTree([:])
        let state = tree("state")
        for _ in 1...3 {
            await #expect(processExitsWith: .exitCode(0)) { [state = state as String] in
                setenv("XDG_STATE_HOME", state, 1)
                // The libraries of the tests are beside their program, as those of many applications.
                precondition(PluginBundle.main.executablePath != nil)
                let records = try CrashJournal.begin(application: "self-accused")
                if !records.isEmpty { _exit(9) }
                exit(0)
            }
        }
        let quarantine = Quarantine.at(state + "/self-accused/quarantine")
        #expect(quarantine.entries.isEmpty && quarantine.suspects.isEmpty)
    }

    @Test(.fault(765)) func anEntryAboutTheApplicationIsDropped() throws {
        let fixture = try QuarantineFixture()
        var evidence = try fixture.evidence()
        evidence = Quarantine.Entry(
            "org.example.self", bundlePath: Path.parent(Path.mainProgram), files: evidence.files)
        for _ in 1...2 { fixture.quarantine.note(fixture.death(), of: evidence, .ofApplication) }
        #expect(fixture.quarantine.entries.isEmpty && fixture.quarantine.suspects.isEmpty)
    }

    @Test func aPluginInQuarantineIsRefusedWithTheReason() throws {
        let fixture = try QuarantineFixture()
        try fixture.quarantine.add(try fixture.bundle(), reason: "It formats the disk")
        let catalog = fixture.catalog
        #expect(catalog.plugins.map(\.identifier) == ["two"])
        #expect(catalog.unusable.map(\.verdict) == [.quarantined])
        let error = #expect(throws: PluginError.self) { try catalog.activate("one") }
        #expect(error?.code == .quarantined && error?.subject == "one")
        #expect(error?.description.contains("It formats the disk.") ?? false)
        #expect(error?.description.contains("pluginhost quarantine clear one --application app") ?? false)
        #expect(catalog.explanation(of: "one").remedy.contains("quarantine clear one"))
        #expect(fixture.quarantine.clear("one") && !fixture.quarantine.clear("one"))
        #expect(!catalog.refresh().isEmpty && catalog.plugin("one") != nil)
    }

    @Test func twoDeathsWithinSevenDaysPutAPluginIntoQuarantine() throws {
        let fixture = try QuarantineFixture()
        let week: Int64 = 7 * 24 * 3600, now: Int64 = 1_790_000_000
        let evidence = try fixture.evidence()
        #expect(!fixture.quarantine.note(fixture.death(now - week - 1), of: evidence, .ofApplication))
        #expect(!fixture.quarantine.note(fixture.death(now), of: evidence, .ofApplication))
        #expect(fixture.quarantine.entries.isEmpty && fixture.quarantine.suspects.map(\.count) == [2])
        #expect(fixture.verdicts["one"] == .usable)
        #expect(fixture.quarantine.note(fixture.death(now + week), of: evidence, .ofApplication))
        let entry = try #require(fixture.quarantine.entries.first)
        #expect(entry.origin == .deaths && entry.count == 3 && entry.deaths.count == 3)
        #expect(entry.reason.contains("ended the application 3 times") && entry.reason.contains("SIGSEGV"))
        #expect(fixture.verdicts == ["one": .quarantined, "two": .usable])
        #expect(fixture.inFile == fixture.quarantine.entries)
    }

    @Test(.fault(440)) func aClockThatWasSetBackNeitherCountsNorHidesADeath() throws {
        let fixture = try QuarantineFixture()
        let now: Int64 = 1_790_000_000, month: Int64 = 30 * 24 * 3600
        // The first death was noted while the clock was a month ahead.
        #expect(!fixture.quarantine.note(fixture.death(now + month), of: try fixture.evidence(), .ofApplication))
        #expect(!fixture.quarantine.note(fixture.death(now), of: try fixture.evidence(), .ofApplication))
        // A clock that goes back by a day hides nothing.
        #expect(fixture.quarantine.note(fixture.death(now - 24 * 3600), of: try fixture.evidence(), .ofApplication))
    }

    @Test func whatWasOnlySeenOnTheStackCountsHalfAndNeverAlone() throws {
        let fixture = try QuarantineFixture()
        let evidence = try fixture.evidence()
        for _ in 0..<5 {
            #expect(!fixture.quarantine.note(fixture.death(isCertain: false), of: evidence, .ofApplication))
        }
        #expect(fixture.quarantine.note(fixture.death(), of: evidence, .ofApplication))
        let other = try fixture.evidence("Two")
        #expect(!fixture.quarantine.note(fixture.death(), of: other, .ofApplication))
        #expect(!fixture.quarantine.note(fixture.death(isCertain: false), of: other, .ofApplication))
        #expect(fixture.quarantine.note(fixture.death(isCertain: false), of: other, .ofApplication))
    }

    @Test func deathsOfWorkersAreCountedByTheirOwnLimit() throws {
        let fixture = try QuarantineFixture()
        let limit = QuarantineList.Limit(deaths: 3, within: .seconds(300))
        let evidence = try fixture.evidence()
        var death = fixture.death(0)
        death.isOfWorker = true
        for second: Int64 in [0, 301, 302] {
            death.time = second * 1_000_000_000
            #expect(!fixture.quarantine.note(death, of: evidence, limit))
        }
        // One of the application's is none of the worker's.
        #expect(!fixture.quarantine.note(fixture.death(303), of: evidence, .ofApplication))
        death.time = 304 * 1_000_000_000
        #expect(fixture.quarantine.note(death, of: evidence, limit))
    }

    @Test func theEndOfAWorkerCountsForTheApplicationThatUsesThePlugin() async {
        await #expect(processExitsWith: .success) {
            let fixture = try QuarantineFixture()
            let bundle = try fixture.bundle()
            func end() -> PluginFinding? {
                let end = WorkerEnd(cause: .signal(SIGSEGV), phase: .call(provider: "Loud", method: "filter(_:)"))
                return Strikes.note(end, of: bundle.info, deaths: 2, within: .seconds(300))
            }
            // Without an application nothing is counted.
            #expect(end() == nil && end() == nil)
            _ = fixture.catalog
            #expect(end() == nil)
            let finding = try #require(end())
            #expect(finding.code == .quarantined && finding.message.contains("ended its process twice"))
            #expect(finding.message.contains("in a call of filter(_:) of Loud"))
            #expect(fixture.inFile.map(\.count) == [2] && fixture.verdicts["one"] == .quarantined)
        }
    }

    // MARK: Expiry

    @Test func anEntryExpiresWhenAFileGetsOtherContent() throws {
        let fixture = try QuarantineFixture()
        try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
        try fixture.quarantine.add(try fixture.bundle("Two"), reason: "a reason")
        let path = fixture.tree("a/One.bundle/Contents/Linux/One")
        // The same length and the same times: only the digest differs.
        let old = try #require(FileIdentity(path: path))
        try fixture.tree.tree.write("a/One.bundle/Contents/Linux/One", "the code of 0ne")
        setModified(path, seconds: Int(old.modified / 1_000_000_000))
        #expect(fixture.quarantine.entries.map(\.identifier) == ["two"])
        #expect(fixture.inFile.map(\.identifier) == ["two"])
        #expect(fixture.verdicts == ["one": .usable, "two": .quarantined])
    }

    @Test func aCopyOfTheSameContentStaysInQuarantine() throws {
        let fixture = try QuarantineFixture()
        try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
        let old = fixture.inFile[0].files
        let path = fixture.tree("a/One.bundle/Contents/Linux/One")
        unlink(path)
        try fixture.tree.tree.write("a/One.bundle/Contents/Linux/One", "the code of One")
        #expect(fixture.verdicts["one"] == .quarantined)
        let new = fixture.inFile[0].files
        #expect(new != old && new.map(\.digest) == old.map(\.digest))
        #expect(new[0].identity == FileIdentity(path: path)?.noted)
    }

    @Test(.fault(897)) func aCopyStaysInQuarantineIfThePathOfTheOriginalIsNotASCII() throws {
        let tree = try CatalogTree()
        for bundle in ["Möbel.bundle", "Copy.bundle"] { try tree.tree.write("\(bundle)/Contents/Linux/Möbel", "code") }
        let file = try #require(CodeFile(path: tree("Möbel.bundle/Contents/Linux/Möbel")))
        let entry = Quarantine.Entry("org.example.moebel", bundlePath: tree("Möbel.bundle"), files: [file])
        #expect(entry.holds(for: "org.example.moebel", at: tree("Copy.bundle")))
        try tree.tree.write("Copy.bundle/Contents/Linux/Möbel", "other")
        #expect(!entry.holds(for: "org.example.moebel", at: tree("Copy.bundle")))
    }

    @Test func anotherExecutableEndsTheQuarantineButAMissingBundleDoesNot() throws {
        let fixture = try QuarantineFixture()
        try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
        try fixture.quarantine.add(try fixture.bundle("Two"), reason: "a reason")
        unlink(fixture.tree("a/One.bundle/Contents/Linux/One"))
        rename(fixture.tree("a/Two.bundle"), fixture.tree("Two.bundle"))
        #expect(fixture.quarantine.entries.map(\.identifier) == ["two"])
        #expect(fixture.verdicts == ["one": .usable])
        rename(fixture.tree("Two.bundle"), fixture.tree("a/Two.bundle"))
        #expect(fixture.verdicts == ["one": .usable, "two": .quarantined])
    }

    @Test func aLibraryOutsideOfTheBundleCountsToo() throws {
        let fixture = try QuarantineFixture()
        // A library of the system, whose own libraries are outside of the bundle.
        let library = try #require(LoadedLibraries.all().first { $0.path.contains("/libstdc++.so") })
        let program = try fileBytes(library.path)
        let descriptor = open(fixture.tree("a/One.bundle/Contents/Linux/One"), O_WRONLY | O_TRUNC)
        #expect(program.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == program.count)
        close(descriptor)
        let files = try fixture.bundle().codeFiles()
        #expect(files.first?.path == fixture.tree("a/One.bundle/Contents/Linux/One"))
        #expect(files.contains { $0.path.contains("libc.so") })
        #expect(files.allSatisfy { $0.digest.utf8.count == 64 && $0.comparison == .same })
    }

    // MARK: Safe start

    @Test func aSafeStartLeavesPluginsOutAndChangesNoSetting() throws {
        let fixture = try QuarantineFixture()
        func plugins(_ start: SafeStart) -> [String] {
            PluginCatalog(
                searchPaths: [fixture.tree("a")],
                options: .init(index: .directory(fixture.tree("index")), quarantine: fixture.file, safeStart: start)
            ).plugins.map(\.identifier)
        }
        #expect(plugins(.without(["one"])) == ["two"])
        #expect(plugins(.noPlugins) == [])
        #expect(plugins(.normal) == ["one", "two"])
        #expect(FileIdentity(path: fixture.file) == nil)
    }

    @Test func whatASafeStartLeavesOutHasNoFault() throws {
        let fixture = try QuarantineFixture()
        let catalog = PluginCatalog(
            searchPaths: [fixture.tree("a")],
            options: .init(index: .none, quarantine: fixture.file, safeStart: .noPlugins))
        #expect(catalog.candidates.allSatisfy { $0.verdict == .disabled } && !catalog.candidates.isEmpty)
        #expect(catalog.unusable.isEmpty)
    }
}

@Suite struct QuarantineFileFaults {
    private func isPresent(_ path: String) -> Bool { access(path, F_OK) == 0 }

    @Test(
        .fault(435),
        arguments: ["", "garbage", "{ Plugins = one; }", "( one )", "{ Plugins = ({ Identifier = one; }); }", "cut"])
    func aDamagedFileIsKeptAsideAndNothingIsReleased(_ damage: String) throws {
        let fixture = try QuarantineFixture()
        try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
        let good = try fileBytes(fixture.file)
        if damage == "cut" {
            #expect(truncate(fixture.file, off_t(good.count / 2)) == 0)
        } else {
            try fixture.tree.tree.write("state/app/quarantine", damage)
        }
        let bad = try fileBytes(fixture.file)
        let catalog = fixture.catalog
        #expect(catalog.plugin("one") == nil && catalog.unusable.map(\.verdict) == [.quarantined])
        let finding = try #require(catalog.findings.first { $0.code == .quarantineUnusable })
        #expect(finding.filePath == fixture.file && finding.message.contains("no plug-in is released"))
        #expect(finding.message.contains("quarantine.backup") && finding.remedy.contains("quarantine.damaged"))
        // Reading changes nothing. The next change keeps the file, and the next process finds a good one.
        #expect(try fileBytes(fixture.file) == bad && !isPresent(fixture.file + ".damaged"))
        try fixture.quarantine.add(try fixture.bundle("Two"), reason: "a reason")
        #expect(try fileBytes(fixture.file + ".damaged") == bad)
        #expect(fixture.inFile.map(\.identifier) == ["one", "two"])
        #expect(fixture.quarantine.entries.count == 2)
        #expect(fixture.quarantine.findings.map(\.message).first?.contains("was written anew") ?? false)
    }

    @Test(.fault(435)) func aFIFOAndADirectoryAreNotReadAndNothingIsReleased() throws {
        for kind in ["FIFO", "directory", "large"] {
            let fixture = try QuarantineFixture()
            try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
            unlink(fixture.file)
            switch kind {
            case "FIFO": #expect(mkfifo(fixture.file, 0o600) == 0)
            case "directory": #expect(mkdir(fixture.file, 0o700) == 0)
            default:
                try fixture.tree.tree.write("state/app/quarantine", "{}")
                #expect(truncate(fixture.file, 1 << 34) == 0)
            }
            #expect(fixture.verdicts["one"] == .quarantined, "\(kind)")
            try fixture.quarantine.add(try fixture.bundle("Two"), reason: "a reason")
            #expect(isPresent(fixture.file + ".damaged") && fixture.inFile.count == 2, "\(kind)")
        }
    }

    @Test(.fault(435)) func aFileOfEveryUserIsNotBelievedAndItsCopyIsUsed() throws {
        let fixture = try QuarantineFixture()
        try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
        try fixture.tree.tree.write("state/app/quarantine", "{ Plugins = (); }")
        #expect(chmod(fixture.file, 0o666) == 0)
        #expect(fixture.verdicts["one"] == .quarantined)
        #expect(fixture.quarantine.findings.first?.message.contains("every user may write") ?? false)
        #expect(!isPresent(fixture.file + ".damaged"))
    }

    @Test(.fault(436)) func whatCannotBeWrittenHoldsInThisProcessAndIsReported() throws {
        let fixture = try QuarantineFixture()
        // A file where the directory should be: no user can write there, not even root.
        try fixture.tree.tree.write("state/app", "")
        try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
        let finding = try #require(fixture.quarantine.findings.first)
        #expect(finding.code == .quarantineUnusable && finding.severity == .warning)
        #expect(finding.message.contains("was not written"))
        #expect(fixture.verdicts["one"] == .quarantined && !fixture.quarantine.isSaved)
        unlink(fixture.tree("state/app"))
        // The next change writes both.
        try fixture.quarantine.add(try fixture.bundle("Two"), reason: "a reason")
        #expect(fixture.inFile.map(\.identifier) == ["one", "two"] && fixture.quarantine.findings.isEmpty)
        #expect(fixture.quarantine.isSaved)
    }

    @Test(.fault(443)) func twoProcessesThatChangeOneFileLoseNothing() async {
        await #expect(processExitsWith: .success) {
            let fixture = try QuarantineFixture()
            let evidence = try fixture.evidence(), other = try fixture.evidence("Two")
            let limit = QuarantineList.Limit(deaths: 1000, within: .seconds(1))
            func note(_ evidence: Quarantine.Entry) -> Bool {
                for _ in 0..<50 { fixture.quarantine.note(fixture.death(), of: evidence, limit) }
                return fixture.quarantine.findings.isEmpty
            }
            let child = ForkedChild.start { note(other) ? 0 : 1 }
            #expect(note(evidence))
            #expect(ForkedChild.end(of: child) == 0)
            #expect(fixture.inFile.map(\.count).sorted() == [50, 50])
        }
    }

    @Test(.fault(443)) func aChangeWaitsForASecondAndIsThenKeptInMemory() throws {
        let fixture = try QuarantineFixture()
        OwnFile.makeDirectory(fixture.tree("state/app"))
        let holder = open(fixture.tree("state/app"), O_RDONLY | O_DIRECTORY)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX) == 0)
        let evidence = try fixture.evidence()
        let start = ContinuousClock.now
        fixture.quarantine.note(fixture.death(), of: evidence, .ofApplication)
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(fixture.quarantine.findings.first?.message.contains("another process holds its lock") ?? false)
        #expect(FileIdentity(path: fixture.file) == nil)
        #expect(flock(holder, LOCK_UN) == 0)
        #expect(fixture.quarantine.note(fixture.death(), of: evidence, .ofApplication))
        #expect(fixture.inFile.map(\.count) == [2])
    }

    @Test func whatALaterVersionWroteStays() throws {
        let fixture = try QuarantineFixture()
        try fixture.tree.tree.write("state/app/quarantine", "{ Plugins = (); Later = (more); }")
        try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
        #expect(String(decoding: try fileBytes(fixture.file), as: UTF8.self).contains("<key>Later</key>"))
    }

    @Test func theAdministratorsListHoldsForEveryBundleAndDoesNotExpire() async {
        await #expect(processExitsWith: .success) {
            let tree = try CatalogTree([
                "a/One.bundle": CatalogTree.list("one"), "b/One.bundle": CatalogTree.list("one"),
            ])
            try tree.tree.write(
                "xdg/app/quarantine", "{ Plugins = ( { Identifier = one; Reason = \"It spies\"; } ); }")
            setenv("XDG_CONFIG_DIRS", tree("xdg"), 1)
            setenv("XDG_STATE_HOME", tree("state"), 1)
            let quarantine = Quarantine.of(application: "app")
            let catalog = PluginCatalog(
                searchPaths: [tree("a"), tree("b")],
                options: .init(index: .none, quarantine: Quarantine.path(for: "app")))
            let messages = catalog.unusable.compactMap { $0.error?.findings.first }
            #expect(quarantine.entries.map(\.origin) == [.administrator] && catalog.plugins.isEmpty)
            #expect(messages.count == 2 && messages.first?.message.contains("It spies.") == true)
            #expect(messages.first?.message.contains("quarantine, in “\(tree("xdg/app/quarantine"))”.") == true)
            #expect(messages.first?.remedy.contains("administrator") == true && !quarantine.clear("one"))
        }
    }

    @Test func anApplicationsNameIsOneComponent() {
        for name in ["", ".", "..", "a/b", "/a", "a\u{0}"] { #expect(Quarantine.path(for: name) == nil, "\(name)") }
        #expect(Quarantine.path(for: "demo-host")?.hasSuffix("/demo-host/quarantine") ?? false)
    }
}

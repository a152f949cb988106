import Glibc
import HostBasics
import PropertyLists
import TestSupport
import Testing

@testable import HostRecords
@_spi(Tools) @testable import PluginHost

/// The machine for every list of a user and of the administrator.
@Suite struct KeptListTests {
    private static func choices(_ path: String) -> KeptList<UserChoices> {
        KeptList(
            path: path,
            ListWords(
                code: .choicesUnreadable, subject: "The list in", noList: "is no list", safest: "So all are disabled.",
                remedy: "Mend it.", change: "A choice"))
    }

    private static func identifiers(_ count: Int, bytes: Int = 100) -> [String] {
        (0..<count).map { "org.example." + String(repeating: "x", count: bytes - 20) + String(1_000_000 + $0) }
    }

    // MARK: One limit

    @Test(.fault(770)) func whatIsWrittenCanBeReadAgain() throws {
        let tree = try CatalogTree()
        let path = tree("config/app/plugins.plist")
        // 5 MiB, five times the limit of an Info.plist.
        let many = Self.identifiers(50_000)
        try tree.tree.write("config/app/plugins.plist", "{ Disabled = (\(many.joined(separator: ", "))); }")
        let list = Self.choices(path)
        try list.write(.disable("one"))
        #expect(Self.choices(path).content.disabled.count == 50_001 && list.findings.isEmpty)
        try list.write(.enable("one"))
        #expect(Self.choices(path).content.disabled == Set(many))
    }

    @Test(.fault(770)) func whatCouldNotBeReadAgainIsNotWritten() throws {
        let tree = try CatalogTree()
        let path = tree("config/app/plugins.plist")
        // Old-style text of nearly the limit; as XML it is longer.
        let count = ListFile.limits.size / 1_002 - 10
        let text = "{ Disabled = (\(Self.identifiers(count, bytes: 1_000).joined(separator: ", "))); }"
        try tree.tree.write("config/app/plugins.plist", text)
        #expect(text.utf8.count < ListFile.limits.size)
        let list = Self.choices(path)
        let finding = #expect(throws: PluginFinding.self) { try list.write(.disable("one")) }
        #expect(finding?.message.contains("at most \(ListFile.limits.size) bytes") ?? false)
        #expect(finding?.remedy.contains("Remove entries") ?? false)
        #expect(try fileBytes(path) == Array(text.utf8) && list.content.disabled.count == count)
        // A change that must not be lost holds in this process.
        #expect(list.change(.disable("one")).disables("one") && list.content.disables("one") && !list.isSaved)
        #expect(try fileBytes(path) == Array(text.utf8))
    }

    @Test(.fault(770)) func aQuarantineOverAMebibyteStays() throws {
        let fixture = try QuarantineFixture()
        var evidence = try fixture.evidence()
        evidence.files += (0..<6_000).map { number in
            CodeFile(
                path: "/usr/lib/x86_64-linux-gnu/lib\(number).so", digest: String(repeating: "0", count: 64),
                identity: "1 2 3 4 5")
        }
        // Its bundle is not there, so that nothing is compared.
        var absent = Quarantine.Entry("absent", bundlePath: fixture.tree("a/Absent.bundle"), files: evidence.files)
        absent.origin = .user
        fixture.quarantine.note(fixture.death(), of: absent, .ofApplication)
        fixture.quarantine.note(fixture.death(), of: absent, .ofApplication)
        #expect(try fileBytes(fixture.file).count > 1 << 20)
        #expect(fixture.inFile.map(\.identifier) == ["absent"] && fixture.quarantine.findings.isEmpty)
        #expect(fixture.quarantine.entries.map(\.identifier) == ["absent"])
    }

    // MARK: Several processes

    /// Changes that a process made, as it reports them through a pipe: one byte for each.
    private struct Writers {
        let path: String
        let kind: Kind
        enum Kind: CaseIterable { case choices, quarantine, consents, settings }

        /// Makes the change of a number, and returns whether it is in the file.
        func change(_ number: Int) -> Bool {
            let name = "p\(number)"
            switch kind {
            case .choices: return (try? KeptListTests.choices(path).write(.disable(name))) != nil
            case .quarantine:
                let list = KeptList<QuarantineList>(path: path, KeptListTests.words)
                var entry = Quarantine.Entry(name, bundlePath: "/nowhere/\(name)")
                entry.origin = .user
                return (try? list.write(.add(entry))) != nil
            case .consents:
                let list = KeptList<ConsentList>(path: path, KeptListTests.words, hasCopy: false)
                let consent = PluginConsents.Consent(
                    identifier: name, bundlePath: "/nowhere/\(name)", asked: PluginPermissions(),
                    allowed: PluginPermissions())
                return (try? list.write(.give(consent))) != nil
            case .settings:
                let change = SettingsContent.Change(values: [name: .integer(Int64(number))])
                return (try? SettingsContent.kept(at: path).write(change)) != nil
            }
        }

        /// The names in the file; nil if it cannot be used.
        var names: Set<String>? {
            switch kind {
            case .choices:
                let list = KeptListTests.choices(path)
                let names = list.content.disabled
                return list.findings.isEmpty ? names : nil
            case .quarantine:
                let list = KeptList<QuarantineList>(path: path, KeptListTests.words)
                let names = Set(list.content.entries.map(\.identifier))
                return list.findings.isEmpty ? names : nil
            case .consents:
                let list = KeptList<ConsentList>(path: path, KeptListTests.words, hasCopy: false)
                let names = Set(list.content.consents.map(\.identifier))
                return list.findings.isEmpty ? names : nil
            case .settings:
                let list = SettingsContent.kept(at: path)
                let values = list.content.list["Settings"]?.dictionary
                return list.findings.isEmpty ? values.map { Set($0.keys) } : nil
            }
        }

        /// Starts a process that makes changes from a number on, and writes a byte after each that is done.
        func start(_ numbers: Range<Int>, _ output: CInt) -> pid_t {
            ForkedChild.start {
                for number in numbers {
                    // Others may hold the lock for longer than a change waits: then nothing was changed.
                    while !change(number) {}
                    var byte: UInt8 = 1
                    _ = write(output, &byte, 1)
                }
                return 0
            }
        }
    }

    private static let words = ListWords(
        code: .quarantineUnusable, subject: "The list in", noList: "is no list", safest: "", remedy: "",
        change: "A change")

    @Test(.fault(771, 571, 572), arguments: 0..<4)
    func fourProcessesThatAreKilledLoseNoChange(_ kind: Int) async {
        await #expect(processExitsWith: .success) { [kind = kind as Int] in
            let tree = try CatalogTree()
            let writers = Writers(path: tree("state/app/list"), kind: Writers.Kind.allCases[kind])
            var random = SeededGenerator(seed: UInt64(kind) + 31)
            var confirmed: Set<String> = []
            for round in 0..<6 {
                var children: [(process: pid_t, pipe: CInt, first: Int, done: Int)] = []
                for child in 0..<4 {
                    var ends: [CInt] = [0, 0]
                    #expect(pipe(&ends) == 0)
                    let first = (round * 4 + child) * 1_000
                    children.append((writers.start(first..<first + 1_000, ends[1]), ends[0], first, 0))
                    close(ends[1])
                }
                // Each is killed at an arbitrary point of one of its changes, after some that are done.
                for index in children.indices {
                    var byte: UInt8 = 0
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        guard read(children[index].pipe, &byte, 1) == 1 else { break }
                        children[index].done += 1
                    }
                    #expect(children[index].done > 0)
                    kill(children[index].process, SIGKILL)
                }
                for child in children {
                    _ = ForkedChild.end(of: child.process)
                    let done = child.done + Self.readAll(child.pipe)
                    close(child.pipe)
                    confirmed.formUnion((0..<done).map { "p\(child.first + $0)" })
                }
                let names = try #require(writers.names, "round \(round): the file is damaged")
                #expect(confirmed.isSubset(of: names), "round \(round): \(confirmed.subtracting(names)) are lost")
            }
            #expect(confirmed.count >= 24)
        }
    }

    /// How many bytes are left in a pipe whose writers have ended.
    private static func readAll(_ descriptor: CInt) -> Int {
        var count = 0
        var part = [UInt8](repeating: 0, count: 256)
        while true {
            let more = read(descriptor, &part, part.count)
            guard more > 0 else { return count }
            count += more
        }
    }

    @Test(.fault(772)) func aDirectoryThatDoesNotExistYetLosesNoChoice() async {
        await #expect(processExitsWith: .success) {
            for round in 0..<20 {
                let tree = try CatalogTree()
                let writers = Writers(path: tree("config/deep/app/plugins.plist"), kind: .choices)
                let children = (0..<4).map { child in
                    ForkedChild.start { writers.change(child) ? 0 : 1 }
                }
                for child in children { #expect(ForkedChild.end(of: child) == 0) }
                #expect(writers.names == ["p0", "p1", "p2", "p3"], "round \(round)")
            }
        }
    }

    // MARK: Damage

    @Test(.fault(773)) func theCopyStandsInForDamagedChoices() throws {
        let tree = try CatalogTree()
        let path = tree("config/app/plugins.plist")
        try Self.choices(path).write(.disable("one"))
        try tree.tree.write("config/app/plugins.plist", "{ Disabled = (two")
        let list = Self.choices(path)
        #expect(list.content.disabled == ["one"])
        let finding = try #require(list.findings.first)
        #expect(finding.severity == .warning && finding.message.contains("plugins.plist.backup"))
        #expect(finding.remedy.contains("plugins.plist.damaged"))
        // Reading changes nothing; the next change keeps the damaged file.
        #expect(FileIdentity(path: path + ".damaged") == nil)
        try list.write(.disable("three"))
        #expect(Self.choices(path).content.disabled == ["one", "three"])
        #expect(String(decoding: try fileBytes(path + ".damaged"), as: UTF8.self) == "{ Disabled = (two")
        #expect(list.findings.count == 1 && list.findings[0].message.contains("was written anew"))
    }

    @Test(.fault(773)) func withoutACopyNothingIsReleased() throws {
        let tree = try CatalogTree()
        let path = tree("config/app/plugins.plist")
        try tree.tree.write("config/app/plugins.plist", "{ Disabled = (two")
        let list = Self.choices(path)
        #expect(list.content.disables("anything") && list.findings.first?.severity == .error)
        try list.write(.enable("two"))
        // The next process knows that something is lost.
        #expect(Self.choices(path).content.disables("anything") && Self.choices(path).findings.isEmpty)
        try list.write(.enable("*"))
        #expect(!Self.choices(path).content.disables("anything"))
    }

    @Test(.fault(773)) func aDamagedQuarantineWithoutACopyReleasesNothingAndIsCleared() throws {
        let fixture = try QuarantineFixture()
        try fixture.tree.tree.write("state/app/quarantine", "damage")
        #expect(fixture.verdicts == ["one": .quarantined, "two": .quarantined])
        let finding = try #require(fixture.quarantine.findings.first)
        #expect(finding.severity == .error && finding.message.contains("so no plug-in is used"))
        #expect(fixture.catalog.explanation(of: "one").remedy.contains("quarantine clear '*' --application app"))
        #expect(fixture.quarantine.clear("*"))
        #expect(fixture.verdicts == ["one": .usable, "two": .usable] && fixture.inFile.isEmpty)
        #expect(String(decoding: try fileBytes(fixture.file + ".damaged"), as: UTF8.self) == "damage")
    }

    @Test(.fault(774)) func aDamagedListOfTheAdministratorLetsNothingRun() async {
        await #expect(processExitsWith: .success) {
            for damage in ["{ Plugins = ( { Identifier = one; }", "( one )", "{ Plugins = ( { Reason = x; } ); }"] {
                let tree = try CatalogTree(["a/One.bundle": CatalogTree.list("one")])
                try tree.tree.write("xdg/app/quarantine", damage)
                setenv("XDG_CONFIG_DIRS", tree("xdg"), 1)
                setenv("XDG_STATE_HOME", tree("state"), 1)
                let quarantine = Quarantine.at(tree("state/app/quarantine"))
                let catalog = PluginCatalog(
                    searchPaths: [tree("a")],
                    options: .init(index: .none, quarantine: tree("state/app/quarantine")))
                #expect(catalog.plugins.isEmpty && catalog.unusable.map(\.verdict) == [.quarantined], "\(damage)")
                let finding = try #require(catalog.findings.first { $0.code == .quarantineUnusable })
                #expect(finding.severity == .error && finding.filePath == tree("xdg/app/quarantine"))
                #expect(finding.message.contains("So no plug-in is used"))
                #expect(!quarantine.clear("*") && quarantine.entries.map(\.origin) == [.administrator])
                // Nobody but the administrator changes the file.
                #expect(FileIdentity(path: tree("xdg/app/quarantine.damaged")) == nil)
                try tree.tree.write("xdg/app/quarantine", "{ Plugins = (); }")
                catalog.refresh()
                #expect(catalog.plugins.count == 1 && quarantine.findings.isEmpty)
            }
        }
    }

    // MARK: Links

    @Test(.fault(847)) func aLinkOfTheUserStaysOne() throws {
        let tree = try CatalogTree()
        try tree.tree.write("config/")
        try tree.tree.write("synchronised/plugins.plist", "{ Disabled = (); }")
        let path = tree("config/plugins.plist")
        #expect(symlink(tree("synchronised/plugins.plist"), path) == 0)
        let list = Self.choices(path)
        try list.write(.disable("one"))
        #expect(list.content.disabled == ["one"])
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(try fileBytes(tree("synchronised/plugins.plist")) == fileBytes(path + ".backup"))
        // A damaged file that a link leads to is not written over; the link is kept beside.
        try tree.tree.write("synchronised/plugins.plist", "damage")
        try list.write(.disable("two"))
        #expect(list.content.disabled == ["one", "two"])
        #expect(String(decoding: try fileBytes(tree("synchronised/plugins.plist")), as: UTF8.self) == "damage")
        #expect(String(decoding: try fileBytes(path + ".damaged"), as: UTF8.self) == "damage")
    }

    @Test(.fault(847), .enabled(if: geteuid() == 0, "only root may give links away"))
    func aLinkOfSomebodyElseIsReplacedAndNotFollowed() throws {
        let tree = try CatalogTree()
        try tree.tree.write("config/")
        try tree.tree.write("target", "{ Disabled = (); }")
        let path = tree("config/plugins.plist")
        #expect(symlink(tree("target"), path) == 0 && lchown(path, 12345, 12345) == 0)
        try Self.choices(path).write(.disable("one"))
        #expect(String(decoding: try fileBytes(tree("target")), as: UTF8.self) == "{ Disabled = (); }")
        #expect(Self.choices(path).content.disabled == ["one"])
    }

    /// The file may be on a disk that is not mounted now.
    @Test(.fault(848)) func aLinkToNothingReleasesNoPlugin() throws {
        let tree = try CatalogTree()
        let path = tree("config/plugins.plist")
        let list = Self.choices(path)
        try list.write(.disable("one"))
        unlink(path)
        #expect(symlink(tree("elsewhere/plugins.plist"), path) == 0)
        let other = Self.choices(path)
        #expect(other.content.disabled == ["one"] && other.findings.first?.message.contains("link to nothing") == true)
        let finding = #expect(throws: PluginFinding.self) { try other.write(.disable("two")) }
        #expect(finding?.remedy.contains("remove the link") == true)
        // Without a copy nobody knows what the file has.
        unlink(path + ".backup")
        #expect(Self.choices(path).content == .safest)
        // To start anew.
        unlink(path)
        #expect(Self.choices(path).content == UserChoices())
    }

    // MARK: Copies

    @Test(.fault(775)) func aCopyWithTheSameCodeIsInQuarantineToo() throws {
        let fixture = try QuarantineFixture()
        try fixture.tree.write("b/Copy.bundle", CatalogTree.list("one", "1.0", "NSExecutable = One;"))
        let code = fixture.tree("b/Copy.bundle/Contents/Linux/One")
        try fixture.tree.tree.write("b/Copy.bundle/Contents/Linux/One", "the code of One")
        try fixture.quarantine.add(try fixture.bundle(), reason: "a reason")
        let catalog = PluginCatalog(
            searchPaths: [fixture.tree("a"), fixture.tree("b")],
            options: .init(index: .directory(fixture.tree("index")), quarantine: fixture.file))
        #expect(catalog.plugin("one") == nil && catalog.unusable.count == 2)
        let copy = try PluginBundle.open(path: fixture.tree("b/Copy.bundle"))
        #expect(fixture.quarantine.finding(about: copy.info)?.code == .quarantined)
        // Another build is none, although nothing else of the bundle changes.
        try fixture.tree.tree.write("b/Copy.bundle/Contents/Linux/One", "the code of 0ne")
        #expect(access(code, F_OK) == 0)
        catalog.refresh()
        #expect(catalog.plugin("one")?.bundlePath == fixture.tree("b/Copy.bundle"))
        #expect(fixture.quarantine.finding(about: copy.info) == nil)
    }

    @Test(.fault(776)) func theDirectoryThatCannotBeMadeIsNamed() throws {
        let tree = try CatalogTree()
        try tree.tree.write("config", "a file")
        let path = tree("config/deep/app/plugins.plist")
        let finding = #expect(throws: PluginFinding.self) { try Self.choices(path).write(.disable("one")) }
        #expect(finding?.message.contains("Not a directory") ?? false)
        #expect(finding?.message.contains(tree("config/deep")) ?? false, "\(finding?.message ?? "")")
        #expect(OwnFile.makeDirectory(tree("config/a"))?.errno == ENOTDIR)
        #expect(OwnFile.makeDirectory(tree("config"))?.errno == ENOTDIR)
        #expect(OwnFile.makeDirectory(tree("x/y/z")) == nil && OwnFile.makeDirectory(tree("x/y/z")) == nil)
    }
}

import Fixtures
import Foundation
import Testing

/// `pluginhost install`, `uninstall`, `rollback`, `enable` and `disable`.
@Suite struct InstallCommandTests {
    private static let program = Workspace.products.appending(path: "pluginhost").path

    /// An archive of a bundle with the given version.
    private func archive(
        _ version: String, name: String = "Salon", identifier: String? = nil, replaces: [String] = []
    ) throws -> String {
        var info: [String: Any] = [
            "CFBundleShortVersionString": version, "CFBundleIdentifier": identifier ?? "org.example.\(name)",
            "PHFactories": [PluginFolder.factory("cut", at: "org.example.cut")],
        ]
        if !replaces.isEmpty { info["PHReplaces"] = replaces }
        let source = try BundleSourceFixture(
            name, info: info,
            files: [
                "Resources/en.lproj/Localizable.strings": "\"v\" = \"\(version)\";\n",
                "Resources/deep/\(String(repeating: "long", count: 20))/\(version).txt": version,
            ], code: .c(PluginSource.registering("cut", at: "org.example.cut")))
        try FileManager.default.createSymbolicLink(
            atPath: source.path + "/Resources/link", withDestinationPath: "en.lproj")
        let output = try source.pack("--archive")
        #expect(output.status == 0, "\(output)")
        return source.output.appending(path: "\(name)-\(version).tar.zst").path
    }

    @Test func aPluginWithANewIdentifierTakesOverOnlyWhenTheUserAgrees() throws {
        let home = try folder()
        let environment = Dictionary(
            uniqueKeysWithValues: ["DATA", "CONFIG", "STATE", "CACHE"].map { ("XDG_\($0)_HOME", home.path + "/\($0)") })
        func document(_ arguments: String...) throws -> PluginHostTool.Document {
            try PluginHostTool.document(of: arguments + ["--application", "my-editor"], environment: environment)
        }
        #expect(try document("install", archive("1.0")).status == 0)
        // What root alone can change takes over without a question.
        let plugins = home.path + "/DATA/my-editor/plugins"
        #expect(chmod(plugins, 0o777) == 0)
        let settings = home.path + "/CONFIG/my-editor/settings"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try Data("{ Settings = { a = 1; }; }".utf8).write(to: URL(filePath: settings + "/org.example.Salon.plist"))
        let state = home.path + "/STATE/my-editor/plugins"
        try FileManager.default.createDirectory(
            atPath: state + "/org.example.Salon/work", withIntermediateDirectories: true)

        let renamed = try archive("2.0", name: "Parlour", replaces: ["org.example.Salon"])
        let installed = try document("install", renamed)
        #expect(installed.status == 0 && installed.object["takenOver"] as? [String] == [])
        #expect(installed.object["notTakenOver"] as? [String] == ["org.example.Salon"])
        func why() throws -> String {
            let output = try PluginHostTool.run(
                "why", "org.example.Salon", "--application", "my-editor", environment: environment)
            return PluginHostTool.words(output.standardOutput)
        }
        #expect(try why().contains("org.example.Parlour"))
        #expect(FileManager.default.fileExists(atPath: settings + "/org.example.Salon.plist"))
        let text = try PluginHostTool.run(
            "install", "--application", "my-editor", renamed, environment: environment)
        #expect(
            PluginHostTool.words(text.standardOutput).contains(
                "It replaces org.example.Salon, and has taken over nothing of it. To let it: pluginhost install --adopt"
            ))

        let adopted = try document("install", renamed, "--adopt")
        #expect(adopted.object["takenOver"] as? [String] == ["org.example.Salon"], "\(adopted)")
        #expect(FileManager.default.fileExists(atPath: settings + "/org.example.Parlour.plist"))
        #expect(FileManager.default.fileExists(atPath: state + "/org.example.Parlour/work"))
        #expect(!FileManager.default.fileExists(atPath: state + "/org.example.Salon"))
        let facts = try document("why", "org.example.Parlour").object["replacements"] as? [[String: Any]]
        #expect(facts?.first?["identifier"] as? String == "org.example.Salon", "\(String(describing: facts))")
        #expect(facts?.first?["takenOver"] as? Bool == true)
        // A second time there is nothing to do.
        #expect(try document("install", renamed, "--adopt").object["takenOver"] as? [String] == [])
    }

    /// Kills the tool at each system call that changes something, and then starts the application.
    @Test(.fault(681)) func theNextStartCompletesATakeoverKilledAnywhere() throws {
        let killer = try Killer.build(
            """
            CALL(int, rename, (const char *a, const char *b), (a, b))
            CALL(int, link, (const char *a, const char *b), (a, b))
            CALL(int, unlink, (const char *a), (a))

            """)
        let host = Workspace.products.appending(path: "demo-host").path
        func environment(_ home: URL, _ more: [String: String] = [:]) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: ["DATA", "CONFIG", "STATE", "CACHE"].map {
                    ("XDG_\($0)_HOME", home.path + "/\($0)")
                }
            ).merging(more) { $1 }
        }
        func install(_ archive: String, _ home: URL, _ more: [String: String] = [:]) throws -> Int32 {
            try PluginHostTool.run(
                ["install", archive, "--adopt", "--application", "demo-host"], environment: environment(home, more)
            ).status
        }
        let prepared = try folder()
        let renamed = try archive("2.0", name: "Parlour", replaces: ["org.example.Salon"])
        #expect(try install(archive("1.0"), prepared) == 0)
        // Otherwise the application's start takes over for itself, because only root can change the bundle.
        #expect(chmod(prepared.path + "/DATA/demo-host/plugins", 0o777) == 0)
        let files = ["CONFIG/demo-host/settings/org.example.@.plist", "STATE/demo-host/plugins/org.example.@/work"]
        func path(_ file: String, of name: String) -> String { file.replacing("@", with: name) }
        for file in files {
            let url = prepared.appending(path: path(file, of: "Salon"))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("{ Settings = { a = 1; }; }".utf8).write(to: url)
        }
        var isBetween = false
        for call in 1... {
            let home = prepared.deletingLastPathComponent().appending(path: UUID().uuidString)
            try FileManager.default.copyItem(at: prepared, to: home)
            func has(_ file: String, _ name: String) -> Bool {
                FileManager.default.fileExists(atPath: home.appending(path: path(file, of: name)).path)
            }
            let status = try install(renamed, home, ["LD_PRELOAD": killer.path, "KILL_AT": "\(call)"])
            let choices = FileManager.default.contents(atPath: home.path + "/CONFIG/demo-host/plugins.plist")
            let hasEntry = String(decoding: choices ?? Data(), as: UTF8.self).contains("<key>org.example.Salon</key>")
            if hasEntry, files.contains(where: { has($0, "Salon") }) { isBetween = true }
            let start = try Tool.output(host, ["--list"], environment: environment(home, ["LC_ALL": "C.UTF-8"]))
            #expect(start.status >= 0, "call \(call): \(start)")
            for file in files {
                #expect(has(file, "Salon") == !hasEntry && has(file, "Parlour") == hasEntry, "call \(call): \(file)")
            }
            if status == 0 {
                #expect(hasEntry)
                break
            }
            #expect(status == -9, "call \(call)")
        }
        #expect(isBetween, "no kill was between the entry and the renaming")
    }

    private func folder() throws -> URL { try PluginFolder().url }

    @Test(arguments: ["install", "uninstall", "rollback"]) func aMistypedFolderIsNotMade(_ command: String) throws {
        let folder = try folder().appending(path: "mistyped/deep")
        let output = try PluginHostTool.run(command, "--in", folder.path, archive("1.0"))
        #expect(output.status == 2)
        #expect(output.standardError.contains("There is no folder \(folder.path). Correct the path"), "\(output)")
        #expect(!FileManager.default.fileExists(atPath: folder.deletingLastPathComponent().path))
    }

    private func version(in folder: URL, _ name: String = "Salon") throws -> String? {
        let document = try PluginHostTool.document("list", "--all", folder.path)
        return document.bundles.first { ($0["path"] as? String)?.hasSuffix("\(name).bundle") == true }?["version"]
            as? String
    }

    @Test func anArchiveIsInstalledUpgradedRolledBackAndRemoved() throws {
        let folder = try folder()
        let (old, new) = (try archive("1.0"), try archive("2.0"))
        #expect(try PluginHostTool.run("install", "--in", folder.path, old).status == 0)
        #expect(try version(in: folder) == "1.0")
        let bundle = folder.appending(path: "Salon.bundle")
        #expect(try PluginHostTool.run("load", bundle.path).status == 0)
        let first = try BundleSourceFixture.description(of: bundle)

        let upgrade = try PluginHostTool.document("install", "--in", folder.path, new)
        #expect(upgrade.object["replaced"] as? String == "1.0" && upgrade.object["version"] as? String == "2.0")
        #expect(try version(in: folder) == "2.0")
        // A catalogue does not find the previous version.
        #expect(try PluginHostTool.document("list", "--all", folder.path).bundles.count == 1)

        #expect(try PluginHostTool.run("rollback", "--in", folder.path, "org.example.Salon").status == 0)
        #expect(try BundleSourceFixture.description(of: bundle) == first)
        #expect(try PluginHostTool.run("rollback", "--in", folder.path, "Salon").status == 0)
        #expect(try version(in: folder) == "2.0")

        #expect(try PluginHostTool.run("uninstall", "--in", folder.path, "Salon.bundle").status == 0)
        #expect(try version(in: folder) == nil)
        #expect(try PluginHostTool.run("rollback", "--in", folder.path, "Salon").status == 1)
        #expect(try PluginHostTool.run("uninstall", "--in", folder.path, "Salon").status == 1)
    }

    @Test func twoArchivesOfOneBundleAreEqual() throws {
        let source = try BundleSourceFixture(files: ["Resources/a.txt": "a"], code: .c(PluginSource.good))
        var archives: [Data] = []
        for _ in 0..<2 {
            try #require(source.pack("--archive").status == 0)
            archives.append(try Data(contentsOf: source.output.appending(path: "Salon-1.0.tar.zst")))
            try FileManager.default.removeItem(at: source.output)
            try source.add("Resources/a.txt", "a")
        }
        #expect(archives[0] == archives[1] && archives[0].count > 1000)
    }

    /// Archives of tar and zstd can be installed, and tar and zstd can read ours.
    @Test func archivesAreThoseOfTarAndZstd() throws {
        guard let zstd = try? Tool.find("zstd"), let tar = try? Tool.find("tar") else { return }
        let ours = try archive("1.0")
        let place = try folder()
        try Tool.run(tar, ["--use-compress-program=\(zstd)", "-xf", ours, "-C", place.path])
        let long = "Contents/Resources/deep/\(String(repeating: "long", count: 20))/1.0.txt"
        #expect(FileManager.default.fileExists(atPath: place.appending(path: "Salon.bundle/\(long)").path))
        for format in ["gnu", "pax", "ustar"] {
            let theirs = place.path + "/theirs.tar.zst"
            try Tool.run(
                tar,
                [
                    "--use-compress-program=\(zstd)", "--format=\(format)", "-cf", theirs, "-C", place.path,
                    "./Salon.bundle",
                ])
            let output = try PluginHostTool.run("install", "--in", folder().path, theirs)
            #expect(output.status == 0, "\(format): \(output)")
        }
    }

    @Test func aDirectoryIsInstalledToo() throws {
        let folder = try folder()
        let source = try BundleSourceFixture(code: .c(PluginSource.good))
        try #require(source.pack().status == 0)
        #expect(try PluginHostTool.run("install", "--in", folder.path, source.bundle.path).status == 0)
        #expect(try version(in: folder) == "1.0")
    }

    @Test func anApplicationsPlugInsAreInTheUsersFolder() throws {
        let home = try PluginFolder()
        let environment = ["XDG_DATA_HOME": home.path + "/share", "XDG_CONFIG_HOME": home.path + "/config"]
        let archive = try archive("1.0")
        let output = try PluginHostTool.run("install", "--application", "my-editor", archive, environment: environment)
        #expect(output.status == 0 && PluginHostTool.words(output.standardOutput).contains("1.0 is used"), "\(output)")
        #expect(FileManager.default.fileExists(atPath: home.path + "/share/my-editor/plugins/Salon.bundle"))
    }

    // MARK: Refused archives

    private static let unsafe: [(String, @Sendable (inout HostileArchive) -> Void)] = [
        ("climbs", { $0.add("Salon.bundle/../../evil", "x") }),
        ("climbs within", { $0.add("Salon.bundle/Contents/../../evil", "x") }),
        ("absolute", { $0.add("/tmp/evil", "x") }),
        ("absolute inside", { $0.add("Salon.bundle//tmp/evil", "x") }),
        ("dot", { $0.add("Salon.bundle/./x", "x") }),
        ("control character", { $0.add("Salon.bundle/a\u{1B}[2Jb", "x") }),
        ("second bundle", { $0.add("Other.bundle/Contents/x", "x") }),
        ("beside the bundle", { $0.add("evil", "x") }),
    ]

    @Test(.fault(476), arguments: unsafe.map(\.0)) func aNameThatLeadsOutIsRefused(_ name: String) throws {
        try expectRefused { archive in Self.unsafe.first { $0.0 == name }!.1(&archive) }
    }

    @Test(.fault(477), arguments: ["/etc/passwd", "../../../..", "nothing", "../..", "loop"])
    func aLinkOutOfTheBundleIsRefused(_ target: String) throws {
        try expectRefused { $0.add("Salon.bundle/Contents/loop", type: "2", link: target) }
    }

    @Test(.fault(477)) func nothingIsWrittenThroughALink() throws {
        let outside = try folder()
        try expectRefused {
            $0.add("Salon.bundle/Contents/out", type: "2", link: outside.path)
            $0.add("Salon.bundle/Contents/out/evil", "x")
        }
        try expectRefused {
            $0.add("Salon.bundle/Contents/a/b", type: "5")
            $0.add("Salon.bundle/Contents/a/up", type: "2", link: "../../..")
            $0.add("Salon.bundle/Contents/a/up/evil", "x")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == [])
    }

    @Test(.fault(478), arguments: ["1", "3", "4", "6", "7", "S", "Z", "D", "\u{1D}"])
    func whatIsNoFileIsRefused(_ type: String) throws {
        try expectRefused {
            $0.add("Salon.bundle/Contents/bad", type: Character(type), link: "Salon.bundle/Contents/Info.plist")
        }
    }

    @Test(.fault(479)) func aSmallFileThatStandsForMuchIsRefused() throws {
        var archive = HostileArchive()
        archive.add("Salon.bundle/Contents/zeros", size: 900 << 20)
        // The archive has a gigabyte of zeros in 32 KiB.
        let bytes = HostileArchive.frame(Array(archive.ended.dropLast(1024)), zeros: 1 << 30)
        let clock = ContinuousClock()
        let duration = try clock.measure { try expectRefused(try HostileArchive.write(bytes), code: "tooLarge") }
        #expect(duration < .seconds(10))
    }

    @Test(.fault(479)) func moreThanABundleMayHoldIsRefusedByItsHeader() throws {
        try expectRefused(code: "tooLarge") { $0.add("Salon.bundle/Contents/big", size: 2 << 30) }
        try expectRefused(code: "tooLarge") {
            $0.add("Salon.bundle/" + String(repeating: "d/", count: 40) + "x", "x")
        }
    }

    /// A pax header overrides the size, the name or the target of the next file.
    private static func pax(_ record: String) -> String {
        let rest = " " + record + "\n"
        let length = (1...).first { "\($0)".utf8.count + rest.utf8.count == $0 } ?? 0
        return "\(length)\(rest)"
    }

    @Test(.fault(479)) func aSizeThatNoFileHasIsRefused() throws {
        for size in [Int64.max, Int64.max - 40, 1 << 62] {
            try expectRefused(code: "tooLarge") {
                $0.add("PaxHeader", Self.pax("size=\(size)"), type: "x")
                $0.add("Salon.bundle/Contents/big", "x")
            }
        }
    }

    @Test(.fault(479)) func linksThatTakeLongToFollowAreRefused() throws {
        let way = String(repeating: "./", count: 1_000)
        try expectRefused(code: "tooLarge") { archive in
            for number in 0..<3_000 {
                let next = number % 39 == 38 ? "Contents/Info.plist" : "l\(number + 1)"
                archive.add("PaxHeader", Self.pax("linkpath=\(way)\(next)"), type: "x")
                archive.add("Salon.bundle/l\(number)", type: "2", link: "x")
            }
            archive.add("Salon.bundle/l3000", "x")
        }
        try expectRefused(code: "tooLarge") {
            $0.add("PaxHeader", Self.pax("linkpath=\(way)\(way)Contents"), type: "x")
            $0.add("Salon.bundle/link", type: "2", link: "x")
        }
    }

    @Test(.fault(480), arguments: [["a", "a"], ["a", "A"], ["\u{E9}", "e\u{301}"]])
    func twoNamesThatAreOneAreRefused(_ names: [String]) throws {
        try expectRefused { archive in
            for name in names { archive.add("Salon.bundle/Contents/" + name, "x") }
        }
        try expectRefused {
            $0.add("Salon.bundle/Contents/x", "x")
            $0.add("Salon.bundle/Contents/x/y", "x")
        }
    }

    @Test(.fault(481), arguments: [0o4755, 0o2755, 0o1755]) func aFileThatLendsRightsIsRefused(_ mode: Int) throws {
        try expectRefused { $0.add("Salon.bundle/Contents/helper", "x", mode: mode) }
    }

    @Test(.fault(481)) func modesAreThoseOfABundle() throws {
        let folder = try folder()
        var archive = HostileArchive()
        archive.add("Salon.bundle/Contents/all", "x", mode: 0o777)
        archive.add("Salon.bundle/Contents/none", "x", mode: 0)
        let output = try PluginHostTool.run("install", "--in", folder.path, archive.write())
        #expect(output.status == 0, "\(output)")
        for (name, mode) in [("all", 0o755), ("none", 0o644)] {
            let path = folder.path + "/Salon.bundle/Contents/" + name
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
        }
    }

    @Test(.fault(482)) func aFileThatIsNoArchiveIsRefused() throws {
        let sound = HostileArchive.frame(HostileArchive().ended)
        var cases: [[UInt8]] = [[], Array("no archive".utf8), sound + sound, HostileArchive.frame([])]
        for cut in [5, 20, 600, sound.count - 600, sound.count - 2] { cases.append(Array(sound.prefix(cut))) }
        var damaged = sound
        damaged[200] ^= 1
        cases.append(damaged)
        var more = HostileArchive().ended
        more[more.count - 1] = 1
        cases.append(HostileArchive.frame(more))
        var empty = HostileArchive(empty: ())
        cases.append(HostileArchive.frame(empty.ended))
        empty.add("Salon.bundle", "a file")
        cases.append(HostileArchive.frame(empty.ended))
        for (number, bytes) in cases.enumerated() {
            try expectRefused(try HostileArchive.write(bytes), code: "archiveInvalid", "case \(number)")
        }
        #expect(try PluginHostTool.run("install", "--in", folder().path, "/nonexistent").status == 2)
        #expect(try PluginHostTool.run("install", "--in", folder().path, "/dev/zero").status == 2)
    }

    /// An archive that ends with a file of zeros, in blocks that each repeat one byte.
    private func zeros(_ count: Int = 300_000) -> (start: [UInt8], zeros: Int) {
        var archive = HostileArchive()
        archive.add("Salon.bundle/Contents/zeros", size: count)
        return (Array(archive.ended.dropLast(1024)), (count + 511) / 512 * 512 + 1024)
    }

    private func expectInstalled(_ bytes: [UInt8], _ comment: Comment? = nil) throws {
        let folder = try folder()
        let output = try PluginHostTool.run("install", "--in", folder.path, HostileArchive.write(bytes))
        #expect(output.status == 0, "\(comment ?? "") \(output)")
        let content = folder.appending(path: "Salon.bundle/Contents/zeros")
        #expect(try Data(contentsOf: content) == Data(count: 300_000), comment)
    }

    /// The blocks do not fill the reader's buffer exactly.
    ///
    /// Without a checksum, all input is taken before the last block is written.
    @Test func outputThatIsLeftInTheDecompressorAtTheEndIsRead() throws {
        let (start, count) = zeros()
        for block in [1 << 17, 100_000, 70_001] {
            try expectInstalled(HostileArchive.frame(start, zeros: count, block: block), "blocks of \(block)")
        }
        guard let zstd = try? Tool.find("zstd") else { return }
        let tar = try folder().path + "/zeros.tar"
        try Data(start + [UInt8](repeating: 0, count: count)).write(to: URL(filePath: tar))
        for options in [["--no-check"], ["--check"], ["--no-check", "-19"]] {
            try Tool.run(zstd, ["-q", "-f"] + options + [tar, "-o", tar + ".zst"])
            try expectInstalled(Array(Data(contentsOf: URL(filePath: tar + ".zst"))), "\(options)")
        }
    }

    @Test func anArchiveInSeveralFramesIsRead() throws {
        let (start, count) = zeros()
        let (first, second) = (Array(start.prefix(700)), Array(start.dropFirst(700)))
        let frames = HostileArchive.frame(first) + HostileArchive.frame(second, zeros: count)
        try expectInstalled(frames)
        // A frame that is skipped (RFC 8878, section 3.1.2), and an empty one.
        let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        try expectInstalled(skipped + frames + skipped + HostileArchive.frame([]))
    }

    @Test func directoriesThatAnArchiveDoesNotListAreMade() throws {
        let folder = try folder()
        var archive = HostileArchive()
        archive.add("Salon.bundle/Contents/Resources/links/info", type: "2", link: "../../Info.plist")
        archive.add("Salon.bundle/Contents/Resources/files/deep/text", "text")
        let output = try PluginHostTool.run("install", "--in", folder.path, archive.write())
        #expect(output.status == 0, "\(output)")
        let resources = folder.path + "/Salon.bundle/Contents/Resources"
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: resources + "/links/info") == "../../Info.plist")
        #expect(FileManager.default.contents(atPath: resources + "/files/deep/text") == Data("text".utf8))
    }

    @Test(.fault(482)) func anArchiveThatIsCutOffOrContinuedIsRefused() throws {
        let (start, count) = zeros()
        let sound = HostileArchive.frame(start, zeros: count, block: 100_000)
        // Each block of zeros has four bytes.
        for cut in 1...10 {
            try expectRefused(try HostileArchive.write(Array(sound.dropLast(cut))), code: "archiveInvalid")
        }
        // Whole frames that lack the end of the file, of its padding, and of the archive.
        for missing in [count, 1024 + 100, 1024 + 1, 1024] {
            let bytes = HostileArchive.frame(start, zeros: count - missing)
            try expectRefused(try HostileArchive.write(bytes), code: "archiveInvalid", "\(missing) zeros are missing")
        }
        let rests: [[UInt8]] = [
            [0], [0x28], Array("garbage".utf8), Array(sound.prefix(4)), Array(sound.prefix(20)), sound,
        ]
        for rest in rests {
            let bytes = sound + rest
            try expectRefused(try HostileArchive.write(bytes), code: "archiveInvalid", "then \(rest.count) bytes")
        }
    }

    /// Each byte of an archive is changed in turn.
    ///
    /// The result is an error or a bundle, and never a file outside of the folder.
    @Test(.fault(482)) func noChangedByteEndsTheTool() throws {
        let sound = HostileArchive.frame(HostileArchive().ended)
        for place in stride(from: 0, to: min(sound.count, 1700), by: 13) {
            var bytes = sound
            bytes[place] ^= 0x41
            let output = try PluginHostTool.run("install", "--in", folder().path, HostileArchive.write(bytes))
            #expect(output.status == 0 || output.status == 1, "byte \(place): \(output)")
        }
    }

    @Test func aBundleThatCannotLoadIsNotInstalled() throws {
        let folder = try folder()
        var archive = HostileArchive()
        archive.add("Salon.bundle/Contents/Linux/Salon", "no ELF file", mode: 0o755)
        let output = try PluginHostTool.run("install", "--in", folder.path, archive.write())
        #expect(output.status == 1 && output.standardOutput.contains("not installed"), "\(output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(.fault(484)) func anotherPlugInIsNotReplaced() throws {
        let folder = try folder()
        try #require(PluginHostTool.run("install", "--in", folder.path, archive("1.0")).status == 0)
        let other = try PluginHostTool.document(
            "install", "--in", folder.path, archive("2.0", identifier: "org.example.Other"))
        #expect(other.status == 2 && (other.object["error"] as? [String: Any])?["code"] as? String == "nameInvalid")
        let renamed = try PluginHostTool.document(
            "install", "--in", folder.path, archive("2.0", name: "Parlour", identifier: "org.example.Salon"))
        #expect(renamed.status == 2, "\(renamed.text)")
        #expect(try version(in: folder) == "1.0")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Salon.bundle"])
    }

    // MARK: Killed and simultaneous installations

    /// Kills the tool at each system call that changes something, once for every such call.
    @Test(.fault(483)) func anInstallationKilledAnywhereLeavesTheOldBundleOrTheNew() throws {
        let (old, new) = (try archive("1.0"), try archive("2.0"))
        let killer = try Killer.build()
        func install(_ archive: String, in folder: URL, killedAt call: Int = 0) throws -> Tool.Output {
            try PluginHostTool.run(
                ["install", "--in", folder.path, archive],
                environment: call == 0 ? [:] : ["LD_PRELOAD": killer.path, "KILL_AT": "\(call)"])
        }
        var seen: Set<String> = []
        for call in 1... {
            let folder = try folder()
            // A still older version, which must never become the previous version again.
            for archive in [try archiveOnce("0.5"), old] { try #require(install(archive, in: folder).status == 0) }
            let killed = try install(new, in: folder, killedAt: call)
            let now = try #require(try version(in: folder), "call \(call)")
            #expect(now == "1.0" || now == "2.0")
            seen.insert(now)
            #expect(try PluginHostTool.document("list", "--all", folder.path).bundles.count == 1)
            #expect(try PluginHostTool.run("load", folder.path + "/Salon.bundle").status == 0)
            if now == "2.0" {
                let back = try PluginHostTool.run("rollback", "--in", folder.path, "Salon")
                if back.status == 0 { #expect(try version(in: folder) == "1.0") }
            }
            // The next installation works, and removes everything that the killed one left.
            #expect(try install(new, in: folder).status == 0)
            #expect(try version(in: folder) == "2.0")
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(left == [".previous", "Salon.bundle"], "call \(call)")
            if killed.status == 0 { break }
            #expect(killed.status == -9, "call \(call): \(killed)")
        }
        #expect(seen == ["1.0", "2.0"])
    }

    private func archiveOnce(_ version: String) throws -> String {
        try Self.archives.withLock { archives in
            if let known = archives[version] { return known }
            let made = try archive(version)
            archives[version] = made
            return made
        }
    }

    private static let archives = Locked<[String: String]>([:])

    @Test(.fault(489)) func installationsAtOnceTakeTurns() async throws {
        let folder = try folder()
        let archives = try (1...4).map { try archive("\($0).0") }
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for archive in archives + archives {
                group.addTask { try PluginHostTool.run("install", "--in", folder.path, archive).status }
            }
            for try await status in group { #expect(status == 0) }
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == [".previous", "Salon.bundle"])
        #expect(try PluginHostTool.run("load", folder.path + "/Salon.bundle").status == 0)
    }

    @Test(.fault(488)) func withoutAVersionBeforeThereIsNoWayBack() throws {
        let folder = try folder()
        try #require(PluginHostTool.run("install", "--in", folder.path, archive("1.0")).status == 0)
        let output = try PluginHostTool.document("rollback", "--in", folder.path, "Salon")
        #expect(output.status == 1 && (output.object["error"] as? [String: Any])?["code"] as? String == "notInstalled")
        #expect(try version(in: folder) == "1.0")
    }

    // MARK: Names and directories

    @Test(.fault(778), arguments: [".pluginhost-x", ".pluginhost-abcdef", ".hidden"])
    func aHiddenNameIsRefused(_ name: String) throws {
        let folder = try folder()
        var archive = HostileArchive(empty: ())
        archive.add("\(name).bundle/", type: "5")
        archive.add("\(name).bundle/Contents/Info.plist", "{ CFBundleIdentifier = \"org.example.Salon\"; }")
        for file in [try archive.write(), try PluginFolder([name: [:]]).path + "/\(name).bundle"] {
            let document = try PluginHostTool.document("install", "--in", folder.path, file)
            #expect(document.status == 1, "\(document.text)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test(.fault(778)) func onlyTheInstallersOwnDirectoriesAreRemoved() throws {
        let folder = try folder()
        let names = [".pluginhost-x.bundle", ".pluginhost-", ".pluginhost-abcdefg", ".pluginhost-abc-ef"]
        for name in names {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        // One of a killed installer.
        try FileManager.default.createDirectory(
            at: folder.appending(path: ".pluginhost-aB3xyZ/old"), withIntermediateDirectories: true)
        try #require(PluginHostTool.run("install", "--in", folder.path, archiveOnce("1.0")).status == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == (names + ["Salon.bundle"]).sorted())
    }

    @Test(.fault(779)) func aLinkInThePlaceOfTheEarlierVersionsIsNotFollowed() throws {
        let (folder, outside) = (try folder(), try folder())
        try #require(PluginHostTool.run("install", "--in", folder.path, archiveOnce("1.0")).status == 0)
        let previous = folder.path + "/.previous"
        try FileManager.default.createSymbolicLink(atPath: previous, withDestinationPath: outside.path)
        try FileManager.default.copyItem(
            atPath: folder.path + "/Salon.bundle", toPath: outside.path + "/Salon.bundle")
        for arguments in try [["install", archiveOnce("2.0")], ["rollback", "Salon"], ["uninstall", "Salon"]] {
            let output = try PluginHostTool.run([arguments[0], "--in", folder.path] + arguments.dropFirst())
            #expect(output.status != 0 && output.standardOutput.contains("Nothing was changed"), "\(output)")
            #expect(try version(in: folder) == "1.0")
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == ["Salon.bundle"])
        }
        try FileManager.default.removeItem(atPath: previous)
        // A link in the place of a kept bundle.
        try FileManager.default.createDirectory(atPath: previous, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: previous + "/Salon.bundle", withDestinationPath: outside.path + "/Salon.bundle")
        #expect(try PluginHostTool.run("rollback", "--in", folder.path, "Salon").status == 1)
        #expect(try PluginHostTool.run("uninstall", "--in", folder.path, "Salon").status == 0)
        #expect(FileManager.default.fileExists(atPath: outside.path + "/Salon.bundle/Contents/Info.plist"))
    }

    @Test(.fault(780)) func aFailedInstallationLeavesNoDirectories() throws {
        let place = try folder()
        var hostile = HostileArchive()
        hostile.add("Salon.bundle/../../evil", "x")
        for file in [try hostile.write(), "/nonexistent"] {
            let output = try PluginHostTool.run(
                "install", "--application", "my-editor", file, environment: ["XDG_DATA_HOME": place.path + "/a/b"])
            #expect(output.status != 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [], "\(output)")
        }
        // A directory that cannot be made: nothing is left of those above it.
        try Data().write(to: place.appending(path: "file"))
        let output = try PluginHostTool.run(
            "install", "--application", "my-editor", archiveOnce("1.0"),
            environment: ["XDG_DATA_HOME": place.path + "/file"])
        #expect(output.status == 2 && output.standardOutput.contains("File exists"), "\(output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["file"])
    }

    // MARK: The user's choices

    @Test(.fault(776)) func aChoiceThatCannotBeWrittenIsNotShownAsMade() throws {
        let home = try PluginFolder()
        try Data().write(to: home.url.appending(path: "config"))
        let output = try PluginHostTool.run(
            "disable", "org.example.Salon", "--application", "my-editor",
            environment: ["XDG_CONFIG_HOME": home.path + "/config"])
        let words = PluginHostTool.words(output.standardOutput)
        #expect(output.status == 2 && words.hasPrefix("org.example.Salon: not changed, still enabled"), "\(output)")
        #expect(words.contains("Not a directory") && !words.contains("read again"), "\(words)")
    }

    @Test func whatIsDisabledIsNotUsedAndExplained() throws {
        let home = try PluginFolder()
        let environment = ["XDG_DATA_HOME": home.path + "/share", "XDG_CONFIG_HOME": home.path + "/config"]
        func document(_ arguments: String...) throws -> PluginHostTool.Document {
            try PluginHostTool.document(of: arguments + ["--application", "my-editor"], environment: environment)
        }
        try #require(document("install", archive("1.0")).status == 0)
        let disabled = try document("disable", "org.example.Salon")
        #expect(disabled.status == 0 && disabled.object["disabled"] as? Bool == true)
        #expect(FileManager.default.fileExists(atPath: home.path + "/config/my-editor/plugins.plist"))
        #expect(try document("list").bundles.isEmpty)
        let all = try document("list", "--all")
        // The user's choice is not an error.
        #expect(all.status == 0 && all.bundles.first?["verdict"] as? String == "disabled")
        let why = try PluginHostTool.run(
            "why", "org.example.Salon", "--application", "my-editor", environment: environment)
        #expect(
            why.status == 1
                && PluginHostTool.words(why.standardOutput).contains(
                    "pluginhost enable org.example.Salon --application my-editor"),
            "\(why)")
        #expect(try document("enable", "org.example.Salon").object["disabled"] as? Bool == false)
        #expect(try document("list").bundles.count == 1)
        // A plug-in that is not installed may be disabled in advance.
        #expect(try document("disable", "org.example.Later").object["installed"] as? Bool == false)
        let mistyped = try PluginHostTool.run(
            "disable", "org.example.Salom", "--application", "my-editor", environment: environment)
        let words = PluginHostTool.words(mistyped.standardOutput)
        #expect(mistyped.status == 0 && words.contains("Did you mean org.example.Salon?"), "\(words)")
    }

    @Test func aMistypedApplicationAndWhoNeedsThePluginAreNamed() throws {
        let home = try PluginFolder()
        let environment = Dictionary(
            uniqueKeysWithValues: ["DATA", "CONFIG", "STATE", "CACHE"].map { ("XDG_\($0)_HOME", home.path + "/\($0)") })
        func explanation(_ arguments: String...) throws -> String {
            let document = try PluginHostTool.document(of: arguments, environment: environment)
            return try #require(document.object["explanation"] as? String, "\(document.text)")
        }
        let archive = try archive("1.0")
        #expect(try !explanation("install", "--application", "my-editor", archive).contains("Nothing was known"))
        #expect(
            try explanation("install", "--application", "my-edtor", archive).hasSuffix(
                "Nothing was known here of an application “my-edtor”; did you mean “my-editor”?"))
        let plugins = home.url.appending(path: "DATA/my-editor/plugins")
        let user = try home.add("Needs", ["PHRequires": ["org.example.Salon": "1.0"]])
        try FileManager.default.copyItem(at: user, to: plugins.appending(path: "Needs.bundle"))
        #expect(
            try explanation("uninstall", "--application", "my-editor", "Salon").hasSuffix(
                "Without it, org.example.Needs cannot be used either."))
    }

    @Test func aFolderAndAnApplicationAreAWrongUse() throws {
        for arguments in [["install", "x"], ["install", "--in", "a", "--application", "b", "x"], ["disable", "x"]] {
            #expect(try PluginHostTool.run(arguments).status == 2, "\(arguments)")
        }
    }

    // MARK: Helpers

    private func expectRefused(code: String = "", _ change: (inout HostileArchive) -> Void) throws {
        var archive = HostileArchive()
        change(&archive)
        try expectRefused(try archive.write(), code: code)
    }

    private func expectRefused(_ archive: String, code: String = "", _ comment: String = "") throws {
        // The folder is inside of another one, so that files outside of it would be noticed.
        let place = try folder()
        let folder = place.appending(path: "plugins")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let document = try PluginHostTool.document("install", "--in", folder.path, archive)
        let error = document.object["error"] as? [String: Any]
        #expect(document.status == 1, "\(comment) \(document.text)")
        let message = error?["message"] as? String ?? ""
        #expect(
            message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(comment) \(message)")
        let found = error?["code"] as? String ?? ""
        #expect(
            code.isEmpty ? ["unsafeFile", "archiveInvalid"].contains(found) : found == code,
            "\(comment) \(document.text)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: place.path) == ["plugins"], "\(comment)")
    }
}

/// The folder of plug-ins is in a lower layer of an overlay, as in an image of a container: there, a directory can be neither
/// renamed nor exchanged.
@Suite struct OverlayInstallTests {
    private static let products = Workspace.products.path

    /// Runs a shell script in a mount namespace of its own, in an empty directory of a file system that can be an upper layer.
    ///
    /// The functions `layers`, which mounts `lower` and a new upper layer at `plugins`, and `tool` are defined.
    private static func run(_ script: String, _ arguments: String..., environment: [String: String] = [:]) throws
        -> Tool.Output
    {
        let folder = try PluginFolder()
        let text = """
            set -eu
            cd "$1"; shift
            mount -t tmpfs none . && cd "$PWD"
            mkdir lower plugins
            layers() {
                umount plugins 2>/dev/null || true
                rm -rf upper work; mkdir upper work
                mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work plugins
            }
            tool() { "$PRODUCTS/pluginhost" "$@"; }
            version() { tool list --all plugins --json | sed -n 's/.*"version" *: *"\\([^"]*\\)".*/\\1/p' | head -1; }
            \(script)
            """
        return try Tool.output(
            Tool.find("unshare"), ["-m", "sh", "-c", text, "sh", folder.path] + arguments,
            environment: [
                "LD_LIBRARY_PATH": products, "PRODUCTS": products, "LC_ALL": "C.UTF-8", "LANGUAGE": "",
            ].merging(environment) { $1 })
    }

    /// Whether this process may mount an overlay.
    private static let isPossible = (try? run("layers").status) == 0

    private static func archive(_ version: String) throws -> String {
        let source = try BundleSourceFixture(
            "Salon", info: ["CFBundleShortVersionString": version, "CFBundleIdentifier": "org.example.Salon"],
            files: ["Resources/a/b.txt": version, "Resources/c.txt": version])
        try #require(source.pack("--archive").status == 0)
        return source.output.appending(path: "Salon-\(version).tar.zst").path
    }

    @Test(.fault(781), .enabled(if: isPossible, "only root, or whoever may mount an overlay, can try this"))
    func aBundleOfALowerLayerIsUpgradedRolledBackAndRemoved() throws {
        let output = try Self.run(
            """
            tool install --in lower "$1" >/dev/null
            layers
            tool install --in plugins "$2"
            echo "version: $(version)"
            tool rollback --in plugins Salon; echo "version: $(version)"
            # Both versions are of the lower layer now.
            cp -a plugins next; umount plugins; rm -rf lower; mv next lower; layers
            tool rollback --in plugins Salon; echo "version: $(version)"
            layers
            tool install --in plugins "$2" >/dev/null; echo "version: $(version)"
            layers
            tool uninstall --in plugins Salon
            ls -A plugins plugins/.previous
            """, Self.archive("1.0"), Self.archive("2.0"))
        #expect(output.status == 0, "\(output)")
        let versions = output.standardOutput.split(separator: "\n").filter { $0.hasPrefix("version: ") }
        #expect(versions == ["version: 2.0", "version: 1.0", "version: 2.0", "version: 2.0"], "\(output)")
        #expect(output.standardOutput.hasSuffix("plugins:\n.previous\n\nplugins/.previous:\n"), "\(output)")
    }

    /// A killed upgrade is finished by the next one: at no moment is the only copy of a bundle lost.
    @Test(.fault(781), .enabled(if: isPossible, "only root, or whoever may mount an overlay, can try this"))
    func aKilledUpgradeOfALowerLayerLosesNothing() throws {
        let output = try Self.run(
            """
            tool install --in lower "$1" >/dev/null
            for call in $(seq 1 200); do
                layers
                status=0
                LD_PRELOAD="$KILLER" KILL_AT=$call "$PRODUCTS/pluginhost" install --in plugins "$2" >/dev/null 2>&1 || status=$?
                # What the next installer finds, whatever it is to do.
                tool rollback --in plugins Nothing >/dev/null 2>&1 || true
                # A failed roll-back leaves the folder as it is; an archive that is none makes a staging directory.
                tool install --in plugins /dev/null >/dev/null 2>&1 || true
                found=$(version)
                test "$found" = 1.0 -o "$found" = 2.0 || { echo "call $call: “$found”"; find plugins; exit 1; }
                for file in a/b.txt c.txt; do
                    test "$(cat plugins/Salon.bundle/Contents/Resources/$file)" = "$found" || {
                        echo "call $call: $found without $file"; exit 1
                    }
                done
                tool install --in plugins "$2" >/dev/null || { echo "call $call: it cannot be installed"; exit 1; }
                test "$(version)" = 2.0
                test "$(ls -A plugins | tr '\\n' ' ')" = ".previous Salon.bundle " || { ls -A plugins; exit 1; }
                if test $status = 0; then echo "calls: $call"; exit 0; fi
            done
            """, Self.archive("1.0"), Self.archive("2.0"), environment: ["KILLER": try Killer.build().path])
        #expect(output.status == 0 && output.standardOutput.contains("calls: "), "\(output)")
    }
}

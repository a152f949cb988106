import Fixtures
import Foundation
import Testing

/// `pluginhost pack`.
@Suite struct PackCommandTests {
    private static let strings = [
        "Resources/en.lproj/Localizable.strings": "\"Hello\" = \"Hello\";\n",
        "Resources/fr.lproj/Localizable.strings": "\"Hello\" = \"Bonjour\";\n",
        "Resources/rules.txt": "rules",
    ]

    private func info(_ bundle: URL) throws -> [String: Any] {
        let data = try Data(contentsOf: bundle.appending(path: "Contents/Info.plist"))
        return try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    }

    @Test func aBundleHasItsCodeItsResourcesAndACompletedList() throws {
        let source = try BundleSourceFixture(files: Self.strings, code: .c(PluginSource.good))
        let output = try source.pack("--host-requires", ">=2 <3")
        #expect(output.status == 0 && output.standardOutput.contains("packed"), "\(output)")
        let info = try info(source.bundle)
        #expect(info["NSExecutable"] as? String == "Salon" && info["CFBundlePackageType"] as? String == "BNDL")
        #expect(info["PHHostRequires"] as? String == ">=2 <3")
        // This comes from the note in the file. A plug-in in C has no toolchain.
        #expect((info["PHBuiltFor"] as? [String: String])?.keys.sorted() == ["ABI"])
        let contents = try FileManager.default.subpathsOfDirectory(atPath: source.bundle.path).sorted()
        #expect(contents.contains("Contents/Linux/Salon") && contents.contains("Contents/Resources/rules.txt"))
        #expect(contents.contains("Contents/Resources/fr.lproj/Localizable.strings"))
        let loaded = try PluginHostTool.run("load", source.bundle.path)
        #expect(loaded.status == 0, "\(loaded)")
    }

    @Test func whatTheAuthorWroteStays() throws {
        let source = try BundleSourceFixture(
            info: ["NSExecutable": "Other", "CFBundleName": "Mine", "PHHostRequires": ">=9"],
            code: .c(PluginSource.good))
        try FileManager.default.copyItem(
            atPath: source.products + "/libSalon.so", toPath: source.products + "/libOther.so")
        let output = try source.pack("--host-requires", ">=1")
        #expect(output.status == 0, "\(output)")
        let info = try info(source.output.appending(path: "Other.bundle"))
        #expect(info["CFBundleName"] as? String == "Mine" && info["PHHostRequires"] as? String == ">=9")
    }

    @Test func aMisspeltExecutableIsNamedWithTheLibrariesThatAreThere() throws {
        let source = try BundleSourceFixture(info: ["NSExecutable": "Salom"], code: .c(PluginSource.good))
        let output = try source.pack()
        #expect(output.status == 1, "\(output)")
        let words = PluginHostTool.words(output.standardOutput)
        #expect(words.contains("Its name comes from NSExecutable in Info.plist, “Salom”."), "\(words)")
        #expect(words.contains("Correct NSExecutable (there is: “Salon”), or build the library"), "\(words)")
    }

    @Test func aFaultOfInfoPlistIsShownOnceWithItsPlace() throws {
        let source = try BundleSourceFixture(info: ["PHExecution": "isolate"], code: .c(PluginSource.good))
        let output = try source.pack()
        #expect(output.status == 1 && output.standardOutput.contains("not packed 1 error"), "\(output)")
        let words = PluginHostTool.words(output.standardOutput)
        #expect(words.ranges(of: "manifestInvalid").count == 1 && words.contains("Info.plist:"), "\(words)")
        // Not a line of the list that was made of it, which has other keys and another order.
        try source.add(
            "Info.plist",
            "{\n  PHFunction = misspelt;\n  CFBundleIdentifier = \"org.example.Salon\"; NSExecutable = Salon;\n}")
        let warned = try source.pack()
        #expect(warned.status == 0 && warned.standardOutput.contains("Info.plist:2:3: warning:"), "\(warned)")
    }

    @Test func aSwiftPluginsToolchainStandsInItsList() throws {
        let charts = try Workspace.samplePlugins.get().appending(path: "Charts.bundle")
        let built = try info(charts)["PHBuiltFor"] as? [String: String]
        let document = try PluginHostTool.document("info", charts.path)
        let note = document.bundles.first?["note"] as? [String: Any]
        #expect(built?["Toolchain"] != nil && built?["Toolchain"] == note?["toolchain"] as? String)
        #expect(built?["ABI"] == note?["abi"] as? String)
    }

    @Test func aSummaryOfAnotherExecutableIsAWarning() throws {
        let source = try BundleSourceFixture(code: .c(PluginSource.good))
        try #require(source.pack().status == 0)
        let list = source.bundle.appending(path: "Contents/Info.plist")
        let text = try String(contentsOf: list, encoding: .utf8)
        try text.replacing(/<key>ABI<\/key>\s*<string>1/, with: "<key>ABI</key><string>7")
            .write(to: list, atomically: true, encoding: .utf8)
        let document = try PluginHostTool.document("check", source.bundle.path)
        #expect(document.findings.contains { $0["subject"] as? String == "PHBuiltFor" }, "\(document.text)")
        #expect(document.status == 0)
    }

    @Test func equalSourcesGiveEqualBytes() throws {
        var descriptions: [[String]] = []
        for mask in ["022", "077"] {
            let source = try BundleSourceFixture(files: Self.strings, code: .c(PluginSource.good))
            let script = "umask \(mask); exec \"$@\""
            let program = Workspace.products.appending(path: "pluginhost").path
            let output = try Tool.output("/bin/sh", ["-c", script, "sh", program] + source.packing([]))
            #expect(output.status == 0, "\(output)")
            descriptions.append(try BundleSourceFixture.description(of: source.bundle))
        }
        #expect(descriptions[0] == descriptions[1] && descriptions[0].count > 8)
    }

    @Test func anEqualBundleIsLeftAlone() throws {
        let source = try BundleSourceFixture(files: Self.strings)
        try #require(source.pack().status == 0)
        let before = try FileManager.default.attributesOfItem(atPath: source.bundle.path)[.systemFileNumber] as? Int
        let again = try source.pack()
        let after = try FileManager.default.attributesOfItem(atPath: source.bundle.path)[.systemFileNumber] as? Int
        #expect(again.standardOutput.contains("unchanged") && before == after)
        try source.add("Resources/rules.txt", "other")
        #expect(try source.pack().standardOutput.contains("packed"))
        let rules = source.bundle.appending(path: "Contents/Resources/rules.txt")
        #expect(try String(contentsOf: rules, encoding: .utf8) == "other")
    }

    @Test func whatSystemsAndEditorsLeaveIsNotPackedAndNamed() throws {
        let source = try BundleSourceFixture(files: Self.strings)
        let left = [".DS_Store", ".git/config", "a.txt~", "#b.txt#", "c.bak", "Thumbs.db", "fr.lproj/.x.swp"]
        for path in left { try source.add("Resources/" + path, "no") }
        let document = try PluginHostTool.document(of: source.packing([]))
        let named = (document.bundles.first?["leftOut"] as? [[String: Any]] ?? []).compactMap { $0["file"] as? String }
        #expect(named.count == left.count, "\(document.text)")
        let packed = try FileManager.default.subpathsOfDirectory(atPath: source.bundle.path)
        #expect(
            !packed.contains { $0.contains("DS_Store") || $0.contains("~") || $0.contains("git") || $0.contains("swp") }
        )
    }

    @Test func linksInsideStayLinks() throws {
        let source = try BundleSourceFixture(files: Self.strings)
        try FileManager.default.createSymbolicLink(
            atPath: source.path + "/Resources/also.txt", withDestinationPath: "rules.txt")
        try #require(source.pack().status == 0)
        let link = source.bundle.appending(path: "Contents/Resources/also.txt").path
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "rules.txt")
    }

    @Test(.fault(470), arguments: ["/etc/hostname", "../../../../../../etc", "nothing", "loop", "FIFO"])
    func aLinkOutOfTheResourcesAndWhatIsNoFileAreRefused(_ target: String) throws {
        let source = try BundleSourceFixture(files: Self.strings)
        let path = source.path + "/Resources/bad"
        if target == "FIFO" {
            #expect(mkfifo(path, 0o600) == 0)
        } else {
            let target = target == "loop" ? "bad" : target
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        let document = try PluginHostTool.document(of: source.packing([]))
        let error = document.bundles.first?["error"] as? [String: Any]
        #expect(document.status == 1 && error?["code"] as? String == "unsafeFile", "\(document.text)")
        #expect((error?["file"] as? String)?.hasSuffix("Resources/bad") == true)
        try expectNothingLeft(source)
    }

    /// `y` leads out through another link, `x`, which is inside: its `..` counts from the directory that `x` leads to.
    @Test(.fault(470)) func aLinkThatLeadsOutThroughAnotherIsRefused() throws {
        let source = try BundleSourceFixture(files: ["Resources/a/b/file": ""])
        let folder = source.path + "/Resources/a/b/"
        try FileManager.default.createSymbolicLink(atPath: folder + "x", withDestinationPath: "../../../..")
        try FileManager.default.createSymbolicLink(atPath: folder + "y", withDestinationPath: "x/..")
        let output = try source.pack()
        #expect(output.status == 1 && output.standardOutput.contains("unsafeFile"), "\(output)")
        try expectNothingLeft(source)
    }

    @Test(.fault(471), arguments: [["a.txt", "A.TXT"], ["caf\u{E9}", "cafe\u{301}"]])
    func namesThatDifferInCaseOrUnicodeFormAreRefused(_ names: [String]) throws {
        let source = try BundleSourceFixture()
        for name in names { try source.add("Resources/" + name, name) }
        let output = try source.pack()
        #expect(output.status == 1 && output.standardOutput.contains("differs from it in case"), "\(output)")
        try expectNothingLeft(source)
    }

    @Test(.fault(472)) func whatCannotLoadIsNotPackedAndTheOldBundleStays() throws {
        let source = try BundleSourceFixture(files: Self.strings, code: .c(PluginSource.good))
        try #require(source.pack().status == 0)
        let before = try BundleSourceFixture.description(of: source.bundle)
        try Data("no ELF file".utf8).write(to: URL(filePath: source.products + "/libSalon.so"))
        let output = try source.pack()
        #expect(output.status == 1 && output.standardOutput.contains("not packed"), "\(output)")
        #expect(output.standardOutput.contains("notLoadable"))
        // Messages name the bundle's place, and not the directory in which it was made.
        #expect(!output.standardOutput.contains(".pluginhost-"))
        #expect(try BundleSourceFixture.description(of: source.bundle) == before)
    }

    @Test(.fault(472)) func aTableWithAFaultIsNotPacked() throws {
        let source = try BundleSourceFixture(files: ["Resources/fr.lproj/Localizable.strings": "\"a\" \"b\";"])
        let output = try source.pack()
        #expect(output.status == 1 && output.standardOutput.contains("missingSeparator"), "\(output)")
        try expectNothingLeft(source)
    }

    @Test(
        .fault(683, 795, 796, 797, 798),
        arguments: [
            ("CFBundleIdentifier", "$(PRODUCT_BUNDLE_IDENTIFIER)"), ("CFBundleIdentifier", "org.example.a "),
            ("CFBundleName", "@NAME@"), ("CFBundleDisplayName", "${X}"), ("CFBundleShortVersionString", "$(V)"),
            ("CFBundleVersion", "v1"), ("PHRequires ", "x"),
        ])
    func namesThatABuildDidNotExpandAreNotPacked(_ key: String, _ value: String) throws {
        let source = try BundleSourceFixture(info: [key: value])
        let output = try source.pack()
        #expect(output.status == 1 && output.standardOutput.contains("manifestInvalid"), "\(output)")
        try expectNothingLeft(source)
        // The other commands report the same of a bundle that was packed by other means.
        let fixture = try BundleFixture("Badly", info: [key: value], code: .none)
        for command in ["lint", "check"] {
            let output = try PluginHostTool.run(command, fixture.path)
            #expect(output.standardOutput.contains("manifestInvalid"), "\(command): \(output)")
            #expect(output.status == 1 || key.hasSuffix(" "), "\(command): \(output)")
        }
    }

    @Test(.fault(799)) func anUnusualIdentifierIsPackedWithAWarning() throws {
        let source = try BundleSourceFixture(info: ["CFBundleIdentifier": "org.example.a+b"])
        let output = try source.pack()
        #expect(output.status == 0 && output.standardOutput.contains("identifierUnusual"), "\(output)")
    }

    @Test func warningsCountIfAsked() throws {
        let source = try BundleSourceFixture(info: ["PHUnknown": "x"])
        #expect(try source.pack("--strict").status == 1)
        #expect(!FileManager.default.fileExists(atPath: source.bundle.path))
        #expect(try source.pack().status == 0)
    }

    @Test(.fault(473), arguments: ["", "<plist", "(1, 2)", nil])
    func aListThatCannotBeCompletedIsNamed(_ text: String?) throws {
        let source = try BundleSourceFixture()
        let list = source.url.appending(path: "Info.plist")
        try FileManager.default.removeItem(at: list)
        if let text { try Data(text.utf8).write(to: list) }
        let output = try source.pack()
        #expect(output.status == (text == nil ? 2 : 1) && output.standardOutput.contains("Info.plist"), "\(output)")
        try expectNothingLeft(source)
    }

    @Test(.fault(474)) func whatAKilledPackerLeftIsRemovedByTheNext() throws {
        let source = try BundleSourceFixture(files: Self.strings)
        // A killed packer leaves such a directory, and no process holds its lock.
        let dead = source.output.appending(path: ".pluginhost-dead00/Salon.bundle/Contents")
        try FileManager.default.createDirectory(at: dead, withIntermediateDirectories: true)
        try #require(source.pack().status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: source.output.path) == ["Salon.bundle"])
    }

    @Test func codeThatIsMissingIsAsked() throws {
        let source = try BundleSourceFixture(code: .c(PluginSource.good))
        let unnamed = try PluginHostTool.run("pack", "--output", source.output.path, source.path)
        #expect(unnamed.status == 1 && unnamed.standardOutput.contains("--products"), "\(unnamed)")
        try FileManager.default.removeItem(atPath: source.products + "/libSalon.so")
        let missing = try source.pack()
        #expect(missing.status == 1 && missing.standardOutput.contains("libSalon.so"), "\(missing)")
    }

    @Test func symbolsAreStrippedIfAsked() throws {
        let source = try BundleSourceFixture(code: .c(PluginSource.good, flags: ["-g"]))
        func size() throws -> Int {
            let file = source.bundle.appending(path: "Contents/Linux/Salon").path
            return try #require(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
        }
        try #require(source.pack().status == 0)
        let whole = try size()
        let output = try source.pack("--strip")
        let stripped = try size()
        #expect(output.status == 0 && stripped < whole, "\(output)")
        #expect(try PluginHostTool.run("load", source.bundle.path).status == 0)
    }

    @Test func theApplicationsLibrariesAreNoErrorWhereItIsNotNamed() throws {
        let source = try BundleSourceFixture("Charts", code: .file(Workspace.products.appending(path: "libCharts.so")))
        let unnamed = try PluginHostTool.document(of: source.packing([]), environment: ["LD_LIBRARY_PATH": ""])
        let findings = unnamed.findings.filter { $0["code"] as? String == "dependencyMissing" }
        #expect(
            unnamed.status == 0 && findings.allSatisfy { $0["severity"] as? String == "warning" }, "\(unnamed.text)")
        #expect(!findings.isEmpty)
        let host = Workspace.products.appending(path: "demo-host").path
        let named = try PluginHostTool.document(
            of: source.packing(["--host", host]), environment: ["LD_LIBRARY_PATH": ""])
        #expect(!named.codes.contains("dependencyMissing"), "\(named.text)")
    }

    @Test(arguments: [
        ["--build", "--products", "x"], ["--configuration", "fast"], ["--name", "x", "a", "b"],
        ["--host-requires", "?"],
    ])
    func aWrongUseIsTwo(_ arguments: [String]) throws {
        #expect(try PluginHostTool.run(["pack"] + arguments).status == 2)
    }

    /// That code does not compile is a problem of the source, and not of the tool.
    @Test func codeThatDoesNotCompileIsOneAndAMissingCompilerTwo() throws {
        let source = try BundleSourceFixture(files: [
            "Package.swift": """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "Salon", products: [.library(name: "Salon", type: .dynamic, targets: ["Salon"])],
                targets: [.target(name: "Salon")])
            """,
            "Sources/Salon/Salon.swift": "let broken: Int = \"text\"",
        ])
        let arguments = ["pack", "--build", "--output", source.output.path, source.path]
        let output = try PluginHostTool.run(arguments)
        #expect(output.status == 1, "\(output)")
        #expect(output.standardOutput.contains("buildFailed") && output.standardError.contains("error:"))
        let lacking = try PluginHostTool.run(arguments, environment: ["PATH": "/nowhere"])
        let words = PluginHostTool.words(lacking.standardOutput)
        #expect(lacking.status == 2 && words.contains("there is no program “swift” in PATH"), "\(lacking)")
    }

    private func expectNothingLeft(_ source: BundleSourceFixture) throws {
        let left = (try? FileManager.default.contentsOfDirectory(atPath: source.output.path)) ?? []
        #expect(left == [])
    }

    @Test(.fault(813)) func productsThatAreOlderThanTheirSourcesAreAWarning() throws {
        let source = try BundleSourceFixture(code: .c(PluginSource.good))
        try source.add("Sources/Salon/salon.c", "int changed;")
        let file = source.url.appending(path: "Sources/Salon/salon.c").path
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: file)
        let output = try source.pack()
        #expect(output.status == 0 && output.standardOutput.contains("productOutdated"), "\(output)")
        #expect(PluginHostTool.words(output.standardOutput).contains("has code of older sources"))
        #expect(output.standardOutput.contains("Salon.bundle: packed, of older sources"))
        #expect(try source.pack().standardOutput.contains("Salon.bundle: unchanged, and older than its sources"))
        #expect(try source.pack("--strict").status == 1)
        // After a change that leaves the code as it is, a build does not write it again.
        let built = try source.pack("--just-built")
        #expect(built.standardOutput.contains("Salon.bundle: unchanged\n"), "\(built)")
        // A file beside the sources of this library says nothing.
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file)
        try source.add("Sources/Other/other.c", "int other;")
        #expect(!(try source.pack().standardOutput.contains("productOutdated")))
    }
}

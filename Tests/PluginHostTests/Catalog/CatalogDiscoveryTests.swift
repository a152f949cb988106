import CatalogIndexing
import ELFImages
import Glibc
import HostBasics
import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

@Suite struct CatalogDiscoveryTests {
    @Test func everyCandidateHasItsVerdict() throws {
        let tree = try CatalogTree([
            "a/Good.bundle": CatalogTree.list("good"),
            "a/Low.bundle": CatalogTree.list("twice", "1.2"),
            "b/High.bundle": CatalogTree.list("twice", "1.10"),
            "b/Later.bundle": CatalogTree.list("good"),
            "b/Same.bundle": CatalogTree.list("twice", "1.10"),
            "b/Wrong.bundle": "{ CFBundleIdentifier = wrong; PHFactories = yes; }",
            "b/Range.bundle": CatalogTree.list("range", "1", "PHRequires = { good = \"one\"; };"),
            "b/Needy.bundle": CatalogTree.list("needy", "1", "PHCapabilities = (flying);"),
        ])
        try tree.tree.write("b/File.bundle", "no directory")
        try tree.tree.write("b/Empty.bundle/")
        try tree.tree.link("b/Lost.bundle", to: "nowhere")
        try tree.tree.write("b/Other.txt", "")
        try tree.tree.write("b/Other/Info.plist", "{}")
        let found = tree.catalog("a", "b").candidates
        let verdicts = Dictionary(uniqueKeysWithValues: found.map { ($0.path, $0.verdict) })
        #expect(
            verdicts == [
                tree("a/Good.bundle"): .usable,
                tree("a/Low.bundle"): .shadowed(by: tree("b/High.bundle"), rule: .higherVersion),
                tree("b/High.bundle"): .usable,
                tree("b/Later.bundle"): .shadowed(by: tree("a/Good.bundle"), rule: .earlierSearchPath),
                tree("b/Same.bundle"): .duplicate(of: tree("b/High.bundle")),
                tree("b/Wrong.bundle"): .malformed, tree("b/Range.bundle"): .malformed,
                tree("b/Needy.bundle"): .incompatible, tree("b/File.bundle"): .notABundle,
                tree("b/Empty.bundle"): .malformed, tree("b/Lost.bundle"): .notABundle,
            ])
        #expect(found.filter { $0.verdict != .usable }.allSatisfy { !$0.explanation.isEmpty })
        let ranged = try #require(found.first { $0.identifier == "range" }?.findings.first)
        #expect(ranged.code == .manifestInvalid && ranged.subject == "PHRequires")
    }

    @Test(.fault(828)) func aSearchPathThatIsOneLevelOffIsReported() throws {
        let tree = try CatalogTree([
            "plugins/more/Deep.bundle": CatalogTree.list("deep"), "mixed/Here.bundle": CatalogTree.list("here"),
            "mixed/more/Deep.bundle": CatalogTree.list("deeper"),
        ])
        try tree.tree.write("empty/docs/readme.txt")
        try tree.tree.write("folder/Contents/Info.plist", "{}")
        try tree.tree.write("empty/.hidden/Old.bundle/Contents/Info.plist", "{}")
        func finding(_ path: String) -> PluginFinding? {
            let catalog = tree.catalog(path)
            let found = catalog.folders[0].placeFinding
            #expect(catalog.findings == [found].compactMap(\.self))
            return found
        }
        let below = try #require(finding("plugins"))
        #expect(below.severity == .warning && below.code == .bundleNotFound && below.filePath == tree("plugins"))
        #expect(below.message.contains("has no bundles, but its directory “more” has, for example “Deep.bundle”"))
        #expect(below.remedy.hasPrefix("Add “\(tree("plugins/more"))” to the search paths"))
        for path in ["mixed/Here.bundle", "folder"] {
            let itself = try #require(finding(path))
            #expect(itself.message.contains("“\(tree(path))” is a bundle itself"))
            #expect(itself.remedy.contains("“\(Path.parent(tree(path)))”"))
        }
        #expect(finding("mixed") == nil && finding("empty") == nil)
    }

    @Test func aBundleWhoseNameLacksTheExtensionIsReported() throws {
        let tree = try CatalogTree([
            "plugins/Here.bundle": CatalogTree.list("here"), "empty/Mine": CatalogTree.list("mine"),
        ])
        try tree.tree.write("plugins/Loud/Contents/Info.plist", "{}")
        for (path, name) in [("plugins", "Loud"), ("empty", "Mine")] {
            let finding = try #require(tree.catalog(path).folders[0].placeFinding)
            #expect(finding.code == .bundleNotFound && finding.filePath == tree("\(path)/\(name)"))
            #expect(finding.message.hasSuffix("is not found: its name does not end with “.bundle”."))
            #expect(finding.remedy == "If it is a bundle, rename it to “\(name).bundle”.")
        }
    }

    @Test(.fault(891)) func aSearchPathThatIsAPartOfABundleNamesTheDirectoryWithTheBundle() throws {
        let tree = try CatalogTree(["plugins/Here.bundle": CatalogTree.list("here")])
        for path in ["plugins/Here.bundle", "plugins/Here.bundle/Contents"] {
            let finding = try #require(tree.catalog(path).folders[0].placeFinding)
            #expect(finding.remedy == "Name the directory that contains it: “\(tree("plugins"))”.")
        }
    }

    @Test func theReasonWhyABundleIsNotUsedHasFileAndRemedy() throws {
        let tree = try CatalogTree(["a/Needy.bundle": CatalogTree.list("needy", "1", "PHCapabilities = (flying);")])
        let error = try #require(tree.catalog("a").candidates.first?.error)
        #expect(error.code == .hostIncompatible && error.filePath == tree("a/Needy.bundle/Contents/Info.plist"))
        #expect(error.description.contains("“flying”") && error.findings.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test func deviceCapabilitiesHoldABundleBackAsCapabilitiesDo() async throws {
        await #expect(processExitsWith: .success) {
            let list = "UIRequiredDeviceCapabilities = "
            let tree = try CatalogTree([
                "a/Both.bundle": CatalogTree.list("both", "1", list + "{ wifi = YES; gps = NO; };"),
                "a/List.bundle": CatalogTree.list("list", "1", list + "(wifi);"),
            ])
            func verdicts(_ capabilities: Set<String>) -> [PluginVerdict] {
                HostEnvironment.current.capabilities = capabilities
                return tree.catalog("a").candidates.sorted { $0.path < $1.path }.map(\.verdict)
            }
            precondition(verdicts([]) == [.incompatible, .incompatible])
            precondition(verdicts(["wifi"]) == [.usable, .usable])
            precondition(verdicts(["wifi", "gps"]) == [.incompatible, .usable])
            let error = tree.catalog("a").candidates.lazy.compactMap(\.error).first
            precondition(error?.code == .hostIncompatible && error?.subject == "UIRequiredDeviceCapabilities")
            precondition(error?.description.contains("capabilities that the application offers: “gps”.") == true)
        }
    }

    @Test func deviceCapabilitiesAreKeptInTheIndex() throws {
        var record = PluginRecord()
        record.deviceCapabilities = ["wifi": true, "gps": false]
        var writer = RecordWriter()
        record.write(to: &writer)
        writer.bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes)
            #expect(PluginRecord(from: &reader) == record && reader.isAtEnd)
        }
    }

    @Test func aBundleForAnotherVersionOfTheHostIsIncompatible() throws {
        var record = PluginRecord()
        record.hostRequires = try VersionRange(">=2 <3")
        func codes(_ version: String) -> [PluginError.Code] {
            CatalogRules(hostVersion: version).findings(record, list: "/x/Info.plist").map(\.code)
        }
        #expect(codes("2.5") == [] && codes("1.9") == [.hostIncompatible] && codes("3.0") == [.hostIncompatible])
        // An application without a version cannot be too old.
        #expect(codes("") == [])
    }

    @Test func aBundleWithoutItsRequirementsIsUnresolvedAndTheChainIsNamed() throws {
        let tree = try CatalogTree([
            "a/A.bundle": CatalogTree.list("a", "1", "PHRequires = { b = \">=2\"; };"),
            "a/B.bundle": CatalogTree.list("b", "2.0", "PHRequires = { c = \">=1 <3\"; };"),
            "a/C.bundle": CatalogTree.list("c", "3.1"),
            "a/Loop1.bundle": CatalogTree.list("loop1", "1", "PHRequires = { loop2 = \"*\"; };"),
            "a/Loop2.bundle": CatalogTree.list("loop2", "1", "PHRequires = { loop1 = \"*\"; };"),
            "a/Self.bundle": CatalogTree.list("self", "1", "PHRequires = { self = \"*\"; };"),
        ])
        let catalog = tree.catalog("a")
        #expect(catalog.plugins.map(\.identifier) == ["c"])
        func finding(_ identifier: String) throws -> PluginFinding {
            try #require(catalog.explanation(of: identifier).candidates.first?.findings.first)
        }
        #expect(catalog.candidates.filter { $0.verdict == .unresolved }.count == 5)
        let chain = try finding("a")
        #expect(chain.code == .requirementUnmet && chain.subject == "c" && !chain.remedy.isEmpty)
        #expect(chain.message.contains("b") && chain.message.contains("3.1"))
        #expect(try finding("loop1").code == .dependencyCycle && finding("self").code == .dependencyCycle)
        let error = #expect(throws: PluginError.self) { try catalog.activate("a") }
        #expect(error?.code == .pluginMissing && error?.description.contains("3.1") == true)
    }

    @Test func aLowerVersionIsUsedIfOthersAcceptNoHigherOne() throws {
        let tree = try CatalogTree([
            "a/Old.bundle": CatalogTree.list("library", "1.9"), "a/New.bundle": CatalogTree.list("library", "2.1"),
            "a/User.bundle": CatalogTree.list("user", "1", "PHRequires = { library = \"1.2\"; };"),
        ])
        let catalog = tree.catalog("a")
        #expect(catalog.loadOrder.map(\.bundlePath) == [tree("a/Old.bundle"), tree("a/User.bundle")])
        let new = try #require(catalog.candidates.first { $0.path == tree("a/New.bundle") })
        #expect(new.verdict == .shadowed(by: tree("a/Old.bundle"), rule: .requirements))
        #expect(new.explanation.contains("user") && new.error == nil && new.findings.first?.severity == .warning)
    }

    @Test func aBundleInsideOfABundleIsNotACandidate() throws {
        let tree = try CatalogTree(["a/Out.bundle": CatalogTree.list("out")])
        try tree.write("a/Out.bundle/Contents/PlugIns/In.bundle", CatalogTree.list("in"))
        #expect(tree.catalog("a").candidates.map(\.identifier) == ["out"])
    }

    @Test(.fault(18)) func aFolderThatIsReachedByTwoSearchPathsIsLookedThroughOnce() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x")])
        try tree.tree.link("b", to: "a")
        let catalog = tree.catalog("b", "a")
        #expect(catalog.candidates.map(\.path) == [tree("a/X.bundle")])
        #expect(catalog.folders.map(\.path) == [tree("b")])
    }

    @Test(.fault(18)) func aLinkToABundleOfAnotherSearchPathIsNotASecondCandidate() throws {
        let tree = try CatalogTree(["b/X.bundle": CatalogTree.list("x")])
        try tree.tree.write("a/")
        try tree.tree.link("a/Link.bundle", to: "../b/X.bundle")
        let found = tree.catalog("a", "b").candidates
        #expect(found.map(\.path) == [tree("b/X.bundle")] && found.map(\.verdict) == [.usable])
    }

    @Test func aMissingSearchPathIsNotAProblemButAFileIs() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x")])
        try tree.tree.write("file", "")
        let catalog = tree.catalog("missing", "a", "file")
        #expect(catalog.plugins.map(\.identifier) == ["x"])
        #expect(catalog.folders.map(\.exists) == [false, true, true])
        #expect(catalog.findings.map(\.filePath) == [tree("file")])
    }

    @Test func aBundleOfAnyLayoutIsFoundAgain() throws {
        let tree = try CatalogTree()
        try tree.tree.write("a/Old.bundle/Resources/Info-gnustep.plist", CatalogTree.list("old"))
        try tree.tree.write("a/Flat.bundle/Info.plist", CatalogTree.list("flat"))
        tree.settle()
        let index = tree.scan("a")
        #expect(tree.scan("a", old: index) === index)
        #expect(
            (0..<2).map { index.record(index.candidateRow($0)).listPath } == [
                "Info.plist", "Resources/Info-gnustep.plist",
            ])
        try tree.tree.write("a/Old.bundle/Resources/Info-gnustep.plist", CatalogTree.list("new"))
        #expect(tree.scan("a", old: index).plugin(identifier: "new") != nil)
    }

    @Test func extensionsAreInOrderAndOfOneVersion() throws {
        let tree = try CatalogTree([
            "a/C.bundle": CatalogTree.list("c", offers: "third", at: "p", order: 5),
            "b/A.bundle": CatalogTree.list("a", offers: "second", at: "p"),
            "a/B.bundle": CatalogTree.list("b", offers: "first", at: "p", order: -1),
            "a/D.bundle": CatalogTree.list("d", offers: "other", at: "p", version: 2),
            "a/E.bundle": CatalogTree.list("e", offers: "near", at: "p2"),
            "b/F.bundle": CatalogTree.list("f", offers: "second", at: "p", order: 9),
        ])
        let catalog = tree.catalog("a", "b")
        #expect(catalog.extensions(of: ExtensionPoint<Int>("p")).map(\.name) == ["first", "second", "third"])
        #expect(catalog.extensions(at: "p", version: 2).map(\.plugin.identifier) == ["d"])
        #expect(catalog.extensions(at: "p").count == 4 && catalog.extensions(at: "").isEmpty)
        #expect(catalog.extensions(of: ExtensionPoint<Int>("q")).isEmpty)
        let duplicate = try #require(catalog.findings.first)
        #expect(duplicate.code == .duplicateFactory && duplicate.severity == .warning && duplicate.subject == "second")
        #expect(duplicate.message.contains("“f”") && duplicate.message.contains("“a”"))
    }

    @Test func displayNamesAreInTheUsersLanguageWithoutLoading() async {
        await #expect(processExitsWith: .success) {
            let tree = try CatalogTree([
                "a/X.bundle": CatalogTree.list(
                    "x", "1", "CFBundleName = X; PHFactories = ({ name = n; extensionPoint = p; displayName = Loud; });"
                )
            ])
            for (language, loud, name) in [("de", "Laut", "Das X"), ("fr", "Fort", "Le X")] {
                let folder = "a/X.bundle/Contents/Resources/\(language).lproj/"
                try tree.tree.write(folder + "Providers.strings", "Loud = \(loud);")
                try tree.tree.write(folder + "InfoPlist.strings", "CFBundleName = \"\(name)\";")
            }
            let catalog = tree.catalog("a")
            let found = catalog.extensions(of: ExtensionPoint<Int>("p"))[0]
            HostEnvironment.current.preferredLanguages = ["de"]
            try #require(found.displayName == "Laut" && found.plugin.displayName == "Das X")
            HostEnvironment.current.preferredLanguages = ["fr"]
            try #require(found.displayName == "Fort" && found.plugin.displayName == "Le X")
            try #require(!found.plugin.candidate.open().isLoaded)
        }
    }

    @Test func anExplanationNamesEveryCandidateAndWhoRequiresIt() throws {
        let tree = try CatalogTree([
            "a/X.bundle": CatalogTree.list("x", "1", "PHCapabilities = (flying);"),
            "a/Y.bundle": CatalogTree.list("y", "1", "PHRequires = { x = \">=1\"; };"),
        ])
        let catalog = tree.catalog("a")
        let explanation = catalog.explanation(of: "x")
        #expect(explanation.plugin == nil && explanation.candidates.map(\.path) == [tree("a/X.bundle")])
        #expect(explanation.requiredBy.map(\.candidate.identifier) == ["y"])
        #expect(explanation.sentence.contains("flying") && !explanation.remedy.isEmpty)
        let unknown = catalog.explanation(of: "z\n")
        #expect(unknown.sentence.contains("“z\\n”") && unknown.remedy.contains(tree("a")))
        let error = #expect(throws: PluginError.self) { try catalog.activate("x") }
        #expect(error?.code == .pluginMissing && error?.subject == "x")
    }

    /// A row numbers its folder.
    @Test func moreThan65536SearchPathsAreSearched() throws {
        let tree = try CatalogTree([
            "a/One.bundle": "{CFBundleIdentifier=one;}", "b/Two.bundle": "{CFBundleIdentifier=two;}",
        ])
        let paths = [tree("a")] + (0..<65_600).map { tree("none/\($0)") } + [tree("b")]
        let catalog = PluginCatalog(searchPaths: paths, options: .init(index: .none))
        #expect(catalog.plugins.map(\.identifier) == ["one", "two"])
        #expect(catalog.candidates.last?.searchPath == tree("b"))
        #expect(catalog.candidates.last?.path == tree("b/Two.bundle"))
    }

    @Test(.fault(157)) func tenThousandBundlesAreFoundAndFoundAgain() throws {
        let tree = try CatalogTree()
        for number in 0..<10_000 { try tree.write("a/B\(number).bundle", "{CFBundleIdentifier=i\(number);}") }
        tree.settle()
        let first = tree.catalog("a", index: true)
        #expect(first.plugins.count == 10_000)
        let second = tree.catalog("a", index: true)
        #expect(second.current.bytes == first.current.bytes)
        #expect(second.plugin("i9999")?.bundlePath == tree("a/B9999.bundle") && second.plugin("i10000") == nil)
    }
}

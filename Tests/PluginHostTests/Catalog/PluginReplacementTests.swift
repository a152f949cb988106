import CatalogIndexing
import Glibc
import HostRecords
import PropertyLists
import SettingsReading
import TestSupport
import Testing

@testable import HostBasics
@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// `PHReplaces`: a plug-in under a new identifier.
@Suite struct PluginReplacementTests {
    private static func replacing(_ olds: String...) -> String { "PHReplaces = ( \(olds.joined(separator: ", ")) );" }

    private func catalog(_ tree: CatalogTree, _ folders: String...) -> PluginCatalog {
        PluginCatalog(
            searchPaths: (folders.isEmpty ? ["a"] : folders).map { tree($0) },
            options: .init(
                index: .directory(tree("index")), choices: tree("config/plugins.plist"),
                quarantine: tree("state/replacing-app/quarantine")))
    }

    private func verdicts(_ catalog: PluginCatalog) -> [String: PluginVerdict] {
        Dictionary(catalog.candidates.map { ($0.identifier, $0.verdict) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: The catalogue

    @Test func theOlderOneIsShadowedAndItsRequirementsAreMet() throws {
        let tree = try CatalogTree([
            "a/Old.bundle": CatalogTree.list("old", "1.0"),
            "a/New.bundle": CatalogTree.list("new", "2.5", Self.replacing("old")),
            "a/Needy.bundle": CatalogTree.list("needy", "1", "PHRequires = { old = \"2\"; };"),
            "a/TooNew.bundle": CatalogTree.list("tooNew", "1", "PHRequires = { old = \"1.0..<2\"; };"),
        ])
        for _ in 0..<2 {
            // The second catalogue is read from the index.
            let catalog = catalog(tree)
            #expect(
                verdicts(catalog) == [
                    "old": .shadowed(by: tree("a/New.bundle"), rule: .replacement), "new": .usable, "needy": .usable,
                    "tooNew": .unresolved,
                ])
            #expect(catalog.plugin("old")?.identifier == "new" && catalog.plugin("new")?.replaces == ["old"])
            let order = catalog.loadOrder.map(\.identifier)
            #expect(order.firstIndex(of: "new")! < order.firstIndex(of: "needy")!)
            let old = try #require(catalog.candidates.first { $0.identifier == "old" })
            #expect(
                old.explanation
                    == "“\(tree("a/New.bundle"))” is used instead: “new”, 2.5 replaces this identifier.")
            #expect(
                catalog.explanation(of: "old").sentence
                    == "“new” 2.5, which replaces “old”, is used, from “\(tree("a/New.bundle"))”.")
            #expect(
                catalog.explanation(of: "new").requiredBy.map(\.candidate.identifier).sorted() == ["needy", "tooNew"])
        }
    }

    @Test func whatIsNotUsedReplacesNothing() throws {
        let tree = try CatalogTree([
            "a/Old.bundle": CatalogTree.list("old"),
            "a/New.bundle": CatalogTree.list("new", "2", Self.replacing("old") + " PHRequires = { nobody = \"1\"; };"),
        ])
        #expect(verdicts(catalog(tree)) == ["old": .usable, "new": .unresolved])
        try tree.write("a/New.bundle", CatalogTree.list("new", "2", Self.replacing("old")))
        #expect(verdicts(catalog(tree))["new"] == .usable)
        // The lower version that is used makes no claim.
        try tree.write("a/Needy.bundle", CatalogTree.list("needy", "1", "PHRequires = { new = \"1.0..<2\"; };"))
        try tree.write("a/New1.bundle", CatalogTree.list("new", "1.5"))
        #expect(verdicts(catalog(tree))["old"] == .usable)
    }

    @Test("two claimants and a circle", .fault(678)) func anUncertainClaimIsReportedAndHasNoEffect() throws {
        let tree = try CatalogTree([
            "a/Old.bundle": CatalogTree.list("old"),
            "a/One.bundle": CatalogTree.list("one", "2", Self.replacing("old", "one")),
            "a/Two.bundle": CatalogTree.list("two", "2", Self.replacing("old")),
            "a/Left.bundle": CatalogTree.list("left", "2", Self.replacing("right")),
            "a/Right.bundle": CatalogTree.list("right", "2", Self.replacing("left")),
        ])
        let catalog = catalog(tree)
        #expect(verdicts(catalog).values.allSatisfy { $0 == .usable } && catalog.plugins.count == 5)
        let findings = catalog.candidates.flatMap(\.findings)
        #expect(findings.map(\.code) == Array(repeating: .replacementAmbiguous, count: 4))
        #expect(findings.allSatisfy { $0.severity == .warning })
        let one = try #require(catalog.candidates.first { $0.identifier == "one" }?.findings.first)
        #expect(one.message == "It replaces “old”, but this has no effect: “two” claims it, too.")
        #expect(one.remedy == "Remove PHReplaces from all but one of them, or uninstall the others.")
        #expect(findings.contains { $0.message.contains("the replacements lead in a circle") })
    }

    @Test(.fault(678)) func ofManyUncertainClaimsAHundredAreListed() throws {
        let olds = (0..<300).map { "old\($0)" }
        let tree = try CatalogTree([
            "a/One.bundle": CatalogTree.list("one", "2", "PHReplaces = ( \(olds.joined(separator: ", ")) );"),
            "a/Two.bundle": CatalogTree.list("two", "2", "PHReplaces = ( \(olds.joined(separator: ", ")) );"),
        ])
        for candidate in catalog(tree).candidates {
            #expect(candidate.findings.count == 101, "\(candidate.path)")
            #expect(
                candidate.findings.last?.message == "200 more problems of this kind were found, which are not listed.")
        }
    }

    @Test("a plug-in that was banned under its older identifier", .fault(680)) func aBanNeedsNoEntry() throws {
        let tree = try CatalogTree([
            "a/New.bundle": CatalogTree.list("new", "2", Self.replacing("middle")),
            "a/Middle.bundle": CatalogTree.list("middle", "1", Self.replacing("old")),
        ])
        try tree.tree.write("config/plugins.plist", "{ Disabled = (old); }")
        let catalog = catalog(tree)
        #expect(verdicts(catalog) == ["new": .disabled, "middle": .disabled])
        let finding = try #require(catalog.candidates.first { $0.identifier == "new" }?.findings.first)
        #expect(finding.message == "The user has disabled “old”, which it replaces.")
        // A choice about the plug-in itself decides.
        try catalog.setDisabled("new", false)
        #expect(verdicts(catalog)["new"] == .usable)
        // Two claimants are banned too, and so is one of a quarantine or of the administrator.
        var rules = CatalogRules()
        rules.disabled = ["old"]
        try tree.write("a/Other.bundle", CatalogTree.list("other", "2", Self.replacing("old")))
        #expect(tree.scan("a", rules: rules).pluginCount == 0)
        rules = CatalogRules()
        rules.quarantined = [Quarantine.Entry("old", bundlePath: nil)]
        let index = tree.scan("a", rules: rules)
        #expect((0..<index.candidateCount).allSatisfy { index.candidateRow($0).verdict == .quarantined })
        var list = ExecutionList()
        list = try #require(
            ExecutionList(.dictionary(["Plugins": .dictionary(["old": .string("sandboxed")])])))
        #expect(list.demand(for: "new", formerly: ["old"]) == .sandboxed && list.demand(for: "new") == .inProcess)
    }

    // MARK: What goes over

    private func consent(_ catalog: PluginCatalog, _ identifier: String, _ path: String) throws {
        let permissions = try PluginPermissions(items: ["processes"])
        let list = catalog.consents!
        let plugin = try #require(catalog.plugin(identifier))
        #expect(plugin.bundlePath == path)
        list.give(permissions, to: plugin)
    }

    private func state(_ tree: CatalogTree, _ identifier: String) -> String {
        // The catalogue's own directories are those of the process; the pair is renamed in a place of the test.
        tree("state/replacing-app/plugins/\(identifier)")
    }

    @Test func adoptingTakesOverChoicesAndAnswers() throws {
        let asking = "PHEnabledByDefault = NO; PHPermissions = { processes = YES; };"
        let tree = try CatalogTree(["a/Old.bundle": CatalogTree.list("old", "1", asking)])
        var catalog = catalog(tree)
        try catalog.setDisabled("old", false)
        try consent(catalog, "old", tree("a/Old.bundle"))
        try tree.write(
            "a/New.bundle",
            CatalogTree.list(
                "new", "2",
                Self.replacing("old")
                    + " PHEnabledByDefault = NO; PHPermissions = { processes = YES; environment = (LANG); };"))
        catalog = self.catalog(tree)
        // Until then the new one has nothing of the old one: it waits for the user.
        #expect(verdicts(catalog) == ["old": .usable, "new": .disabled])
        try tree.write(
            "a/New.bundle",
            CatalogTree.list(
                "new", "2", Self.replacing("old") + " PHPermissions = { processes = YES; environment = (LANG); };"))
        catalog = self.catalog(tree)
        #expect(catalog.replacements.map(\.hasTakenOver) == [false])
        var plugin = try #require(catalog.plugin("new"))
        #expect(catalog.consents!.allowed(plugin).isEmpty)
        #expect(throws: PluginError.self) { try catalog.adopt("nobody") }
        try catalog.adopt("new")
        #expect(catalog.replacements.map(\.hasTakenOver) == [true])
        plugin = try #require(catalog.plugin("new"))
        #expect(catalog.consents!.allowed(plugin).items == ["processes"])
        // What is new is asked.
        #expect(catalog.consents!.unanswered(plugin).items == ["environment=LANG"])
        #expect(catalog.consents!.withdraw("new") && catalog.consents!.consents.isEmpty)
        let text = String(decoding: try fileBytes(tree("config/plugins.plist")), as: UTF8.self)
        #expect(text.contains("<key>Replaced</key>") && text.contains("<key>old</key>"))
        #expect(try catalog.adopt("new").isEmpty)
    }

    @Test("killed between the entry and the rename, and a new state that exists", .fault(681, 682))
    func theNextStartCompletesWhatAnEntryBegan() throws {
        let tree = try TemporaryTree()
        let user = UserDirectories { ["XDG_STATE_HOME": tree("state")][$0] }
        let old = try #require(StateDirectory(of: "old", in: "app", user: user))
        let new = try #require(StateDirectory(of: "new", in: "app", user: user))
        // Nothing there.
        #expect(new.take(over: old) == 0)
        try tree.write("state/app/plugins/old/file", "content")
        #expect(new.take(over: old) == 0)
        #expect(access(old.path, F_OK) != 0 && access(new.path + "/file", R_OK) == 0)
        // A second time there is nothing to do.
        #expect(new.take(over: old) == 0 && access(new.path + "/file", R_OK) == 0)
        // A state of the new one stays, and so does that of the old one.
        try tree.write("state/app/plugins/old/file", "other")
        #expect(new.take(over: old) == 0)
        #expect(try fileBytes(new.path + "/file") == Array("content".utf8))
        #expect(access(old.path + "/file", R_OK) == 0)
    }

    @Test("settings of both", .fault(682)) func settingsGoOverUnlessThereAreSome() throws {
        let tree = try TemporaryTree()
        let user = UserDirectories { ["XDG_CONFIG_HOME": tree("config")][$0] }
        let old = SettingsPlaces(of: "old", in: "app", user), new = SettingsPlaces(of: "new", in: "app", user)
        #expect(new.takeUserFile(of: old) == 0)
        try tree.write("config/app/settings/old.plist", "{ Settings = { a = 1; }; }")
        #expect(new.takeUserFile(of: old) == 0)
        #expect(access(old.user!, F_OK) != 0)
        try tree.write("config/app/settings/old.plist", "{ Settings = { a = 2; }; }")
        #expect(new.takeUserFile(of: old) == 0)
        #expect(try fileBytes(new.user!) == Array("{ Settings = { a = 1; }; }".utf8))
        #expect(try fileBytes(old.user!) == Array("{ Settings = { a = 2; }; }".utf8))
    }

    @Test("an entry without the rest", .fault(681)) func anEntryAloneIsCompleted() throws {
        let asking = "PHPermissions = { processes = YES; };"
        let tree = try CatalogTree(["a/Old.bundle": CatalogTree.list("old", "1", asking)])
        try consent(catalog(tree), "old", tree("a/Old.bundle"))
        try tree.write("a/New.bundle", CatalogTree.list("new", "2", asking + Self.replacing("old")))
        // The process was killed after it had written the entry.
        try tree.tree.write("config/plugins.plist", "{ Disabled = (); Replaced = { old = new; }; }")
        let catalog = catalog(tree)
        #expect(!catalog.takeOver())
        #expect(try catalog.consents!.allowed(#require(catalog.plugin("new"))).items == ["processes"])
    }

    @Test("random renames", arguments: UInt64(0)..<10) func twentyRenamesKeepAll(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let asking = "PHPermissions = { processes = YES; };"
        let tree = try CatalogTree()
        // Chains of one to four identifiers, each bundle naming some of the older ones.
        var chains: [[String]] = []
        for number in 0..<20 {
            let chain = (0...Int.random(in: 1...3, using: &random)).map { "p\(number)-\($0)" }
            try tree.write("a/P\(number)-0.bundle", CatalogTree.list(chain[0], "1", asking))
            chains.append(chain)
        }
        let first = catalog(tree)
        #expect(first.plugins.count == 20)
        for chain in chains { try consent(first, chain[0], tree("a/P\(chain[0].dropFirst()).bundle")) }
        for chain in chains {
            for (step, identifier) in chain.enumerated().dropFirst() {
                // The older bundles may be gone, and then the newest one must name all of them.
                let olds =
                    Bool.random(using: &random) || step == chain.count - 1
                    ? chain[..<step] : chain[(step - 1)..<step]
                let list = "PHReplaces = ( \(olds.map { "\"\($0)\"" }.joined(separator: ", ")) );"
                try tree.write(
                    "a/P\(identifier.dropFirst()).bundle",
                    CatalogTree.list(identifier, "\(step + 1)", asking + list))
            }
        }
        let catalog = catalog(tree)
        #expect(catalog.plugins.map(\.identifier).sorted() == chains.map { $0.last! }.sorted())
        for chain in chains { try catalog.adopt(chain.last!) }
        #expect(catalog.replacements.allSatisfy { $0.hasTakenOver })
        for chain in chains {
            let plugin = try #require(catalog.plugin(chain[0]))
            #expect(plugin.identifier == chain.last!)
            #expect(catalog.consents!.allowed(plugin).items == ["processes"], "\(chain)")
        }
        #expect(catalog.consents!.consents.count == 20)
    }

    // MARK: Thefts

    @Test(.enabled(if: geteuid() == 0)) func whatOnlyRootChangesTakesOverWithoutAQuestion() throws {
        let asking = "PHPermissions = { processes = YES; };"
        let tree = try CatalogTree(["a/Old.bundle": CatalogTree.list("old", "1", asking)])
        try consent(catalog(tree), "old", tree("a/Old.bundle"))
        try tree.write("a/New.bundle", CatalogTree.list("new", "2", asking + Self.replacing("old")))
        let catalog = catalog(tree)
        #expect(catalog.takeOver())
        catalog.refresh()
        #expect(!catalog.takeOver() && catalog.replacements.map(\.hasTakenOver) == [true])
        #expect(try catalog.consents!.allowed(#require(catalog.plugin("new"))).items == ["processes"])
    }

    @Test("a user's bundle that claims one of root's", .fault(679), .enabled(if: geteuid() == 0), arguments: 0..<30)
    func aThiefGetsNothing(_ number: Int) throws {
        let asking = "PHPermissions = { processes = YES; };"
        let tree = try CatalogTree(["a/Old.bundle": CatalogTree.list("old", "1", asking)])
        let first = catalog(tree)
        try consent(first, "old", tree("a/Old.bundle"))
        let thief = CatalogTree.list("thief", "9", asking + Self.replacing("old"))
        // In its own folder, or in root's; the whole bundle, its directory, a file in it, or a link out of it.
        let folder = number % 2 == 0 ? "b" : "a"
        try tree.write("\(folder)/Thief.bundle", thief)
        let bundle = tree("\(folder)/Thief.bundle")
        let nobody: uid_t = 65534
        switch number % 6 {
        case 0: chown(bundle, nobody, 0)
        case 1: chown(bundle + "/Contents", nobody, 0)
        case 2: chown(bundle + "/Contents/Info.plist", nobody, 0)
        case 3: chmod(bundle + "/Contents", 0o777)
        case 4: chmod(bundle + "/Contents/Info.plist", 0o664)
        default: symlink("/tmp", bundle + "/Contents/Linux")
        }
        let catalog = catalog(tree, "b", "a")
        #expect(!catalog.takeOver() && catalog.replacements.map(\.hasTakenOver) == [false])
        let plugin = try #require(catalog.plugin("thief"))
        #expect(catalog.consents!.allowed(plugin).isEmpty)
        #expect(access(tree("config/plugins.plist"), F_OK) != 0)
        // Even with an entry, the answer about a bundle in another folder does not go over.
        if folder == "b" {
            try catalog.adopt("thief")
            #expect(try catalog.consents!.allowed(#require(catalog.plugin("thief"))).isEmpty)
        }
    }
}

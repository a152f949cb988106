import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

@Suite struct UserChoicesTests {
    private func tree() throws -> CatalogTree {
        try CatalogTree([
            "a/One.bundle": CatalogTree.list("one"),
            "a/Two.bundle": CatalogTree.list("two", "1", "PHRequires = { one = \"1\"; };"),
        ])
    }

    private func catalog(_ tree: CatalogTree) -> PluginCatalog {
        PluginCatalog(
            searchPaths: [tree("a")],
            options: .init(index: .directory(tree("index")), choices: tree("config/plugins.plist")))
    }

    private func verdicts(_ catalog: PluginCatalog) -> [String: PluginVerdict] {
        Dictionary(uniqueKeysWithValues: catalog.candidates.map { ($0.identifier, $0.verdict) })
    }

    @Test func aDisabledPluginIsNotUsedNorWhatRequiresIt() throws {
        let tree = try tree()
        let catalog = catalog(tree)
        #expect(catalog.plugins.count == 2)
        let change = try catalog.setDisabled("one", true)
        #expect(!change.isEmpty && catalog.isDisabled("one"))
        #expect(verdicts(catalog) == ["one": .disabled, "two": .unresolved])
        let needy = try #require(catalog.candidates.first { $0.identifier == "two" }?.findings.first)
        #expect(needy.message.hasSuffix("one is installed, but not used. The user has disabled “one”."))
        #expect(needy.remedy.contains("pluginhost enable one"))
        let disabled = try #require(catalog.candidates.first { $0.identifier == "one" })
        #expect(disabled.findings.map(\.code) == [.disabledByUser] && disabled.error == nil)
        #expect(catalog.explanation(of: "one").remedy.contains("pluginhost enable one"))
        // A disabled plug-in is not an error.
        #expect(catalog.unusable.map(\.identifier) == ["two"])
        try catalog.setDisabled("one", false)
        #expect(catalog.plugins.count == 2)
    }

    @Test func aStartFromTheIndexKnowsTheChoice() throws {
        let tree = try tree()
        try catalog(tree).setDisabled("one", true)
        #expect(verdicts(catalog(tree))["one"] == .disabled)
        try catalog(tree).setDisabled("one", false)
        #expect(verdicts(catalog(tree))["one"] == .usable)
        // A catalogue without a file of choices uses both plug-ins.
        #expect(PluginCatalog(searchPaths: [tree("a")], options: .init(index: .none)).plugins.count == 2)
    }

    @Test("a plug-in that waits for the user", .fault(684)) func whatIsNotEnabledByDefaultWaits() throws {
        let tree = try CatalogTree([
            "a/One.bundle": CatalogTree.list("one", "1", "PHEnabledByDefault = NO;"),
            "a/Two.bundle": CatalogTree.list("two", "1", "PHRequires = { one = \"1\"; }; PHEnabledByDefault = YES;"),
        ])
        let catalog = catalog(tree)
        #expect(verdicts(catalog) == ["one": .disabled, "two": .unresolved])
        #expect(catalog.isDisabled("one") && !catalog.isDisabled("two"))
        let candidates = catalog.candidates
        #expect(candidates[0].explanation.contains("not enabled yet"))
        #expect(candidates[1].explanation.contains("“one” is not enabled yet"))
        try catalog.setDisabled("one", false)
        #expect(verdicts(catalog) == ["one": .usable, "two": .usable] && !catalog.isDisabled("one"))
        // As another process finds it, from the index.
        #expect(verdicts(self.catalog(tree)) == ["one": .usable, "two": .usable])
        try tree.tree.write("config/plugins.plist", "{ Disabled = (one); Enabled = (one); }")
        let both = self.catalog(tree)
        #expect(verdicts(both)["one"] == .disabled && both.isDisabled("one"))
        // Without a file of choices, nobody has enabled it.
        #expect(PluginCatalog(searchPaths: [tree("a")], options: .init(index: .none)).plugins.isEmpty)
    }

    @Test(.fault(684), arguments: ["{ Enabled = one; }", "{ Enabled = ((one)); }"])
    func anEnabledListThatIsNoneReleasesNothing(_ text: String) throws {
        let tree = try tree()
        try tree.tree.write("config/plugins.plist", text)
        try expectUnreadable(tree)
    }

    @Test func whatALaterVersionWroteStays() throws {
        let tree = try tree()
        try tree.tree.write("config/plugins.plist", "{ Disabled = (two); Order = (two, one); }")
        let catalog = catalog(tree)
        #expect(verdicts(catalog)["two"] == .disabled)
        try catalog.setDisabled("one", true)
        let text = String(
            decoding: try OpenedFile(path: tree("config/plugins.plist")).bytes(atMost: 9_999), as: UTF8.self)
        #expect(text.contains("<key>Order</key>") && text.contains("<string>one</string>"))
    }

    @Test(.fault(485), arguments: ["", "Disabled = yes;", "( one )", "{ Disabled = (one); ", "{ Disabled = one; }"])
    func aListThatIsNoneReleasesNothingAndIsNamed(_ text: String) throws {
        let tree = try tree()
        try tree.tree.write("config/plugins.plist", text)
        try expectUnreadable(tree)
    }

    @Test(.fault(485)) func whatIsNoFileOfTheUsersIsNamed() throws {
        for damage in ["FIFO", "directory", "large", "writable"] {
            let tree = try tree()
            try tree.tree.write("config/", "")
            let path = tree("config/plugins.plist")
            switch damage {
            case "FIFO": #expect(mkfifo(path, 0o600) == 0)
            case "directory": #expect(mkdir(path, 0o700) == 0)
            case "large":
                try tree.tree.write("config/plugins.plist", "{}")
                #expect(truncate(path, 1 << 34) == 0)
            default:
                try tree.tree.write("config/plugins.plist", "{ Disabled = (one); }")
                #expect(chmod(path, 0o666) == 0)
            }
            try expectUnreadable(tree, damage)
        }
    }

    private func expectUnreadable(_ tree: CatalogTree, _ damage: String = "") throws {
        let catalog = catalog(tree)
        #expect(catalog.plugins.isEmpty && catalog.isDisabled("one"), "\(damage)")
        let finding = try #require(catalog.findings.first, "\(damage)")
        #expect(finding.code == .choicesUnreadable && finding.filePath == tree("config/plugins.plist"))
        #expect(!finding.remedy.isEmpty)
        #expect(catalog.explanation(of: "one").remedy.contains("pluginhost enable '*'"))
        if damage == "writable" {
            // What somebody else may have written is not written over.
            #expect(throws: PluginError.self) { try catalog.setDisabled("one", true) }
            return
        }
        try catalog.setDisabled("*", false)
        #expect(catalog.plugins.count == 2, "\(damage)")
        #expect(FileIdentity(path: tree("config/plugins.plist.damaged")) != nil, "\(damage)")
    }
}

import ELFImages
import Glibc
import PluginABI
import TestSupport
import Testing

@testable import PluginHost

@Suite struct CatalogChangeTests {
    @Test func aRefreshReportsWhatWasAddedRemovedAndChanged() throws {
        let tree = try CatalogTree([
            "a/Stays.bundle": CatalogTree.list("stays"), "a/Goes.bundle": CatalogTree.list("goes"),
            "a/Alters.bundle": CatalogTree.list("alters"),
        ])
        let catalog = tree.catalog("a")
        #expect(catalog.refresh().isEmpty)
        tree.tree.remove("a/Goes.bundle")
        try tree.write("a/Comes.bundle", CatalogTree.list("comes"))
        try tree.write("a/Alters.bundle", CatalogTree.list("alters", "2.0"))
        let change = catalog.refresh()
        #expect(change.added.map(\.identifier) == ["comes"] && change.removed.map(\.identifier) == ["goes"])
        #expect(change.changed.map(\.version) == ["2.0"] && change.replaced.map(\.version) == ["1.0"])
        #expect(catalog.plugins.map(\.identifier) == ["alters", "comes", "stays"])
    }

    @Test func ofTwoBundlesThatChangePlacesTheHigherIsAlwaysUsed() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x", "1.0")])
        let catalog = tree.catalog("a", "b")
        try tree.write("b/X.bundle", CatalogTree.list("x", "1.1"))
        #expect(catalog.refresh().changed.map(\.bundlePath) == [tree("b/X.bundle")])
        tree.tree.remove("b/X.bundle")
        #expect(catalog.refresh().changed.map(\.bundlePath) == [tree("a/X.bundle")])
    }

    @Test func aChangeOfACatalogueWithTrustedFoldersIsNoticedByARefresh() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x", "1.0")])
        tree.settle()
        _ = tree.catalog("a", index: true)
        try tree.write("a/X.bundle", CatalogTree.list("x", "1.1"))
        #expect(tree.catalog("a", index: true).plugin("x")?.version == "1.1")
        tree.settle()
        try tree.write("a/X.bundle", CatalogTree.list("x", "1.2"))
        let trusting = tree.catalog("a", validation: .folders, index: true)
        #expect(trusting.plugin("x")?.version == "1.1")
        trusting.refresh()
        #expect(trusting.plugin("x")?.version == "1.2")
    }

    @Test func aChangedBundleIsReadAgainBeforeItIsLoaded() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x", "1.0")])
        tree.settle()
        _ = tree.catalog("a", index: true)
        try tree.write("a/X.bundle", CatalogTree.list("x", "1.1"))
        let trusting = tree.catalog("a", validation: .folders, index: true)
        #expect(trusting.plugin("x")?.version == "1.0")
        // It has no code, and is used all the same.
        try trusting.activate("x")
        #expect(trusting.plugin("x")?.version == "1.1")
    }

    @Test func listenersGetTheirExtensionsAtOnceAndAfterEachChange() async throws {
        let tree = try CatalogTree(["a/A.bundle": CatalogTree.list("a", offers: "one", at: "p")])
        let catalog = tree.catalog("a")
        var updates = catalog.updates(of: ExtensionPoint<Int>("p")).makeAsyncIterator()
        #expect(await updates.next()?.map(\.name) == ["one"])
        try tree.write("a/B.bundle", CatalogTree.list("b", offers: "other", at: "q"))
        catalog.refresh()
        try tree.write("a/C.bundle", CatalogTree.list("c", offers: "two", at: "p"))
        catalog.refresh()
        #expect(await updates.next()?.map(\.name) == ["one", "two"])
        tree.tree.remove("a/A.bundle")
        catalog.refresh()
        #expect(await updates.next()?.map(\.name) == ["two"])
    }

    @Test(.fault(155)) func manyThreadsRefreshAndReadAtOnce() async throws {
        let tree = try CatalogTree()
        for number in 0..<40 {
            try tree.write("a/B\(number).bundle", CatalogTree.list("i\(number)", offers: "n\(number)", at: "p"))
        }
        let catalog = tree.catalog("a", index: true)
        try await withThrowingTaskGroup { group in
            group.addTask {
                for round in 0..<20 {
                    try tree.write("a/New.bundle", CatalogTree.list("new", "\(round)"))
                    tree.tree.remove("a/New.bundle")
                }
            }
            for _ in 0..<6 {
                group.addTask {
                    for _ in 0..<20 {
                        catalog.refresh()
                        #expect((40...41).contains(catalog.plugins.count))
                        #expect(catalog.extensions(of: ExtensionPoint<Int>("p")).count == 40)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

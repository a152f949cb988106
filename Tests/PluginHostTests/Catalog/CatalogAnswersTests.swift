import ELFImages
import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// A catalogue's answers for tools: the changes without a bundle, how long it took to read, faults of index files.
@Suite struct CatalogAnswersTests {
    private static func requiring(_ identifier: String, _ range: String) -> String {
        "PHRequires = { \"\(identifier)\" = \"\(range)\"; };"
    }

    @Test func withoutABundleItsDependentsAreLostAndTheNextVersionIsUsed() throws {
        let tree = try CatalogTree([
            "a/Base.bundle": CatalogTree.list("base", "1.2"), "a/Older.bundle": CatalogTree.list("base", "1.1"),
            "a/App.bundle": CatalogTree.list("app", "1.0", Self.requiring("base", ">=1.2")),
            "a/Other.bundle": CatalogTree.list("other", "1.0", Self.requiring("base", "1.0")),
        ])
        let catalog = tree.catalog("a")
        let change = catalog.change(without: try #require(catalog.plugin("base")).candidate)
        #expect(change.removed.map(\.identifier) == ["app"])
        #expect(change.changed.map(\.candidate.path) == [tree("a/Older.bundle")])
        #expect(change.added.isEmpty)
        #expect(catalog.plugins.count == 3)
    }

    @Test func withoutABundleItsLinksAreGoneToo() throws {
        let tree = try CatalogTree(["a/Base.bundle": CatalogTree.list("base")])
        try #require(symlink("Base.bundle", tree("a/Alias.bundle")) == 0)
        let catalog = tree.catalog("a")
        let change = catalog.change(without: try #require(catalog.plugin("base")).candidate)
        #expect(change.removed.map(\.identifier) == ["base"])
    }

    @Test func readingIsTimedButNotTheIndex() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x")])
        tree.settle()
        let first = tree.catalog("a", index: true)
        #expect(first.candidates.allSatisfy { $0.readingTime != nil })
        let second = tree.catalog("a", index: true)
        #expect(second.candidates.count == 1 && second.candidates.allSatisfy { $0.readingTime == nil })
        #expect(try second.indexPath == tree.indexPath)
        #expect(tree.catalog("a").indexPath == nil)
    }

    @Test func onlyFaultyCandidatesAreUnusable() throws {
        let tree = try CatalogTree([
            "a/X.bundle": CatalogTree.list("x", "2.0"), "a/Old.bundle": CatalogTree.list("x", "1.0"),
            "a/Bad.bundle": "{ broken", "a/Alone.bundle": CatalogTree.list("alone", "1.0", Self.requiring("no", "1.0")),
        ])
        #expect(tree.catalog("a").unusable.map(\.verdict) == [.unresolved, .malformed])
    }

    @Test func anInvalidVersionCountsAsFarAsItCanBeRead() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x", "1.2b3")])
        let candidate = try #require(tree.catalog("a").candidates.first)
        #expect(candidate.comparableVersion == PluginVersion("1.2"))
    }

    @Test func whoMayWriteToASearchPathIsReported() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x")])
        try #require(chmod(tree("a"), 0o777) == 0)
        let folder = try #require(tree.catalog("a", "nowhere").folders.first)
        #expect(folder.permissionFindings.map(\.code).contains(.writableByOthers))
        #expect(tree.catalog("nowhere").folders.flatMap(\.permissionFindings).isEmpty)
    }

    // MARK: Index files

    @Test func goodIndexFilesAreToldWithTheirSearchPaths() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x")])
        _ = tree.catalog("a", index: true)
        let inspection = try #require(PluginCatalog.inspectIndex(.directory(tree("index"))))
        #expect(try inspection.files.map(\.path) == [tree.indexPath])
        #expect(inspection.files.map(\.searchPaths) == [[tree("a")]])
        #expect(!inspection.findings.contains { $0.code == .indexUnusable })
        #expect(PluginCatalog.inspectIndex(.none) == nil)
    }

    @Test func faultsOfAnIndexFileAreReportedAndNothingIsChanged() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x")])
        _ = tree.catalog("a", index: true)
        let path = try tree.indexPath
        try #require(symlink(path, tree("index/0.index")) == 0)
        try tree.tree.write("index/1.index", "damaged")
        try #require(chmod(path, 0o666) == 0)
        let before = try fileBytes(path)
        let inspection = try #require(PluginCatalog.inspectIndex(.directory(tree("index"))))
        let unusable = inspection.findings.filter { $0.code == .indexUnusable }
        #expect(unusable.map(\.filePath) == [tree("index/0.index"), tree("index/1.index"), path])
        #expect(unusable.allSatisfy { $0.severity == .warning && !$0.remedy.isEmpty })
        #expect(inspection.files.isEmpty)
        #expect(try fileBytes(path) == before)
    }

    @Test func indexFilesOfAnotherVersionAreCountedAndAreNotFaults() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x")])
        _ = tree.catalog("a", index: true)
        var bytes = try fileBytes(tree.indexPath)
        bytes[8] -= 1  // the number of the format
        for name in ["0.index", "1.index"] { try FileReplacement().replace(tree("index/\(name)"), with: bytes) }
        let inspection = try #require(PluginCatalog.inspectIndex(.directory(tree("index"))))
        #expect(inspection.countOfOtherFormats == 2)
        #expect(inspection.files.count == 1)
        #expect(!inspection.findings.contains { $0.code == .indexUnusable })
    }

    @Test func aMissingDirectoryForIndexFilesIsNotAFault() throws {
        let tree = try CatalogTree()
        let inspection = try #require(PluginCatalog.inspectIndex(.directory(tree("index"))))
        #expect(inspection.files.isEmpty && inspection.findings.isEmpty)
    }

    // MARK: Search paths of others

    @Test func anotherProgramsSearchPathsAreThoseBesideIt() throws {
        let tree = try CatalogTree()
        try tree.tree.write("opt/bin/editor", "")
        let paths = PluginCatalog.standardSearchPaths(for: "editor", program: tree("opt/bin/editor"))
        #expect(paths.contains(tree("opt/lib/editor/plugins")))
        #expect(paths.contains(tree("opt/bin/Plugins")))
        let unknown = PluginCatalog.standardSearchPaths(for: "editor", program: nil)
        #expect(unknown == paths.filter { !$0.hasPrefix(tree("")) })
        #expect(!unknown.isEmpty)
    }

    // MARK: Extensions by name

    @Test func anExtensionIsFoundByItsNamePointAndVersion() throws {
        let tree = try CatalogTree([
            "a/X.bundle": CatalogTree.list("x", offers: "one", at: "p"),
            "a/Y.bundle": CatalogTree.list("y", offers: "two", at: "p", version: 3),
            "a/Z.bundle": CatalogTree.list("z", offers: "one", at: "q"),
        ])
        for index in [false, true, true] {
            let catalog = tree.catalog("a", index: index)
            #expect(catalog.extension(named: "one", at: "p")?.plugin.identifier == "x")
            #expect(catalog.extension(named: "one", at: "q")?.plugin.identifier == "z")
            #expect(catalog.extension(named: "two", at: "p", version: 3)?.plugin.identifier == "y")
            #expect(catalog.extension(named: "two", at: "p", version: 1) == nil)
            #expect(catalog.extension(named: "on", at: "p") == nil)
            #expect(catalog.extension(named: "one", at: "r") == nil)
        }
    }

    @Test func ofTwoOfOneNameTheFirstIsFound() throws {
        let tree = try CatalogTree([
            "a/X.bundle": CatalogTree.list("x", offers: "one", at: "p", order: 2),
            "a/Y.bundle": CatalogTree.list("y", offers: "one", at: "p", order: 1),
        ])
        let catalog = tree.catalog("a")
        #expect(catalog.extension(named: "one", at: "p")?.plugin.identifier == "y")
        #expect(catalog.extensions(at: "p").map(\.plugin.identifier) == ["y"])
    }

    @Test func aFunctionThatIsDeclaredAtAnExtensionPointIsOffered() throws {
        let tree = try CatalogTree([
            "a/X.bundle": CatalogTree.list("x", offers: "adler32", at: "org.example.checksum-function")
        ])
        #expect(tree.catalog("a").extensions(at: "org.example.checksum-function").map(\.name) == ["adler32"])
    }
}

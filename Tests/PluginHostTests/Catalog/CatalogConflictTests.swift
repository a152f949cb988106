import CatalogIndexing
import PropertyLists
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Conflicts and optional requirements between plug-ins.
@Suite struct CatalogConflictTests {
    private func catalog(_ lists: [String: String]) throws -> (PluginCatalog, CatalogTree) {
        let tree = try CatalogTree(lists)
        return (tree.catalog("a", "b"), tree)
    }

    private func used(_ lists: [String: String]) throws -> [String] {
        let (catalog, tree) = try catalog(lists)
        defer { withExtendedLifetime(tree) {} }
        return catalog.plugins.map(\.identifier)
    }

    private func order(_ lists: [String: String]) throws -> [String] {
        let (catalog, tree) = try catalog(lists)
        defer { withExtendedLifetime(tree) {} }
        return catalog.loadOrder.map(\.identifier)
    }

    private func conflict(_ identifier: String, with others: String...) -> String {
        let ranges = others.map { "\($0) = \"*\";" }.joined(separator: " ")
        return CatalogTree.list(identifier, "1.0", "PHConflicts = { \(ranges) };")
    }

    @Test func theDeclaringOneGivesWay() throws {
        let lists = ["a/1.bundle": conflict("one", with: "two"), "b/2.bundle": CatalogTree.list("two")]
        #expect(try used(lists) == ["two"])
        let (catalog, _) = try catalog(lists)
        let loser = try #require(catalog.candidates.first)
        #expect(loser.verdict == .unresolved && loser.findings.map(\.code) == [.requirementUnmet])
        #expect(loser.explanation == "It conflicts with “two” 1.0, which is used.")
        #expect(loser.findings.first?.remedy.contains("pluginhost disable two") == true)
        // Another version is outside of the range.
        let range = CatalogTree.list("one", "1.0", "PHConflicts = { two = \">=2\"; };")
        #expect(try used(["a/1.bundle": range, "a/2.bundle": CatalogTree.list("two")]) == ["one", "two"])
    }

    @Test("conflicts that both declare", .fault(677)) func theLaterInTheSearchGivesWay() throws {
        let one = conflict("one", with: "two"), two = conflict("two", with: "one")
        #expect(try used(["a/1.bundle": one, "b/2.bundle": two]) == ["one"])
        #expect(try used(["b/1.bundle": one, "a/2.bundle": two]) == ["two"])
        #expect(try used(["a/1.bundle": two, "a/2.bundle": one]) == ["two"])
    }

    @Test("odd conflicts", .fault(677)) func aConflictWithItselfOrWhatItRequires() throws {
        #expect(try used(["a/1.bundle": conflict("one", with: "one", "missing")]) == ["one"])
        let needy = CatalogTree.list("one", "1.0", "PHConflicts = { two = \"*\"; }; PHRequires = { two = \"*\"; };")
        #expect(try used(["a/1.bundle": needy, "a/2.bundle": CatalogTree.list("two")]) == ["two"])
        let circle = [
            "a/1.bundle": conflict("one", with: "two"), "a/2.bundle": conflict("two", with: "three"),
            "a/3.bundle": conflict("three", with: "one"),
        ]
        #expect(try used(circle) == ["two"])
        let (catalog, _) = try catalog(circle)
        #expect(catalog.candidates.last?.explanation == "It conflicts with “two” 1.0, which is used.")
        // Who gives way excludes no third one.
        let chain = [
            "a/1.bundle": conflict("one", with: "two"), "a/2.bundle": conflict("two", with: "three"),
            "a/3.bundle": CatalogTree.list("three"),
        ]
        #expect(try used(chain) == ["one", "three"])
        let manifest = Manifest(
            dictionary: [
                "CFBundleIdentifier": .string("a"), "PHConflicts": .dictionary(["a": .string("1"), "b": .string("1")]),
                "PHRequires": .dictionary(["b": .string("1")]), "PHOptionalRequires": .dictionary(["b": .string("1")]),
            ], path: "/x/Info.plist")
        let advice = PluginBundle.advice(on: manifest, path: "/x/Info.plist").compactMap(\.subject)
        #expect(advice == ["PHConflicts", "PHConflicts", "PHOptionalRequires"])
    }

    @Test func anotherVersionThatDeclaresNoConflictIsUsed() throws {
        let lists = [
            "a/1.bundle": CatalogTree.list("one", "2.0", "PHConflicts = { two = \"*\"; };"),
            "a/1old.bundle": CatalogTree.list("one", "1.0"), "a/2.bundle": CatalogTree.list("two"),
            "a/3.bundle": CatalogTree.list("three", "1.0", "PHRequires = { one = \">=2\"; };"),
        ]
        let (catalog, _) = try catalog(lists)
        #expect(catalog.plugins.map { "\($0.identifier) \($0.version ?? "")" } == ["one 1.0", "two 1.0"])
    }

    // MARK: Optional requirements

    private func optional(_ identifier: String, _ other: String, _ range: String = "*", _ more: String = "") -> String {
        CatalogTree.list(identifier, "1.0", "PHOptionalRequires = { \(other) = \"\(range)\"; }; \(more)")
    }

    @Test func anOptionalOneComesFirst() throws {
        let lists = [
            "a/1.bundle": optional("a", "z"), "a/2.bundle": CatalogTree.list("z"), "a/3.bundle": CatalogTree.list("b"),
        ]
        #expect(try order(lists) == ["z", "a", "b"])
        let old = ["a/1.bundle": optional("a", "z", ">=2"), "a/2.bundle": CatalogTree.list("z")]
        #expect(try order(old) == ["a", "z"])
    }

    @Test("optional requirements that nobody meets", .fault(676)) func anUnmetOneChangesNothing() throws {
        #expect(try order(["a/1.bundle": optional("a", "missing")]) == ["a"])
        #expect(try order(["a/1.bundle": optional("a", "a")]) == ["a"])
        let unusable = CatalogTree.list("z", "1.0", "PHRequires = { missing = \"*\"; };")
        #expect(try order(["a/1.bundle": optional("a", "z"), "a/2.bundle": unusable]) == ["a"])
        let (catalog, tree) = try catalog([
            "a/1.bundle": optional("a", "z"),
            "a/2.bundle": CatalogTree.list("z", "1.0", "NSExecutable = gone; NSPrincipalClass = P;"),
        ])
        defer { withExtendedLifetime(tree) {} }
        #expect(try catalog.activate("a").bundleIdentifier == "a")
    }

    @Test("optional requirements in a circle", .fault(676)) func aCircleChangesNothing() throws {
        let both = ["a/1.bundle": optional("a", "b"), "a/2.bundle": optional("b", "a")]
        #expect(try order(both) == ["a", "b"])
        let mixed = [
            "a/1.bundle": optional("a", "b"),
            "a/2.bundle": CatalogTree.list("b", "1.0", "PHRequires = { a = \"*\"; };"),
            "a/3.bundle": optional("c", "d"), "a/4.bundle": CatalogTree.list("d"),
        ]
        #expect(try order(mixed) == ["a", "b", "d", "c"])
        let (catalog, tree) = try catalog(mixed)
        defer { withExtendedLifetime(tree) {} }
        for identifier in ["a", "b", "c"] { #expect(throws: Never.self) { try catalog.activate(identifier) } }
    }

    @Test func anIndexHasAllDecisions() throws {
        let list = CatalogTree.list(
            "one", "1.0",
            "PHConflicts = { x = \"2\"; }; PHOptionalRequires = { y = \">=3\"; }; PHEnabledByDefault = YES;")
        let index = try CatalogTree(["a/1.bundle": list]).scan("a")
        let record = try CatalogIndex(bytes: index.bytes).record(index.candidateRow(0))
        #expect(record.conflicts.mapValues(\.description) == ["x": "2"])
        #expect(record.optionalRequires.mapValues(\.description) == ["y": ">=3"] && record.isEnabledByDefault)
    }
}

import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Catalogues of plug-ins whose code is linked into the program.
@Suite struct LinkedPluginCatalogs {
    typealias Entry = @convention(c) (UnsafePointer<plugin_host>) -> plugin_status

    /// A folder with one bundle that has no code, and offers “number” at a point of its own.
    private static func fixture(_ name: String, info: [String: any Sendable] = [:]) throws -> BundleFixture {
        let offer: [String: any Sendable] = ["name": "number", "extensionPoint": "org.example.\(name)"]
        let own: [String: any Sendable] = ["PHFactories": [offer], "NSExecutable": NSNull()]
        return try BundleFixture(name, info: own.merging(info) { $1 }, code: .none)
    }

    private static func catalog(_ fixtures: BundleFixture...) -> PluginCatalog {
        PluginCatalog(
            searchPaths: fixtures.map { $0.url.deletingLastPathComponent().path }, options: .init(index: .none))
    }

    private static func point(_ name: String) -> ExtensionPoint<Int> { ExtensionPoint("org.example.\(name)") }

    /// What a compiled plug-in offers instead of a linked one.
    private static func code(_ name: String, _ number: Int) -> BundleFixture.Code {
        .swift(
            """
            import PluginABI
            @c(plugin_entry) public func entry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in
                    plugin.provide(ExtensionPoint<Int>("org.example.\(name)"), named: "number") { _ in \(number) }
                }
            }
            """)
    }

    @Test func aCatalogueListsLoadsAndDeactivatesALinkedPluginAsAnyOther() throws {
        let fixture = try Self.fixture("LinkedListed", info: ["CFBundleName": "Listed"])
        let bundle = try PluginBundle.linked(at: fixture.path) { host in
            registerPlugin(with: host) {
                $0.provide(LinkedPluginCatalogs.point("LinkedListed"), named: "number") { _ in 7 }
            }
        }
        let catalog = Self.catalog(fixture)
        let identifier = "org.example.LinkedListed"
        let found = try #require(catalog.extensions(of: Self.point("LinkedListed")).first)
        #expect(found.name == "number" && found.plugin.displayName == "Listed")
        #expect(found.plugin.candidate.verdict == .usable && found.plugin.candidate.findings.isEmpty)
        #expect(catalog.state(of: identifier) == .resolved && !bundle.isLoaded)
        #expect(try found.make() == 7)
        #expect(catalog.state(of: identifier) == .active && bundle.isLoaded)
        #expect(try catalog.activate(identifier) === bundle)
        #expect(catalog.deactivate(identifier))
        #expect(catalog.state(of: identifier) == .deactivated && bundle.state == .deactivated)
        #expect(try found.make() == 7)
        #expect(catalog.explanation(of: identifier).sentence.contains("is used"))
        #expect(try found.plugin.candidate.open().findings().isEmpty)
    }

    @Test func aLinkedPluginIsLoadedAfterItsRequirementsAndItsServiceAtTheFirstRequest() throws {
        let service = ExtensionPoint<String>("org.example.LinkedGiver")
        let base = try Self.fixture("LinkedBase")
        let top = try Self.fixture(
            "LinkedTop", info: ["PHRequires": ["org.example.LinkedBase": "*"], "PHUses": [service.name: 1]])
        let giver = try BundleFixture(
            "LinkedGiver", info: ["PHFactories": [["name": "text", "extensionPoint": service.name]]], code: .none)
        let first = try PluginBundle.linked(at: base.path) { host in
            registerPlugin(with: host) {
                $0.provide(LinkedPluginCatalogs.point("LinkedBase"), named: "number") { _ in 1 }
            }
        }
        _ = try PluginBundle.linked(at: top.path) { host in
            registerPlugin(with: host) { plugin in
                plugin.provide(LinkedPluginCatalogs.point("LinkedTop"), named: "number") { context in
                    try context.service(ExtensionPoint<String>("org.example.LinkedGiver")).utf8.count
                }
            }
        }
        let asked = try PluginBundle.linked(at: giver.path) { host in
            registerPlugin(with: host) { plugin in
                plugin.provide(ExtensionPoint<String>("org.example.LinkedGiver"), named: "text") { _ in "twelve chars" }
            }
        }
        let catalog = Self.catalog(base, top, giver)
        let found = try #require(catalog.extensions(of: Self.point("LinkedTop")).first)
        try catalog.activate("org.example.LinkedTop")
        #expect(first.isLoaded && !asked.isLoaded)
        #expect(try found.make() == 12)
        #expect(asked.isLoaded)
    }

    @Test func aWatchedCatalogueTellsThatLinkedCodeCannotBeReplaced() async throws {
        let fixture = try Self.fixture("LinkedWatched")
        let bundle = try PluginBundle.linked(at: fixture.path) { host in
            registerPlugin(with: host) {
                $0.provide(LinkedPluginCatalogs.point("LinkedWatched"), named: "number") { _ in 5 }
            }
        }
        let catalog = Self.catalog(fixture)
        var events = try catalog.watch().makeAsyncIterator()
        let found = try #require(catalog.extensions(of: Self.point("LinkedWatched")).first)
        #expect(try found.make() == 5)
        #expect(catalog.generations(of: "org.example.LinkedWatched").map(\.bundlePath) == [bundle.bundlePath])

        // Resources are read in place.
        let strings = fixture.url.appending(path: "Contents/Resources/Localizable.strings")
        try FileManager.default.createDirectory(
            at: strings.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("\"key\" = \"value\";".utf8).write(to: strings)
        guard case .changed(let plugin)? = await events.next() else {
            Issue.record("new resources are a change")
            return
        }
        #expect(plugin.identifier == "org.example.LinkedWatched")
        #expect(bundle.localizedString(forKey: "key", value: nil, table: nil) == "value")

        try fixture.install(Self.code("LinkedWatched", 6))
        guard case .failed(let error)? = await events.next() else {
            Issue.record("new code is reported to have no effect")
            return
        }
        let message = """
            The bundle “\(bundle.bundlePath)”: The code of this bundle is linked into the application and cannot be \
            replaced while it runs; only the resources of the bundle are read again. Build the application again, and \
            restart it.
            """
        #expect(error.code == .copyFailed && error.description == message)
        #expect(try found.make() == 5)
        #expect(bundle.isLoaded && catalog.generations(of: "org.example.LinkedWatched").map(\.state) == [.active])
    }

    @Test func anInstalledUpdateTakesThePlaceOfALinkedPluginWhileItIsUsed() async throws {
        let fixture = try Self.fixture("LinkedUpdated", info: ["CFBundleShortVersionString": "1.0"])
        let bundle = try PluginBundle.linked(at: fixture.path) { host in
            registerPlugin(with: host) {
                $0.provide(LinkedPluginCatalogs.point("LinkedUpdated"), named: "number") { _ in 1 }
            }
        }
        let user = Workspace.temporary.appending(path: "user/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: user, withIntermediateDirectories: true)
        let catalog = PluginCatalog(
            searchPaths: [user.path, fixture.url.deletingLastPathComponent().path], options: .init(index: .none))
        var events = try catalog.watch().makeAsyncIterator()
        let found = try #require(catalog.extensions(of: Self.point("LinkedUpdated")).first)
        #expect(try found.make() == 1)

        let update = try BundleFixture(
            "LinkedUpdated",
            info: [
                "CFBundleShortVersionString": "2.0",
                "PHFactories": [["name": "number", "extensionPoint": "org.example.LinkedUpdated"]],
            ], code: Self.code("LinkedUpdated", 2))
        let place = user.appending(path: "LinkedUpdated.bundle")
        try FileManager.default.moveItem(at: update.url, to: place)
        let event = await events.next()
        guard case .reloaded(_, let generation, _)? = event else {
            Issue.record("the update is brought into service, not \(String(describing: event))")
            return
        }
        #expect(generation.number == 2 && generation.version == "2.0")
        #expect(try found.make() == 2)
        #expect(!bundle.isLoaded)

        // The linked one has no second generation; the update stays until the restart. It is removed in one step, as it was
        // added: if it lost file after file, the watch might see a bundle without its executable.
        try FileManager.default.moveItem(at: place, to: update.url)
        guard case .failed(let error)? = await events.next() else {
            Issue.record("the way back is reported to need a restart")
            return
        }
        #expect(error.code == .copyFailed && error.bundlePath == bundle.bundlePath)
        #expect(try found.make() == 2)
    }
}

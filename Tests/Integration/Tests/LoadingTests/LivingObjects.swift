import DemoAPI
import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Reports which objects of a plug-in still exist.
@Suite struct LivingObjects {
    static let source = """
        import DemoAPI
        import PluginABI
        final class Same: TextFilter {
            init(context: PluginContext) throws {}
            func filter(_ passage: String) throws -> String { passage }
        }
        @c(plugin_entry)
        public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { plugin in
                plugin.register(Same.self)
                plugin.provide(.textFilter, named: plugin_name(host), Same.init)
                plugin.provide(ExtensionPoint<Int>("org.example.number"), named: plugin_name(host)) { _ in 3 }
            }
        }
        func plugin_name(_ host: UnsafePointer<plugin_host>) -> String { "same \\(host)" }
        """

    /// Each bundle has names of its own, since they are unique at a point.
    private func open(_ name: String) throws -> PluginBundle {
        let flags = ["-lDemoAPI", "-Xlinker", "-rpath", "-Xlinker", Workspace.products.path]
        let code = try BundleFixture("Living", code: .swift(Self.source, flags: flags))
        return try PluginBundle.open(path: BundleFixture(name, code: .file(code.executable)).path)
    }

    @Test func objectsOfProvidersAndOfThePrincipalClassCountUntilTheyAreReleased() throws {
        let bundle = try open("LivingOne")
        #expect(bundle.liveObjects.isEmpty)
        let provider = try #require(try bundle.providers(of: .textFilter).first)
        var filters = try (0..<3).map { _ in try provider.make() }
        var principal: (any TextFilter)? = try bundle.makePrincipal(as: (any TextFilter).self)
        let point = ExtensionPoint<any TextFilter>.textFilter.name
        let expected = [
            "1 of the class “Same”", "3 of the provider “\(provider.name)” at “\(point)”",
        ]
        #expect(bundle.liveObjects.map(\.description) == expected)
        // A number is not an object.
        #expect(try bundle.providers(of: ExtensionPoint<Int>("org.example.number")).map { try $0.make() } == [3])
        #expect(bundle.liveObjects.map(\.description) == expected)
        // They are still listed after the bundle was unloaded, and so are objects of a provider that somebody kept.
        bundle.unload()
        filters.append(try provider.make())
        #expect(bundle.liveObjects.map(\.count) == [1, 4])
        filters.removeLast(2)
        #expect(bundle.liveObjects.map(\.count) == [1, 2])
        try bundle.loadAndReturnError()
        #expect(bundle.liveObjects.map(\.count) == [1, 2])
        filters = []
        #expect(bundle.liveObjects.map(\.kind) == [.pluginClass])
        withExtendedLifetime(principal) {}
        principal = nil
        #expect(bundle.liveObjects.isEmpty)
    }

    @Test func objectsOfTheCLevelCountExactly() throws {
        let source =
            Source.factory + """
                FACTORY(plain, "plain"); FACTORY_AT(placed, "placed", "org.example.living");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    h->register_factory(h, &plain);
                    return h->register_factory(h, &placed);
                }
                """
        let bundle = try PluginBundle.open(path: BundleFixture("LivingC", code: .c(source)).path)
        var instances = try bundle.cProviders().flatMap { factory in try (0..<2).map { _ in try factory.make() } }
        bundle.unload()
        #expect(
            bundle.liveObjects.map(\.description) == [
                "2 of the factory “plain”", "2 of the factory “placed” at “org.example.living”",
            ])
        instances.removeFirst()
        #expect(bundle.liveObjects.map(\.count) == [1, 2])
        instances = []
        #expect(bundle.liveObjects.isEmpty)
    }

    @Test func manyThreadsMakeAndReleaseObjectsAndNoneIsLeft() throws {
        let bundle = try open("LivingMany")
        let provider = try #require(try bundle.providers(of: .textFilter).first)
        let kept = Locked<[any TextFilter]>([])
        onThreads(16) { _ in
            for round in 0..<200 {
                guard let filter = try? provider.make() else { continue }
                if round % 20 == 0 { kept.withLock { $0.append(filter) } }
                _ = bundle.liveObjects
            }
        }
        #expect(bundle.liveObjects.map(\.count) == [160])
        kept.withLock { $0 = [] }
        #expect(bundle.liveObjects.isEmpty)
    }
}

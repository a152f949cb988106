import Dispatch
import HostBasics
import PluginABI
import TestSupport
import Testing

@testable import PluginHost

/// Names of providers for the user, and providers by their own names.
@Suite struct ProviderNameTests {
    fileprivate static let watched = Lock<PluginCatalog?>(nil)
    private static let point = ExtensionPoint<String>("org.example.named-provider")

    private static let entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
        registerPlugin(with: host) { plugin in
            for name in ["first", "second"] {
                plugin.provide(ProviderNameTests.point, named: name, displayName: "Name of \(name)") { _ in
                    "made by \(name)"
                }
            }
        }
    }

    @Test func whoUsesAKnownProviderOfAWatchedCatalogueIsCounted() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "Counted.bundle/Contents/Info.plist": """
                { CFBundleIdentifier = "org.example.Counted";
                  PHFactories = ({ name = only; extensionPoint = "org.example.counted"; }); }
                """
            ])
            let point = ExtensionPoint<Bool>("org.example.counted")
            _ = try PluginBundle.linked(at: tree("Counted.bundle")) { host in
                registerPlugin(with: host) { plugin in
                    plugin.provide(ExtensionPoint<Bool>("org.example.counted"), named: "only") { _ in
                        let catalog = ProviderNameTests.watched.withLock { $0 }
                        let generation = catalog?.generationTable?.generations(of: "org.example.Counted")?.current
                        return generation?.users.wait(timeout: .now()) == .timedOut
                    }
                }
            }
            let catalog = PluginCatalog(searchPaths: [tree.path], options: .init(index: .none))
            ProviderNameTests.watched.withLock { $0 = catalog }
            let found = try #require(catalog.extension(named: "only", of: point))
            // Made twice, by a provider that is known the second time.
            #expect(try !found.make() && !found.make())
            let events = try catalog.watch()
            #expect(try found.make() && found.make())
            withExtendedLifetime(events) {}
        }
    }

    @Test func nothingIsLocalisedBeforeItIsNeeded() async {
        // In a process of its own, because an entry belongs to one bundle.
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "Named.bundle/Contents/Info.plist": """
                { CFBundleIdentifier = "org.example.Named"; CFBundleDevelopmentRegion = en;
                  PHFactories = ({ name = first; extensionPoint = "org.example.named-provider"; },
                    { name = second; extensionPoint = "org.example.named-provider"; }); }
                """
            ])
            let bundle = try PluginBundle.linked(at: tree("Named.bundle"), entry: ProviderNameTests.entry)
            let providers = try bundle.providers(of: ProviderNameTests.point)
            let catalog = PluginCatalog(searchPaths: [tree.path], options: .init(index: .none))
            let found = try #require(catalog.extension(named: "second", of: ProviderNameTests.point))
            #expect(try found.make() == "made by second")
            // The table is added after all of it, and after the objects were made: it is read now, or never.
            try tree.write(
                "Named.bundle/Contents/Resources/en.lproj/Providers.strings",
                "\"Name of first\" = \"Der erste\"; \"Name of second\" = \"Der zweite\";")
            #expect(providers.map(\.displayName) == ["Der erste", "Der zweite"])
            // The kept provider belongs to the current code, not to the objects of an unloaded generation.
            bundle.unload()
            #expect(try found.make() == "made by second")
            #expect(try catalog.extension(named: "first", of: ProviderNameTests.point)?.make() == "made by first")
        }
    }
}

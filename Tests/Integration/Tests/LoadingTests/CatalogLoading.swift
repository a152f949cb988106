import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Catalogues of plug-ins with code: what is loaded when, and in which order.
@Suite struct CatalogLoading {
    /// A folder with bundles, and a catalogue of it.
    private func catalog(_ fixtures: BundleFixture...) throws -> PluginCatalog {
        let folder = Workspace.temporary.appending(path: "catalogs/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for fixture in fixtures {
            try FileManager.default.moveItem(at: fixture.url, to: folder.appending(path: fixture.url.lastPathComponent))
        }
        return PluginCatalog(searchPaths: [folder.path], options: .init(index: .none))
    }

    /// A plug-in that provides a number.
    private func numbers(_ name: String, _ number: Int, declared: String = "number") throws -> BundleFixture {
        let source = """
            import PluginABI
            @c(plugin_entry) public func entry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in
                    plugin.provide(ExtensionPoint<Int>("org.example.\(name)"), named: "number") { _ in \(number) }
                }
            }
            """
        return try BundleFixture(
            name,
            info: ["PHFactories": [["name": declared, "extensionPoint": "org.example.\(name)"]]],
            code: .swift(source))
    }

    @Test func aPluginIsLoadedWhenItsFirstObjectIsMade() throws {
        let catalog = try catalog(numbers("LazyNumbers", 42))
        let found = catalog.extensions(of: ExtensionPoint<Int>("org.example.LazyNumbers"))
        #expect(found.map(\.name) == ["number"] && found.map(\.displayName) == ["number"])
        #expect(catalog.state(of: "org.example.LazyNumbers") == .resolved)
        #expect(try found[0].make() == 42)
        #expect(catalog.state(of: "org.example.LazyNumbers") == .active)
        #expect(catalog.deactivate("org.example.LazyNumbers"))
        #expect(catalog.state(of: "org.example.LazyNumbers") == .deactivated)
        // It comes back at the next request.
        #expect(try found[0].make() == 42)
        #expect(catalog.state(of: "org.example.Nobody") == nil)
    }

    @Test func aPluginIsLoadedAfterItsRequirements() async throws {
        let catalog = try catalog(
            BundleFixture("Top", info: ["PHRequires": ["org.example.Middle": ">=1"]], code: .c(Source.good)),
            BundleFixture(
                "Middle",
                info: ["CFBundleShortVersionString": "1.5", "PHRequires": ["org.example.Bottom": "*"]],
                code: .c(Source.good + "/* middle */")),
            BundleFixture("Bottom", code: .c(Source.good + "/* bottom */")),
            BundleFixture("Beside", code: .c(Source.good + "/* beside */")))
        let order = catalog.loadOrder.map(\.identifier)
        #expect(order.filter { $0 != "org.example.Beside" } == ["Bottom", "Middle", "Top"].map { "org.example." + $0 })
        var loads = PluginBundle.loads.makeAsyncIterator()
        try catalog.activate("org.example.Top")
        var loaded: [String] = []
        while loaded.count < 3, let event = await loads.next() {
            // Other tests load bundles meanwhile.
            if let identifier = event.bundle.bundleIdentifier, order.contains(identifier) { loaded.append(identifier) }
        }
        #expect(loaded == ["Bottom", "Middle", "Top"].map { "org.example." + $0 })
        #expect(catalog.state(of: "org.example.Beside") == .resolved)
        // The plug-in that requires the other is first.
        catalog.deactivate("org.example.Bottom")
        #expect(
            ["Top", "Middle", "Bottom"].map { catalog.state(of: "org.example." + $0) } == [
                .deactivated, .deactivated, .deactivated,
            ])
    }

    @Test func aRequirementThatDoesNotLoadIsNamedWithItsReason() throws {
        let catalog = try catalog(
            BundleFixture("NeedsBroken", info: ["PHRequires": ["org.example.BrokenCode": "*"]], code: .c(Source.good)),
            BundleFixture("BrokenCode", code: .c("int other(void) { return 2; }")))
        let error = #expect(throws: PluginError.self) { try catalog.activate("org.example.NeedsBroken") }
        #expect(error?.code == .requirementUnmet && error?.subject == "org.example.BrokenCode")
        #expect(error?.findings.dropFirst().first?.code == .symbolMissing)
        #expect(catalog.state(of: "org.example.NeedsBroken") == .resolved)
        guard case .failed = catalog.state(of: "org.example.BrokenCode") else {
            Issue.record("a plug-in that did not load is in another state than failed")
            return
        }
    }

    @Test(.fault(90)) func ofTwoPluginsWithOneNameAtAPointTheFirstIsUsedAndBothAreNamed() throws {
        func fixture(_ name: String) throws -> BundleFixture {
            try BundleFixture(
                name, info: ["PHFactories": [["name": "Thing", "extensionPoint": "org.example.ninety"]]],
                code: .c(
                    Source.factory + """
                        FACTORY_AT(thing, "Thing", "org.example.ninety");
                        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                            return host->register_factory(host, &thing); /* \(name) */
                        }
                        """))
        }
        let catalog = try catalog(fixture("NinetyA"), fixture("NinetyB"))
        #expect(catalog.extensions(at: "org.example.ninety").map(\.plugin.identifier) == ["org.example.NinetyA"])
        #expect(catalog.findings.map(\.code) == [.duplicateFactory])
        try catalog.activate("org.example.NinetyA")
        let error = #expect(throws: PluginError.self) { try catalog.activate("org.example.NinetyB") }
        #expect(error?.code == .duplicateFactory)
        #expect(error?.description.contains("NinetyA.bundle") == true)
        // The registry is as before.
        #expect(try catalog.activate("org.example.NinetyA").cProviders(at: "org.example.ninety", version: 1).count == 1)
    }

    @Test func librariesThatABundleCarriesAreOpenedBeforeItsCode() throws {
        let inner = try Library("libOwnInner.so.1", "int inner(void) { return 20; }")
        let outer = try Library(
            "libOwnOuter.so.2", "int inner(void); int outer(void) { return inner() + 1; }", needs: [inner])
        let source = """
            int outer(void);
            static unsigned value(void) { return outer(); }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("value"), PLUGIN_STRING("() -> uint32"),
                    (plugin_code)value};
                return host->register_function(host, &f);
            }
            """
        let fixture = try BundleFixture(
            "CarriesLibraries", code: .c(source, flags: outer.flags + ["-Wl,--allow-shlib-undefined"]))
        // One beside the others, and one in a framework, whose executable has another name than its SONAME.
        try outer.install(fixture.url.appending(path: "Contents/Frameworks/libOwnOuter.so.2"))
        let framework = fixture.url.appending(path: "Contents/Frameworks/Inner.framework/Versions/A")
        try inner.install(framework.appending(path: "Inner"))
        try FileManager.default.createDirectory(
            at: framework.appending(path: "Resources"), withIntermediateDirectories: true)
        try Data("{ NSExecutable = Inner; }".utf8).write(to: framework.appending(path: "Resources/Info.plist"))
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.preflight()
        #expect(try bundle.function("value", "() -> uint32")().uint64 == 21)
    }

    @Test func aLibraryThatABundleDoesNotCarryIsMissedThereToo() throws {
        let library = try Library("libNowhere.so.1", "int nowhere(void) { return 1; }")
        let source = Source.good + "int nowhere(void); int use(void) { return nowhere(); }"
        let fixture = try BundleFixture("LacksLibrary", code: .c(source, flags: library.flags))
        try FileManager.default.createDirectory(
            at: fixture.url.appending(path: "Contents/Frameworks"), withIntermediateDirectories: true)
        let error = try loadError(fixture)
        #expect(error.code == .dependencyMissing && error.subject == "libNowhere.so.1")
        #expect(error.description.contains("Contents/Frameworks"))
    }
}

/// A shared library with a SONAME and no search path.
private struct Library {
    let name: String
    private let file: URL
    /// The code that links with it.
    var flags: [String] { [file.path] }

    init(_ name: String, _ source: String, needs: [Library] = []) throws {
        self.name = name
        let folder = Workspace.temporary.appending(path: "libraries/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = folder.appending(path: "library.c")
        try Data(source.utf8).write(to: text)
        file = folder.appending(path: name)
        try Tool.run(
            try Tool.find("clang"),
            ["-shared", "-fPIC", "-Wl,-soname,\(name)", text.path, "-o", file.path] + needs.flatMap(\.flags))
    }

    func install(_ place: URL) throws {
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: file, to: place)
    }
}

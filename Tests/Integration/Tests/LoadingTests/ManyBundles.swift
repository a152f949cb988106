import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Many bundles in one process.
@Suite(.timeLimit(.minutes(10))) struct ManyBundles {
    @Test(.fault(160)) func aThousandLoadedBundlesAreKeptApartThroughUnloadsAndLoads() async {
        // In a process of its own, because a thousand images slow down everything else in a process.
        await #expect(processExitsWith: .success) { try ThousandBundles().run() }
    }
}

/// A process with a thousand bundles, all with the same code under different names.
private struct ThousandBundles {
    private static let count = 1000
    private static let point = ExtensionPoint<String>("org.example.thousand")

    /// Each copy registers a provider under a given name, and a class with the same name as in all other copies.
    private static let source = """
        import Glibc
        import PluginABI
        public final class Thing: Plugin { public init(context: PluginContext) throws {} }
        @c(plugin_entry) public func entry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            let name = String(cString: getenv("COPY_NAME"))
            return registerPlugin(with: host) { plugin in
                plugin.register(Thing.self)
                plugin.provide(ExtensionPoint<String>("org.example.thousand"), named: name) { context in
                    name + " in " + context.bundleIdentifier
                }
            }
        }
        """

    private let catalog: PluginCatalog
    private let bundles: [PluginBundle]

    init() throws {
        let folder = Workspace.temporary.appending(path: "thousand")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let code = try BundleFixture("Thousand", code: .swift(Self.source)).executable
        bundles = try (0..<Self.count).map { index in
            let fixture = try BundleFixture("Copy\(index)", info: Self.info(index), code: .file(code))
            let place = folder.appending(path: "Copy\(index).bundle")
            try FileManager.default.moveItem(at: fixture.url, to: place)
            return try PluginBundle.open(path: place.path)
        }
        catalog = PluginCatalog(searchPaths: [folder.path], options: .init(index: .none))
    }

    private static func info(_ index: Int) -> [String: any Sendable] {
        let offer: [String: any Sendable] = ["name": "Copy\(index)", "extensionPoint": point.name, "order": index]
        return ["PHFactories": [offer]]
    }

    func run() throws {
        let extensions = catalog.extensions(of: Self.point)
        try expect(extensions.map(\.name) == bundles.indices.map { "Copy\($0)" }, "the catalogue lists each in order")
        for (index, found) in extensions.enumerated() {
            setenv("COPY_NAME", "Copy\(index)", 1)
            let made = try found.make()
            try expect(
                made == "Copy\(index) in org.example.Copy\(index)", "\(index) makes its own object, not “\(made)”")
        }
        try expectAllApart()

        let some = Set(stride(from: 0, to: Self.count, by: 3))
        for index in some { try expect(bundles[index].unload(), "\(index) is unloaded") }
        for (index, bundle) in bundles.enumerated() {
            try expect(bundle.isLoaded != some.contains(index), "the unload of others leaves \(index) as it was")
            try expect(bundle.registrations.isEmpty != bundle.isLoaded, "\(index) offers what it should")
        }
        for index in some { try bundles[index].loadAndReturnError() }
        try expectAllApart()

        setenv("COPY_NAME", "Further", 1)
        let code = try BundleFixture("Further", code: .swift(Self.source)).executable
        let further = try PluginBundle.open(path: BundleFixture("Further", code: .file(code)).path)
        try expect(try further.providers(of: Self.point).map(\.name) == ["Further"], "a further bundle is loaded")
        try expect(further.classNames == ["Further.Thing"], "it has its own classes")
    }

    /// Every question to a bundle gets that bundle's answer.
    private func expectAllApart() throws {
        var classes: Set<ObjectIdentifier> = []
        for (index, bundle) in bundles.enumerated() {
            try expect(bundle.isLoaded, "\(index) is loaded")
            try expect(PluginBundle(path: bundle.bundlePath) === bundle, "\(index) is found by its path")
            let providers = try bundle.providers(of: Self.point)
            try expect(providers.map(\.name) == ["Copy\(index)"], "\(index) provides its own")
            let thing: AnyClass = try require(bundle.classNamed("Thing"), "\(index) has the class")
            try expect(PluginBundle(for: thing) === bundle, "\(index) is the bundle of its class")
            try expect(bundle.principalClass == thing, "\(index) has its principal class")
            classes.insert(ObjectIdentifier(thing))
        }
        try expect(classes.count == Self.count, "each has a class of its own, \(classes.count) in all")
        // A look-up by identifier goes through all bundles.
        for index in stride(from: 0, to: Self.count, by: 50) {
            try expect(
                PluginBundle(identifier: "org.example.Copy\(index)") === bundles[index], "\(index) by identifier")
        }
        let all = Set(PluginBundle.allBundles)
        try expect(bundles.allSatisfy(all.contains), "all of them are among all bundles")
    }

    private func expect(_ holds: Bool, _ fact: String) throws {
        if !holds { throw Tool.Failure(description: "It does not hold that \(fact).") }
    }

    private func require<Value>(_ value: Value?, _ fact: String) throws -> Value {
        try expect(value != nil, fact)
        return value!
    }
}

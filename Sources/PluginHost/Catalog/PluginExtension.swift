public import PluginABI
import Synchronization

/// Something that a plug-in declares to offer at an extension point, described without loading the plug-in.
///
/// **Threads.** A value; tells what the catalogue knew when it was asked for.
public struct ExtensionDescription: Sendable {
    /// Whose it is.
    public let plugin: PluginDescription
    /// What Info.plist says of it.
    public let factory: Manifest.Extension

    /// The name, unique at the point among all plug-ins.
    public var name: String { factory.name }
    /// The extension point's name.
    public var extensionPoint: String { factory.extensionPoint ?? "" }
    /// The version of the extension point's interface.
    public var version: UInt32 { factory.version }
    /// Lower comes first.
    public var order: Int { factory.order }

    /// What to show to the user, in the user's language: the declared name, looked up in the bundle's table `Providers`.
    ///
    /// **Cost.** At the first time the bundle is opened for its strings; none of its code runs.
    public var displayName: String {
        (try? plugin.catalog.opened(plugin))?.displayName(of: factory) ?? factory.displayName ?? factory.name
    }
}

/// An extension of the application by a plug-in, described without loading the plug-in, and made when it is asked for.
///
/// **Threads.** Any. **Lifetime.** May be kept: it makes objects of whichever generation of the plug-in is current.
public struct PluginExtension<Interface>: Sendable {
    /// What is known of it.
    public let description: ExtensionDescription
    private let maker: ExtensionMaker<Interface>

    init(description: ExtensionDescription, point: ExtensionPoint<Interface>) {
        self.description = description
        maker = ExtensionMaker(description, point)
    }

    /// Its name at the extension point.
    public var name: String { description.name }
    /// What to show to the user, in the user's language.
    public var displayName: String { description.displayName }
    /// Lower comes first.
    public var order: Int { description.order }
    /// Whose it is.
    public var plugin: PluginDescription { description.plugin }

    /// Makes an object, loading the plug-in and what it requires first if they are not loaded.
    ///
    /// - Throws: ``PluginError``: what a load throws; `requirementUnmet` if a plug-in that this one requires does not load;
    ///   `unfulfilledDeclaration` if the code does not provide what Info.plist declares; `instantiationFailed` with what the
    ///   plug-in threw.
    ///
    /// **Cost.** Once the plug-in is loaded and has made one: a look-up in a table more than ``Provider/make()``. No string
    /// is looked up.
    public func make() throws -> Interface { try maker.make() }
}

/// A provider that made an object, and when it may make the next: a later generation of the plug-in, or another bundle,
/// has a provider of its own.
///
/// Why a class without a type parameter, and a closure in the one with it: each use of a generic type costs a search for
/// its metadata, which is a tenth of the whole call.
private class KnownProvider: @unchecked Sendable {
    // @unchecked because it has a subclass; every property of both is an immutable Sendable value.
    private let code: LoadedCode
    private let routeChanges: Int

    init(_ code: LoadedCode, _ routeChanges: Int) {
        self.code = code
        self.routeChanges = routeChanges
    }

    /// Whether the catalogue would find this provider again.
    func serves(in catalog: PluginCatalog) -> Bool {
        catalog.routeChanges.load(ordering: .acquiring) == routeChanges && code.isOffered.load(ordering: .acquiring)
    }
}

private final class TypedKnownProvider<Interface>: KnownProvider, @unchecked Sendable {
    let make: @Sendable () throws -> Interface

    init(_ provider: Provider<Interface>, _ code: LoadedCode, _ routeChanges: Int) {
        make = { try provider.make() }
        super.init(code, routeChanges)
    }

    /// What the closure holds is the plug-in's.
    deinit { HeldLocks.keep(make) }
}

/// Makes the objects of an extension, and keeps the provider that it made the last one by. It has all that it needs in
/// itself, because whoever asks a description for it copies the whole description.
private final class ExtensionMaker<Interface>: Sendable {
    private let catalog: PluginCatalog
    private let identifier: String
    private let name: String
    private let point: ExtensionPoint<Interface>
    private let known = Lock<KnownProvider?>(nil)

    init(_ description: ExtensionDescription, _ point: ExtensionPoint<Interface>) {
        catalog = description.plugin.catalog
        identifier = description.plugin.identifier
        name = description.name
        self.point = point
    }

    func make() throws -> Interface {
        if let known = known.withLock({ $0 }), known.serves(in: catalog) {
            // Nothing else is stored there.
            return try unsafeDowncast(known, to: TypedKnownProvider<Interface>.self).make()
        }
        // Read before the look-up: a change during it makes what is found out of date.
        let routeChanges = catalog.routeChanges.load(ordering: .acquiring)
        return try catalog.withPlugin(identifier) { bundle in
            let code = try bundle.loadedCode()
            guard let provider = try bundle.provider(named: name, of: point, in: code) else {
                throw unfulfilled(bundle)
            }
            // Whoever uses a plug-in that is watched must be counted as its user, at each call.
            if catalog.generations == nil {
                let new = TypedKnownProvider(provider, code, routeChanges)
                known.withLock { $0 = new }
            }
            return try provider.make()
        }
    }

    private func unfulfilled(_ bundle: PluginBundle) -> PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .unfulfilledDeclaration, filePath: bundle.manifestPath, subject: name,
                message:
                    "Info.plist declares \(quoted(name)) at \(quoted(point.name)), and the code does not provide it.",
                remedy: "Remove it from PHFactories, or provide it in plugin_entry."))
    }
}

extension PluginCatalog {
    /// What the plug-ins offer at an extension point, without loading any of them.
    ///
    /// Those of another version of the point are passed over. Of several with one name the first is given; the others are
    /// in ``findings``.
    ///
    /// - Returns: lower orders first, then earlier search paths, then the order of the bundles' names.
    ///
    /// **Cost.** A binary search, and a reading of what each of the plug-ins declares.
    public func extensions<Interface>(of point: ExtensionPoint<Interface>) -> [PluginExtension<Interface>] {
        extensions(at: point.name, version: point.version).map { PluginExtension(description: $0, point: point) }
    }

    /// What the plug-ins offer at an extension point that is known by its name: also that of plug-ins in C, whose factories
    /// are asked for by ``PluginBundle/cProviders(at:version:)`` of the bundle that ``activate(_:)`` gives.
    ///
    /// - Parameters:
    ///   - point: the extension point's name.
    ///   - version: that of its interface; nil for all.
    /// - Returns: what the plug-ins in use declare there, in order.
    public func extensions(at point: String, version: UInt32? = nil) -> [ExtensionDescription] {
        let index = current
        var seen: Set<String> = []
        // A plug-in that offers several things is read once.
        var plugins: [Int: PluginDescription] = [:]
        return index.extensionRows(at: point).compactMap { row in
            if let version, row.version != version { return nil }
            let plugin = plugins[row.entry] ?? PluginDescription(self, index, row.entry)
            plugins[row.entry] = plugin
            guard let description = ExtensionDescription(plugin, row) else { return nil }
            return seen.insert("\(row.version) \(description.name)").inserted ? description : nil
        }
    }

    /// What comes first in ``extensions(at:version:)``; one plug-in is read.
    func firstExtension(at point: String, version: UInt32) -> ExtensionDescription? {
        let index = current
        guard let first = index.extensionRows(at: point).first(where: { $0.version == version }) else { return nil }
        return ExtensionDescription(PluginDescription(self, index, first.entry), first)
    }

    /// What a plug-in offers under a name at an extension point, without loading it.
    ///
    /// - Returns: nil if nothing of the name is offered there, or only for another version of the point.
    ///
    /// **Cost.** A binary search, and a comparison with each name at the point; one plug-in is read.
    public func `extension`<Interface>(
        named name: String, of point: ExtensionPoint<Interface>
    ) -> PluginExtension<Interface>? {
        self.extension(named: name, at: point.name, version: point.version)
            .map { PluginExtension(description: $0, point: point) }
    }

    /// The same at an extension point that is known by its name.
    ///
    /// - Parameters:
    ///   - name: of the factory or provider, as PHFactories declares it.
    ///   - point: the extension point's name.
    ///   - version: that of its interface; nil for any.
    /// - Returns: the first in order, or nil.
    public func `extension`(named name: String, at point: String, version: UInt32? = nil) -> ExtensionDescription? {
        let index = current
        for row in index.extensionRows(at: point) where index.text(at: row.name, is: name) {
            if let version, row.version != version { continue }
            return ExtensionDescription(PluginDescription(self, index, row.entry), row)
        }
        return nil
    }
}

extension ExtensionDescription {
    /// Nil where a damaged index names a factory that the plug-in has not.
    fileprivate init?(_ plugin: PluginDescription, _ row: ExtensionRow) {
        let factories = plugin.extensions
        guard factories.indices.contains(row.factory) else { return nil }
        self.init(plugin: plugin, factory: factories[row.factory])
    }
}

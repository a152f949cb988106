import CatalogIndexing
import HostBasics
import HostRecords
public import PluginABI
import Synchronization

/// An extension that a plug-in declares at an extension point, described without loading the plug-in.
///
/// **Threads.** A value; it shows the state of the catalogue when it was created.
public struct ExtensionDescription: Sendable {
    /// The plug-in that declares it.
    public let plugin: PluginDescription
    /// The declaration in Info.plist.
    public let declaration: Manifest.Extension

    /// The name, unique at the point among all plug-ins.
    public var name: String { declaration.name }
    /// The extension point's name.
    public var extensionPoint: String { declaration.extensionPoint ?? "" }
    /// The version of the extension point's interface.
    public var version: UInt32 { declaration.version }
    /// Lower comes first.
    public var order: Int { declaration.order }

    /// The name to show to the user, in the user's language: the declared name, looked up in the bundle's table
    /// `Providers`.
    ///
    /// **Cost.** The first use opens the bundle to read its strings; none of its code runs.
    public var displayName: String {
        (try? plugin.opened())?.displayName(of: declaration) ?? declaration.displayName
            ?? declaration.name
    }
}

/// An extension of the application by a plug-in, described without loading the plug-in, and created on request.
///
/// **Threads.** Any. **Lifetime.** May be kept: it always uses the current generation of the plug-in.
public struct PluginExtension<Interface>: Sendable {
    /// The description of the extension.
    public let description: ExtensionDescription
    private let maker: ExtensionMaker<Interface>

    init(description: ExtensionDescription, point: ExtensionPoint<Interface>) {
        self.description = description
        maker = ExtensionMaker(description, point)
    }

    /// Its name at the extension point.
    public var name: String { description.name }
    /// The name to show to the user, in the user's language.
    public var displayName: String { description.displayName }
    /// Lower comes first.
    public var order: Int { description.order }
    /// The plug-in that declares it.
    public var plugin: PluginDescription { description.plugin }

    /// Creates an object, after loading the plug-in and the plug-ins that it requires if necessary.
    ///
    /// - Throws: ``PluginError``: the errors of a load; `requirementUnmet` if a required plug-in does not load;
    ///   `unfulfilledDeclaration` if the code does not provide what Info.plist declares; `instantiationFailed` with the
    ///   plug-in's error.
    ///
    /// **Cost.** After the plug-in has created its first object: ``Provider/make()`` plus one look-up in a table. No
    /// string is looked up.
    public func make() throws -> Interface { try maker.make() }
}

/// A provider that was found, and the conditions under which it is valid: a later generation of the plug-in, or another
/// bundle, has a different provider.
///
/// Why a class without a type parameter, and a closure in its subclass: each use of a generic type searches for its
/// metadata, which takes a tenth of the whole call.
private class KnownProvider: @unchecked Sendable {
    // @unchecked because it has a subclass; every property of both is an immutable Sendable value.
    private let code: LoadedCode
    private let routeChanges: Int

    init(_ code: LoadedCode, _ routeChanges: Int) {
        self.code = code
        self.routeChanges = routeChanges
    }

    /// The registrations may hold objects of the plug-in.
    deinit { HeldLocks.keep(code) }

    /// Whether the catalogue would still find this provider.
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

    /// The closure may hold objects of the plug-in.
    deinit { HeldLocks.keep(make) }
}

/// Creates the objects of an extension, and keeps the provider that it last used.
///
/// It copies every value that it needs, because reading one part of a description copies the whole description.
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
            // Only objects of this type are stored there.
            return try unsafeDowncast(known, to: TypedKnownProvider<Interface>.self).make()
        }
        // Read this before the look-up, so that a change during the look-up makes the result invalid.
        let routeChanges = catalog.routeChanges.load(ordering: .acquiring)
        return try catalog.withPlugin(identifier) { bundle in
            let code = try bundle.loadedCode()
            guard let provider = try bundle.provider(named: name, of: point, in: code) else {
                throw unfulfilled(bundle)
            }
            // Each call that uses a watched plug-in must be counted as a use of it, so the provider is not kept.
            if catalog.generationTable == nil {
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
                    "Info.plist declares \(quoted(name)) at \(quoted(point.name)), but the code does not provide it.",
                remedy: "Remove it from PHFactories, or provide it in plugin_entry."))
    }
}

extension PluginCatalog {
    /// The extensions that plug-ins declare at an extension point.
    ///
    /// The call loads no plug-in.
    ///
    /// Extensions for another version of the point are skipped, and one line in the log, of the level `info`, names the
    /// first plug-in. If several have the same name, only the first is returned; the others are reported in
    /// ``findings``.
    ///
    /// - Returns: lower orders first, then earlier search paths, then the order of the bundles' names.
    ///
    /// **Cost.** A binary search, plus decoding the record of each of the plug-ins.
    public func extensions<Interface>(of point: ExtensionPoint<Interface>) -> [PluginExtension<Interface>] {
        extensions(at: point.name, version: point.version).map { PluginExtension(description: $0, point: point) }
    }

    /// The extensions that plug-ins declare at an extension point with a given name.
    ///
    /// They include the extensions of plug-ins in C. To get their providers, call
    /// ``PluginBundle/cProviders(at:version:)`` of the bundle that ``activate(_:)`` returns.
    ///
    /// - Parameters:
    ///   - point: the extension point's name.
    ///   - version: the version of its interface; nil for all.
    /// - Returns: the declarations of the plug-ins in use, in order.
    public func extensions(at point: String, version: UInt32? = nil) -> [ExtensionDescription] {
        let index = current
        var seen: Set<String> = []
        // Decode a plug-in with several extensions once.
        var plugins: [Int: PluginDescription] = [:]
        var skipped: ExtensionRow?
        defer { if let version { noteRequest(point, version, skipped, in: index) } }
        return index.extensionRows(at: point).compactMap { row in
            if let version, row.version != version {
                skipped = skipped ?? row
                return nil
            }
            let plugin = plugins[row.candidate] ?? PluginDescription(self, index, row.candidate)
            plugins[row.candidate] = plugin
            guard let description = ExtensionDescription(plugin, row) else { return nil }
            return seen.insert("\(row.version) \(description.name)").inserted ? description : nil
        }
    }

    /// Logs once that a plug-in declares an extension for another version of a point than the application requests.
    ///
    /// Not a warning, because the application may also request that version.
    private func noteRequest(_ point: String, _ version: UInt32, _ skipped: ExtensionRow?, in index: CatalogIndex) {
        guard ApplicationRecorder.shared.noteRequest(point, version, skipsOthers: skipped != nil), let skipped else {
            return
        }
        let plugin = PluginDescription(self, index, skipped.candidate)
        HostEnvironment.log(
            .info,
            """
            \(quoted(plugin.identifier)) declares extensions for version \(skipped.version) of the extension point \
            \(quoted(point)); they are not among those for version \(version).
            """)
    }

    /// The first element of ``extensions(at:version:)``.
    ///
    /// Decodes one plug-in.
    func firstExtension(at point: String, version: UInt32) -> ExtensionDescription? {
        let index = current
        guard let first = index.extensionRows(at: point).first(where: { $0.version == version }) else { return nil }
        return ExtensionDescription(PluginDescription(self, index, first.candidate), first)
    }

    /// The extension with a name at an extension point.
    ///
    /// The call does not load the plug-in.
    ///
    /// - Returns: nil if there is none with this name, or only one for another version of the point.
    ///
    /// **Cost.** A binary search, and one comparison per name at the point; one plug-in is decoded.
    public func `extension`<Interface>(
        named name: String, of point: ExtensionPoint<Interface>
    ) -> PluginExtension<Interface>? {
        self.extension(named: name, at: point.name, version: point.version)
            .map { PluginExtension(description: $0, point: point) }
    }

    /// Finds an extension by name at an extension point with a given name.
    ///
    /// - Parameters:
    ///   - name: the name of the extension, as declared in PHFactories.
    ///   - point: the extension point's name.
    ///   - version: the version of its interface; nil for any.
    /// - Returns: the first in order, or nil.
    public func `extension`(named name: String, at point: String, version: UInt32? = nil) -> ExtensionDescription? {
        let index = current
        var skipped: ExtensionRow?
        for row in index.extensionRows(at: point) where index.text(at: row.name, is: name) {
            if let version, row.version != version {
                skipped = skipped ?? row
                continue
            }
            return ExtensionDescription(PluginDescription(self, index, row.candidate), row)
        }
        if let version { noteRequest(point, version, skipped, in: index) }
        return nil
    }
}

extension ExtensionDescription {
    /// Nil if a damaged index names an extension that the plug-in does not have.
    fileprivate init?(_ plugin: PluginDescription, _ row: ExtensionRow) {
        let declarations = plugin.extensions
        guard declarations.indices.contains(row.index) else { return nil }
        self.init(plugin: plugin, declaration: declarations[row.index])
    }
}

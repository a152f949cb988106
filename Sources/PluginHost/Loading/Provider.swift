@_spi(PluginHost) public import PluginABI

/// Something that a bundle provides at an extension point, and makes when it is asked to.
///
/// **Threads.** Any. **Lifetime.** May be kept; it goes on working after the bundle was unloaded.
public struct Provider<Interface>: Sendable {
    /// The name, unique at the point among all bundles.
    public let name: String
    /// Lower comes first.
    public let order: Int
    /// Whose it is.
    public let bundle: PluginBundle
    /// The plug-in's text for the user, not localised.
    let text: String
    let create: @Sendable (PluginContext) throws -> Interface
    let context: PluginContext
    let objects: ObjectCount

    /// What to show to the user: the plug-in's text, localised by the bundle's table `Providers`.
    ///
    /// **Cost.** A look-up in the bundle's strings, at each use.
    public var displayName: String { bundle.localizedProviderName(text) }

    /// Makes an object.
    ///
    /// - Throws: ``PluginError`` of code `instantiationFailed` with what the plug-in threw.
    ///
    /// **Cost.** The plug-in's own, and a weak reference to an object, by which ``PluginBundle/liveObjects`` counts it.
    public func make() throws -> Interface {
        HeldLocks.preconditionNone(before: "a provider of a plug-in")
        do {
            let object = try create(context)
            objects.add(object)
            return object
        } catch {
            throw bundle.instantiationFailed("the provider \(quoted(name))", error)
        }
    }
}

extension PluginBundle {
    /// What this bundle provides at an extension point, in order, loading the bundle if it is not loaded.
    ///
    /// Providers of another version of the point are passed over.
    ///
    /// - Throws: ``PluginError``: what a load throws; `duplicateABI` if a provider was compiled against another copy of
    ///   the module that declares the interface.
    ///
    /// **Cost.** One comparison of addresses for each provider; no cast and no look-up by name.
    public func providers<Interface>(of point: ExtensionPoint<Interface>) throws -> [Provider<Interface>] {
        try providers(of: point, in: try loadedCode())
    }

    func providers<Interface>(of point: ExtensionPoint<Interface>, in code: LoadedCode) throws -> [Provider<Interface>]
    {
        var result: [Provider<Interface>] = []
        for provider in code.registrations.providers
        where provider.pointName == point.name && provider.pointVersion == point.version {
            result.append(try typed(provider, in: code))
        }
        // Stable, so that equal orders stay in the order of registration.
        return result.count < 2 ? result : result.sorted { $0.order < $1.order }
    }

    /// The provider of a name at an extension point; nil if the code registered none there, or only for another version.
    ///
    /// - Throws: ``PluginError`` of code `duplicateABI` as ``providers(of:)``.
    func provider<Interface>(
        named name: String, of point: ExtensionPoint<Interface>, in code: LoadedCode
    ) throws -> Provider<Interface>? {
        for provider in code.registrations.providers
        where provider.name == name && provider.pointName == point.name && provider.pointVersion == point.version {
            return try typed(provider, in: code)
        }
        return nil
    }

    private func typed<Interface>(_ provider: AnyProvider, in code: LoadedCode) throws -> Provider<Interface> {
        guard provider.interface == Interface.self else { throw otherInterface(provider, Interface.self) }
        // The class is that of its interface by construction: TypedProvider<I> sets `interface` to I.
        let typed = unsafeDowncast(provider, to: TypedProvider<Interface>.self)
        return Provider(
            name: typed.name, order: typed.order, bundle: self, text: typed.displayName ?? typed.name,
            create: typed.make, context: code.context,
            objects: code.objects.count(.provider, typed.name, at: typed.pointName))
    }

    /// What to show to the user for something that Info.plist says the bundle offers: its display name, localised by
    /// the bundle's table `Providers`, as ``Provider/displayName`` is once the bundle is loaded.
    public func displayName(of factory: Manifest.Extension) -> String {
        localizedProviderName(factory.displayName ?? factory.name)
    }

    fileprivate func localizedProviderName(_ text: String) -> String {
        localizedString(forKey: text, value: text, table: "Providers")
    }

    private func otherInterface(_ provider: AnyProvider, _ interface: Any.Type) -> PluginError {
        let wanted = String(reflecting: interface)
        let found = String(reflecting: provider.interface)
        let what =
            wanted == found
            ? "a \(quoted(wanted)) of another copy of the module that declares it"
            : "a \(quoted(found)), and the host asks for a \(quoted(wanted))"
        let finding = PluginFinding(
            .duplicateABI, filePath: executablePath, subject: provider.pointName,
            message: "The provider \(quoted(provider.name)) at \(quoted(provider.pointName)) makes \(what).",
            remedy: OwnCopyRemedy.text)
        return PluginError(bundlePath: bundlePath, findings: [finding] + duplicateModules)
    }
}

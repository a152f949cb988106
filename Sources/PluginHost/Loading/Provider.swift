import HostBasics
@_spi(PluginHost) public import PluginABI

/// A bundle's provider at an extension point, which creates objects on request.
///
/// **Threads.** Any. **Lifetime.** May be kept; it also works after the bundle was unloaded.
public struct Provider<Interface>: Sendable {
    /// The name, unique at the point among all bundles.
    public let name: String
    /// Lower comes first.
    public let order: Int
    /// The bundle that registered it.
    public let bundle: PluginBundle
    /// The plug-in's text for the user, not localised.
    let text: String
    let create: @Sendable (PluginContext) throws -> Interface
    let context: PluginContext
    let objects: ObjectCount

    /// The name to show to the user: the plug-in's text, localised with the bundle's table `Providers`.
    ///
    /// **Cost.** A look-up in the bundle's strings at each use.
    public var displayName: String { bundle.localizedProviderName(text) }

    /// Creates an object.
    ///
    /// If the plug-in runs in a worker process, the object is a proxy. If that process has ended, another one is
    /// started first.
    ///
    /// - Throws: ``PluginError`` of code `instantiationFailed` with the plug-in's error. For a plug-in in a worker
    ///   process also `workerEnded` and `callTimedOut` if the process ended during the call, or the bundle was
    ///   unloaded; `interfaceMismatch` and `notRemote` if the plug-in was compiled for another interface; the errors of
    ///   a load.
    ///
    /// **Cost.** The cost of the plug-in's own code, plus a weak reference with which ``PluginBundle/liveObjects``
    /// counts the object.
    public func make() throws -> Interface {
        HeldLocks.preconditionNone(before: "a provider of a plug-in")
        do {
            let object = try create(context)
            objects.add(object)
            return object
        } catch {
            if let failure = error as? HostFailure { throw failure.error }
            throw bundle.instantiationFailed("the provider \(quoted(name))", error)
        }
    }
}

extension PluginBundle {
    /// The bundle's providers at an extension point, in order, after loading the bundle if necessary.
    ///
    /// Providers of another version of the point are skipped.
    ///
    /// - Throws: ``PluginError``: the errors of a load; `duplicateABI` if a provider was compiled against another copy
    ///   of the module that declares the interface; `notRemote` if the plug-in runs in a worker process, and the point
    ///   has no remote interface; `executionConflict` if the code runs in a less safe place than the point demands.
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
            result.append(try typed(provider, of: point, in: code))
        }
        // Stable, so that providers of equal order stay in the order of registration.
        return result.count < 2 ? result : result.sorted { $0.order < $1.order }
    }

    /// The provider with a name at an extension point; nil if the code registered none there, or only one for another
    /// version.
    ///
    /// - Throws: ``PluginError`` of code `duplicateABI`, as for ``providers(of:)``.
    func provider<Interface>(
        named name: String, of point: ExtensionPoint<Interface>, in code: LoadedCode
    ) throws -> Provider<Interface>? {
        for provider in code.registrations.providers
        where provider.name == name && provider.pointName == point.name && provider.pointVersion == point.version {
            return try typed(provider, of: point, in: code)
        }
        return nil
    }

    @inline(__always)
    func typed<Interface>(
        _ provider: AnyProvider, of point: ExtensionPoint<Interface>, in code: LoadedCode
    ) throws -> Provider<Interface> {
        if point.execution != .inProcess { try require(point.execution, at: point.name, of: code) }
        guard provider.interface == Interface.self else {
            if let remote = provider as? RemoteProvider { return try remote.typed(for: point, in: code) }
            throw otherInterface(provider, Interface.self)
        }
        // TypedProvider<I> sets `interface` to I, so the class is always the right one.
        let typed = unsafeDowncast(provider, to: TypedProvider<Interface>.self)
        return Provider(
            name: typed.name, order: typed.order, bundle: self, text: typed.displayName ?? typed.name,
            create: typed.make, context: code.context,
            objects: code.objects.count(.provider, typed.name, at: typed.pointName))
    }

    /// The code may have been loaded before the application's API demanded anything, as after a change of the policy.
    @inline(never)
    private func require(_ execution: PluginExecution, at point: String, of code: LoadedCode) throws(PluginError) {
        let place = code.isolated?.place ?? .inProcess
        guard let demand = ExecutionDemand(point, execution, in: place, of: self) else { return }
        throw PluginError(bundlePath: bundlePath, demand.finding)
    }

    /// The name to show to the user for something declared in Info.plist.
    ///
    /// It is the declaration's display name, localised with the bundle's table `Providers`. After a load,
    /// ``Provider/displayName`` is the same.
    public func displayName(of declaration: Manifest.Extension) -> String {
        localizedProviderName(declaration.displayName ?? declaration.name)
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
            : "a \(quoted(found)), but the host expects a \(quoted(wanted))"
        let finding = PluginFinding(
            .duplicateABI, filePath: executablePath, subject: provider.pointName,
            message: "The provider \(quoted(provider.name)) at \(quoted(provider.pointName)) creates \(what).",
            remedy: OwnCopyRemedy.text)
        return PluginError(bundlePath: bundlePath, findings: [finding] + duplicateModules)
    }
}

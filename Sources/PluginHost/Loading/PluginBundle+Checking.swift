@_spi(PluginHost) internal import PluginABI

extension PluginBundle {
    /// Whether its code is in a worker.
    @_spi(Tools) public var isInWorker: Bool { mappedCode?.isolated != nil }

    /// Descriptions of the registrations that the code attempted after its entry had returned; at most 16.
    ///
    /// Empty if the bundle was never loaded.
    @_spi(Tools) public var lateRegistrations: [String] { mappedCode?.table.lateRegistrations ?? [] }

    /// Creates an object of a provider or factory for a checker, which does not know the interface.
    ///
    /// - Returns: the object, which exists as long as the caller holds it; nil for a class or a function.
    /// - Throws: ``PluginError``: the same errors as ``Provider/make()`` and ``CProvider/make()``.
    @_spi(Tools) public func makeObject(of registration: Registration) throws -> Any? {
        let code = try loadedCode()
        let (name, point) = (registration.name, registration.extensionPoint)
        switch registration.kind {
        case .pluginClass, .function: return nil
        case .cProvider:
            return try cProviders(at: point, version: registration.extensionVersion, in: code)
                .first { $0.name == name && $0.extensionPoint == point }?.make()
        case .provider:
            let provider = code.registrations.providers.first { $0.name == name && $0.pointName == point }
            if let remote = provider as? RemoteProvider { return try remote.makeObject() }
            return try provider.map { try make($0, as: $0.interface, in: code) }
        }
    }

    private func make<Interface>(
        _ provider: AnyProvider, as interface: Interface.Type, in code: LoadedCode
    ) throws -> Any {
        let point = ExtensionPoint<Interface>(provider.pointName, version: provider.pointVersion)
        return try typed(provider, of: point, in: code).make()
    }
}

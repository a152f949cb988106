import HostBasics
internal import PluginABI

extension PluginBundle {
    /// The catalogue that loaded the bundle.
    ///
    /// It also knows the installed plug-ins that are not loaded.
    var catalog: PluginCatalog? {
        get { codeState.catalog.withLock { $0 } }
        set {
            codeState.catalog.withLock { $0 = newValue }
            codeState.probes.withLock { $0 = newValue?.probes }
        }
    }

    /// A service for this bundle's code.
    ///
    /// - Returns: nil if neither the application nor a plug-in provides it.
    func service<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface? {
        if let remote = RemoteServices.shared {
            do {
                let object: Interface = try remote.service(point, for: self)
                return object
            } catch let error as PluginError where error.code == .serviceMissing {
                return nil
            }
        }
        let request = ServiceRequest(client: self, point: point.name, version: point.version, level: .swift)
        switch try request.firstSource() {
        case nil: return nil
        case .host(let service):
            guard service.interface == Interface.self else { throw service.otherInterface(Interface.self) }
            // The type is written explicitly, because the box holds an Interface and not an Interface?.
            let object: Interface = try service.shared.value(
                of: PluginBundle.main.bundlePath, point.name, service.make)
            return object
        case .plugin(let offer):
            do {
                let object: Interface = try offer.withBundle { try $0.sharedObject(offer.name, point) }
                return object
            } catch let error as PluginError where error.code == .superseded && offer.isSuperseded {
                // It was replaced between the search and the use.
                return try service(point)
            }
        }
    }

    func requiredService<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface {
        if let remote = RemoteServices.shared { return try remote.service(point, for: self) }
        if let service = try service(point) { return service }
        throw ServiceRequest(client: self, point: point.name, version: point.version, level: .swift).missing
    }

    /// The shared object of a provider.
    ///
    /// Loads this bundle first.
    func sharedObject<Interface: Sendable>(_ name: String, _ point: ExtensionPoint<Interface>) throws
        -> Interface
    {
        while true {
            let code = try loadedCode()
            // While a plug-in is reloaded, its Info.plist may be newer than the loaded code and contain other names.
            let named = try provider(named: name, of: point, in: code)
            guard let provider = try named ?? providers(of: point, in: code).first else {
                throw unkept(name, point.name)
            }
            // Another thread may have unloaded the bundle after the load. It is then loaded again.
            guard let shared = code.shared(.provider, provider.name, at: point.name) else { continue }
            return try shared.value(of: bundlePath, point.name) { ServiceBox<Interface>(try provider.make()) }
        }
    }

    /// A shared C-level object for this bundle's code.
    ///
    /// - Throws: `serviceMissing` if no plug-in provides it.
    func cService(_ point: String, _ version: UInt32) throws -> CInstance {
        let request = ServiceRequest(client: self, point: point, version: version, level: .c)
        guard case .plugin(let offer)? = try request.firstSource() else { throw request.missing }
        do {
            return try offer.withBundle { try $0.sharedInstance(offer.name, point, version) }
        } catch let error as PluginError where error.code == .superseded && offer.isSuperseded {
            return try cService(point, version)
        }
    }

    /// The shared object of a C factory.
    ///
    /// It is never released, because C clients keep its address.
    private func sharedInstance(_ name: String, _ point: String, _ version: UInt32) throws -> CInstance {
        while true {
            let code = try loadedCode()
            let factories = cProviders(at: point, version: version, in: code)
            guard let factory = factories.first(where: { $0.name == name }) ?? factories.first else {
                throw unkept(name, point)
            }
            guard let shared = code.shared(.cProvider, factory.name, at: point) else { continue }
            return try shared.value(of: bundlePath, point) {
                let instance = try factory.make()
                _ = Unmanaged.passRetained(instance)
                return ServiceBox(instance)
            }
        }
    }

    /// The error for a declaration in the catalogue that the code does not fulfil.
    private func unkept(_ name: String, _ point: String) -> PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .serviceMissing, subject: point,
                message:
                    "PHFactories declares \(quoted(name)) at \(quoted(point)), but the plug-in did not register it.",
                remedy: "Install another version of the plug-in, or report this to its author."))
    }
}

@_spi(PluginHost) internal import PluginABI
import Synchronization

/// What a plug-in offers at an extension point, loaded or not.
struct ServiceOffer {
    /// Whose it is.
    enum Owner {
        /// A bundle that was loaded, by whomever.
        case bundle(PluginBundle)
        /// A plug-in of the catalogue, loaded when it is used, after what it requires.
        case plugin(PluginDescription)
    }

    let owner: Owner
    let name: String
    let order: Int

    /// Lets a caller use the bundle; of a watched catalogue's plug-in the generation in service, which is not deactivated
    /// before the body has returned.
    func withBundle<Result>(_ body: (PluginBundle) throws -> Result) throws -> Result {
        switch owner {
        case .bundle(let bundle): try body(bundle)
        case .plugin(let plugin): try plugin.catalog.withPlugin(plugin.identifier, body)
        }
    }

    /// Whether another generation has taken the owner's place, which is to be asked then.
    var isSuperseded: Bool {
        switch owner {
        case .bundle(let bundle): bundle.isSuperseded
        case .plugin: false
        }
    }
}

/// One plug-in's wish for a service.
struct ServiceRequest {
    /// The levels do not mix: a plug-in of the C level cannot call a Swift interface, nor the other way round.
    enum Level { case swift, c }

    let client: PluginBundle
    let point: String
    let version: UInt32
    let level: Level

    /// Where the service comes from.
    enum Source {
        case host(HostService)
        case plugin(ServiceOffer)

        var order: Int {
            switch self {
            case .host(let service): service.order
            case .plugin(let offer): offer.order
            }
        }
    }

    /// The first offer: that of the lowest order; of equal ones the application's, then the one that the catalogue puts
    /// first, then that of the loaded bundle whose path sorts first.
    ///
    /// - Throws: `serviceUndeclared`.
    /// - Returns: nil if nobody offers it. Nothing is loaded.
    func firstSource() throws(PluginError) -> Source? {
        guard client.manifest.uses[point] == Int(version) else { throw undeclared }
        var sources: [Source] = []
        if level == .swift { sources += HostServices.shared.offers(at: point, version: version).map(Source.host) }
        if let offer = client.catalog?.serviceOffer(at: point, version: version) { sources.append(.plugin(offer)) }
        sources += loadedOffers.map(Source.plugin)
        // The first of equal ones.
        return sources.min { $0.order < $1.order }
    }

    /// What bundles offer that are active, or will be when whoever asks has waited.
    private var loadedOffers: [ServiceOffer] {
        owners.flatMap { bundle in
            let offers = bundle.mappedCode?.registrations.offers(at: point, version: version, level: level) ?? []
            return offers.map { ServiceOffer(owner: .bundle(bundle), name: $0.name, order: $0.order) }
        }
    }

    private var owners: [PluginBundle] {
        ProviderTable.shared.owners(at: point).sorted().compactMap { BundleTable.shared.bundle(atPath: $0) }
            .filter { $0.state != .deactivating }
    }

    // MARK: Errors

    private var undeclared: PluginError {
        let declared = client.manifest.uses[point].map { "declares version \($0)" } ?? "does not declare it"
        return PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(
                .serviceUndeclared, filePath: client.manifestPath, subject: point,
                message: """
                    The plug-in asked for version \(version) of the service \(quoted(point)), and PHUses \(declared).
                    """,
                remedy: "Add the extension point with this version to PHUses of Info.plist."))
    }

    var missing: PluginError {
        // Without a catalogue, what is known are the bundles that were opened.
        let declaring = BundleTable.shared.all.filter { !$0.isSuperseded }.compactMap { bundle -> String? in
            let versions = bundle.manifest.factories.filter { $0.extensionPoint == point }.map(\.version)
            let name = quoted(bundle.originalPath)
            if versions.contains(Int(version)) { return "\(name) declares it and is not loaded" }
            return versions.max().map { "\(name) declares version \($0)" }
        }
        let known =
            client.catalog?.whyServiceIsMissing(at: point, version: version)
            ?? (declaring.isEmpty ? nil : declaring.joined(separator: ", ").asSentence)
        return PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(
                .serviceMissing, subject: point,
                message: """
                    Neither the application nor a plug-in offers version \(version) of the service \(quoted(point)). \
                    \(known ?? "No plug-in that is known declares it.")
                    """,
                remedy: known == nil ? "Install a plug-in that offers it." : "Load or update that plug-in."))
    }
}

extension Registrations {
    fileprivate func offers(
        at point: String, version: UInt32, level: ServiceRequest.Level
    ) -> [(name: String, order: Int)] {
        switch level {
        case .swift:
            providers.filter { $0.pointName == point && $0.pointVersion == version }.map { ($0.name, $0.order) }
        case .c: factories.filter { $0.point == point && $0.version == version }.map { ($0.name, $0.order) }
        }
    }
}

// MARK: Getting it

extension PluginBundle {
    /// The catalogue that brought the bundle into use: it knows what is installed beyond what is loaded.
    var catalog: PluginCatalog? {
        get { catalogInUse.withLock { $0 } }
        set { catalogInUse.withLock { $0 = newValue } }
    }

    /// A service for this bundle's code.
    ///
    /// - Returns: nil if nobody offers it.
    func service<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface? {
        let request = ServiceRequest(client: self, point: point.name, version: point.version, level: .swift)
        switch try request.firstSource() {
        case nil: return nil
        case .host(let service):
            guard service.interface == Interface.self else { throw service.otherInterface(Interface.self) }
            // Its type is written out, because the box holds an Interface and not an Interface?.
            let object: Interface = try service.shared.value(
                of: PluginBundle.main.bundlePath, point.name, service.make)
            return object
        case .plugin(let offer):
            do {
                let object: Interface = try offer.withBundle { try $0.sharedObject(offer.name, point) }
                return object
            } catch let error as PluginError where error.code == .superseded && offer.isSuperseded {
                // It was replaced between the look and the use.
                return try service(point)
            }
        }
    }

    func requiredService<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface {
        if let service = try service(point) { return service }
        throw ServiceRequest(client: self, point: point.name, version: point.version, level: .swift).missing
    }

    /// The one object of a provider that is shared as a service, loading this bundle first.
    private func sharedObject<Interface: Sendable>(_ name: String, _ point: ExtensionPoint<Interface>) throws
        -> Interface
    {
        while true {
            let code = try loadedCode()
            let providers = try providers(of: point, in: code)
            // While a plug-in is reloaded, its Info.plist may be newer than the code in service and have other names.
            guard let provider = providers.first(where: { $0.name == name }) ?? providers.first else {
                throw unkept(name, point.name)
            }
            // Another thread may have unloaded the bundle since the load; then it is loaded again.
            guard let shared = code.shared(.provider, provider.name, at: point.name) else { continue }
            return try shared.value(of: bundlePath, point.name) { ServiceBox<Interface>(try provider.make()) }
        }
    }

    /// An object of the C level for this bundle's code.
    ///
    /// - Throws: `serviceMissing` if no plug-in offers it.
    func cService(_ point: String, _ version: UInt32) throws -> CInstance {
        let request = ServiceRequest(client: self, point: point, version: version, level: .c)
        guard case .plugin(let offer)? = try request.firstSource() else { throw request.missing }
        do {
            return try offer.withBundle { try $0.sharedInstance(offer.name, point, version) }
        } catch let error as PluginError where error.code == .superseded && offer.isSuperseded {
            return try cService(point, version)
        }
    }

    /// The one object of a C factory that is shared as a service; it is never released, because C clients keep its
    /// address.
    private func sharedInstance(_ name: String, _ point: String, _ version: UInt32) throws -> CInstance {
        while true {
            let code = try loadedCode()
            let factories = factories(at: point, version: version, in: code)
            guard let factory = factories.first(where: { $0.name == name }) ?? factories.first else {
                throw unkept(name, point)
            }
            guard let shared = code.shared(.factory, factory.name, at: point) else { continue }
            return try shared.value(of: bundlePath, point) {
                let instance = try factory.make()
                _ = Unmanaged.passRetained(instance)
                return ServiceBox(instance)
            }
        }
    }

    /// The catalogue went by a declaration that the code does not keep.
    private func unkept(_ name: String, _ point: String) -> PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .serviceMissing, subject: point,
                message:
                    "PHFactories declares \(quoted(name)) at \(quoted(point)), and the plug-in did not register it.",
                remedy: "Install another version of the plug-in."))
    }
}

/// An object that is shared as a service, whatever it is.
class AnyServiceBox: @unchecked Sendable {}
// @unchecked because a class that is subclassed must be; the one subclass holds a constant Sendable value.

final class ServiceBox<Interface: Sendable>: AnyServiceBox, @unchecked Sendable {
    let value: Interface

    init(_ value: Interface) { self.value = value }

    deinit { HeldLocks.keep(value) }
}

/// One shared object, made when it is first asked for.
final class SharedObject: Sendable {
    private enum State {
        case none
        case making(LoadTicket)
        case made(AnyServiceBox)
    }

    private let state = Lock(State.none)

    /// The object, made if there is none. Threads that ask meanwhile wait; one that would wait for itself gets an error.
    ///
    /// - Parameters:
    ///   - path: the bundle that offers it.
    ///   - make: makes it, with no lock held. After a failure the next that asks tries again.
    func value<Interface: Sendable>(of path: String, _ point: String, _ make: () throws -> AnyServiceBox) throws
        -> Interface
    {
        while true {
            let ticket = LoadTicket(.service(point), of: path)
            let now: State = state.withLock { state in
                defer { if case .none = state { state = .making(ticket) } }
                return state
            }
            switch now {
            // The box is of its interface by construction: whoever asks has compared the interfaces.
            case .made(let box): return unsafeDowncast(box, to: ServiceBox<Interface>.self).value
            case .making(let other): try LoadActivity.shared.wait(for: other, to: .service(point)).get()
            case .none: try fill(ticket, make)
            }
        }
    }

    private func fill(_ ticket: LoadTicket, _ make: () throws -> AnyServiceBox) throws {
        HeldLocks.preconditionNone(before: "the initialiser of a service")
        LoadActivity.shared.begin(ticket)
        let result = Result { try make() }.mapError { error in
            // A provider's and a factory's are such errors; the application may throw what it likes.
            error as? PluginError
                ?? PluginBundle.main.pluginFailed(.instantiationFailed, "Making a service of the application", error)
        }
        LoadActivity.shared.end(ticket)
        state.withLock { state in
            if case .success(let box) = result { state = .made(box) } else { state = .none }
        }
        ticket.finish(result.map { _ in })
        _ = try result.get()
    }
}

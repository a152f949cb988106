@_spi(PluginHost) internal import PluginABI
import Synchronization

/// Who offers a service, as far as somebody knows who has not loaded everything: the catalogue, for its bundles.
///
/// Asked without a lock, on the thread of the plug-in that asks.
protocol ServiceResolver: AnyObject, Sendable {
    /// The plug-in whose offer comes first at an extension point, by what is declared; nil if none declares it.
    func firstOffer(at point: String, version: UInt32) throws(PluginError) -> ServiceOffer?

    /// Why there is none: which installed plug-in could offer it, and what keeps it. A sentence, or nil.
    func whyMissing(at point: String, version: UInt32) -> String?
}

/// What a plug-in offers at an extension point, loaded or not.
struct ServiceOffer {
    let bundle: PluginBundle
    let name: String
    let order: Int
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
    /// - Throws: `serviceUndeclared`, or what the resolver throws.
    /// - Returns: nil if nobody offers it.
    func firstSource() throws(PluginError) -> Source? {
        guard client.manifest.uses[point] == Int(version) else { throw undeclared }
        var sources: [Source] = []
        if level == .swift { sources += HostServices.shared.offers(at: point, version: version).map(Source.host) }
        if let offer = try client.serviceResolver?.firstOffer(at: point, version: version) {
            sources.append(.plugin(offer))
        }
        sources += loadedOffers.map(Source.plugin)
        // The first of equal ones.
        return sources.min { $0.order < $1.order }
    }

    /// What bundles offer that are active, or will be when whoever asks has waited.
    private var loadedOffers: [ServiceOffer] {
        owners.flatMap { bundle in
            let offers = bundle.mappedCode?.registrations.offers(at: point, version: version, level: level) ?? []
            return offers.map { ServiceOffer(bundle: bundle, name: $0.name, order: $0.order) }
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
        let declaring = BundleTable.shared.all.compactMap { bundle -> String? in
            let versions = bundle.manifest.factories.filter { $0.extensionPoint == point }.map(\.version)
            let name = quoted(bundle.bundlePath)
            if versions.contains(Int(version)) { return "\(name) declares it and is not loaded" }
            return versions.max().map { "\(name) declares version \($0)" }
        }
        let hint =
            client.serviceResolver?.whyMissing(at: point, version: version)?.asSentence
            ?? (declaring.isEmpty
                ? "No plug-in that is known declares it." : declaring.joined(separator: ", ").asSentence)
        return PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(
                .serviceMissing, subject: point,
                message: """
                    Neither the application nor a plug-in offers version \(version) of the service \(quoted(point)). \
                    \(hint)
                    """,
                remedy: declaring.isEmpty ? "Install a plug-in that offers it." : "Load or update that plug-in."))
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
    /// Who knows what is installed beyond what is loaded; set by the catalogue for its bundles.
    var serviceResolver: (any ServiceResolver)? {
        get { resolver.withLock { $0 } }
        set { resolver.withLock { $0 = newValue } }
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
        case .plugin(let offer): return try offer.bundle.sharedObject(offer.name, point)
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
        let code = try loadedCode()
        guard let provider = try providers(of: point, in: code).first(where: { $0.name == name }) else {
            throw unkept(name, point.name)
        }
        return try code.shared(.provider, name, at: point.name).value(of: bundlePath, point.name) {
            ServiceBox<Interface>(try provider.make())
        }
    }

    /// The one object of a C factory that is shared as a service; it is never released, because C clients keep its
    /// address.
    func sharedInstance(_ offer: ServiceOffer, _ point: String, _ version: UInt32) throws -> CInstance {
        let bundle = offer.bundle
        let code = try bundle.loadedCode()
        let factories = bundle.factories(at: point, version: version, in: code)
        guard let factory = factories.first(where: { $0.name == offer.name }) else {
            throw bundle.unkept(offer.name, point)
        }
        return try code.shared(.factory, offer.name, at: point).value(of: bundle.bundlePath, point) {
            let instance = try factory.make()
            _ = Unmanaged.passRetained(instance)
            return ServiceBox(instance)
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
}

/// One shared object, made when it is first asked for.
final class SharedObject: Sendable {
    private enum State {
        case none
        case making(LoadTicket)
        case made(AnyServiceBox)
    }

    private let state = Mutex(State.none)

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

import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// The services that the plug-ins of one worker process may use in this process: those that their Info.plist declares.
///
/// The process may request anything, so it gets numbers only for services that it was offered, and only a limited
/// number of objects at a time.
final class HostServiceDesk: ServiceDesk {
    /// How many objects of this process a worker may use at the same time.
    static let mostObjects = 10_000

    private struct Offer: Sendable {
        let source: ServiceRequest.Source
        let point: String
        let version: UInt32
    }

    private let offers = Lock<[Offer]>([])
    /// The most services that the process can be offered.
    private let most: Int
    /// Finds the bundle with a number in the process.
    private let resident: @Sendable (UInt32) -> PluginBundle?
    /// Returns a bundle's number in the process if its code runs there.
    private let number: @Sendable (PluginBundle) -> UInt32?
    /// Releases an object that the process no longer uses.
    private let release: @Sendable (UInt32) -> Void

    init(
        resident: @escaping @Sendable (UInt32) -> PluginBundle?,
        number: @escaping @Sendable (PluginBundle) -> UInt32?, release: @escaping @Sendable (UInt32) -> Void,
        most: Int = mostObjects
    ) {
        self.most = most
        self.resident = resident
        self.number = number
        self.release = release
    }

    // MARK: Finding

    func find(_ bundle: UInt32, _ point: String, _ version: UInt32, released: [UInt32]) throws -> ServiceOffer {
        for object in released { release(object) }
        guard let client = resident(bundle) else {
            throw RemoteFailure.violation("A request for a service comes from bundle \(bundle), which does not exist.")
        }
        let request = ServiceRequest(client: client, point: point, version: version, level: .swift)
        do throws(PluginError) {
            guard let source = try request.firstSource() else { return .failed(SentError(request.missing)) }
            return try offer(source, request)
        } catch {
            return .failed(SentError(error))
        }
    }

    func store(_ bundle: UInt32, _ key: String, _ value: SettingScalar?) throws -> SettingsAnswer {
        switch store(StoreRequest(number: 0, bundle: bundle, key: key, value: value)) {
        case .success(let update): return .stored(update)
        case .failure(let error): return .failed(SentError(error))
        case nil:
            throw RemoteFailure.violation("A change of a setting comes from bundle \(bundle), which does not exist.")
        }
    }

    /// Stores a value; nil if there is no bundle with the number.
    fileprivate func store(_ request: StoreRequest) -> Result<SettingsUpdate, PluginError>? {
        guard let client = resident(request.bundle) else { return nil }
        let settings = client.bundleSettings
        do {
            if let value = request.value {
                try settings.services.set(request.key, to: value)
            } else {
                try settings.services.reset(request.key)
            }
            return .success(settings.update(of: [request.key]))
        } catch {
            // The settings of this process throw no other errors.
            return .failure(error as! PluginError)
        }
    }

    private func offer(_ source: ServiceRequest.Source, _ request: ServiceRequest) throws(PluginError) -> ServiceOffer {
        let methods: [String]?
        switch source {
        case .host(let service): methods = service.methods()
        case .plugin(let plugin):
            do {
                let place = try plugin.withBundle { bundle in
                    let methods = try bundle.serviceMethods(plugin.name, request)
                    let here = number(bundle)
                    if here == nil, try bundle.loadedCode().isolated != nil { throw request.inAnotherWorker(bundle) }
                    return (here: here, methods: methods)
                }
                if let here = place.here { return .here(here, plugin.name) }
                methods = place.methods
            } catch {
                throw error as? PluginError ?? request.notRemote
            }
        }
        guard let methods else { throw request.notRemote }
        let index: Int? = offers.withLock { offers in
            let known = offers.firstIndex {
                $0.point == request.point && $0.version == request.version && $0.source.isSame(as: source)
            }
            if let known { return known }
            guard offers.count < most else { return nil }
            offers.append(Offer(source: source, point: request.point, version: request.version))
            return offers.count - 1
        }
        guard let index else { throw request.tooMany(most) }
        return .inHost(UInt32(index) + 1, methods: methods)
    }

    // MARK: Making

    /// The object behind a number that the process received.
    func servant(_ number: UInt32, of server: RemoteServer) throws -> RemoteServant {
        guard server.count < Self.mostObjects else {
            throw RemoteFailure(
                .callRefused, "The plug-in uses \(Self.mostObjects) objects of the application at once.")
        }
        if number == ServiceDeskProxy.number { return ServiceDeskProxy.interface.servant(for: self) }
        guard let offer = offers.withLock({ number <= $0.count ? $0[Int(number) - 1] : nil }) else {
            throw RemoteFailure.violation("A message refers to service \(number), which was not offered.")
        }
        do {
            guard let servant = try servant(offer) else {
                throw RemoteFailure(.notRemote, "The service at \(quoted(offer.point)) has no remote interface.")
            }
            return servant
        } catch let error as PluginError {
            throw PluginFailure(error.findings[0].message, remedy: error.findings[0].remedy)
        }
    }

    private func servant(_ offer: Offer) throws -> RemoteServant? {
        switch offer.source {
        case .host(let service):
            try service.servant(service.shared.box(of: PluginBundle.main.bundlePath, offer.point, service.make))
        case .plugin(let plugin):
            try plugin.withBundle { try $0.serviceServant(plugin.name, offer.point, offer.version) }
        }
    }
}

extension ServiceRequest.Source {
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.host(let one), .host(let other)): one === other
        case (.plugin(let one), .plugin(let other)): one.name == other.name && one.place == other.place
        default: false
        }
    }
}

extension PluginService {
    /// The path that identifies its owner.
    fileprivate var place: String {
        switch owner {
        case .bundle(let bundle): bundle.bundlePath
        case .plugin(let plugin): plugin.bundlePath
        }
    }
}

extension ServiceRequest {
    /// The error for a service in another worker.
    ///
    /// Only the application and its workers have connections; workers have none with one another.
    fileprivate func inAnotherWorker(_ bundle: PluginBundle) -> PluginError {
        PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(
                .notRemote, filePath: client.manifestPath, subject: point,
                message: """
                    The service at \(quoted(point)) comes from \(quoted(bundle.originalPath)), which runs in another worker \
                    process, and two worker processes do not call each other.
                    """,
                remedy: """
                    Let both plug-ins share a worker (IsolationPolicy.group; they must be in the same folder), or let the one \
                    that offers the service run in the application's process.
                    """))
    }

    /// The error if the process was offered as many services as it can be.
    ///
    /// Each build of a plug-in that is replaced while it runs counts as another service.
    fileprivate func tooMany(_ most: Int) -> PluginError {
        PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(
                .callRefused, filePath: client.manifestPath, subject: point,
                message: """
                    The worker process of the plug-in has already been offered \(most) services of the application, so it does \
                    not get the one at \(quoted(point)).
                    """,
                remedy: "End the worker, or restart the application: a new process begins with none."))
    }

    fileprivate var notRemote: PluginError {
        PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(
                .notRemote, filePath: client.manifestPath, subject: point,
                message: """
                    The plug-in runs in a process of its own, and the service at \(quoted(point)) cannot be used from \
                    there.
                    """,
                remedy: """
                    Let the extension point have a remote interface, and let the service run in the application's process \
                    or in the same group.
                    """))
    }
}

extension PluginBundle {
    /// The names of a service's requirements, for another process; nil if the service cannot be used from another
    /// process.
    fileprivate func serviceMethods(_ name: String, _ request: ServiceRequest) throws -> [String]? {
        try serviceProvider(name, request.point, request.version, in: try loadedCode())?.remoteMethods
    }

    private func serviceProvider(
        _ name: String, _ point: String, _ version: UInt32, in code: LoadedCode
    ) throws -> AnyProvider? {
        let offered = code.registrations.providers.filter { $0.pointName == point && $0.pointVersion == version }
        return offered.first { $0.name == name } ?? offered.first
    }

    /// The shared object of a provider in this process, for another process.
    fileprivate func serviceServant(_ name: String, _ point: String, _ version: UInt32) throws -> RemoteServant? {
        while true {
            let code = try loadedCode()
            guard let provider = try serviceProvider(name, point, version, in: code), code.isolated == nil else {
                return nil
            }
            guard let shared = code.shared(.provider, provider.name, at: point) else { continue }
            return try servant(of: provider, as: provider.interface, shared, in: code)
        }
    }

    private func servant<Interface>(
        of provider: AnyProvider, as interface: Interface.Type, _ shared: SharedObject, in code: LoadedCode
    ) throws -> RemoteServant? {
        // TypedProvider<I> sets `interface` to I, so the class is always the right one.
        let remote = unsafeDowncast(provider, to: TypedProvider<Interface>.self).makeRemote()
        guard let remote else { return nil }
        let point = ExtensionPoint<Interface>(provider.pointName, version: provider.pointVersion)
        let typed = try typed(provider, of: point, in: code)
        let box = try shared.box(of: bundlePath, point.name) { ServiceBox<Interface>(try typed.make()) }
        return remote.servant(for: unsafeDowncast(box, to: ServiceBox<Interface>.self).value)
    }
}

extension PluginBundle {
    /// Lets the plug-ins of a worker use services of this process.
    func provideServices(to worker: PluginWorker) {
        let desk = HostServiceDesk(
            resident: { [weak worker] in worker?.bundle(numbered: $0) },
            number: { [weak worker] bundle in bundle.codeState.load.withLock(\.mappedCode)?.isolated?.number(in: worker)
            },
            release: { [weak worker] in worker?.services.server.release($0) })
        worker.services.provide({ number, server in try desk.servant(number, of: server) }, store: desk.store)
    }
}

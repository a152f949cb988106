import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// The services of the host, in a worker process.
final class RemoteServices: Sendable {
    private static let current = Lock<RemoteServices?>(nil)

    /// The services for this process; nil unless it is a worker.
    static var shared: RemoteServices? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private struct State {
        var desk: (any ServiceDesk)?
        var released: [UInt32] = []
    }

    private let state = Lock(State())
    private let connection: any RemoteConnection
    /// The host's number for a bundle.
    private let number: @Sendable (PluginBundle) -> UInt32?
    private let bundle: @Sendable (UInt32) -> PluginBundle?
    /// Stores a value of a setting while no call of the host is under way on this thread.
    private let store: @Sendable (PluginBundle, String, SettingScalar?) throws -> SettingsAnswer

    init(
        over connection: any RemoteConnection, number: @escaping @Sendable (PluginBundle) -> UInt32?,
        bundle: @escaping @Sendable (UInt32) -> PluginBundle?,
        store: @escaping @Sendable (PluginBundle, String, SettingScalar?) throws -> SettingsAnswer
    ) {
        self.store = store
        self.connection = connection
        self.number = number
        self.bundle = bundle
    }

    /// Records that an object of the host is no longer used.
    ///
    /// The next request reports it to the host.
    func release(_ object: UInt32) { state.withLock { $0.released.append(object) } }

    /// The service that the host chooses for a bundle of this process.
    func service<Interface: Sendable>(
        _ point: ExtensionPoint<Interface>, for client: PluginBundle
    ) throws -> Interface {
        guard let number = number(client) else { throw missing(point.name, client) }
        switch try find(number, point.name, point.version) {
        case .none: throw missing(point.name, client)
        case .failed(let error): throw error.error(of: client)
        case .here(let number, let name):
            guard let bundle = bundle(number) else { throw missing(point.name, client) }
            return try bundle.sharedObject(name, point)
        case .inHost(let number, let methods):
            guard let interface = point.remote else {
                throw RemoteFailure(.notRemote, "The extension point \(quoted(point.name)) has no remote interface.")
            }
            return try interface.make(number, methods: methods, over: connection)
        }
    }

    /// Asks the host, and reports the objects that are no longer used.
    private func find(_ client: UInt32, _ point: String, _ version: UInt32) throws -> ServiceOffer {
        let desk = try desk()
        let released = state.withLock { state in
            defer { state.released = [] }
            return state.released
        }
        // Not reported again if this fails: the host may have done its part, and given their numbers to other objects.
        return try desk.find(client, point, version, released: released)
    }

    /// Stores a value of a bundle's settings; nil removes the user's.
    ///
    /// - Returns: the values after the change.
    /// - Throws: why nothing was changed.
    func store(_ key: String, _ value: SettingScalar?, for client: PluginBundle) throws -> SettingsUpdate {
        switch try answer(key, value, for: client) {
        case .stored(let update): return update
        case .failed(let error): throw error.error(of: client)
        }
    }

    private func answer(_ key: String, _ value: SettingScalar?, for client: PluginBundle) throws -> SettingsAnswer {
        guard let number = number(client) else { return try store(client, key, value) }
        do {
            return try desk().store(number, key, value)
        } catch let failure as RemoteFailure where failure.code == .callRefused {
            // The plug-in's own thread, or the thread that unloads it.
            return try store(client, key, value)
        }
    }

    private func desk() throws -> any ServiceDesk {
        if let known = state.withLock({ $0.desk }) { return known }
        // Both sides are the same library, so they have the same methods.
        let interface = ServiceDeskProxy.interface
        let new = try interface.make(ServiceDeskProxy.number, methods: interface.methodNames, over: connection)
        return state.withLock { state in
            state.desk = state.desk ?? new
            return state.desk!
        }
    }

    private func missing(_ point: String, _ client: PluginBundle) -> PluginError {
        PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(.serviceMissing, subject: point, message: "Nobody offers the service \(quoted(point))."))
    }
}

import HostBasics
import HostRecords
@_spi(PluginHost) public import PluginABI
import Synchronization

/// A service that the application itself provides to plug-ins.
///
/// **Threads.** Any.
public final class HostService: Sendable {
    /// The name, for messages.
    public let name: String
    /// Lower comes first.
    public let order: Int
    let point: String
    let version: UInt32
    let interface: any Any.Type
    let make: @Sendable () throws -> AnyServiceBox
    let shared = SharedObject()
    /// The names of the interface's requirements, for another process; nil if the point is not remote.
    let methods: @Sendable () -> [String]?
    /// Makes the object usable from another process.
    let servant: @Sendable (AnyServiceBox) throws -> RemoteServant?

    init<Interface: Sendable>(
        _ point: ExtensionPoint<Interface>, name: String, order: Int, make: @escaping @Sendable () throws -> Interface
    ) {
        self.name = name
        self.order = order
        self.point = point.name
        version = point.version
        interface = Interface.self
        self.make = { ServiceBox(try make()) }
        methods = { point.remote?.methodNames }
        servant = { point.remote?.servant(for: unsafeDowncast($0, to: ServiceBox<Interface>.self).value) }
    }

    /// The closure and everything that it captures belong to the application.
    deinit { HeldLocks.keep(make) }

    /// Withdraws the service.
    ///
    /// Plug-ins that already have the object keep it.
    public func withdraw() { HostServices.shared.remove(self) }

    func otherInterface(_ wanted: Any.Type) -> PluginError {
        PluginError(
            bundlePath: PluginBundle.main.bundlePath,
            PluginFinding(
                .duplicateABI, subject: point,
                message: """
                    The application's service \(quoted(name)) at \(quoted(point)) is a \
                    \(quoted(String(reflecting: interface))) of another copy of the module than the \
                    \(quoted(String(reflecting: wanted))) that the plug-in requests.
                    """,
                remedy: OwnCopyRemedy.text))
    }
}

extension HostEnvironment {
    /// Provides a service of the application to plug-ins.
    ///
    /// They get it with `context.service(_:)`, like a service of another plug-in.
    ///
    /// ```swift
    /// HostEnvironment.provide(.spelling, named: "system") { SystemSpelling() }
    /// ```
    /// - Parameters:
    ///   - point: the extension point, declared in the application's API.
    ///   - name: a name for messages.
    ///   - order: if several services are registered for the point, the one with the lowest order is used. If several
    ///     have the lowest order, the application's service is used.
    ///   - make: creates the object once, at the first request, on the thread of the plug-in that requests it, with no
    ///     lock held.
    /// - Returns: the registered service, to withdraw it.
    @discardableResult
    public static func provide<Interface: Sendable>(
        _ point: ExtensionPoint<Interface>, named name: String, order: Int = 0,
        _ make: @escaping @Sendable () throws -> Interface
    ) -> HostService {
        let service = HostService(point, name: name, order: order, make: make)
        HostServices.shared.add(service)
        return service
    }
}

/// The services of the application, in the order in which they were registered.
final class HostServices: Sendable {
    static let shared = HostServices()

    private let services = Lock<[HostService]>([])

    func add(_ service: HostService) {
        services.withLock { $0.append(service) }
        ApplicationRecorder.shared.noteService(service.point, service.version)
    }

    func remove(_ service: HostService) { services.withLock { $0.removeAll { $0 === service } } }

    func services(at point: String, version: UInt32) -> [HostService] {
        services.withLock { $0.filter { $0.point == point && $0.version == version } }
    }
}

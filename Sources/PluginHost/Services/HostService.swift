@_spi(PluginHost) public import PluginABI
import Synchronization

/// A service that the application itself offers to plug-ins.
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

    init<Interface: Sendable>(
        _ point: ExtensionPoint<Interface>, name: String, order: Int, make: @escaping @Sendable () throws -> Interface
    ) {
        self.name = name
        self.order = order
        self.point = point.name
        version = point.version
        interface = Interface.self
        self.make = { ServiceBox(try make()) }
    }

    /// What the closure holds is the application's.
    deinit { HeldLocks.keep(make) }

    /// Offers it no longer. Plug-ins that have the object keep it.
    public func withdraw() { HostServices.shared.remove(self) }

    func otherInterface(_ wanted: Any.Type) -> PluginError {
        PluginError(
            bundlePath: PluginBundle.main.bundlePath,
            PluginFinding(
                .duplicateABI, subject: point,
                message: """
                    The application's service \(quoted(name)) at \(quoted(point)) is a \
                    \(quoted(String(reflecting: interface))) of another copy of the module than the \
                    \(quoted(String(reflecting: wanted))) that the plug-in asks for.
                    """,
                remedy: OwnCopyRemedy.text))
    }
}

extension HostEnvironment {
    /// Offers a service of the application to plug-ins: they get it by `context.service(_:)` as they get one of another
    /// plug-in.
    ///
    /// ```swift
    /// HostEnvironment.provide(.spelling, named: "system") { SystemSpelling() }
    /// ```
    /// - Parameters:
    ///   - point: the extension point, declared by the application's API.
    ///   - name: a name for messages.
    ///   - order: of several offers at the point the one of the lowest order is given; of equal ones the application's.
    ///   - make: makes the object, once, when the first plug-in asks, on its thread, with no lock held.
    /// - Returns: the offer, to withdraw it.
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

/// What the application offers, in the order in which it was offered.
final class HostServices: Sendable {
    static let shared = HostServices()

    private let services = Lock<[HostService]>([])

    func add(_ service: HostService) { services.withLock { $0.append(service) } }

    func remove(_ service: HostService) { services.withLock { $0.removeAll { $0 === service } } }

    func services(at point: String, version: UInt32) -> [HostService] {
        services.withLock { $0.filter { $0.point == point && $0.version == version } }
    }
}

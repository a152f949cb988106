/// How objects at an extension point are used from another process: the proxy that stands for one, and what is done there
/// for each requirement.
///
/// The command `pluginhost remote` writes it beside the proxy class. An extension point gets it as
/// ``ExtensionPoint/remote``. Then a plug-in at this point can run in a process of its own; neither host nor plug-in needs
/// other code. Each requirement of the interface throws, because the other process can end during any call, or is a
/// property that never changes.
/// ```swift
/// public static let interface = RemoteInterface<any TextFilter>(
///     proxy: { TextFilterProxy($0) },
///     methods: [
///         RemoteMethod("begin(_:)") { try $0.begin($1) },
///         RemoteMethod("filter(_:)") { try $0.filter($1) },
///     ])
/// ```
public final class RemoteInterface<Interface>: Sendable {
    private let proxy: @Sendable (RemoteObject) -> Interface
    private let methods: [RemoteMethod<Interface>]

    /// - Parameters:
    ///   - proxy: creates a proxy.
    ///   - methods: the requirements, in the order of the numbers that the proxy uses.
    /// - Precondition: the names of the methods are different.
    public init(proxy: @escaping @Sendable (RemoteObject) -> Interface, methods: [RemoteMethod<Interface>]) {
        self.proxy = proxy
        self.methods = methods
        precondition(
            Set(methods.map(\.name)).count == methods.count, "two methods of a RemoteInterface have the same name")
    }

    /// The names of the requirements, for the other process.
    @_spi(PluginHost)
    public var methodNames: [String] { methods.map(\.name) }

    /// Makes an object usable for the other process.
    ///
    /// - Parameter object: the object; it is used on the threads that serve the other process, in the order in which
    ///   that process calls it.
    /// - Returns: the object as a server offers it.
    @_spi(PluginHost)
    public func servant(for object: Interface) -> RemoteServant {
        // Its interface decides which threads may use it. The other process keeps to that, or is at fault as a caller
        // in this one would be.
        nonisolated(unsafe) let object = object
        let calls = methods.map { method -> RemoteServant.Call? in
            guard case .method(let call) = method.role else { return nil }
            return { try call(object, &$0) }
        }
        return RemoteServant(calls: calls) { [methods] in
            try methods.compactMap { method in
                guard case .constant(let write, _) = method.role else { return nil }
                return (method.name, try MessageBytes.written { try write(object, &$0) })
            }
        }
    }

    /// Creates an object in the other process, and its proxy here.
    ///
    /// - Parameters:
    ///   - provider: the number of the provider there.
    ///   - names: the names of the requirements that it has there.
    ///   - connection: the connection with the process.
    /// - Returns: the proxy.
    /// - Throws: the error of the plug-in; ``RemoteFailure`` of code `interfaceMismatch`, which names all requirements
    ///   that are missing there.
    @_spi(PluginHost)
    public func make(
        _ provider: UInt32, methods names: [String], over connection: any RemoteConnection
    ) throws -> Interface {
        let numbers = try numbers(among: names)
        var created: (object: UInt32, constants: [String: [UInt8]])?
        try connection.request(RemoteHead(.create, method: provider)) { _ in
        } read: { reader in
            created = (try reader.next(), try reader.next())
        }
        // request() has read the answer, or has thrown.
        let (object, values) = created!
        do {
            return proxy(
                RemoteObject(
                    object, over: connection, numbers: numbers, names: methodNames,
                    constants: try methods.map { method in
                        guard case .constant(_, let read) = method.role else { return nil }
                        guard let value = values[method.name] else { throw mismatch([method.name]) }
                        return try MessageBytes.read(value, read)
                    }))
        } catch {
            connection.release(object)
            if let failure = error as? RemoteFailure, failure.code == .protocolViolation {
                connection.violated(failure, on: nil)
            }
            throw error
        }
    }

    /// For each requirement here, its number in the other process.
    private func numbers(among names: [String]) throws -> [UInt32] {
        let known = Dictionary(zip(names, UInt32(0)...)) { first, _ in first }
        let missing = methods.filter { known[$0.name] == nil }
        guard missing.isEmpty else { throw mismatch(missing.map(\.name)) }
        return methods.map { known[$0.name]! }
    }

    private func mismatch(_ names: [String]) -> RemoteFailure {
        RemoteFailure(
            .interfaceMismatch,
            "The plug-in was compiled for a “\(Interface.self)” without \(names.map { "“\($0)”" }.joined(separator: ", ")).",
            remedy: """
                Build the plug-in against the application's current API. The API's author should give the extension point \
                a new version whenever its interface changes.
                """)
    }
}

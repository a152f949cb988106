/// How objects at an extension point are used from another process: the proxy that represents an object, and the code
/// that performs each method.
///
/// The command `pluginhost remote` generates this together with the proxy class. An extension point offers it as
/// ``ExtensionPoint/remote``. A plug-in at this point can then run in a worker; neither host nor plug-in needs any
/// other code. Each requirement of the interface must be a function that throws, because the other process can end
/// during any call, or a property that never changes.
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
    /// - Precondition: no two methods have the same name.
    public init(proxy: @escaping @Sendable (RemoteObject) -> Interface, methods: [RemoteMethod<Interface>]) {
        self.proxy = proxy
        self.methods = methods
        precondition(
            Set(methods.map(\.name)).count == methods.count, "two methods of a RemoteInterface have the same name")
    }

    /// The names of the requirements, for the other process.
    @_spi(PluginHost)
    public var methodNames: [String] { methods.map(\.name) }

    /// Makes an object usable by the other process.
    ///
    /// - Parameter object: the object; it is used on the threads that serve the other process, in the order of that
    ///   process's calls.
    /// - Returns: the object as a server offers it.
    @_spi(PluginHost)
    public func servant(for object: Interface) -> RemoteServant {
        // The interface determines which threads may use the object. If the other process breaks that rule, it is at
        // fault, as a caller in this process would be.
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
    ///   - provider: the number of the provider in the other process.
    ///   - names: the names of the requirements in the other process.
    ///   - connection: the connection with the process.
    /// - Returns: the proxy.
    /// - Throws: the error of the plug-in; ``RemoteFailure`` with code `interfaceMismatch`, which names all
    ///   requirements that the other process lacks.
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

    /// The number in the other process for each requirement here.
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

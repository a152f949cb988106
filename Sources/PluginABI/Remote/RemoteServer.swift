import Synchronization

/// An object that another process may use.
@_spi(PluginHost)
public final class RemoteServant: Sendable {
    /// Performs a method: reads the arguments, calls it, and sends the result.
    typealias Call = @Sendable (inout RemoteReader) throws -> Void

    /// The calls, by the numbers of the methods; nil for a constant.
    let calls: [Call?]
    let constants: @Sendable () throws -> [(name: String, value: [UInt8])]

    init(
        calls: [Call?],
        constants: @escaping @Sendable () throws -> [(name: String, value: [UInt8])]
    ) {
        self.calls = calls
        self.constants = constants
    }
}

/// The objects of this process that another process may use, by their numbers.
///
/// **Threads.** Any.
@_spi(PluginHost)
public final class RemoteServer: Sendable {
    private struct State {
        var servants: [UInt32: RemoteServant] = [:]
        var last: UInt32 = 0
    }

    /// Not the host's lock, for the reason given in `PluginRegistrar`; nothing is released under it.
    private let state = ObservedMutex(State())
    private let makeServant: @Sendable (_ provider: UInt32) throws -> RemoteServant
    private let nested = Atomic(0)

    /// - Parameter make: creates an object for the other process, using the provider with the given number.
    public init(make: @escaping @Sendable (_ provider: UInt32) throws -> RemoteServant) {
        makeServant = make
    }

    /// How many objects the other process is using.
    public var count: Int { state.withLock(\.servants.count) }

    /// How many requests of the other process were served while it performed a request of this process; includes
    /// callbacks.
    var nestedRequests: Int { nested.load(ordering: .relaxed) }

    func countNestedRequest() { nested.add(1, ordering: .relaxed) }

    /// Serves the requests that arrive over a channel, until no message comes.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - connection: the connection to which it belongs.
    /// - Throws: the reason why no message comes.
    public func serve(_ channel: any RemoteChannel, of connection: any RemoteConnection) throws -> Never {
        var exchange = RemoteExchange(over: connection, on: channel)
        try exchange.serve()
    }

    /// Releases an object that the other process no longer uses.
    ///
    /// A number that is not in use has no effect.
    public func release(_ object: UInt32) {
        let servant = state.withLock { $0.servants.removeValue(forKey: object) }
        withExtendedLifetime(servant) {}
    }

    /// Calls a method and sends its result.
    func call(_ object: UInt32, _ method: UInt32, _ reader: inout RemoteReader) throws {
        guard let servant = state.withLock({ $0.servants[object] }) else {
            throw RemoteFailure.violation("A message refers to object \(object), which does not exist.")
        }
        guard method < servant.calls.count, let call = servant.calls[Int(method)] else {
            throw RemoteFailure.violation("A message refers to method \(method), which the interface does not have.")
        }
        try withExtendedLifetime(servant) { try call(&reader) }
    }

    /// Creates an object and sends its number and its constants.
    func create(_ provider: UInt32, _ reader: inout RemoteReader) throws {
        let call = try reader.perform()
        let servant = try makeServant(provider)
        let constants = try servant.constants()
        let number = add(servant)
        do {
            try call.reply { writer in
                try writer.write(number)
                try writer.write(Dictionary(uniqueKeysWithValues: constants.map { ($0.name, $0.value) }))
            }
        } catch {
            release(number)
            throw error
        }
    }

    private func add(_ servant: RemoteServant) -> UInt32 {
        state.withLock { state in
            repeat { state.last &+= 1 } while state.last == 0 || state.servants[state.last] != nil
            state.servants[state.last] = servant
            return state.last
        }
    }
}

import Synchronization

/// An object in another process, as its proxy has it.
///
/// The code that `pluginhost remote` writes uses it: a proxy conforms to the application's interface, and passes each call
/// on. When the last reference is released, the other process releases its object.
///
/// **Threads.** As the interface allows for the object itself.
public final class RemoteObject: Sendable {
    private let connection: any RemoteConnection
    private let number: UInt32
    /// For each method of the interface, its number in the other process.
    private let numbers: [UInt32]
    private let names: [String]
    /// For each method of the interface its value, if it is a constant.
    private let constants: [(any Sendable)?]
    /// The number of its ``CallHistory``.
    private let history = Atomic<UInt64>(CallHistory.none.rawValue)

    init(
        _ number: UInt32, over connection: any RemoteConnection, numbers: [UInt32], names: [String],
        constants: [(any Sendable)?]
    ) {
        self.connection = connection
        self.number = number
        self.numbers = numbers
        self.names = names
        self.constants = constants
    }

    deinit { connection.release(number) }

    /// The error for a proxy's initialiser `init(context:)`, which the protocol ``Plugin`` requires and nobody calls.
    public static var isNoPlugin: any Error {
        PluginFailure("A proxy stands for an object in another process, and cannot be created by itself.")
    }

    /// Calls a method that has a result.
    ///
    /// If it is called in a task, cancelling the task cancels the call: the method learns it from
    /// ``PluginCall/isCancelled``.
    ///
    /// - Parameters:
    ///   - method: the number of the method in the ``RemoteInterface``.
    ///   - argument: the arguments.
    /// - Returns: the result.
    /// - Throws: the error of the method, if it is a ``PluginFailure``; otherwise an error that states the failure.
    @inlinable
    public func call<Result: RemoteValue, each Argument: RemoteValue>(
        _ method: Int, _ argument: repeat each Argument
    ) throws -> Result {
        var result: Result?
        try request(method) { writer in
            repeat try writer.write(each argument)
        } read: { reader in
            result = try reader.next(Result.self)
        }
        // request() has read the answer, or has thrown.
        return result!
    }

    /// Calls a method without a result.
    ///
    /// - Parameters:
    ///   - method: the number of the method in the ``RemoteInterface``.
    ///   - argument: the arguments.
    /// - Throws: as for a method with a result.
    @inlinable
    public func call<each Argument: RemoteValue>(_ method: Int, _ argument: repeat each Argument) throws {
        try request(method) { writer in
            repeat try writer.write(each argument)
        } read: { _ in
        }
    }

    /// Calls an asynchronous method that has a result.
    ///
    /// Cancelling the task cancels the call: the method learns it from ``PluginCall/isCancelled``.
    ///
    /// - Parameters:
    ///   - method: the number of the method in the ``RemoteInterface``.
    ///   - argument: the arguments.
    /// - Returns: the result.
    /// - Throws: as for a method that is not asynchronous.
    public func callAsync<Result: RemoteValue, each Argument: RemoteValue>(
        _ method: Int, _ argument: repeat each Argument
    ) async throws -> Result {
        // The task waits, so nobody else uses the arguments while the other thread writes them.
        nonisolated(unsafe) let arguments = (repeat each argument)
        return try await onOtherThread { try self.call(method, repeat each arguments) }
    }

    /// Calls an asynchronous method without a result.
    ///
    /// - Parameters:
    ///   - method: the number of the method in the ``RemoteInterface``.
    ///   - argument: the arguments.
    /// - Throws: as for a method that is not asynchronous.
    public func callAsync<each Argument: RemoteValue>(_ method: Int, _ argument: repeat each Argument) async throws {
        nonisolated(unsafe) let arguments = (repeat each argument)
        try await onOtherThread { try self.call(method, repeat each arguments) }
    }

    /// The value of a property that never changes; it came with the object.
    ///
    /// - Parameter index: the number of the property in the ``RemoteInterface``.
    /// - Returns: the value.
    /// - Precondition: the property was declared with ``RemoteMethod/constant(_:_:)`` and this type.
    public func constant<Value: RemoteValue & Sendable>(_ index: Int) -> Value {
        guard let value = constants[index] as? Value else {
            preconditionFailure("“\(names[index])” is not a constant of the type \(Value.self) in its RemoteInterface.")
        }
        return value
    }

    @usableFromInline
    func request(
        _ method: Int, write: (inout RemoteWriter) throws -> Void, read: (inout RemoteReader) throws -> Void
    ) throws {
        let before = CallHistory(rawValue: history.load(ordering: .relaxed))
        var after = CallHistory.unknown
        let server = connection.server
        let served = server.nestedRequests
        do {
            if connection.checksCalls {
                after = try connection.check(names[method], after: before) { MessageBytes.digest(write) }
            }
            history.store(after.rawValue, ordering: .relaxed)
            try connection.request(
                RemoteHead(.call, object: number, method: numbers[method]), write: write, read: read)
            if after != .unknown, server.nestedRequests != served {
                history.store(CallHistory.unknown.rawValue, ordering: .relaxed)
            }
        } catch {
            // What the method got from this process decides what it does as well as its arguments.
            let isKnown = server.nestedRequests == served
            throw connection.error(error, from: names[method], after: isKnown ? before : .unknown) {
                MessageBytes.digest(write)
            }
        }
    }

    /// Runs a call on a thread that may wait, and cancels the call with the task.
    private func onOtherThread<Result>(_ call: @escaping @Sendable () throws -> Result) async throws -> Result {
        let cancellation = CallCancellation()
        let served = CallScope.call(over: connection)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                connection.start {
                    let result = Swift.Result {
                        try CallScope.run(CallScope(call: served, cancellation: cancellation), call)
                    }
                    continuation.resume(returning: Handover(value: result))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try answer.value.get()
    }

    /// A value that one thread makes and another takes.
    private struct Handover<Value>: @unchecked Sendable {
        // @unchecked because only one thread has it at a time.
        let value: Value
    }
}

extension RemoteConnection {
    /// Makes a request: inside of the conversation that this thread has with the other side, if it has one.
    func request(
        _ head: RemoteHead, write: (inout RemoteWriter) throws -> Void, read: (inout RemoteReader) throws -> Void
    ) throws {
        if let call = CallScope.call(over: self), call.takeTurn() {
            defer { call.giveTurnBack() }
            var exchange = RemoteExchange(over: self, on: call.channel, depth: call.depth)
            return try exchange.request(head, write: write, read: read)
        }
        let channel = try open()
        let cancellation = CallScope.current?.pointee.cancellation
        cancellation?.use(channel)
        defer {
            cancellation?.use(nil)
            close(channel)
        }
        var exchange = RemoteExchange(over: self, on: channel)
        try exchange.request(head, write: write, read: read)
    }
}

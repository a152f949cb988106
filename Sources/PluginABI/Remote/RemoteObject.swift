import Synchronization

/// The proxy's reference to an object in another process.
///
/// The code that `pluginhost remote` generates uses it: a proxy conforms to the application's interface, and forwards
/// each call to this object. When the last reference is released, the other process releases its object.
///
/// **Threads.** As the interface allows for the original object.
public final class RemoteObject: Sendable {
    private let connection: any RemoteConnection
    private let number: UInt32
    /// The number in the other process for each method of the interface.
    private let numbers: [UInt32]
    private let names: [String]
    /// The value of each method of the interface that is a constant; nil for the others.
    private let constants: [(any Sendable)?]
    /// The ``CallHistory``, as its number.
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

    /// The error for a proxy's initialiser `init(context:)`, which the protocol ``Plugin`` requires, but which is never
    /// called.
    public static var isNoPlugin: any Error {
        PluginFailure("A proxy stands for an object in another process, and cannot be created by itself.")
    }

    /// Calls a method that has a result.
    ///
    /// If it is called in a task, cancelling the task cancels the call: the method sees this in
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
    /// - Throws: same errors as for a method with a result.
    @inlinable
    public func call<each Argument: RemoteValue>(_ method: Int, _ argument: repeat each Argument) throws {
        try request(method) { writer in
            repeat try writer.write(each argument)
        } read: { _ in
        }
    }

    /// Calls an asynchronous method that has a result.
    ///
    /// Cancelling the task cancels the call: the method sees this in ``PluginCall/isCancelled``.
    ///
    /// - Parameters:
    ///   - method: the number of the method in the ``RemoteInterface``.
    ///   - argument: the arguments.
    /// - Returns: the result.
    /// - Throws: same errors as for a synchronous method.
    public func callAsync<Result: RemoteValue, each Argument: RemoteValue>(
        _ method: Int, _ argument: repeat each Argument
    ) async throws -> Result {
        // The task waits, so nothing else uses the arguments while the other thread writes them.
        nonisolated(unsafe) let arguments = (repeat each argument)
        return try await onOtherThread { try self.call(method, repeat each arguments) }
    }

    /// Calls an asynchronous method without a result.
    ///
    /// - Parameters:
    ///   - method: the number of the method in the ``RemoteInterface``.
    ///   - argument: the arguments.
    /// - Throws: same errors as for a synchronous method.
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
            // The effect of the method depends on its arguments and also on what it received from this process.
            let isKnown = server.nestedRequests == served
            throw connection.error(error, from: names[method], after: isKnown ? before : .unknown) {
                MessageBytes.digest(write)
            }
        }
    }

    /// Runs a call on a thread that may block, and cancels the call if the task is cancelled.
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

    /// A value that one thread passes to another.
    private struct Handover<Value>: @unchecked Sendable {
        // @unchecked because only one thread has it at a time.
        let value: Value
    }
}

extension RemoteConnection {
    /// Makes a request.
    ///
    /// If this thread already has a conversation with the other side, the request is part of that conversation.
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

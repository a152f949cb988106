import Synchronization

/// One request of this process over a channel, and everything that the other side requests until it answers.
///
/// A call and its callbacks nest as within one process, on one thread of each side and over one channel: a callback may
/// call the object again, whose method may call another callback.
struct RemoteExchange {
    let connection: any RemoteConnection
    let channel: any RemoteChannel
    /// How many requests of the other side are in progress on this side of the channel.
    let depth: Int

    private var callbacks: [RemoteCallbackBody] = []
    /// Whether this side has made a request.
    ///
    /// If so, an error that it sends may come back as the answer.
    private var isRequest = false
    /// The errors that were sent to the other side and may come back, by their numbers.
    private var sentErrors: [UInt32: any Error] = [:]
    /// The last served request of the other side; its object is reused for the next request.
    private var lastServed: ServedCall?

    /// How deeply requests of two processes may be nested.
    static let depthLimit = 50

    init(over connection: any RemoteConnection, on channel: any RemoteChannel, depth: Int = 0) {
        self.connection = connection
        self.channel = channel
        self.depth = depth
    }

    /// Sends a request, serves what the other side requests, and reads the answer.
    ///
    /// - Throws: the error of the other side; ``RemoteFailure``; the reason why the other side cannot be reached.
    mutating func request(
        _ head: RemoteHead, write: (inout RemoteWriter) throws -> Void, read: (inout RemoteReader) throws -> Void
    ) throws {
        var passed: [RemoteCallbackBody] = []
        try channel.send(head) { writer in
            writer.output.takesCallbacks = true
            try write(&writer)
            passed = writer.output.callbacks
        }
        callbacks = passed
        isRequest = true
        while true {
            var failure: Failure?
            var isAnswered = false
            try Self.receive(connection, channel) { head, reader in
                switch RemoteHead.Kind(rawValue: head.kind) {
                case .returned:
                    try decoding(&reader, read)
                    isAnswered = true
                case .threw:
                    let thrown = try decoding(&reader, ThrownError.read)
                    throw (thrown as? RemoteFailure).flatMap { sentErrors[$0.origin] } ?? thrown
                default: failure = try serve(head, &reader)
                }
            }
            if isAnswered { return }
            if let failure { try answer(failure) }
        }
    }

    /// Serves requests of the other side until no message comes.
    ///
    /// - Throws: the reason why no message comes.
    mutating func serve() throws -> Never {
        while true {
            var failure: Failure?
            try Self.receive(connection, channel) { head, reader in failure = try serve(head, &reader) }
            if let failure { try answer(failure) }
        }
    }

    // MARK: Requests of the other side

    /// The error that answers a request.
    private enum Failure {
        case thrown(any Error)
        /// The request did not have the required form.
        case violation(RemoteFailure)
    }

    /// Performs a request and answers it.
    ///
    /// The message is completely received before the plug-in's code runs, so the channel is free for the answer.
    ///
    /// - Returns: the error with which to answer; nil if the result was sent.
    /// - Throws: a ``Violation`` for a message that is not a request; the reason why the result cannot be sent. The
    ///   conversation cannot continue after either.
    private mutating func serve(_ head: RemoteHead, _ reader: inout RemoteReader) throws -> Failure? {
        let call = takeCall()
        reader.input.call = call
        do {
            guard depth < Self.depthLimit else { throw Self.tooDeep }
            let (server, callbacks) = (connection.server, callbacks)
            if isRequest { server.countNestedRequest() }
            try CallScope.run(CallScope(call: call)) {
                switch RemoteHead.Kind(rawValue: head.kind) {
                case .call: try server.call(head.object, head.method, &reader)
                case .create: try server.create(head.method, &reader)
                case .callback:
                    guard head.method < callbacks.count else {
                        throw RemoteFailure.violation(
                            "A message refers to callback \(head.method), but the call has \(callbacks.count).")
                    }
                    try callbacks[Int(head.method)](&reader)
                case .returned, .threw, nil: throw OutOfOrder()
                }
            }
            reader.input.call = nil
            lastServed = call
            return nil
        } catch {
            reader.input.call = nil
            switch call.progress {
            case .answered: throw error
            case .performing:
                call.close()
                return .thrown(error)
            case .reading:
                call.close()
                if error is OutOfOrder {
                    throw Violation(.violation("A message of kind \(head.kind) comes where a request is expected."))
                }
                return failure(for: error, reader.input)
            }
        }
    }

    private struct OutOfOrder: Error {}

    /// The failure of a request whose values cannot be read.
    private func failure(for error: any Error, _ input: RemoteInput) -> Failure {
        switch reading(error, input) {
        case let violation as Violation: .violation(violation.failure)
        case let error: .thrown(error)
        }
    }

    /// An object for a served call: the previous one if nothing else refers to it, otherwise a new one.
    private mutating func takeCall() -> ServedCall {
        if isKnownUniquelyReferenced(&lastServed), let call = lastServed.take() {
            call.begin()
            return call
        }
        return ServedCall(connection: connection, channel: channel, depth: depth + 1)
    }

    private static var tooDeep: RemoteFailure {
        RemoteFailure(
            .callRefused, "Calls between two processes are nested more than \(depthLimit) levels deep.",
            remedy: "Return from a callback before the next call.")
    }

    private mutating func answer(_ failure: Failure) throws {
        switch failure {
        case .violation(let violation):
            connection.violated(violation, on: channel)
            try answer(violation)
        case .thrown(let error): try answer(error)
        }
    }

    private mutating func answer(_ error: any Error) throws {
        var number: UInt32 = 0
        // An application's own error comes back as the original object, as within one process.
        if isRequest, !(error is RemoteFailure), !(error is PluginFailure), sentErrors.count < 64 {
            number = Self.nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
            sentErrors[number] = error
        }
        do {
            try channel.send(RemoteHead(.threw)) { try ThrownError.write(error, number: number, to: &$0) }
        } catch let failure as RemoteFailure {
            try channel.send(RemoteHead(.threw)) { try ThrownError.write(failure, number: 0, to: &$0) }
        }
    }

    private static let nextNumber = Atomic<UInt32>(0)

    // MARK: Reading

    /// A message that does not have the required form.
    private struct Violation: Error {
        let failure: RemoteFailure

        init(_ failure: RemoteFailure) { self.failure = failure }
    }

    /// Receives a message.
    ///
    /// A violation is reported to the connection only after the channel has received the whole message: if the sender
    /// withdraws a message half way, it is not a violation. The function is static because `read` changes the exchange;
    /// otherwise the exchange would be copied.
    private static func receive(
        _ connection: any RemoteConnection, _ channel: any RemoteChannel,
        _ read: (RemoteHead, inout RemoteReader) throws -> Void
    ) throws {
        do {
            try channel.receive(read)
        } catch let violation as Violation {
            connection.violated(violation.failure, on: channel)
            throw violation.failure
        }
    }

    /// Reads all values of an answer.
    ///
    /// - Throws: ``Violation``; the reason why the rest of the message cannot be received.
    private func decoding<Result>(
        _ reader: inout RemoteReader, _ body: (inout RemoteReader) throws -> Result
    ) throws -> Result {
        do {
            let result = try body(&reader)
            try reader.finish()
            return result
        } catch {
            throw reading(error, reader.input)
        }
    }

    /// Converts an error that was thrown while a message was read.
    private func reading(_ error: any Error, _ input: RemoteInput) -> any Error {
        // The other side has ended, so the message is not at fault.
        if let loss = input.loss { return loss }
        let failure = error as? RemoteFailure
        // A well-formed request that failed: its object was released, or a creation was refused.
        if let failure, failure.code != .protocolViolation { return failure }
        return Violation(failure ?? .violation("A value in a message cannot be read: \(ThrownError.text(of: error))"))
    }
}

/// The beginning of a message: its kind, and the object and method that it refers to.
///
/// The numbers come from the other process, so none of them is trusted.
@_spi(PluginHost)
public struct RemoteHead: Sendable, Hashable {
    /// The number of a ``Kind``.
    public var kind: UInt32
    /// The object of a call.
    public var object: UInt32
    /// The method of a call, the provider of a creation, or the callback.
    public var method: UInt32

    /// The kinds of messages.
    public enum Kind: UInt32, Sendable, CaseIterable {
        /// Calls a method of an object.
        case call = 1
        /// Creates an object with a provider.
        case create
        /// Calls a callback of the request in progress.
        case callback
        /// The result of a request.
        case returned
        /// The error of a request.
        case threw
    }

    /// A head with the given numbers.
    public init(kind: UInt32, object: UInt32 = 0, method: UInt32 = 0) {
        self.kind = kind
        self.object = object
        self.method = method
    }

    init(_ kind: Kind, object: UInt32 = 0, method: UInt32 = 0) {
        self.init(kind: kind.rawValue, object: object, method: method)
    }
}

/// One side of a conversation with another process: a request, the requests in return until it is answered, and the
/// answer.
///
/// The sides take turns: after sending a message, a side waits for a message from the other side. A channel has one
/// conversation at a time, so it needs no lock.
@_spi(PluginHost)
public protocol RemoteChannel: AnyObject, Sendable {
    /// Sends one message.
    ///
    /// If `write` throws, the other side gets no message, and this side keeps the turn.
    ///
    /// - Parameters:
    ///   - head: the beginning of the message.
    ///   - write: writes its values.
    /// - Throws: the error of `write`, or the reason why the other side cannot be reached.
    func send(_ head: RemoteHead, _ write: (inout RemoteWriter) throws -> Void) throws

    /// Waits for the next message of the other side, and passes it to a function once.
    ///
    /// - Parameter read: reads the values; the message's memory is reused after `read` returns.
    /// - Throws: the error of `read`, or the reason why no message comes.
    func receive(_ read: (RemoteHead, inout RemoteReader) throws -> Void) throws

    /// Whether the other side no longer wants the answer to its request.
    var isCancelled: Bool { get }

    /// Notifies the other side that the answer to the request is no longer wanted. [any thread]
    ///
    /// It is called with a lock held, so it must not call code of plug-ins or the application.
    func cancel()
}

/// A connection with another process.
///
/// Both sides may use objects of the other side.
@_spi(PluginHost)
public protocol RemoteConnection: AnyObject, Sendable {
    /// The objects of this process that the other process may use.
    var server: RemoteServer { get }

    /// Takes a free channel; waits if there is none.
    func open() throws -> any RemoteChannel

    /// Gives a channel back after its conversation has ended or failed.
    func close(_ channel: any RemoteChannel)

    /// Notifies the other side that this process no longer uses an object. [any thread]
    func release(_ object: UInt32)

    /// Runs a function soon, on a thread that may block.
    func start(_ work: @escaping @Sendable () -> Void)

    /// Called when a message of the other side does not have the required form.
    ///
    /// - Parameters:
    ///   - failure: what is wrong with the message.
    ///   - channel: the channel of the message; nil if the conversation is over.
    func violated(_ failure: RemoteFailure, on channel: (any RemoteChannel)?)

    /// Converts the error that ended a call into the error for its caller.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - method: the name of the method that was called.
    ///   - history: the object's history before the call.
    ///   - digest: computes the ``MessageBytes/digest(_:)`` of the arguments, to recognise the call.
    /// - Returns: the error for the caller.
    func error(
        _ error: any Error, from method: String, after history: CallHistory, digest: () -> UInt64?
    ) -> any Error

    /// Whether ``check(_:after:digest:)`` must be called before each call. If not, an object's history is unknown after
    /// a call.
    var checksCalls: Bool { get }

    /// Refuses certain calls, such as one that ended the other process before.
    ///
    /// - Parameters:
    ///   - method: the name of the method.
    ///   - history: the object's history before the call.
    ///   - digest: computes the ``MessageBytes/digest(_:)`` of the arguments; its cost grows with their size.
    /// - Returns: the history of the object after the call.
    /// - Throws: the error for the caller.
    func check(_ method: String, after history: CallHistory, digest: () -> UInt64?) throws -> CallHistory
}

extension RemoteConnection {
    /// The default returns the error unchanged.
    public func error(
        _ error: any Error, from method: String, after history: CallHistory, digest: () -> UInt64?
    ) -> any Error { error }

    /// The default is false.
    public var checksCalls: Bool { false }

    /// The default refuses no call.
    public func check(_ method: String, after history: CallHistory, digest: () -> UInt64?) throws -> CallHistory {
        .unknown
    }
}

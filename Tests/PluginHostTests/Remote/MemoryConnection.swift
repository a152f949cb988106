import Foundation
@_spi(PluginHost) import PluginABI
import TestSupport

/// One side of a connection between two “processes” that are both this one.
///
/// Everything crosses as bytes and descriptors, in pieces, on threads of the other side.
final class MemoryConnection: RemoteConnection, @unchecked Sendable {
    // @unchecked because of the lock that the mutable properties are under.
    let server: RemoteServer
    private let lock = NSLock()
    private weak var peer: MemoryConnection?
    private var free: [MemoryChannel] = []
    private var all: [MemoryChannel] = []
    private var failures: [RemoteFailure] = []
    private var hasEnded = false
    private let size: Int
    private let limit: Int
    /// Changes the messages that this side sends.
    private let change: (@Sendable (inout MemoryMessage) -> Void)?

    struct Ended: Error {
        /// Whether a message was sent that has no answer.
        let isInCall: Bool
    }

    private init(
        _ server: RemoteServer, size: Int, limit: Int, change: (@Sendable (inout MemoryMessage) -> Void)? = nil
    ) {
        self.server = server
        self.size = size
        self.limit = limit
        self.change = change
    }

    /// A connection whose host side uses objects of `worker`; both sides are kept by the caller.
    static func pair(
        worker: RemoteServer, host: RemoteServer = RemoteServer { _ in throw PluginFailure("There is no service.") },
        pieces size: Int = 64, limit: Int = 1 << 20, changing: (@Sendable (inout MemoryMessage) -> Void)? = nil
    ) -> (host: MemoryConnection, worker: MemoryConnection) {
        let host = MemoryConnection(host, size: size, limit: limit)
        let worker = MemoryConnection(worker, size: size, limit: limit, change: changing)
        host.peer = worker
        worker.peer = host
        return (host, worker)
    }

    deinit { end() }

    /// Ends every conversation, as the end of a process does.
    func end() {
        let channels = lock.withLock {
            hasEnded = true
            return all
        }
        for channel in channels { channel.end() }
    }

    /// What was wrong with messages of the other side.
    var violations: [RemoteFailure] { lock.withLock { failures } }

    /// How many channels there are.
    var channels: Int { lock.withLock { all.count } }

    func open() throws -> any RemoteChannel {
        guard let peer, !lock.withLock({ hasEnded }) else { throw Ended(isInCall: false) }
        if let known = lock.withLock({ free.popLast() }) { return known }
        let there = Mailbox(), here = Mailbox()
        let channel = MemoryChannel(inbox: here, outbox: there, size: size, limit: limit, change: change)
        let other = MemoryChannel(inbox: there, outbox: here, size: size, limit: limit, change: peer.change)
        lock.withLock { all.append(channel) }
        Thread {
            // It ends with a violation, or with the connection; either ends the conversation for the other side too.
            try? peer.server.serve(other, of: peer)
            other.end()
        }.start()
        return channel
    }

    func close(_ channel: any RemoteChannel) {
        let channel = channel as! MemoryChannel
        channel.isCancelled = false
        if !channel.hasEnded { lock.withLock { free.append(channel) } }
    }

    func release(_ object: UInt32) { peer?.server.release(object) }

    func start(_ work: @escaping @Sendable () -> Void) { Thread { work() }.start() }

    func violated(_ failure: RemoteFailure, on channel: (any RemoteChannel)?) {
        lock.withLock { failures.append(failure) }
    }
}

struct MemoryMessage {
    var head: RemoteHead
    var bytes: [UInt8]
    var descriptors: [RemoteDescriptor]
}

/// One side of a conversation.
final class MemoryChannel: RemoteChannel, @unchecked Sendable {
    // @unchecked because a channel has one conversation at a time, and the mailboxes have locks.
    private let inbox: Mailbox
    private let outbox: Mailbox
    private let size: Int
    private let limit: Int
    private let change: (@Sendable (inout MemoryMessage) -> Void)?

    init(
        inbox: Mailbox, outbox: Mailbox, size: Int, limit: Int, change: (@Sendable (inout MemoryMessage) -> Void)?
    ) {
        self.inbox = inbox
        self.outbox = outbox
        self.size = size
        self.limit = limit
        self.change = change
    }

    func send(_ head: RemoteHead, _ write: (inout RemoteWriter) throws -> Void) throws {
        let output = OutputPieces(size: size, limit: limit)
        var writer = RemoteWriter(output.piece, pieces: output)
        try write(&writer)
        var message = MemoryMessage(
            head: head, bytes: output.bytes(unused: writer.unusedBytes),
            descriptors: try writer.descriptors.map { try RemoteDescriptor(duplicating: $0.descriptor) })
        change?(&message)
        outbox.put(message)
    }

    func receive(_ read: (RemoteHead, inout RemoteReader) throws -> Void) throws {
        let message = try inbox.take()
        let input = InputPieces(message.bytes, size: size, descriptors: message.descriptors)
        var reader = try RemoteReader(
            try input.nextPiece() ?? .init(start: nil, count: 0), length: message.bytes.count, pieces: input)
        try read(message.head, &reader)
    }

    var isCancelled: Bool {
        get { inbox.isCancelled }
        set { outbox.isCancelled = newValue }
    }

    func cancel() { isCancelled = true }

    var hasEnded: Bool { inbox.hasEnded }

    func end() {
        inbox.end()
        outbox.end()
    }
}

/// The messages on their way in one direction.
final class Mailbox: @unchecked Sendable {
    // @unchecked because the condition's lock guards the properties.
    private let condition = NSCondition()
    private var messages: [MemoryMessage] = []
    private var isOver = false
    private var cancelled = false

    var isCancelled: Bool {
        get { condition.withLock { cancelled } }
        set { condition.withLock { cancelled = newValue } }
    }

    var hasEnded: Bool { condition.withLock { isOver } }

    func put(_ message: MemoryMessage) {
        condition.withLock {
            messages.append(message)
            condition.signal()
        }
    }

    func end() {
        condition.withLock {
            isOver = true
            condition.broadcast()
        }
    }

    func take() throws -> MemoryMessage {
        try condition.withLock {
            // A failing test must end. But between two calls of an asynchronous test, its task may wait until most other
            // tests have ended, because they occupy the threads that run tasks.
            let limit = Date(timeIntervalSinceNow: 1_200)
            while messages.isEmpty {
                guard !isOver, condition.wait(until: limit) else { throw MemoryConnection.Ended(isInCall: true) }
            }
            return messages.removeFirst()
        }
    }
}

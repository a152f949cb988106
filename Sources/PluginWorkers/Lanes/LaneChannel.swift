internal import CSandbox
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// One side of a lane: sends messages through it, and receives them.
///
/// A message is written directly into the lane and read directly from it, piece by piece if it is longer than the lane.
/// So a long message costs two copies, and a short one only the copies of its values. If writing fails in the middle,
/// the writer withdraws the message and the reader discards it.
///
/// **Threads.** One at a time: the thread that took the lane.
class LaneChannel: RemoteChannel, RemoteOutputPieces, RemoteInputPieces, @unchecked Sendable {
    // @unchecked because a lane belongs to one thread at a time.
    final let window: LaneWindow
    final let index: Int
    final let lane: OpaquePointer
    final weak let owner: (any LaneOwner)?
    // Exclusivity is not checked: one thread at a time uses a lane, and no access spans another one. The run-time check
    // would cost more than the access.

    /// Whether the conversation broke off.
    ///
    /// If so, the worker has ended or will be ended.
    @exclusivity(unchecked) final var hasFailed = false

    /// The descriptors of the message that is being read.
    @exclusivity(unchecked) final private(set) var descriptors: [RemoteDescriptor] = []

    /// How many descriptors a message may have.
    static let mostDescriptors = 64
    /// The descriptors that arrived for a turn of this lane.
    final let mail = DescriptorMail()

    private let memory: UnsafeMutableRawPointer
    // These refer to this object without retaining it.
    @exclusivity(unchecked) private var output: RemoteOutputPlace!
    @exclusivity(unchecked) private var input: RemoteInputPlace!
    /// The message that is being sent.
    @exclusivity(unchecked) private var outgoing = Outgoing()
    /// The message that is being received.
    @exclusivity(unchecked) private var incoming = Incoming()

    private struct Outgoing {
        var turn = phs_turn()
        /// The most bytes of the piece that is being written.
        var room = 0
        /// The bytes in the earlier pieces.
        var sent = 0
        var sentDescriptors = 0
    }

    private struct Incoming {
        var bytes = 0
        var hasMore = false
        var isWithdrawn = false
    }

    /// The kinds of turns other than a message of a ``RemoteHead/Kind``.
    private enum Turn {
        /// The rest of a message.
        static let piece: UInt32 = 0x100
        /// The reader wants the next piece, or has discarded a withdrawn message.
        static let next: UInt32 = 0x101
        /// The writer withdraws the message that it began.
        static let withdrawn: UInt32 = 0x102
    }

    private static let capacity = Int(PHS_LANE_CAPACITY)

    init(_ index: Int, of window: LaneWindow, owner: any LaneOwner) {
        self.window = window
        self.index = index
        self.owner = owner
        lane = phs_window_lane(window.pointer, Int32(index))
        memory = phs_lane_data(lane)
        output = RemoteOutputPlace(unowned: self)
        input = RemoteInputPlace(unowned: self)
    }

    // MARK: For the two sides

    /// Waits for the turn of the other side.
    ///
    /// - Parameters:
    ///   - turn: is set to that turn.
    ///   - isPiece: whether the other side is only copying a piece.
    /// - Throws: ``LaneFailure``, or a ``RemoteFailure`` for a turn that violates the protocol.
    func wait(for turn: inout phs_turn, isPiece: Bool) throws { fatalError("a side of a lane waits in its own way") }

    /// A message is about to be sent.
    func willSend(_ head: RemoteHead) {}
    /// The message was sent.
    func didSend(_ head: RemoteHead) {}
    /// The message was not sent.
    func didNotSend(_ head: RemoteHead) {}
    /// A message is about to be read.
    ///
    /// `number`: the number of its first turn.
    func willRead(_ head: RemoteHead, number: UInt32) {}
    /// How long to wait for descriptors that the other side passed before its turn; nil for no limit.
    var descriptorTime: Duration? { nil }
    /// The message was withdrawn while it was being read.
    func didNotRead(_ head: RemoteHead) {}

    /// Host: the call under way. [any thread]
    var call: LaneCall? { nil }

    var isCancelled: Bool { false }
    func cancel() {}

    final func violation(_ message: String) -> RemoteFailure {
        let failure = RemoteFailure.violation(message)
        hasFailed = true
        owner?.violated(failure, in: call)
        return failure
    }

    /// The failure for a result of phs_lane_receive().
    final func failure(_ error: Int32) -> any Error {
        hasFailed = true
        return error == EPIPE
            ? LaneFailure.ended : violation("A turn of a lane is not the next one, or is longer than the lane.")
    }

    // MARK: Sending

    final func send(_ head: RemoteHead, _ write: (inout RemoteWriter) throws -> Void) throws {
        guard !hasFailed else { throw LaneFailure.ended }
        willSend(head)
        outgoing = Outgoing()
        outgoing.turn.status = head.kind
        outgoing.turn.object = head.object
        outgoing.turn.method = head.method
        var writer = RemoteWriter(piece(), to: output)
        do {
            try write(&writer)
            try handOver(outgoing.room - writer.unusedBytes, hasMore: false, writer.descriptors)
        } catch {
            didNotSend(head)
            if outgoing.sent > 0, !hasFailed { try withdraw() }
            throw error
        }
        didSend(head)
    }

    final func nextPiece(descriptors: [RemoteDescriptor]) throws -> UnsafeMutableRawBufferPointer {
        let sent = outgoing.sent + outgoing.room
        guard sent < window.longest else { throw tooLong }
        try handOver(outgoing.room, hasMore: true, descriptors)
        try waitForReader()
        outgoing.sent = sent
        outgoing.turn = phs_turn()
        outgoing.turn.status = Turn.piece
        return piece()
    }

    private var tooLong: RemoteFailure {
        RemoteFailure(
            .messageTooLarge, "A message has more than the \(window.longest) bytes that are allowed.",
            remedy: "Pass a RemoteBuffer or a file, or raise the limit “message”.")
    }

    private func piece() -> UnsafeMutableRawBufferPointer {
        outgoing.room = min(Self.capacity, window.longest - outgoing.sent)
        return UnsafeMutableRawBufferPointer(start: memory, count: outgoing.room)
    }

    private func handOver(_ count: Int, hasMore: Bool, _ descriptors: [RemoteDescriptor]) throws {
        if descriptors.count > outgoing.sentDescriptors { try pass(descriptors) }
        outgoing.turn.length = UInt32(count)
        outgoing.turn.more = hasMore ? 1 : 0
        phs_lane_send(lane, &outgoing.turn)
    }

    /// Passes the descriptors of the message that were not passed yet.
    private func pass(_ descriptors: [RemoteDescriptor]) throws {
        guard descriptors.count <= Self.mostDescriptors else {
            throw RemoteFailure(
                .messageTooLarge, "A message has more than \(Self.mostDescriptors) descriptors.",
                remedy: "Pass them in several calls.")
        }
        guard let owner else { throw LaneFailure.ended }
        let new = descriptors[outgoing.sentDescriptors...]
        try owner.send(new.map(\.descriptor), lane: index, turn: phs_lane_next_number(lane))
        outgoing.turn.descriptors = UInt32(new.count)
        outgoing.sentDescriptors = descriptors.count
    }

    private func waitForReader() throws {
        var turn = phs_turn()
        try wait(for: &turn, isPiece: true)
        guard turn.status == Turn.next, turn.length == 0, turn.more == 0, turn.descriptors == 0 else {
            throw violation("A long message is answered before its last piece.")
        }
    }

    private func withdraw() throws {
        send(Turn.withdrawn)
        try waitForReader()
    }

    private func send(_ status: UInt32) {
        var turn = phs_turn()
        turn.status = status
        phs_lane_send(lane, &turn)
    }

    // MARK: Receiving

    final func receive(_ read: (RemoteHead, inout RemoteReader) throws -> Void) throws {
        while true {
            var turn = phs_turn()
            try wait(for: &turn, isPiece: false)
            let head = RemoteHead(kind: turn.status, object: turn.object, method: turn.method)
            incoming = Incoming()
            defer { descriptors = [] }
            let piece = try take(turn)
            willRead(head, number: turn.number)
            let result = Result {
                var reader = try RemoteReader(
                    piece, length: incoming.hasMore ? window.longest : piece.count, from: input)
                try read(head, &reader)
            }
            if !hasFailed { try skipRest() }
            guard incoming.isWithdrawn else { return try result.get() }
            didNotRead(head)
        }
    }

    final func nextPiece() throws -> UnsafeRawBufferPointer? {
        guard !hasFailed else { throw LaneFailure.ended }
        if incoming.isWithdrawn { throw LaneFailure.withdrawn }
        guard incoming.hasMore else { return nil }
        send(Turn.next)
        var turn = phs_turn()
        try wait(for: &turn, isPiece: true)
        switch turn.status {
        case Turn.piece: return try take(turn)
        case Turn.withdrawn:
            incoming.isWithdrawn = true
            send(Turn.next)
            throw LaneFailure.withdrawn
        default: throw violation("The rest of a long message does not follow its beginning.")
        }
    }

    /// Receives the descriptors of a turn, and returns its bytes.
    private func take(_ turn: phs_turn) throws -> UnsafeRawBufferPointer {
        let count = Int(turn.length)
        incoming.bytes += count
        incoming.hasMore = turn.more != 0
        guard incoming.bytes <= window.longest else { throw violation("A message is longer than the limit.") }
        // This limits the number of pieces, too.
        guard count == Self.capacity || !incoming.hasMore else {
            throw violation("A piece of a long message does not fill the lane.")
        }
        if turn.descriptors != 0 { try receiveDescriptors(turn) }
        return UnsafeRawBufferPointer(start: memory, count: count)
    }

    private func receiveDescriptors(_ turn: phs_turn) throws {
        guard let owner else { throw LaneFailure.ended }
        let count = Int(turn.descriptors)
        guard count <= Self.mostDescriptors - descriptors.count else {
            throw violation("A message has more than \(Self.mostDescriptors) descriptors.")
        }
        let arrived: [RemoteDescriptor]?
        do {
            arrived = try mail.take(turn: turn.number, within: descriptorTime, canArrive: owner.awaitDescriptors)
        } catch {
            hasFailed = true
            throw error
        }
        guard let arrived, arrived.count == count else {
            throw violation(
                "A message should come with \(count) descriptors, and \(arrived.map { "\($0.count)" } ?? "none") came.")
        }
        descriptors += arrived
    }

    /// Lets the other side send the rest of its message, which is not read, so that it can finish.
    private func skipRest() throws {
        while incoming.hasMore {
            do { _ = try nextPiece() } catch LaneFailure.withdrawn { return }
        }
    }
}

extension RemoteHead {
    /// Whether the message is a request of the host for the worker.
    var isRequest: Bool { kind == Kind.call.rawValue || kind == Kind.create.rawValue }
    var isAnswer: Bool { kind == Kind.returned.rawValue || kind == Kind.threw.rawValue }
}

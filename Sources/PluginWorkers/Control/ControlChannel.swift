internal import CSandbox
import Glibc
import HostBasics
@_spi(PluginHost) package import PluginABI

/// The rules for a packet of the control socket.
///
/// A message that does not fit into one packet comes in several consecutive packets. All but the last one are full and
/// marked with ``continues``. The descriptors come with the first packet.
enum ControlPacket {
    /// The most bytes of a message in one packet.
    static let longest = Int(PHS_CONTROL_BODY_SIZE)
    static let mostDescriptors = Int(PHS_CONTROL_DESCRIPTORS)
    /// The flag of a packet that is not the last one of its message.
    static let continues: UInt16 = 1
    /// A deadline that has passed: a call returns at once instead of waiting.
    static let atOnce: UInt64 = 1
}

/// Why no more messages can be read.
package enum ControlFault: Error {
    /// The other side sent something that it must not send; the text completes “the worker violated the protocol: …”.
    case violation(String)
    /// This process has no room for the descriptors that came with a message.
    case descriptorsExhausted
    /// The system refused to read from the socket.
    case system(CInt)
}

/// Sends messages on a control socket.
///
/// **Threads.** Any.
package final class ControlSender: Sendable {
    private struct Packet {
        var kind: UInt16
        var flags: UInt16
        var bytes: ArraySlice<UInt8>
        var descriptors: [RemoteDescriptor]
    }

    private struct State {
        var control: phs_control
        /// The packets for which the socket had no room, in order.
        var waiting: [Packet] = []
        var hasEnded = false
    }

    private let state: Lock<State>
    private let socket: RemoteDescriptor

    /// - Parameter socket: one of the two ends that phs_control_make() creates.
    package init(_ socket: RemoteDescriptor) {
        self.socket = socket
        state = Lock(State(control: phs_control(descriptor: socket.descriptor, sent: 0, received: 0)))
    }

    /// Sends a message, or keeps it until there is room for it.
    ///
    /// Why it does not wait: objects are released on any thread of the application, and a worker that does not read
    /// must not block that thread.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - descriptors: the descriptors to send with it, which are kept open until then.
    /// - Returns: whether everything was sent; if not, call ``flush(until:)`` when the socket has room.
    /// - Throws: ``RemoteFailure`` of code `messageTooLarge`.
    @discardableResult
    package func send(_ message: ControlMessage, _ descriptors: [RemoteDescriptor] = []) throws -> Bool {
        let kind = message.kind
        precondition(descriptors.count <= kind.mostDescriptors, "more descriptors than a message may have")
        let bytes = try message.bytes()
        return state.withLock { state in
            var rest = bytes[...]
            var descriptors = descriptors
            repeat {
                let part = rest.prefix(ControlPacket.longest)
                rest = rest.dropFirst(part.count)
                state.waiting.append(
                    Packet(
                        kind: kind.rawValue, flags: rest.isEmpty ? 0 : ControlPacket.continues, bytes: part,
                        descriptors: descriptors))
                descriptors = []
            } while !rest.isEmpty
            return Self.flush(&state, until: ControlPacket.atOnce)
        }
    }

    /// Sends what is waiting.
    ///
    /// - Parameter deadline: until when to wait for room, as a time of the monotonic clock; 0 for no limit.
    /// - Returns: whether everything was sent, or the other side has ended.
    @discardableResult
    package func flush(until deadline: UInt64 = ControlPacket.atOnce) -> Bool {
        state.withLock { Self.flush(&$0, until: deadline) }
    }

    /// Whether the socket had no room for all messages.
    var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Whether the other side no longer receives.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    private static func flush(_ state: inout State, until deadline: UInt64) -> Bool {
        var sent = 0
        defer { state.waiting.removeFirst(sent) }
        while sent < state.waiting.count {
            let packet = state.waiting[sent]
            let numbers = packet.descriptors.map(\.descriptor)
            let error = packet.bytes.withUnsafeBytes { bytes in
                phs_control_send(
                    &state.control, packet.kind, packet.flags, bytes.baseAddress, bytes.count, numbers, numbers.count,
                    deadline, nil)
            }
            // The system has no memory for the packet, or too many descriptors are in flight.
            if error == ETIMEDOUT || error == ENOBUFS || error == ENOMEM || error == ETOOMANYREFS { return false }
            if error != 0 {
                // The receiver on this side notices the end, too, and reports it.
                state.hasEnded = true
                sent = state.waiting.count
                return true
            }
            sent += 1
        }
        return true
    }
}

/// Receives the messages of the other side of a control socket, and checks them.
///
/// **Threads.** One at a time.
package final class ControlReceiver {
    package enum Received {
        case message(ControlMessage, [RemoteDescriptor])
        /// No message arrived in time.
        case nothing
        /// The other side has closed the socket.
        case end
    }

    private let socket: RemoteDescriptor
    private let sender: ControlMessage.Kind.Sender
    private var control: phs_control
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: ControlPacket.longest, alignment: 1)
    /// The beginning of an incomplete message.
    private var begun: (kind: ControlMessage.Kind, bytes: [UInt8], descriptors: [RemoteDescriptor])?

    /// - Parameters:
    ///   - socket: one of the two ends that phs_control_make() creates.
    ///   - sender: who is on the other side.
    package init(_ socket: RemoteDescriptor, from sender: ControlMessage.Kind.Sender) {
        self.socket = socket
        self.sender = sender
        control = phs_control(descriptor: socket.descriptor, sent: 0, received: 0)
    }

    deinit { memory.deallocate() }

    /// Waits for the next message.
    ///
    /// - Parameter deadline: a time of the monotonic clock; 0 for none.
    /// - Returns: a message, or why there is none.
    /// - Throws: ``ControlFault``; nothing can be received after it.
    package func next(until deadline: UInt64) throws(ControlFault) -> Received {
        while true {
            guard let packet = try packet(until: deadline) else { return .nothing }
            guard let (kind, bytes, descriptors) = packet else { return .end }
            do {
                return .message(try ControlMessage(kind, bytes), descriptors)
            } catch {
                throw .violation("a message of kind \(kind) cannot be read (\(error))")
            }
        }
    }

    private typealias Whole = (ControlMessage.Kind, [UInt8], [RemoteDescriptor])

    /// The bytes of the next message; nil if none arrived in time, and an inner nil if the other side has ended.
    private func packet(until deadline: UInt64) throws(ControlFault) -> Whole?? {
        while true {
            var head = phs_control_head()
            var length = 0
            var count = 0
            var failure = phs_failure()
            // Room for all that a packet can carry, so that a violation can name the kind of the message.
            var numbers = [CInt](repeating: -1, count: ControlPacket.mostDescriptors)
            let error = phs_control_receive(
                &control, &head, memory, &length, &numbers, numbers.count, &count, deadline, &failure)
            switch error {
            case 0: break
            case ETIMEDOUT: return .none
            case EPIPE: return .some(nil)
            case EMFILE: throw .descriptorsExhausted
            case EPROTO:
                let step = String(cString: failure.step)
                throw .violation("a packet of the control socket has a wrong \(step)")
            default: throw .system(error)
            }
            let descriptors = numbers.prefix(count).map { RemoteDescriptor(adopting: $0) }
            if let whole = try take(head, UnsafeRawBufferPointer(start: memory, count: length), descriptors) {
                return whole
            }
        }
    }

    /// Adds a packet to the message that it belongs to.
    ///
    /// - Returns: the message if it is complete.
    private func take(
        _ head: phs_control_head, _ bytes: UnsafeRawBufferPointer, _ descriptors: [RemoteDescriptor]
    ) throws(ControlFault) -> Whole? {
        guard let kind = ControlMessage.Kind(rawValue: head.kind) else {
            throw .violation("a message is of the unknown kind \(head.kind)")
        }
        guard kind.sender == sender || kind.sender == .both else {
            throw .violation("a message of kind \(kind) comes from the wrong side")
        }
        guard head.flags & ~ControlPacket.continues == 0 else {
            throw .violation("a message of kind \(kind) has unknown flags (\(head.flags))")
        }
        let isLast = head.flags == 0
        // A signal handler sends this in one packet, even between the packets of another message.
        if kind == .crashed, isLast, descriptors.isEmpty { return (kind, [UInt8](bytes), []) }
        guard isLast || bytes.count == ControlPacket.longest else {
            throw .violation("a part of a message of kind \(kind) is shorter than a packet")
        }
        if let begun {
            guard begun.kind == kind else {
                throw .violation("a message of kind \(kind) comes inside of one of kind \(begun.kind)")
            }
            guard descriptors.isEmpty else {
                throw .violation("a later part of a message of kind \(kind) has descriptors")
            }
        } else {
            guard descriptors.count <= kind.mostDescriptors else {
                throw .violation(
                    "a message of kind \(kind) comes with \(descriptors.count) descriptors, not \(kind.mostDescriptors)"
                )
            }
            if isLast { return (kind, [UInt8](bytes), descriptors) }
            begun = (kind, [], descriptors)
        }
        guard begun!.bytes.count + bytes.count <= kind.longest else {
            throw .violation("a message of kind \(kind) has more than \(kind.longest) bytes")
        }
        begun!.bytes.append(contentsOf: bytes)
        guard isLast, let whole = begun else { return nil }
        begun = nil
        return (whole.kind, whole.bytes, whole.descriptors)
    }
}

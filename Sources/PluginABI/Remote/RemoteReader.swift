import Glibc

/// Reads the values of one message.
///
/// It reads directly from memory that the other process may change at any time. Therefore each byte is read once, text
/// is copied before it is checked, and every count is checked against the number of remaining bytes.
///
/// **Threads.** The calling thread. **Lifetime.** Valid only during the call that receives it.
@frozen
public struct RemoteReader: ~Copyable {
    // Frozen, because generated code of other modules reads through it byte by byte.
    @usableFromInline var place: UnsafeRawPointer
    /// The unread bytes of the current piece.
    @usableFromInline var inPiece: Int
    /// The maximum number of bytes in the pieces that follow.
    @usableFromInline var inOthers: Int
    @usableFromInline var depth: Int
    @usableFromInline let input: RemoteInput

    /// A reader of one message, for a transport.
    ///
    /// - Parameters:
    ///   - piece: the first bytes of the message.
    ///   - length: the maximum number of bytes of the whole message.
    ///   - pieces: provides the other bytes, and the descriptors.
    /// - Throws: ``RemoteFailure`` if the first piece is longer than the message.
    @_spi(PluginHost)
    public init(_ piece: UnsafeRawBufferPointer, length: Int, pieces: any RemoteInputPieces) throws {
        try self.init(piece, length: length, RemoteInput(keeping: pieces))
    }

    /// A reader of the next message of a transport.
    ///
    /// - Parameters:
    ///   - piece: the first bytes of the message.
    ///   - length: the maximum number of bytes of the whole message.
    ///   - place: the source of the transport's messages.
    /// - Throws: ``RemoteFailure`` if the first piece is longer than the message.
    @_spi(PluginHost)
    public init(_ piece: UnsafeRawBufferPointer, length: Int, from place: RemoteInputPlace) throws {
        place.input.begin()
        try self.init(piece, length: length, place.input)
    }

    private init(_ piece: UnsafeRawBufferPointer, length: Int, _ input: RemoteInput) throws {
        guard piece.count <= length else { throw RemoteFailure.violation("A piece is longer than its message.") }
        self.input = input
        // Never read if the piece is empty.
        place = piece.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        inPiece = piece.count
        inOthers = length - piece.count
        depth = 0
    }

    /// The maximum number of unread bytes of the message.
    @inlinable public var bytesLeft: Int { inPiece + inOthers }

    /// Reads a value.
    ///
    /// - Parameter type: the value's type; by default inferred from the context.
    /// - Returns: the value.
    /// - Throws: the error of the type's ``RemoteValue/read(from:)``; ``RemoteFailure`` if values are nested too
    ///   deeply.
    @inlinable
    public mutating func next<Value: RemoteValue>(_ type: Value.Type = Value.self) throws -> Value {
        guard depth < RemoteWriter.depthLimit else { throw RemoteFailure.tooDeep(RemoteWriter.depthLimit) }
        depth += 1
        let value = try Value.read(from: &self)
        depth -= 1
        return value
    }

    /// Reads an integer of the size of its type, little-endian.
    ///
    /// - Parameter type: the integer's type; by default inferred from the context.
    /// - Returns: the integer.
    /// - Throws: ``RemoteFailure`` if the message ends too early.
    @inlinable
    public mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type = Integer.self
    ) throws -> Integer {
        let size = MemoryLayout<Integer>.size
        guard inPiece >= size else { return try integerAcross() }
        let value = place.loadUnaligned(as: Integer.self)
        place += size
        inPiece -= size
        return Integer(littleEndian: value)
    }

    /// Reads the number of elements that follow.
    ///
    ///   - size: the minimum number of bytes of each element in the message.
    /// - Returns: the number; that many elements fit into the remaining bytes.
    /// - Throws: ``RemoteFailure`` if that many elements do not fit.
    @inlinable
    public mutating func count(ofAtLeast size: Int = 1) throws -> Int {
        let count: UInt64 = try integer()
        guard count <= UInt64(bytesLeft / max(1, size)) else { throw impossibleCount(count) }
        return Int(count)
    }

    /// Reads which case of an enum follows.
    ///
    /// - Returns: the number of the case. The caller throws ``unknownCase(_:of:)`` for a number without a case.
    /// - Throws: ``RemoteFailure`` if the message ends too early.
    @inlinable
    public mutating func caseNumber() throws -> UInt16 { try integer() }

    /// The failure for a number that is not a case of an enum.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - type: the enum.
    /// - Returns: the failure, with code `protocolViolation`.
    public func unknownCase<Value>(_ number: UInt16, of type: Value.Type) -> RemoteFailure {
        .violation("“\(type)” has no case \(number).")
    }

    /// Copies the next bytes.
    ///
    /// - Parameter memory: the destination; all of it is filled.
    /// - Throws: ``RemoteFailure`` if the message ends too early.
    public mutating func copyBytes(to memory: UnsafeMutableRawBufferPointer) throws {
        guard memory.count <= bytesLeft else { throw RemoteFailure.truncated }
        if memory.count >= Self.muchMemory { Self.preferLargePages(memory) }
        var rest = memory
        while true {
            let count = min(inPiece, rest.count)
            if count > 0, let to = rest.baseAddress {
                to.copyMemory(from: place, byteCount: count)
                place += count
                inPiece -= count
                rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
            }
            if rest.isEmpty { return }
            guard try takeNextPiece() else { throw RemoteFailure.truncated }
        }
    }

    private static var muchMemory: Int { 4 << 20 }

    /// Advises the system to provide memory in large pages.
    ///
    /// Why: the system must supply such a large amount of memory and clear it. Page by page, that takes four times as
    /// long as the copy. This is only a hint; it has no effect where the system has no large pages.
    private static func preferLargePages(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress else { return }
        let pageSize = Int(getpagesize())
        let first = start.alignedUp(toMultipleOf: pageSize)
        let size = (start + memory.count).alignedDown(toMultipleOf: pageSize) - first
        // 14 is MADV_HUGEPAGE.
        if size > 0 { madvise(first, size, 14) }
    }

    @usableFromInline
    mutating func integerAcross<Integer: FixedWidthInteger & BitwiseCopyable>() throws -> Integer {
        var value: Integer = 0
        try withUnsafeMutableBytes(of: &value) { try copyBytes(to: $0) }
        return Integer(littleEndian: value)
    }

    @usableFromInline
    func impossibleCount(_ count: UInt64) -> RemoteFailure {
        .violation("A message claims to have \(count) elements, more than the \(bytesLeft) bytes that are left.")
    }

    /// Fails if the message contains anything that was not read.
    ///
    /// - Throws: ``RemoteFailure`` with code `protocolViolation`.
    @_spi(PluginHost)
    public mutating func finish() throws {
        var rest = inPiece
        while rest == 0, inOthers > 0, try takeNextPiece() { rest = inPiece }
        guard rest == 0 else { throw RemoteFailure.violation("A message has bytes after its last value.") }
        guard input.hasNoSurplus else { throw RemoteFailure.violation("A message has descriptors that no value has.") }
    }

    /// Marks the request's values as read; the channel is now free for callbacks and the answer.
    ///
    /// - Throws: ``RemoteFailure`` if the message contains anything that was not read.
    @usableFromInline
    mutating func perform() throws -> ServedCall {
        try finish()
        guard let call = input.call else { preconditionFailure("an answer is not performed") }
        call.perform()
        return call
    }

    @usableFromInline
    func callOfCallback() throws -> ServedCall {
        guard let call = input.call else {
            throw RemoteFailure.violation("A callback is in a message that is not a call.")
        }
        return call
    }

    /// Returns false at the end of the message.
    private mutating func takeNextPiece() throws -> Bool {
        guard inOthers > 0, let piece = try input.nextPiece(), let start = piece.baseAddress, !piece.isEmpty
        else { return false }
        guard piece.count <= inOthers else { throw RemoteFailure.violation("A message is longer than it claims.") }
        place = start
        inPiece = piece.count
        inOthers -= piece.count
        return true
    }
}

/// Where a message comes from, piece by piece.
@_spi(PluginHost)
public protocol RemoteInputPieces: AnyObject {
    /// Returns the next bytes; nil or no bytes if there are none.
    ///
    /// The previous piece has been read; its memory may be reused.
    ///
    /// - Throws: the reason why the other side cannot be reached.
    func nextPiece() throws -> UnsafeRawBufferPointer?

    /// The descriptors that came with the pieces so far.
    var descriptors: [RemoteDescriptor] { get }
}

extension RemoteInputPieces {
    /// The default has no descriptors.
    public var descriptors: [RemoteDescriptor] { [] }
}

/// The source of a transport's messages, one after another.
///
/// It is created once, so that receiving a message allocates nothing.
@_spi(PluginHost)
public struct RemoteInputPlace {
    let input: RemoteInput

    /// - Parameter pieces: provides the pieces of the messages; it must outlive every use of this value.
    public init(unowned pieces: any RemoteInputPieces) { input = RemoteInput(unowned: pieces) }
}

/// What arrived with a message in addition to its bytes.
@usableFromInline
final class RemoteInput {
    private unowned(unsafe) let pieces: any RemoteInputPieces
    private let keptPieces: (any RemoteInputPieces)?
    // Only one thread at a time uses a message, and accesses never overlap. So the run-time check is off: it would cost
    // more than the access.
    /// The reason why the rest of the message cannot be received.
    @exclusivity(unchecked) private(set) var loss: (any Error)?
    /// The call to which the message belongs, for its callbacks; nil if the message is an answer.
    @exclusivity(unchecked) var call: ServedCall?
    /// The numbers of the descriptors that values have used.
    @exclusivity(unchecked) private var read: Set<Int> = []

    init(keeping pieces: any RemoteInputPieces) {
        self.pieces = pieces
        keptPieces = pieces
    }

    init(unowned pieces: any RemoteInputPieces) {
        self.pieces = pieces
        keptPieces = nil
    }

    /// Prepares for the next message.
    func begin() {
        loss = nil
        call = nil
        if !read.isEmpty { read = [] }
    }

    func nextPiece() throws -> UnsafeRawBufferPointer? {
        do {
            return try pieces.nextPiece()
        } catch {
            loss = error
            throw error
        }
    }

    var hasNoSurplus: Bool { read.count == pieces.descriptors.count }

    func descriptor(_ number: UInt32) throws -> RemoteDescriptor {
        let descriptors = pieces.descriptors
        guard number < descriptors.count else {
            throw RemoteFailure.violation("A message refers to descriptor \(number), but has \(descriptors.count).")
        }
        read.insert(Int(number))
        return descriptors[Int(number)]
    }
}

/// Writes the values of one message.
///
/// It writes directly into the memory that both processes share, piece by piece. Use ``write(_:)`` for a whole value;
/// the other functions write the parts of a ``RemoteValue``.
///
/// **Threads.** The calling thread. **Lifetime.** Valid only during the call that receives it.
@frozen
public struct RemoteWriter: ~Copyable {
    // Frozen, because generated code of other modules writes through it byte by byte.
    @usableFromInline var place: UnsafeMutableRawPointer
    /// The free bytes of the current piece.
    @usableFromInline var room: Int
    @usableFromInline var depth: Int
    @usableFromInline let output: RemoteOutput

    /// How deeply values may be nested.
    public static var depthLimit: Int { 100 }

    /// A writer of one message, for a transport.
    ///
    /// - Parameters:
    ///   - piece: the memory for the first bytes.
    ///   - pieces: provides the memory for the remaining bytes.
    @_spi(PluginHost)
    public init(_ piece: UnsafeMutableRawBufferPointer, pieces: any RemoteOutputPieces) {
        self.init(piece, RemoteOutput(keeping: pieces))
    }

    /// A writer of the next message of a transport.
    ///
    /// - Parameters:
    ///   - piece: the memory for the first bytes.
    ///   - place: the destination of the transport's messages.
    @_spi(PluginHost)
    public init(_ piece: UnsafeMutableRawBufferPointer, to place: RemoteOutputPlace) {
        place.output.begin()
        self.init(piece, place.output)
    }

    private init(_ piece: UnsafeMutableRawBufferPointer, _ output: RemoteOutput) {
        self.output = output
        // Never written to if the piece is empty.
        place = piece.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 1)!
        room = piece.count
        depth = 0
    }

    /// The bytes that are still free in the last piece, for a transport.
    @_spi(PluginHost)
    public var unusedBytes: Int { room }

    /// The descriptors that the message carries, for a transport.
    @_spi(PluginHost)
    public var descriptors: [RemoteDescriptor] { output.descriptors }

    /// Writes a value.
    ///
    /// - Parameter value: the value.
    /// - Throws: the error of the value's ``RemoteValue/write(to:)``; ``RemoteFailure`` if values are nested too
    ///   deeply.
    @inlinable
    public mutating func write<Value: RemoteValue>(_ value: Value) throws {
        guard depth < Self.depthLimit else { throw RemoteFailure.tooDeep(Self.depthLimit) }
        depth += 1
        try value.write(to: &self)
        depth -= 1
    }

    /// Writes an integer of the size of its type, little-endian.
    ///
    /// - Parameter value: the integer.
    /// - Throws: ``RemoteFailure`` with code `messageTooLarge`; the reason why the other side cannot be reached.
    @inlinable
    public mutating func write<Integer: FixedWidthInteger & BitwiseCopyable>(integer value: Integer) throws {
        let size = MemoryLayout<Integer>.size
        guard room >= size else { return try writeAcross(value) }
        place.storeBytes(of: value.littleEndian, as: Integer.self)
        place += size
        room -= size
    }

    /// Writes the number of elements that follow.
    ///
    /// - Parameter count: the number.
    /// - Throws: ``RemoteFailure`` with code `messageTooLarge`; the reason why the other side cannot be reached.
    @inlinable
    public mutating func write(count: Int) throws { try write(integer: UInt64(count)) }

    /// Writes which case of an enum follows.
    ///
    /// - Parameter number: the number of the case, in the order of the declaration.
    /// - Throws: ``RemoteFailure`` with code `messageTooLarge`; the reason why the other side cannot be reached.
    @inlinable
    public mutating func write(case number: UInt16) throws { try write(integer: number) }

    /// Writes bytes, without their number.
    ///
    /// - Parameter bytes: the bytes.
    /// - Throws: ``RemoteFailure`` with code `messageTooLarge`; the reason why the other side cannot be reached.
    public mutating func write(bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while true {
            let count = min(room, rest.count)
            if count > 0, let from = rest.baseAddress {
                place.copyMemory(from: from, byteCount: count)
                place += count
                room -= count
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            if rest.isEmpty { return }
            try takeNextPiece()
        }
    }

    /// Fails if the stored properties that generated code writes are not all the stored properties of a struct.
    ///
    /// For the code that `pluginhost remote` generates. The compiler removes the comparison if it can see both types.
    ///
    /// - Parameters:
    ///   - properties: a tuple of the types of the stored properties, in order.
    ///   - type: the struct.
    /// - Throws: ``RemoteFailure`` with code `interfaceMismatch`.
    @inlinable
    public func require<Properties, Value>(_ properties: Properties.Type, in type: Value.Type) throws {
        guard MemoryLayout<Properties>.size == MemoryLayout<Value>.size else {
            throw RemoteFailure(
                .interfaceMismatch,
                "“\(Value.self)” has stored properties that the code written by “pluginhost remote” does not know.",
                remedy: "Run “pluginhost remote” again, with a symbol graph that contains private symbols.")
        }
    }

    /// Writes an integer that does not fit into the rest of the piece.
    @usableFromInline
    mutating func writeAcross<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer) throws {
        let value = value.littleEndian
        try withUnsafeBytes(of: value) { try write(bytes: $0) }
    }

    private mutating func takeNextPiece() throws {
        let piece = try output.pieces.nextPiece(descriptors: output.descriptors)
        guard let start = piece.baseAddress, !piece.isEmpty else {
            throw RemoteFailure(.messageTooLarge, "A message is larger than the transport allows.")
        }
        place = start
        room = piece.count
    }
}

/// Where a message goes, piece by piece.
@_spi(PluginHost)
public protocol RemoteOutputPieces: AnyObject {
    /// Sends the current piece, which is full, and returns the memory for the next one.
    ///
    /// - Parameter descriptors: all descriptors that the message carries so far.
    /// - Returns: the memory.
    /// - Throws: ``RemoteFailure`` with code `messageTooLarge`, or the reason why the other side cannot be reached.
    func nextPiece(descriptors: [RemoteDescriptor]) throws -> UnsafeMutableRawBufferPointer
}

/// The destination of a transport's messages, one after another.
///
/// It is created once, so that sending a message allocates nothing.
@_spi(PluginHost)
public struct RemoteOutputPlace {
    let output: RemoteOutput

    /// - Parameter pieces: provides the memory for the messages; it must outlive every use of this value.
    public init(unowned pieces: any RemoteOutputPieces) { output = RemoteOutput(unowned: pieces) }
}

/// What a message carries in addition to its bytes.
@usableFromInline
final class RemoteOutput {
    unowned(unsafe) let pieces: any RemoteOutputPieces
    private let keptPieces: (any RemoteOutputPieces)?
    // Only one thread at a time uses a message, and accesses never overlap. So the run-time check is off: it would cost
    // more than the access.
    @exclusivity(unchecked) private(set) var descriptors: [RemoteDescriptor] = []
    /// The caller's functions that the other side may call until it answers this message.
    @exclusivity(unchecked) private(set) var callbacks: [RemoteCallbackBody] = []
    /// Whether callbacks may be passed; false in a result and in a constant.
    @exclusivity(unchecked) var takesCallbacks = false

    init(keeping pieces: any RemoteOutputPieces) {
        self.pieces = pieces
        keptPieces = pieces
    }

    init(unowned pieces: any RemoteOutputPieces) {
        self.pieces = pieces
        keptPieces = nil
    }

    /// Prepares for the next message.
    func begin() {
        if !descriptors.isEmpty { descriptors = [] }
        if !callbacks.isEmpty { callbacks = [] }
        takesCallbacks = false
    }

    func attach(_ descriptor: RemoteDescriptor) -> UInt32 {
        if let known = descriptors.firstIndex(where: { $0 === descriptor }) { return UInt32(known) }
        descriptors.append(descriptor)
        return UInt32(descriptors.count - 1)
    }

    @usableFromInline
    func attach(_ body: @escaping RemoteCallbackBody) throws -> UInt32 {
        guard takesCallbacks else {
            throw RemoteFailure(
                .callRefused, "A callback can be passed as an argument of a call only.",
                remedy: "Return a value, and let the caller pass the callback.")
        }
        callbacks.append(body)
        return UInt32(callbacks.count - 1)
    }
}

@_spi(PluginHost) import PluginABI

/// Values as bytes, and bytes as values, in pieces of any size.
enum MessageFixture {
    static func bytes(of value: some RemoteValue, pieces size: Int = 4_096) throws -> [UInt8] {
        try written(pieces: size) { try $0.write(value) }
    }

    static func written(
        pieces size: Int = 4_096, limit: Int = .max, _ write: (inout RemoteWriter) throws -> Void
    ) throws -> [UInt8] {
        let output = OutputPieces(size: size, limit: limit)
        var writer = RemoteWriter(output.piece, pieces: output)
        try write(&writer)
        return output.bytes(unused: writer.unusedBytes)
    }

    /// Reads a value from all the bytes.
    static func value<Value: RemoteValue>(
        _ type: Value.Type = Value.self, from bytes: [UInt8], pieces size: Int = 4_096
    ) throws -> Value {
        try read(bytes, pieces: size) { try $0.next() }
    }

    /// `length`: what the message claims to be long.
    static func read<Result>(
        _ bytes: [UInt8], length: Int? = nil, pieces size: Int = 4_096,
        _ body: (inout RemoteReader) throws -> Result
    ) throws -> Result {
        let input = InputPieces(bytes, size: size)
        var reader = try RemoteReader(
            try input.nextPiece() ?? .init(start: nil, count: 0), length: length ?? bytes.count, pieces: input)
        let result = try body(&reader)
        try reader.finish()
        return result
    }
}

/// Collects the pieces of a message.
final class OutputPieces: RemoteOutputPieces {
    let piece: UnsafeMutableRawBufferPointer
    private let limit: Int
    private var full: [UInt8] = []

    init(size: Int, limit: Int = .max) {
        piece = .allocate(byteCount: size, alignment: 16)
        self.limit = limit
    }

    deinit { piece.deallocate() }

    func nextPiece(descriptors: [RemoteDescriptor]) throws -> UnsafeMutableRawBufferPointer {
        full += piece
        guard full.count < limit else {
            throw RemoteFailure(.messageTooLarge, "The message has more than \(limit) bytes.")
        }
        return piece
    }

    func bytes(unused: Int) -> [UInt8] { full + piece.dropLast(unused) }
}

/// Gives a message piece by piece, always in the same memory.
final class InputPieces: RemoteInputPieces {
    private let memory: UnsafeMutableRawBufferPointer
    private var rest: ArraySlice<UInt8>
    let descriptors: [RemoteDescriptor]

    init(_ bytes: [UInt8], size: Int, descriptors: [RemoteDescriptor] = []) {
        memory = .allocate(byteCount: size, alignment: 16)
        rest = bytes[...]
        self.descriptors = descriptors
    }

    deinit { memory.deallocate() }

    func nextPiece() throws -> UnsafeRawBufferPointer? {
        let next = rest.prefix(memory.count)
        guard !next.isEmpty else { return nil }
        rest = rest.dropFirst(memory.count)
        memory.copyBytes(from: next)
        return UnsafeRawBufferPointer(rebasing: memory[..<next.count])
    }
}

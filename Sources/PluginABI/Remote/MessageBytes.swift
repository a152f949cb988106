/// Values encoded into an array of bytes, for values that are kept instead of sent immediately.
@_spi(PluginHost)
public enum MessageBytes {
    /// The bytes of the values that a function writes.
    ///
    /// The values cannot contain descriptors or callbacks.
    public static func written(_ write: (inout RemoteWriter) throws -> Void) throws -> [UInt8] {
        let pieces = GrowingPieces()
        var writer = RemoteWriter(pieces.piece, pieces: pieces)
        try write(&writer)
        guard writer.descriptors.isEmpty else {
            throw RemoteFailure(.callRefused, "A constant property cannot have a descriptor or shared memory.")
        }
        return pieces.bytes(unused: writer.unusedBytes)
    }

    /// Reads values from an array of bytes, which must contain nothing else.
    public static func read<Value>(_ bytes: [UInt8], _ read: (inout RemoteReader) throws -> Value) throws -> Value {
        try bytes.withUnsafeBytes { bytes in
            var reader = try RemoteReader(bytes, length: bytes.count, pieces: NoPieces())
            let value = try read(&reader)
            try reader.finish()
            return value
        }
    }

    /// A number computed from the bytes that a function writes.
    ///
    /// Equal bytes have the same number in every process.
    ///
    /// - Parameter write: writes the values; callbacks are allowed, but do not contribute any bytes of their own.
    /// - Returns: the number; nil if the values cannot be written, or contain descriptors, because the files may
    ///   differ.
    public static func digest(_ write: (inout RemoteWriter) throws -> Void) -> UInt64? {
        let pieces = DigestPieces()
        var writer = RemoteWriter(pieces.piece, pieces: pieces)
        writer.output.takesCallbacks = true
        do { try write(&writer) } catch { return nil }
        return writer.descriptors.isEmpty ? pieces.digest(unused: writer.unusedBytes) : nil
    }

    /// Computes a digest of a message (FNV-1a).
    ///
    /// Such a simple hash is enough: a call is compared with only a few others, and nobody chooses those to collide.
    private final class DigestPieces: RemoteOutputPieces {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
        private var state: UInt64 = 0xcbf2_9ce4_8422_2325

        deinit { piece.deallocate() }

        func nextPiece(descriptors: [RemoteDescriptor]) -> UnsafeMutableRawBufferPointer {
            add(piece[...])
            return piece
        }

        func digest(unused: Int) -> UInt64 {
            add(piece.dropLast(unused))
            return state
        }

        private func add(_ bytes: Slice<UnsafeMutableRawBufferPointer>) {
            for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
    }

    private final class NoPieces: RemoteInputPieces {
        func nextPiece() throws -> UnsafeRawBufferPointer? { nil }
    }

    /// Keeps the bytes of a message.
    private final class GrowingPieces: RemoteOutputPieces {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024, alignment: 1)
        private var full: [UInt8] = []

        deinit { piece.deallocate() }

        func nextPiece(descriptors: [RemoteDescriptor]) -> UnsafeMutableRawBufferPointer {
            full += piece
            return piece
        }

        func bytes(unused: Int) -> [UInt8] { full + piece.dropLast(unused) }
    }
}

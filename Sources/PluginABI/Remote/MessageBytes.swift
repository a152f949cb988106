/// Values as bytes in an array, for what is kept and not sent at once.
@_spi(PluginHost)
public enum MessageBytes {
    /// The bytes of the values that a function writes; they carry no descriptors and no callbacks.
    public static func written(_ write: (inout RemoteWriter) throws -> Void) throws -> [UInt8] {
        let pieces = GrowingPieces()
        var writer = RemoteWriter(pieces.piece, pieces: pieces)
        try write(&writer)
        guard writer.descriptors.isEmpty else {
            throw RemoteFailure(.callRefused, "A constant property cannot have a descriptor or shared memory.")
        }
        return pieces.bytes(unused: writer.unusedBytes)
    }

    /// Reads values from all the bytes.
    public static func read<Value>(_ bytes: [UInt8], _ read: (inout RemoteReader) throws -> Value) throws -> Value {
        try bytes.withUnsafeBytes { bytes in
            var reader = try RemoteReader(bytes, length: bytes.count, pieces: NoPieces())
            let value = try read(&reader)
            try reader.finish()
            return value
        }
    }

    /// A number for the bytes that a function writes: the same bytes have the same number in every process.
    ///
    /// - Parameter write: writes the values; it may pass callbacks, which have no bytes of their own.
    /// - Returns: the number; nil if the values cannot be written, or carry descriptors, whose files may differ.
    public static func digest(_ write: (inout RemoteWriter) throws -> Void) -> UInt64? {
        let pieces = DigestPieces()
        var writer = RemoteWriter(pieces.piece, pieces: pieces)
        writer.output.takesCallbacks = true
        do { try write(&writer) } catch { return nil }
        return writer.descriptors.isEmpty ? pieces.digest(unused: writer.unusedBytes) : nil
    }

    /// Keeps a digest of a message (FNV-1a): a call is compared with a few others, none of which is chosen to collide.
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

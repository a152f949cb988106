import ELFImages

/// The position of a text or a record in an index.
package struct IndexPlace: Sendable, Equatable {
    package var offset: Int
    package var length: Int

    package static let none = IndexPlace(offset: 0, length: 0)

    package var range: Range<Int> { offset..<offset + length }

    /// The sum cannot overflow, because both have 32 bits in the file.
    package func isInside(_ bytes: UnsafeRawBufferPointer) -> Bool { offset + length <= bytes.count }

    package init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        offset = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)))
    }

    package init(offset: Int, length: Int) {
        self.offset = offset
        self.length = length
    }

    package func write(to writer: inout RecordWriter) {
        writer.put(UInt64(UInt32(offset)) | UInt64(UInt32(length)) << 32)
    }
}

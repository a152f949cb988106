/// One extension that a plug-in declares at an extension point, in 32 bytes.
package struct ExtensionRow: Sendable {
    package static let size = 32

    package var point: IndexPlace
    /// The extension's name.
    ///
    /// It is also in the record, which therefore need not be decoded for it.
    package var name: IndexPlace
    package var version: UInt32
    package var candidate: Int
    /// Its index among the record's extensions.
    package var index: Int

    package func write(to writer: inout RecordWriter) {
        point.write(to: &writer)
        name.write(to: &writer)
        writer.put(version)
        writer.put(UInt32(candidate))
        writer.put(UInt64(index))
    }

    package init(point: IndexPlace, name: IndexPlace, version: UInt32, candidate: Int, index: Int) {
        self.point = point
        self.name = name
        self.version = version
        self.candidate = candidate
        self.index = index
    }

    package init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self))
        }
        point = IndexPlace(bytes, at: start)
        name = IndexPlace(bytes, at: start + 8)
        version = word(16)
        candidate = Int(word(20))
        index = Int(word(24))
    }
}

/// One extension that a plug-in declares at an extension point, in 32 bytes.
struct ExtensionRow: Sendable {
    static let size = 32

    var point: IndexPlace
    /// The extension's name.
    ///
    /// It is also in the record, which therefore need not be decoded for it.
    var name: IndexPlace
    var version: UInt32
    var candidate: Int
    /// Its index among the record's extensions.
    var index: Int

    func write(to writer: inout RecordWriter) {
        point.write(to: &writer)
        name.write(to: &writer)
        writer.put(version)
        writer.put(UInt32(candidate))
        writer.put(UInt64(index))
    }

    init(point: IndexPlace, name: IndexPlace, version: UInt32, candidate: Int, index: Int) {
        self.point = point
        self.name = name
        self.version = version
        self.candidate = candidate
        self.index = index
    }

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
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

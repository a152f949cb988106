/// One factory that a plug-in declares at an extension point, in 32 bytes.
struct ExtensionRow: Sendable {
    static let size = 32

    var point: IndexPlace
    /// The factory's name; also in the record, which then need not be read for it.
    var name: IndexPlace
    var version: UInt32
    var entry: Int
    /// Its index among the record's factories.
    var factory: Int

    func write(to writer: inout RecordWriter) {
        point.write(to: &writer)
        name.write(to: &writer)
        writer.put(version)
        writer.put(UInt32(entry))
        writer.put(UInt64(factory))
    }

    init(point: IndexPlace, name: IndexPlace, version: UInt32, entry: Int, factory: Int) {
        self.point = point
        self.name = name
        self.version = version
        self.entry = entry
        self.factory = factory
    }

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self))
        }
        point = IndexPlace(bytes, at: start)
        name = IndexPlace(bytes, at: start + 8)
        version = word(16)
        entry = Int(word(20))
        factory = Int(word(24))
    }
}

import Glibc

/// A reader that fails in every way that the fuzzer must notice.
enum PlantedDefects {
    static func read(_ bytes: UnsafeRawBufferPointer) throws(Violation) {
        guard let first = bytes.first else { return }
        switch first {
        case 0x3D: fatalError("a trap")
        case 0x3E: while true {}
        case 0x3F: withExtendedLifetime([UInt8](repeating: 1, count: 64 << 20)) {}
        case 0x40: throw Violation("a broken rule")
        case 0x41:
            let start = clock()
            while clock() - start < 700_000 {}
        default: break
        }
    }
}

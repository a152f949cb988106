import PropertyLists

/// Writes binary property lists, with sizes and sharing as in real files.
struct BinaryListWriter {
    private var objects: [[UInt8]] = []
    private var known: [PropertyList: Int] = [:]
    private let referenceSize: Int
    /// Equal values become one object, as in Apple's writer for scalars.
    private let sharesValues: Bool

    static func bytes(of value: PropertyList, _ random: inout SeededGenerator) -> [UInt8] {
        var writer = BinaryListWriter(referenceSize: random.oneIn(4) ? 4 : 2, sharesValues: !random.oneIn(3))
        let top = writer.add(value)
        return writer.file(top: top, offsetSize: random.pick([2, 3, 4, 8]))
    }

    private init(referenceSize: Int, sharesValues: Bool) {
        self.referenceSize = referenceSize
        self.sharesValues = sharesValues
    }

    private mutating func add(_ value: PropertyList) -> Int {
        if sharesValues, let known = known[value] { return known }
        let number = objects.count
        objects.append([])
        objects[number] = encoded(value)
        if sharesValues { known[value] = number }
        return number
    }

    private mutating func encoded(_ value: PropertyList) -> [UInt8] {
        switch value {
        case .boolean(let truth): return [truth ? 9 : 8]
        case .integer(let number) where (0...255).contains(number): return [0x10, UInt8(number)]
        case .integer(let number): return [0x13] + Self.bigEndian(UInt64(bitPattern: number), 8)
        case .unsigned(let number): return [0x14] + Self.bigEndian(0, 8) + Self.bigEndian(number, 8)
        case .real(let number): return [0x23] + Self.bigEndian(number.bitPattern, 8)
        case .date(let seconds): return [0x33] + Self.bigEndian(seconds.bitPattern, 8)
        case .uid(let number): return [0x83] + Self.bigEndian(number, 4)
        case .data(let bytes): return header(0x40, bytes.count) + bytes
        case .string(let text):
            if text.utf8.allSatisfy({ $0 < 0x80 }) { return header(0x50, text.utf8.count) + Array(text.utf8) }
            let units = Array(text.utf16)
            return header(0x60, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .array(let values):
            let references = values.map { add($0) }
            return header(0xA0, values.count) + references.flatMap { Self.bigEndian(UInt64($0), referenceSize) }
        case .dictionary(let entries):
            let sorted = entries.sorted { $0.key < $1.key }
            let keys = sorted.map { add(.string($0.key)) }
            let values = sorted.map { add($0.value) }
            return header(0xD0, sorted.count) + (keys + values).flatMap { Self.bigEndian(UInt64($0), referenceSize) }
        }
    }

    private func header(_ kind: UInt8, _ count: Int) -> [UInt8] {
        if count < 15 { return [kind | UInt8(count)] }
        if count < 256 { return [kind | 15, 0x10, UInt8(count)] }
        return [kind | 15, 0x12] + Self.bigEndian(UInt64(count), 4)
    }

    private func file(top: Int, offsetSize: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += Self.bigEndian(UInt64(bytes.count), offsetSize)
            bytes += object
        }
        let table = bytes.count
        return bytes + offsets + [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
            + Self.bigEndian(UInt64(objects.count), 8) + Self.bigEndian(UInt64(top), 8)
            + Self.bigEndian(UInt64(table), 8)
    }

    static func bigEndian(_ value: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
}

public import PropertyLists

/// Writes property lists in Apple's binary form.
///
/// Equal scalar values are written once, and keys are sorted, so that equal lists give equal bytes.
///
/// **Threads.** No shared state.
public enum BinaryListWriter {
    /// The binary form of a list.
    ///
    /// **Cost.** Linear, apart from sorting the keys. It is recursive, which is safe because the readers limit nesting
    /// to 512.
    public static func bytes(_ list: PropertyList) -> [UInt8] {
        var objects = Objects()
        let root = objects.add(list)
        return objects.finish(root: root)
    }

    /// The objects of a list.
    ///
    /// Each container has the numbers of the objects in it.
    private struct Objects {
        private enum Object {
            case scalar(PropertyList)
            /// For a dictionary, `references` has the keys and then the values.
            case container(marker: UInt8, count: Int, references: [Int])
        }

        private var objects: [Object] = []
        private var known: [PropertyList: Int] = [:]

        mutating func add(_ value: PropertyList) -> Int {
            switch value {
            case .array(let elements):
                let number = reserve()
                let references = elements.map { add($0) }
                objects[number] = .container(marker: 0xA0, count: elements.count, references: references)
                return number
            case .dictionary(let entries):
                let number = reserve()
                let sorted = entries.sorted { $0.key < $1.key }
                let references = sorted.map { add(.string($0.key)) } + sorted.map { add($0.value) }
                objects[number] = .container(marker: 0xD0, count: sorted.count, references: references)
                return number
            default:
                // Texts that are equal by Unicode's rules may still have different bytes.
                if let number = known[value], isSame(number, value) { return number }
                let number = reserve()
                objects[number] = .scalar(value)
                known[value] = number
                return number
            }
        }

        private mutating func reserve() -> Int {
            objects.append(.scalar(.boolean(false)))
            return objects.count - 1
        }

        private func isSame(_ number: Int, _ value: PropertyList) -> Bool {
            guard case .scalar(let other) = objects[number] else { return false }
            switch (other, value) {
            case (.string(let one), .string(let two)): return one.hasSameBytes(as: two)
            // Zero equals minus zero, but has other bits.
            case (.real(let one), .real(let two)), (.date(let one), .date(let two)):
                return one.bitPattern == two.bitPattern
            default: return true
            }
        }

        func finish(root: Int) -> [UInt8] {
            var bytes = Array("bplist00".utf8)
            let referenceSize = Self.size(of: objects.count)
            let offsets = objects.map { object in
                let offset = bytes.count
                switch object {
                case .scalar(let value): Self.write(value, to: &bytes)
                case .container(let marker, let count, let references):
                    Self.write(marker, count: count, to: &bytes)
                    for reference in references { Self.write(UInt64(reference), size: referenceSize, to: &bytes) }
                }
                return offset
            }
            let table = bytes.count
            let offsetSize = Self.size(of: table)
            for offset in offsets { Self.write(UInt64(offset), size: offsetSize, to: &bytes) }
            bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
            for number in [objects.count, root, table] { Self.write(UInt64(number), size: 8, to: &bytes) }
            return bytes
        }

        /// How many bytes a number takes: 1, 2, 4 or 8.
        private static func size(of number: Int) -> Int {
            number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
        }

        private static func write(_ number: UInt64, size: Int, to bytes: inout [UInt8]) {
            for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
        }

        private static func write(_ marker: UInt8, count: Int, to bytes: inout [UInt8]) {
            if count < 15 {
                bytes.append(marker | UInt8(count))
            } else {
                bytes.append(marker | 15)
                write(.integer(Int64(count)), to: &bytes)
            }
        }

        private static func write(_ value: PropertyList, to bytes: inout [UInt8]) {
            switch value {
            case .boolean(let truth): bytes.append(truth ? 9 : 8)
            case .integer(let number):
                // Only numbers of eight bytes are signed.
                let size = number < 0 ? 8 : size(of: Int(number))
                bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
                write(UInt64(bitPattern: number), size: size, to: &bytes)
            case .unsigned(let number):
                bytes += [0x14] + [UInt8](repeating: 0, count: 8)
                write(number, size: 8, to: &bytes)
            case .real(let number):
                bytes.append(0x23)
                write(number.bitPattern, size: 8, to: &bytes)
            case .date(let seconds):
                bytes.append(0x33)
                write(seconds.bitPattern, size: 8, to: &bytes)
            case .uid(let number):
                let size = number > UInt64(Int64.max) ? 8 : size(of: Int(number))
                bytes.append(0x80 | UInt8(size - 1))
                write(number, size: size, to: &bytes)
            case .data(let content):
                write(0x40, count: content.count, to: &bytes)
                bytes += content
            case .string(let text):
                let units = Array(text.utf16)
                if units.allSatisfy({ $0 < 0x80 }) {
                    write(0x50, count: units.count, to: &bytes)
                    bytes += Array(text.utf8)
                } else {
                    write(0x60, count: units.count, to: &bytes)
                    for unit in units { write(UInt64(unit), size: 2, to: &bytes) }
                }
            case .array, .dictionary: break
            }
        }
    }
}

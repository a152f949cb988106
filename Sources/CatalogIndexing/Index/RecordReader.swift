/// Reads the output of ``RecordWriter``.
///
/// If bytes are missing or invalid, it returns zeros and empty texts and sets ``isDamaged``. Nothing in the bytes can
/// cause a trap or an excessive allocation.
package struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private(set) var isDamaged = false

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether everything was read.
    package var isAtEnd: Bool { offset == bytes.count }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard !isDamaged, count >= 0, count <= bytes.count - offset else {
            isDamaged = true
            return nil
        }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    package mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        guard let bytes = take(MemoryLayout<Number>.size) else { return 0 }
        return Number(littleEndian: bytes.loadUnaligned(as: Number.self))
    }

    package mutating func text() -> String {
        guard let bytes = take(Int(number(UInt32.self))) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    package mutating func optionalText() -> String? { number(UInt8.self) == 0 ? nil : text() }

    /// Reads a list: a count, then the elements.
    ///
    /// `smallest`: the minimum size of an element. A count that does not fit into the remaining bytes means damage, and
    /// no memory is allocated for it.
    package mutating func list<Element>(_ smallest: Int, _ read: (inout RecordReader) -> Element) -> [Element] {
        let count = Int(number(UInt32.self))
        guard !isDamaged, count <= (bytes.count - offset) / smallest else {
            isDamaged = true
            return []
        }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count where !isDamaged { elements.append(read(&self)) }
        return elements
    }

    package mutating func dictionary<Value>(_ read: (inout RecordReader) -> Value) -> [String: Value] {
        Dictionary(list(4) { ($0.text(), read(&$0)) }, uniquingKeysWith: { $1 })
    }
}

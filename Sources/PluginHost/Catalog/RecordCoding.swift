/// Writes numbers, texts and lists of them one after the other, for the catalogue's index. Numbers are little-endian, a
/// text is its length in bytes and its UTF-8.
struct RecordWriter {
    var bytes: [UInt8] = []

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ byte: UInt8) { bytes.append(byte) }

    mutating func put(_ text: String) {
        text.withoutCopy { utf8 in
            put(UInt32(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// For a text whose length is noted elsewhere.
    mutating func putWithoutLength(_ text: String) {
        text.withoutCopy { bytes.append(contentsOf: $0) }
    }

    /// What is missing is told from what is empty.
    mutating func put(_ text: String?) {
        put(text == nil ? UInt8(0) : 1)
        if let text { put(text) }
    }

    mutating func put<Element>(_ list: [Element], _ put: (inout RecordWriter, Element) -> Void) {
        self.put(UInt32(list.count))
        for element in list { put(&self, element) }
    }

    /// Sorted, so that equal dictionaries are equal bytes.
    mutating func put<Value>(_ list: [String: Value], _ put: (inout RecordWriter, Value) -> Void) {
        if list.isEmpty { return self.put(UInt32(0)) }
        self.put(list.sorted { $0.key < $1.key }) { writer, pair in
            writer.put(pair.key)
            put(&writer, pair.value)
        }
    }

    mutating func append(_ other: UnsafeRawBufferPointer) { bytes.append(contentsOf: other) }
}

/// Reads what ``RecordWriter`` wrote. Bytes that end too early or say more than there is give zeros and empty texts, and
/// ``isDamaged`` is set: nothing in them can trap or ask for memory that is not there.
struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private(set) var isDamaged = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether all was read.
    var isAtEnd: Bool { offset == bytes.count }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard !isDamaged, count >= 0, count <= bytes.count - offset else {
            isDamaged = true
            return nil
        }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        guard let bytes = take(MemoryLayout<Number>.size) else { return 0 }
        return Number(littleEndian: bytes.loadUnaligned(as: Number.self))
    }

    mutating func text() -> String {
        guard let bytes = take(Int(number(UInt32.self))) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func optionalText() -> String? { number(UInt8.self) == 0 ? nil : text() }

    /// `smallest`: the fewest bytes of an element. A count beyond the rest is damage, and no memory is asked for.
    mutating func list<Element>(_ smallest: Int, _ read: (inout RecordReader) -> Element) -> [Element] {
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

    mutating func dictionary<Value>(_ read: (inout RecordReader) -> Value) -> [String: Value] {
        Dictionary(list(4) { ($0.text(), read(&$0)) }, uniquingKeysWith: { $1 })
    }
}

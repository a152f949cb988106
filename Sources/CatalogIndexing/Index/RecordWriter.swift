import HostBasics

/// Writes numbers, texts and lists one after the other, for the catalogue's index.
///
/// Numbers are little-endian; a text is its length in bytes followed by its UTF-8.
package struct RecordWriter {
    package var bytes: [UInt8] = []

    package init() {}

    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    package mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func put(_ byte: UInt8) { bytes.append(byte) }

    package mutating func put(_ text: String) {
        text.withoutCopy { utf8 in
            put(UInt32(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// For a text whose length is stored elsewhere.
    package mutating func putWithoutLength(_ text: String) {
        text.withoutCopy { bytes.append(contentsOf: $0) }
    }

    /// The first byte distinguishes nil from an empty text.
    package mutating func put(_ text: String?) {
        put(text == nil ? UInt8(0) : 1)
        if let text { put(text) }
    }

    package mutating func put<Element>(_ list: [Element], _ put: (inout RecordWriter, Element) -> Void) {
        self.put(UInt32(list.count))
        for element in list { put(&self, element) }
    }

    /// Sorted, so that equal dictionaries give equal bytes.
    package mutating func put<Value>(_ list: [String: Value], _ put: (inout RecordWriter, Value) -> Void) {
        if list.isEmpty { return self.put(UInt32(0)) }
        self.put(list.sorted { $0.key < $1.key }) { writer, pair in
            writer.put(pair.key)
            put(&writer, pair.value)
        }
    }

    package mutating func append(_ other: UnsafeRawBufferPointer) { bytes.append(contentsOf: other) }
}

import Glibc

extension String {
    /// The order of the bytes, in which names are kept so that they can be searched for as they stand in a file.
    ///
    /// By memcmp(): the standard library compares views of UTF-8 byte by byte, which takes ten times as long, and texts by
    /// Unicode's rules.
    func precedesInBytes(_ other: String) -> Bool {
        let (own, others) = (utf8, other.utf8)
        let order = own.withContiguousStorageIfAvailable { own in
            others.withContiguousStorageIfAvailable { others -> Bool in
                guard let left = own.baseAddress, let right = others.baseAddress else {
                    return own.count < others.count
                }
                let order = memcmp(left, right, min(own.count, others.count))
                return order == 0 ? own.count < others.count : order < 0
            }
        }
        // Nil for a text that is stored otherwise than as UTF-8.
        return order.flatMap(\.self) ?? own.lexicographicallyPrecedes(others)
    }
}

extension String {
    /// Lends the text's UTF-8. `withUTF8` asks for a variable, for which the text is retained and released.
    @inline(__always)
    func withoutCopy<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        // On Linux every text's UTF-8 is in one piece.
        utf8.withContiguousStorageIfAvailable(body) ?? ContiguousArray(utf8).withUnsafeBufferPointer(body)
    }
}

extension UnsafeRawBufferPointer {
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && (count == 0 || memcmp(baseAddress!, other.baseAddress!, count) == 0)
    }

    /// Whether the bytes are those of a string.
    func holds(_ text: String) -> Bool { text.withoutCopy { equals(UnsafeRawBufferPointer($0)) } }
}

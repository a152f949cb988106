import Glibc

extension String {
    /// Whether this text precedes another one in byte order, the order of names in files that are searched.
    ///
    /// Uses memcmp(): the standard library compares UTF-8 views byte by byte, which takes ten times as long, and
    /// compares strings by Unicode's rules.
    package func precedesInBytes(_ other: String) -> Bool {
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
        // Nil if one of the texts is not stored as UTF-8.
        return order.flatMap(\.self) ?? own.lexicographicallyPrecedes(others)
    }
}

extension String {
    /// Passes the text's UTF-8 to a closure.
    ///
    /// Why not `withUTF8`: it needs a variable, so the text would be retained and released.
    @inlinable @inline(__always)
    package func withoutCopy<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        // On Linux the UTF-8 of every text is contiguous.
        utf8.withContiguousStorageIfAvailable(body) ?? ContiguousArray(utf8).withUnsafeBufferPointer(body)
    }
}

extension String {
    /// Whether both texts have the same bytes.
    ///
    /// Texts that Unicode's rules call equal may have different ones.
    package func hasSameBytes(as other: String) -> Bool {
        withoutCopy { own in other.withoutCopy { UnsafeRawBufferPointer(own).equals(UnsafeRawBufferPointer($0)) } }
    }
}

extension String {
    /// Two digits for each byte.
    package init(hexadecimal bytes: some Collection<UInt8>) {
        let digits: StaticString = "0123456789abcdef"
        self.init(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var place = 0
            for byte in bytes {
                text[place] = digits.utf8Start[Int(byte >> 4)]
                text[place + 1] = digits.utf8Start[Int(byte & 15)]
                place += 2
            }
            return place
        }
    }
}

extension UnsafeRawBufferPointer {
    package func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && (count == 0 || memcmp(baseAddress!, other.baseAddress!, count) == 0)
    }

    /// Whether the bytes equal those of a string.
    package func holds(_ text: String) -> Bool { text.withoutCopy { equals(UnsafeRawBufferPointer($0)) } }
}

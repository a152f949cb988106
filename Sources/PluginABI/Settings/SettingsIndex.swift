import Glibc

/// Finds the number of a setting by its key.
///
/// Why: a setting may be read in every step of a loop, and a `Dictionary` spends most of its time on a hash that withstands
/// chosen keys. Here one author chooses at most a few hundred keys, so a cheap hash is enough: if all keys collide, a
/// look-up compares them all.
///
/// **Threads.** Any; it never changes.
struct SettingsIndex: ~Copyable, @unchecked Sendable {
    // @unchecked because of the pointers: only init writes to their memory.

    private struct Row {
        var hash: UInt64 = 0
        /// The key's place among the bytes.
        var start = 0
        var length = 0
        /// The number of the setting; -1 if the row is free.
        var number = -1
    }

    /// At least twice as many rows as keys, so each search ends soon at a free one.
    private let rows: UnsafeMutableBufferPointer<Row>
    private let bytes: UnsafeMutableRawBufferPointer

    /// - Parameter keys: the keys, each once; their positions are the numbers.
    init(_ keys: [String]) {
        var count = 4
        while count < keys.count * 2 { count *= 2 }
        rows = .allocate(capacity: count)
        rows.initialize(repeating: Row())
        bytes = .allocate(byteCount: keys.reduce(0) { $0 + $1.utf8.count }, alignment: 1)
        var start = 0
        for (number, key) in keys.enumerated() {
            let length = key.utf8.count
            let own = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + length])
            own.copyBytes(from: key.utf8)
            let hash = Self.hash(UnsafeRawBufferPointer(own))
            var position = Int(truncatingIfNeeded: hash) & (count - 1)
            while rows[position].number >= 0 { position = (position + 1) & (count - 1) }
            rows[position] = Row(hash: hash, start: start, length: length, number: number)
            start += length
        }
    }

    deinit {
        rows.deallocate()
        bytes.deallocate()
    }

    /// The number of a key; nil if no key has the same bytes.
    ///
    /// Texts that are equal for Swift may differ in their bytes, such as the two ways to write “é”. The caller looks for
    /// those elsewhere.
    @inline(__always)
    func number(of key: String) -> Int? {
        key.utf8.withContiguousStorageIfAvailable { number(of: UnsafeRawBufferPointer($0)) } ?? nil
    }

    @inline(__always)
    private func number(of key: UnsafeRawBufferPointer) -> Int? {
        let hash = Self.hash(key)
        var position = Int(truncatingIfNeeded: hash) & (rows.count - 1)
        while true {
            let row = rows[position]
            if row.number < 0 { return nil }
            if row.hash == hash, row.length == key.count, isKey(row, key) { return row.number }
            position = (position + 1) & (rows.count - 1)
        }
    }

    @inline(__always)
    private func isKey(_ row: Row, _ key: UnsafeRawBufferPointer) -> Bool {
        guard let own = bytes.baseAddress, let key = key.baseAddress else { return row.length == 0 }
        return memcmp(own + row.start, key, row.length) == 0
    }

    /// A hash of all bytes, eight at a time.
    @inline(__always)
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count)
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        guard bytes.count >= 8 else {
            var word: UInt64 = 0
            for byte in bytes { word = word << 8 | UInt64(byte) }
            add(word)
            return hash
        }
        var offset = 0
        while offset + 8 < bytes.count {
            add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        // The last word may contain bytes of the one before it.
        add(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
        return hash
    }
}

// @unchecked: the memory is written only by the initialiser and freed by the deinitialiser.
/// The entries of a strings table as positions in its text, found by the hash of their keys.
///
/// Nothing is copied, and each string is created only when it is requested: most programs use only a part of their
/// strings.
///
/// Keys are equal if their UTF-8 is equal; a dictionary would also match another normal form of Unicode.
///
/// **Threads.** Any: nothing changes after the initialiser. **Cost.** A look-up reads the key's bytes once to hash them
/// and once to compare them.
public final class StringsIndex: @unchecked Sendable {
    struct Entry {
        var keyStart: UInt32
        var keyLength: UInt32
        var valueStart: UInt32
        /// The highest bit states whether the value contains a backslash.
        var valueMark: UInt32

        static let escaped: UInt32 = 1 << 31

        var key: Range<Int> { Int(keyStart)..<Int(keyStart) + Int(keyLength) }
        var value: Range<Int> { Int(valueStart)..<Int(valueStart) + Int(valueMark & ~Self.escaped) }
    }

    fileprivate struct Slot {
        /// The upper half of the key's hash: most colliding keys differ here.
        var tag: UInt32
        /// The number of the entry plus one; zero for a free slot.
        var entry: UInt32
    }

    /// The text to which the positions refer.
    let text: ListText
    let entries: UnsafeMutablePointer<Entry>
    /// The number of entries, including those that a later entry with the same key replaces.
    public let count: Int
    /// Whether any entry replaces an earlier one.
    let hasDuplicates: Bool
    /// The hash table, for look-ups.
    ///
    /// Its memory lives as long as the index.
    public let places: Places

    /// Only the hash table: plain pointers, so that a look-up does no reference counting.
    public struct Places {
        fileprivate let bytes: UnsafePointer<UInt8>
        fileprivate let entries: UnsafeMutablePointer<Entry>
        fileprivate let slots: UnsafeMutablePointer<Slot>
        fileprivate let mask: UInt32
        fileprivate let seed: (UInt64, UInt64)
    }

    /// The maximum memory of an entry, without its text.
    static let entrySize = MemoryLayout<Entry>.stride + 3 * MemoryLayout<Slot>.stride

    /// Unknown outside of the process, so that the author of a table cannot choose keys that all collide.
    private static let secret: (UInt64, UInt64) = (.random(in: .min ... .max) | 1, .random(in: .min ... .max))

    /// Creates an index of entries; later ones replace earlier ones with the same key.
    ///
    /// `text`: the text to which the positions refer; less than 2 GiB. `entries`: allocated memory, which the index
    /// frees.
    init(_ text: ListText, _ entries: UnsafeMutablePointer<Entry>, count: Int) {
        self.text = text
        self.entries = entries
        self.count = count
        // At most two thirds full.
        var capacity = 4
        while capacity * 2 < count * 3 { capacity *= 2 }
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        slots.initialize(repeating: Slot(tag: 0, entry: 0), count: capacity)
        let (bytes, mask, seed) = (UnsafePointer(text.bytes), UInt32(capacity - 1), Self.secret)
        var hasDuplicates = false
        for number in 0..<count {
            let bytesOfKey = UnsafeBufferPointer(
                start: bytes + Int(entries[number].keyStart), count: Int(entries[number].keyLength))
            let key = Key(bytesOfKey, seed)
            var place = key.place & mask
            while case let slot = slots[Int(place)], slot.entry != 0 {
                if slot.tag == key.tag, key.isKey(of: entries[Int(slot.entry &- 1)], bytes) {
                    hasDuplicates = true
                    break
                }
                place = (place &+ 1) & mask
            }
            slots[Int(place)] = Slot(tag: key.tag, entry: UInt32(truncatingIfNeeded: number &+ 1))
        }
        self.hasDuplicates = hasDuplicates
        places = Places(bytes: bytes, entries: entries, slots: slots, mask: mask, seed: seed)
    }

    deinit {
        entries.deallocate()
        places.slots.deallocate()
    }

    /// The key of an entry.
    public func key(_ number: Int) -> String {
        String(decoding: text.buffer(entries[number].key), as: UTF8.self)
    }

    /// The value of an entry with its escapes decoded.
    ///
    /// The string is created at each call.
    public func value(_ number: Int) -> String {
        let entry = entries[number]
        let content = text.buffer(entry.value)
        guard entry.valueMark & Entry.escaped != 0 else { return String(decoding: content, as: UTF8.self) }
        return String(decoding: EscapeReader.unescaped(content), as: UTF8.self)
    }

    /// Whether each key also exists in one of the other tables.
    public func isHidden(by others: [Places]) -> Bool {
        (0..<count).allSatisfy { number in
            let key = places.key(text.buffer(entries[number].key))
            return others.contains { $0.find(key) != nil }
        }
    }

    /// All entries.
    public var dictionary: [String: String] {
        Dictionary((0..<count).lazy.map { (self.key($0), self.value($0)) }) { _, last in last }
    }
}

extension StringsIndex {
    /// The bytes of a key with their hash, which all tables of the process share: a key is hashed once for look-ups in
    /// several tables.
    public struct Key {
        private let bytes: UnsafeBufferPointer<UInt8>
        private let hash: UInt64

        /// Multiplies eight bytes at a time with a secret into 128 bits and folds the halves, as wyhash does.
        @inline(__always)
        fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>, _ seed: (UInt64, UInt64)) {
            func fold(_ value: UInt64) -> UInt64 {
                let product = value.multipliedFullWidth(by: seed.0)
                return (product.high ^ product.low) &+ seed.1
            }
            self.bytes = bytes
            let raw = UnsafeRawBufferPointer(bytes)
            // The length is included, so that the words below belong to one key only.
            var state = seed.1 ^ UInt64(truncatingIfNeeded: raw.count)
            var offset = 0
            while offset &+ 8 < raw.count {
                state = fold(state ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset &+= 8
            }
            hash = fold(state ^ Self.end(of: raw))
        }

        /// Where the search for the key begins, in a table of any size.
        @inline(__always)
        fileprivate var place: UInt32 { UInt32(truncatingIfNeeded: hash) }
        @inline(__always)
        fileprivate var tag: UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

        /// The last eight bytes of a key; for a shorter key all of them, some twice.
        ///
        /// Reading them one by one would take as long as the rest of a look-up.
        @inline(__always)
        private static func end(of key: UnsafeRawBufferPointer) -> UInt64 {
            let count = key.count
            if count >= 8 { return key.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) }
            if count >= 4 {
                let (first, last) = (
                    key.loadUnaligned(as: UInt32.self), key.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
                )
                return UInt64(first) | UInt64(last) << 32
            }
            if count == 0 { return 0 }
            return UInt64(key[0]) | UInt64(key[count / 2]) << 8 | UInt64(key[count &- 1]) << 16
        }

        @inline(__always)
        fileprivate func isKey(of entry: Entry, _ text: UnsafePointer<UInt8>) -> Bool {
            guard Int(entry.keyLength) == bytes.count else { return false }
            let key = UnsafeRawBufferPointer(bytes)
            let other = UnsafeRawBufferPointer(start: text + Int(entry.keyStart), count: key.count)
            var offset = 0
            while offset &+ 8 < key.count {
                guard
                    key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                else { return false }
                offset &+= 8
            }
            return Self.end(of: key) == Self.end(of: other)
        }
    }
}

extension StringsIndex.Places {
    /// A key for look-ups in this and in other tables.
    ///
    /// It is valid as long as its bytes are.
    public func key(_ bytes: UnsafeBufferPointer<UInt8>) -> StringsIndex.Key { StringsIndex.Key(bytes, seed) }

    /// The number of the entry with a key; nil if the table has none.
    public func find(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? { search(StringsIndex.Key(bytes, seed)) }

    /// The number of the entry with a key; nil if the table has none.
    public func find(_ key: StringsIndex.Key) -> Int? { search(key) }

    @inline(__always)
    fileprivate func search(_ key: StringsIndex.Key) -> Int? {
        var place = key.place & mask
        while case let slot = slots[Int(place)], slot.entry != 0 {
            if slot.tag == key.tag, key.isKey(of: entries[Int(slot.entry &- 1)], bytes) {
                return Int(slot.entry &- 1)
            }
            place = (place &+ 1) & mask
        }
        return nil
    }
}

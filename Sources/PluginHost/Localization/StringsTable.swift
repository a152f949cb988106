import Glibc

/// The entries of one strings table, for reading only.
///
/// A table is asked for strings all day and never changed, so it has a hash table of its own: a look-up costs about
/// half of one in a Swift dictionary, which leaves room for the lock that guards the tables. Keys are equal if their
/// UTF-8 is; a dictionary would also take another normal form of Unicode.
///
/// **Threads.** Any. **Cost.** A look-up reads the key's bytes once to hash and once to compare them.
// Sendable, because the memory is written by the initialiser alone and freed by the deinitialiser.
final class StringsTable: @unchecked Sendable {
    private struct Entry {
        /// Where the key is in `keys`.
        let start: UInt32
        let length: UInt32
        let value: String
    }

    private struct Slot {
        /// The upper half of the key's hash: most keys that collide differ here.
        var tag: UInt32
        /// The number of the entry plus one, zero for a free place.
        var entry: UInt32
    }

    /// All keys' UTF-8, one after the other.
    private let keys: UnsafeMutableBufferPointer<UInt8>
    private let entries: UnsafeMutableBufferPointer<Entry>
    /// At most half full.
    private let slots: UnsafeMutableBufferPointer<Slot>
    private let mask: UInt32
    /// Unknown outside of the process: whoever writes a table must not be able to choose keys that all collide.
    private let seed: (UInt64, UInt64)

    /// The entries that came from a `.stringsdict`, for choosing among their forms.
    let formats: [String: LocalizedFormat]
    /// The plural rules of the language that the table is in.
    let rules: PluralRules

    /// - Parameters:
    ///   - table: the translations; of an entry of `formats`, the text for no arguments.
    ///   - formats: what depends on numbers, widths or devices.
    ///   - rules: the plural rules of the table's language.
    /// - Precondition: less than 4 GiB of keys, which no table within the limits has.
    init(
        _ table: [String: String], formats: [String: LocalizedFormat] = [:],
        rules: PluralRules = PluralRules(language: "")
    ) {
        self.formats = formats
        self.rules = rules
        keys = .allocate(capacity: table.keys.reduce(0) { $0 + $1.utf8.count })
        entries = .allocate(capacity: table.count)
        precondition(keys.count <= UInt32.max)
        var capacity = 4
        while capacity < table.count * 2 { capacity *= 2 }
        mask = UInt32(capacity - 1)
        seed = (.random(in: .min ... .max) | 1, .random(in: .min ... .max))
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: Slot(tag: 0, entry: 0))
        var end = 0
        for (number, (key, value)) in table.enumerated() {
            let length = key.utf8.count
            _ = UnsafeMutableBufferPointer(rebasing: keys[end..<end + length]).initialize(from: key.utf8)
            entries.initializeElement(
                at: number, to: Entry(start: UInt32(end), length: UInt32(length), value: value))
            let hash = Self.hash(UnsafeBufferPointer(rebasing: keys[end..<end + length]), seed)
            var slot = UInt32(truncatingIfNeeded: hash) & mask
            while slots[Int(slot)].entry != 0 { slot = (slot &+ 1) & mask }
            slots[Int(slot)] = Slot(tag: UInt32(truncatingIfNeeded: hash >> 32), entry: UInt32(number + 1))
            end += length
        }
    }

    deinit {
        entries.deinitialize().deallocate()
        keys.deallocate()
        slots.deallocate()
    }

    /// The translation of a key, which may be empty; nil if the table has none.
    subscript(key: String) -> String? {
        if let found = key.utf8.withContiguousStorageIfAvailable(find) { return found }
        // A string that Foundation made and that keeps its own storage.
        return Array(key.utf8).withUnsafeBufferPointer(find)
    }

    private func find(_ key: UnsafeBufferPointer<UInt8>) -> String? {
        let hash = Self.hash(key, seed)
        let tag = UInt32(truncatingIfNeeded: hash >> 32)
        var number = UInt32(truncatingIfNeeded: hash) & mask
        while case let slot = slots[Int(number)], slot.entry != 0 {
            if slot.tag == tag {
                let entry = entries.baseAddress! + Int(slot.entry - 1)
                if entry.pointee.length == key.count, isKey(key, at: entry.pointee.start) { return entry.pointee.value }
            }
            number = (number &+ 1) & mask
        }
        return nil
    }

    private func isKey(_ key: UnsafeBufferPointer<UInt8>, at start: UInt32) -> Bool {
        // The empty key has no bytes to point at.
        key.isEmpty || memcmp(keys.baseAddress! + Int(start), key.baseAddress!, key.count) == 0
    }

    var count: Int { entries.count }

    /// All entries.
    var dictionary: [String: String] {
        let pairs = entries.map { entry in
            let range = Int(entry.start)..<Int(entry.start + entry.length)
            return (String(decoding: keys[range], as: UTF8.self), entry.value)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    // MARK: Hashing

    /// Multiplies eight bytes at a time with a secret into 128 bits and folds the halves, as wyhash does.
    @inline(__always)
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ seed: (UInt64, UInt64)) -> UInt64 {
        let raw = UnsafeRawBufferPointer(bytes)
        var state = seed.1 ^ UInt64(truncatingIfNeeded: raw.count)
        var offset = 0
        while offset &+ 8 <= raw.count {
            state = fold(state ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self), seed)
            offset &+= 8
        }
        var rest: UInt64 = 0
        while offset < raw.count {
            rest = rest << 8 | UInt64(raw[offset])
            offset &+= 1
        }
        return fold(state ^ rest, seed)
    }

    @inline(__always)
    private static func fold(_ value: UInt64, _ seed: (UInt64, UInt64)) -> UInt64 {
        let product = value.multipliedFullWidth(by: seed.0)
        return (product.high ^ product.low) &+ seed.1
    }
}

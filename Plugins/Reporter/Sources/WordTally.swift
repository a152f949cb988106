/// Counts how often each word occurs, ignoring case.
///
/// It is a hash table over one array of bytes, because a dictionary of strings costs four times as much: a document of
/// some tens of megabytes has ten million words, and nearly all of them are repeated.
struct WordTally {
    private struct Entry {
        var hash: UInt64
        var start: Int32
        var length: Int32
        var count: Int
    }

    private var arena: [UInt8] = []
    private var entries: [Entry] = []
    /// A hash table: each slot is an index into `entries`, plus one; 0 means free.
    ///
    /// The number of slots is a power of two.
    private var slots = [Int32](repeating: 0, count: 1 << 12)
    private var word: [UInt8] = []

    /// Counts one word.
    mutating func add(_ text: Span<UInt8>, _ range: Range<Int>) {
        let hash = fold(text, range)
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if entries[index].hash == hash, isWord(entries[index]) {
                entries[index].count += 1
                return
            }
            slot = (slot + 1) & mask
        }
        // A text never has so many different words; words beyond this limit would not be frequent anyway.
        guard arena.count < 1 << 28 else { return }
        entries.append(
            Entry(hash: hash, start: Int32(arena.count), length: Int32(word.count), count: 1))
        arena += word
        slots[slot] = Int32(entries.count)
        if entries.count * 2 > slots.count { grow() }
    }

    /// The most frequent wanted words; words with equal counts are sorted alphabetically.
    func mostFrequent(_ limit: Int, where isWanted: (String) -> Bool) -> [(word: String, count: Int)] {
        var found: [(word: String, count: Int)] = []
        // Words that occur once come last and are many; they are only sorted if there are no others.
        let repeated = entries.filter { $0.count > 1 }
        let candidates = repeated.isEmpty ? entries : repeated
        for entry in candidates.sorted(by: { ($0.count, $1.start) > ($1.count, $0.start) }) {
            if found.count >= limit { break }
            let range = Int(entry.start)..<Int(entry.start + entry.length)
            let text = String(decoding: arena[range], as: UTF8.self)
            if isWanted(text) { found.append((text, entry.count)) }
        }
        return found.sorted { ($0.count, $1.word) > ($1.count, $0.word) }
    }

    /// Writes the word in lower case to `word`.
    ///
    /// - Returns: its hash.
    private mutating func fold(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        word.removeAll(keepingCapacity: true)
        var hash = WordHash()
        var isPlain = true
        for index in range {
            let byte = text[index]
            if byte >= 0x80 { isPlain = false }
            let small = byte &- 0x41 < 26 ? byte | 0x20 : byte
            word.append(small)
            hash.add(small)
        }
        guard !isPlain else { return hash.value }
        // Latin, Greek and Cyrillic have capitals, whose UTF-8 begins with C3 to D5; lower-case letters are the most
        // frequent.
        let first = text[range.lowerBound]
        if (0xC3...0xD5).contains(first) {
            let folded = text.string(range).lowercased()
            word.removeAll(keepingCapacity: true)
            word += folded.utf8
            hash = WordHash()
            for byte in word { hash.add(byte) }
        }
        return hash.value
    }

    private func isWord(_ entry: Entry) -> Bool {
        guard entry.length == word.count else { return false }
        let start = Int(entry.start)
        for index in word.indices where arena[start + index] != word[index] { return false }
        return true
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 4)
        let mask = slots.count - 1
        for (index, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(index + 1)
        }
    }
}

/// FNV-1a, with its high bits, which are better distributed, mixed into the low ones that select the slot.
private struct WordHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    var value: UInt64 { state ^ state >> 29 }

    mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
}

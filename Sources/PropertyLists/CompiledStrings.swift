/// A form of strings tables in which one key can be found without reading the whole file.
///
/// A packer makes a compiled table from a `.strings` file and puts it beside that file. docs/implementation.md,
/// "Compiled strings tables", describes the format.
///
/// The text is authoritative. The head identifies the text that the table was made from by its size, its time, and a
/// hash of its bytes.
///
/// **Threads.** No shared state.
public enum CompiledStrings {
    /// The extension of a compiled table, in place of `strings`.
    public static let pathExtension = "compiled-strings"

    static let magic: UInt64 = 0x4254_5352_5453_4850  // “PHSTRSTB”
    static let format: UInt32 = 1
    static let headSize = 56
    static let slotSize = 8
    static let rowSize = 16
    /// The maximum number of slots that a search examines.
    ///
    /// A table whose keys collide more often is read as a whole, with an unpredictable hash.
    static let mostProbes = 32
    /// The maximum number of reads of a search: each examined slot may lead to a row and to a key of the same length,
    /// and the slots are read in groups.
    public static let mostReads = 2 * mostProbes + 6

    /// The head of a compiled table, from its first bytes.
    ///
    /// The reader trusts only the values that it checks.
    public struct Head: Sendable, Equatable {
        /// The size of a head in bytes.
        public static let size = headSize

        let count: Int
        let slots: Int
        let fileSize: Int
        /// The size of the text from which the table was made, in bytes.
        public let sourceSize: UInt64
        /// When that text was last changed, in nanoseconds since 1970.
        public let sourceModified: Int64
        /// ``hash(_:)`` of that text's bytes.
        public let sourceHash: UInt64

        var rows: Int { headSize + slots * slotSize }
        var texts: Int { rows + count * rowSize }

        /// Reads the head of a compiled table; nil if the bytes are not a head of this format, or if they contradict
        /// each other.
        ///
        /// `bytes`: the first bytes of the file. `fileSize`: the size of the file.
        public init?(_ bytes: UnsafeRawBufferPointer, fileSize: UInt64) {
            guard bytes.count >= headSize, bytes.word(0) == magic, bytes.half(8) == format,
                bytes.word(16) == fileSize, fileSize <= UInt64(Int32.max)
            else { return nil }
            count = Int(bytes.half(12))
            slots = Int(bytes.half(48))
            self.fileSize = Int(fileSize)
            sourceSize = bytes.word(24)
            sourceModified = Int64(bitPattern: bytes.word(32))
            sourceHash = bytes.word(40)
            // Each sum is below 2^31, so that none overflows. There is always a free slot, which ends a search.
            guard count < 1 << 27, slots < 1 << 28, slots > count, slots & (slots - 1) == 0, texts <= self.fileSize
            else {
                return nil
            }
        }

        /// A range of bytes of the file; nil if it is not completely inside the texts.
        func place(_ start: UInt32, _ length: UInt32) -> Range<Int>? {
            let (start, length) = (Int(start), Int(length))
            guard start >= texts, start + length <= fileSize else { return nil }
            return start..<start + length
        }
    }

    /// A hash of a text's bytes.
    ///
    /// It detects that a text was changed, but not by whom: both files belong to one bundle.
    public static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
        var offset = 0
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
        }
        while offset + 8 <= bytes.count {
            add(bytes.word(offset))
            offset += 8
        }
        var last: UInt64 = 0
        for byte in bytes[offset...] { last = last << 8 | UInt64(byte) }
        add(last)
        return sum
    }

    // MARK: Making

    /// Makes the compiled table of a text.
    ///
    /// - Parameters:
    ///   - text: the bytes of a `.strings` file.
    ///   - modified: when the file was last changed, in nanoseconds since 1970.
    ///   - limits: how much is accepted.
    /// - Returns: the bytes of the file, which are equal for equal arguments; nil for a text that has a fault or no
    ///   entries, or whose keys collide too often. Such a text gets no compiled table.
    public static func compile(
        _ text: [UInt8], modified: Int64, limits: PropertyListLimits = .stringsTable
    ) -> [UInt8]? {
        let (entries, faults) = text.withUnsafeBytes { StringsReader.read($0, limits: limits) }
        guard faults.isEmpty, !entries.isEmpty else { return nil }
        let sorted = entries.map { (key: Array($0.key.utf8), value: Array($0.value.utf8)) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var slots = 4
        while slots < sorted.count * 2 { slots *= 2 }
        var table = [(tag: UInt32, entry: UInt32)](repeating: (0, 0), count: slots)
        for (number, entry) in sorted.enumerated() {
            let hash = entry.key.withUnsafeBytes { Self.hash($0) }
            var place = Int(truncatingIfNeeded: hash) & (slots - 1)
            var probes = 1
            while table[place].entry != 0 {
                place = (place + 1) & (slots - 1)
                probes += 1
            }
            guard probes <= mostProbes else { return nil }
            table[place] = (UInt32(truncatingIfNeeded: hash >> 32), UInt32(number + 1))
        }
        let texts = headSize + slots * slotSize + sorted.count * rowSize
        let size = sorted.reduce(texts) { $0 + $1.key.count + $1.value.count }
        guard size < Int(Int32.max) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        func put(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
        put(magic)
        put(format)
        put(UInt32(sorted.count))
        put(UInt64(size))
        put(UInt64(text.count))
        put(modified)
        put(text.withUnsafeBytes { Self.hash($0) })
        put(UInt32(slots))
        put(UInt32(0))
        for slot in table {
            put(slot.tag)
            put(slot.entry)
        }
        var end = texts
        for entry in sorted {
            put(UInt32(end))
            put(UInt32(entry.key.count))
            put(UInt32(end + entry.key.count))
            put(UInt32(entry.value.count))
            end += entry.key.count + entry.value.count
        }
        for entry in sorted { bytes += entry.key + entry.value }
        return bytes
    }

    // MARK: Searching

    /// The result of a search.
    public enum Answer: Sendable, Equatable {
        case text(String)
        /// The table does not have the key.
        case missing
        /// The table is damaged, or must be read as a whole.
        case unclear
    }

    /// Finds one key in the file.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - head: the file's head.
    ///   - read: reads bytes at an offset. Returns exactly as many as requested, or nil.
    /// - Returns: the answer.
    ///
    /// **Cost.** For most keys, four reads of a few bytes; at most 70 reads for any file.
    public static func find(
        _ key: String, _ head: Head, read: (_ offset: Int, _ count: Int) -> [UInt8]?
    ) -> Answer {
        let key = Array(key.utf8)
        let hash = key.withUnsafeBytes { Self.hash($0) }
        let tag = UInt32(truncatingIfNeeded: hash >> 32)
        var place = Int(truncatingIfNeeded: hash) & (head.slots - 1)
        var probes = 0
        let most = min(mostProbes, head.slots)
        while probes < most {
            // Several slots are read at once, because most searches end within them.
            let count = min(8, head.slots - place, most - probes)
            guard let slots = read(headSize + place * slotSize, count * slotSize) else { return .unclear }
            for number in 0..<count {
                let (slotTag, entry) = slots.withUnsafeBytes {
                    ($0.half(number * slotSize), $0.half(number * slotSize + 4))
                }
                if entry == 0 { return .missing }
                probes += 1
                guard slotTag == tag else { continue }
                guard entry <= head.count, let row = read(head.rows + Int(entry - 1) * rowSize, rowSize) else {
                    return .unclear
                }
                let places = row.withUnsafeBytes { row in
                    (head.place(row.half(0), row.half(4)), head.place(row.half(8), row.half(12)))
                }
                guard let keyPlace = places.0, let valuePlace = places.1 else { return .unclear }
                guard keyPlace.count == key.count else { continue }
                guard let found = read(keyPlace.lowerBound, keyPlace.count) else { return .unclear }
                guard found == key else { continue }
                guard let value = read(valuePlace.lowerBound, valuePlace.count),
                    let text = String(validating: value, as: UTF8.self)
                else { return .unclear }
                return .text(text)
            }
            place = (place + count) & (head.slots - 1)
        }
        return .unclear
    }
}

extension StringsIndex {
    /// Makes the index of a compiled table that was read as a whole.
    ///
    /// - Parameters:
    ///   - file: the file's content. The index keeps it.
    ///   - limits: how much is accepted.
    /// - Returns: nil if the table is damaged, so that the text must be read.
    public static func compiled(_ file: ListText, limits: PropertyListLimits = .stringsTable) -> StringsIndex? {
        let bytes = UnsafeRawBufferPointer(file.buffer)
        guard let head = CompiledStrings.Head(bytes, fileSize: UInt64(bytes.count)), head.count <= limits.nodes / 2,
            file.isASCII(from: head.texts) != nil
        else { return nil }
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: head.count)
        // Each text must begin where the one before ends. Rows that share bytes could expand to far more than the file.
        var end = head.texts
        for number in 0..<head.count {
            let row = head.rows + number * CompiledStrings.rowSize
            let (key, keyLength) = (bytes.half(row), bytes.half(row + 4))
            let (value, valueLength) = (bytes.half(row + 8), bytes.half(row + 12))
            guard let keyPlace = head.place(key, keyLength), let valuePlace = head.place(value, valueLength),
                keyPlace.lowerBound == end, valuePlace.lowerBound == keyPlace.upperBound
            else {
                entries.deallocate()
                return nil
            }
            end = valuePlace.upperBound
            (entries + number).initialize(
                to: Entry(keyStart: key, keyLength: keyLength, valueStart: value, valueMark: valueLength))
        }
        let index = StringsIndex(file, entries, count: head.count)
        return index.hasDuplicates ? nil : index
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func half(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    fileprivate func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

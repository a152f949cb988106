extension StringsIndex {
    /// The index of a file without faults, in the form of nearly all files: `"key" = "value";` with comments, in UTF-8
    /// or UTF-16.
    ///
    /// This is the fast way to the results of ``StringsReader/read(_:limits:)``. If it finds something that it does not
    /// recognise, such as a fault, a word without quotes, or a repeated key, the whole file is left to that reader.
    ///
    /// - Parameters:
    ///   - file: the file's content. The index keeps it.
    ///   - limits: how much is accepted.
    /// - Returns: nil if the file must be read by ``StringsReader``.
    public static func recognizing(_ file: ListText, limits: PropertyListLimits = .stringsTable) -> StringsIndex? {
        guard file.count <= limits.size, file.count < Int(Int32.max) else { return nil }
        if var text = UTF16Text(beginning: file.buffer, size: file.count) {
            guard text.append(file.buffer(text.start..<file.count)) == file.count - text.start else { return nil }
            return recognizing(text, limits: limits)
        }
        guard case (.utf8, let start) = TextEncoding.detect(file.buffer), let isASCII = file.isASCII(from: start) else {
            return nil
        }
        return recognizing(file, from: start, isASCII: isASCII, limits)
    }

    /// The same for a file in UTF-16 that was read in pieces.
    public static func recognizing(
        _ file: consuming UTF16Text, limits: PropertyListLimits = .stringsTable
    ) -> StringsIndex? {
        guard file.taken <= limits.size, file.text.count < Int(Int32.max) else { return nil }
        let isASCII = file.finish()
        return recognizing(file.text, from: 0, isASCII: isASCII, limits)
    }

    private static func recognizing(
        _ text: ListText, from start: Int, isASCII: Bool, _ limits: PropertyListLimits
    ) -> StringsIndex? {
        var scan = StringsScan(text, from: start, isASCII: isASCII)
        guard scan.run(), scan.count <= limits.nodes / 2 else {
            scan.entries.deallocate()
            return nil
        }
        let complete = scan.hasEscapedKeys ? text.unescapingKeys(of: scan.entries, count: scan.count) : text
        let index = StringsIndex(complete, scan.entries, count: scan.count)
        if index.hasDuplicates { return nil }
        if !isASCII || scan.hasEscapedKeys, index.hasEquivalentKeys { return nil }
        return index
    }

    /// The index of a dictionary.
    ///
    /// A value under several keys, for example a shared object of a binary list, is stored once.
    ///
    /// - Precondition: less than 2 GiB of keys and values. A table that was read within the limits and the
    ///   ``ReadingBudget`` has at most half a GiB, or twice that with its `.stringsdict`.
    public convenience init(_ table: [String: String]) {
        self.init(nil, adding: table)
    }

    /// The index with more entries, which replace those with the same key.
    public func adding(_ table: [String: String]) -> StringsIndex {
        StringsIndex(self, adding: table)
    }

    private convenience init(_ base: StringsIndex?, adding table: [String: String]) {
        let old = base?.text.count ?? 0
        var shared = SharedValues(table)
        let added = table.reduce(0) { $0 + $1.key.utf8.count + shared.room(for: $1.value) }
        precondition(old + added < Int(Int32.max))
        let text = ListText(capacity: old + added)
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: (base?.count ?? 0) + table.count)
        var count = 0
        if let base {
            text.bytes.update(from: base.text.bytes, count: old)
            entries.initialize(from: base.entries, count: base.count)
            count = base.count
        }
        var end = old
        func add(_ string: String) -> Range<Int> {
            let start = end
            for byte in string.utf8 {
                text.bytes[end] = byte
                end += 1
            }
            return start..<end
        }
        for (key, value) in table {
            let (key, value) = (add(key), shared.place(of: value, adding: add))
            (entries + count).initialize(
                to: Entry(
                    keyStart: UInt32(key.lowerBound), keyLength: UInt32(key.count),
                    valueStart: UInt32(value.lowerBound), valueMark: UInt32(value.count)))
            count += 1
        }
        self.init(text, entries, count: count)
    }

    /// Whether two keys are the same text in different normal forms of Unicode, which a dictionary treats as equal.
    ///
    /// One of the two then contains a character from U+0300 (the first combining mark) on: lead byte 0xCC.
    private var hasEquivalentKeys: Bool {
        guard (0..<count).contains(where: { UTF8Check.holdsLeadByteOfMarks(text.buffer(entries[$0].key)) }) else {
            return false
        }
        var seen: Set<String> = []
        return (0..<count).contains { !seen.insert(key($0)).inserted }
    }
}

/// Finds values that share one string in memory.
private struct SharedValues {
    /// The address of a string's bytes; nil for a short string, which has no bytes outside.
    private typealias Storage = UnsafeRawPointer

    private var rooms: Set<Storage> = []
    private var places: [Storage: Range<Int>] = [:]
    private let isWorthwhile: Bool

    /// - Parameter table: keeps the strings alive while this value is used.
    init(_ table: [String: String]) {
        // Searching for shared values takes longer than copying a few.
        isWorthwhile = table.reduce(0) { $0 + $1.value.utf8.count } > 1 << 16
    }

    private func storage(_ value: String) -> Storage? {
        guard isWorthwhile, value.utf8.count > 15 else { return nil }
        return value.utf8.withContiguousStorageIfAvailable { $0.baseAddress.map { Storage($0) } } ?? nil
    }

    /// How many bytes the next value takes.
    mutating func room(for value: String) -> Int {
        if let storage = storage(value), !rooms.insert(storage).inserted { return 0 }
        return value.utf8.count
    }

    /// The position of a value; it is added if it is not stored yet.
    mutating func place(of value: String, adding add: (String) -> Range<Int>) -> Range<Int> {
        guard let storage = storage(value) else { return add(value) }
        if let known = places[storage] { return known }
        let place = add(value)
        places[storage] = place
        return place
    }
}

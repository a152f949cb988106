import CFuzz
import Glibc
import PluginHost
import PropertyLists

/// Makes compiled tables of strings that are valid except for a few fields: counts, sizes, places, tags and texts.
enum HostileTables {
    /// The keys of every table; a table may have fewer.
    static let keys = (0..<200).map { number in number % 7 == 3 ? "ключ \(number)" : "k\(number)" }

    private static let headSize = 56

    /// Where the parts of a table begin.
    private struct Layout {
        let count, slots, rows, texts: Int

        init(_ bytes: [UInt8]) {
            count = Int(HostileTables.number(at: 12, in: bytes))
            slots = Int(HostileTables.number(at: 48, in: bytes))
            rows = headSize + 8 * slots
            texts = rows + 16 * count
        }
    }

    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = sound(&random)
        if random.oneIn(16) { return bytes }
        let layout = Layout(bytes)
        for _ in 0..<(random.oneIn(3) ? 2 + random.below(4) : 1) { change(&bytes, layout, &random) }
        if random.oneIn(16) { bytes.removeLast(random.below(bytes.count)) }
        if random.oneIn(16) { bytes += [UInt8](repeating: UInt8(random.below(256)), count: random.below(1 << 14)) }
        // A file of another size than its head states is not read further.
        if !random.oneIn(8) { put(UInt32(bytes.count), at: 16, in: &bytes) }
        return bytes
    }

    /// The text of a table and what the library compiles it to.
    private static func sound(_ random: inout SeededGenerator) -> [UInt8] {
        let count = 1 + random.below(random.oneIn(4) ? keys.count : 12)
        let text = keys.prefix(count).map { key in
            let value = String(repeating: random.pick(["v", "ü", "日本", "🎈"]), count: random.below(24))
            return "\"\(key)\" = \"\(value)\";\n"
        }
        return CompiledStrings.compile(Array(text.joined().utf8), modified: 0) ?? []
    }

    private static func change(_ bytes: inout [UInt8], _ layout: Layout, _ random: inout SeededGenerator) {
        guard bytes.count >= layout.texts, layout.count > 0 else { return }
        let row = layout.rows + 16 * random.below(layout.count)
        switch random.below(12) {
        // The head: the format, the counts of entries and slots, and the facts about the text.
        case 0: put(place(&random, layout, bytes), at: random.pick([8, 12, 48]), in: &bytes)
        case 1: put(place(&random, layout, bytes), at: random.pick([0, 4, 20, 24, 32, 40, 52]), in: &bytes)
        // A slot: its tag or its entry.
        case 2: put(place(&random, layout, bytes), at: headSize + 4 * random.below(2 * layout.slots), in: &bytes)
        // A place or length of a row.
        case 3, 4: put(place(&random, layout, bytes), at: row + 4 * random.below(4), in: &bytes)
        // All slots are taken, with the tag of one of them.
        case 5:
            let tag = number(at: headSize + 8 * random.below(layout.slots), in: bytes)
            for slot in 0..<layout.slots {
                put(tag, at: headSize + 8 * slot, in: &bytes)
                put(UInt32(1 + slot % layout.count), at: headSize + 8 * slot + 4, in: &bytes)
            }
        // All rows get all texts.
        case 6:
            for entry in 0..<layout.count {
                put(UInt32(layout.texts), at: layout.rows + 16 * entry + 8, in: &bytes)
                put(UInt32(bytes.count - layout.texts), at: layout.rows + 16 * entry + 12, in: &bytes)
            }
        // The border between a key and its value moves, perhaps into a character.
        case 7:
            let border = number(at: row + 8, in: bytes)
            put(number(at: row + 4, in: bytes) &+ 1, at: row + 4, in: &bytes)
            put(border &+ 1, at: row + 8, in: &bytes)
            put(number(at: row + 12, in: bytes) &- 1, at: row + 12, in: &bytes)
        // Two rows are equal, or change places.
        case 8:
            let other = layout.rows + 16 * random.below(layout.count)
            let (one, two) = (Array(bytes[row..<row + 16]), Array(bytes[other..<other + 16]))
            bytes.replaceSubrange(other..<other + 16, with: one)
            if random.oneIn(2) { bytes.replaceSubrange(row..<row + 16, with: two) }
        // A byte of a text, which may make its UTF-8 wrong.
        case 9 where bytes.count > layout.texts:
            bytes[layout.texts + random.below(bytes.count - layout.texts)] = UInt8(truncatingIfNeeded: random.next())
        case 10: bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
        default:
            put(UInt32(random.below(layout.count + 2)), at: headSize + 8 * random.below(layout.slots) + 4, in: &bytes)
        }
    }

    private static func place(_ random: inout SeededGenerator, _ layout: Layout, _ bytes: [UInt8]) -> UInt32 {
        switch random.below(4) {
        case 0: UInt32(random.below(bytes.count + 2))
        case 1: UInt32(random.below(32))
        case 2:
            UInt32(
                random.pick([layout.rows, layout.texts, bytes.count, layout.count, layout.slots]) + random.below(3) - 1)
        default: random.pick([0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x0800_0000, 0x1000_0000, 0xFFFF_FFF0])
        }
    }

    private static func number(at place: Int, in bytes: [UInt8]) -> UInt32 {
        guard place + 4 <= bytes.count else { return 0 }
        return bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func put(_ value: UInt32, at place: Int, in bytes: inout [UInt8]) {
        for index in 0..<4 where place + index < bytes.count {
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
        }
    }
}

/// The rules for every compiled table: searching and reading stay inside of the file and within limits, both give the same
/// texts, and a bundle with the table beside its text works.
struct TableFileChecks {
    let bytes: UnsafeRawBufferPointer

    func run() throws(Violation) {
        fuzz_memory_start()
        let index = Self.index(of: bytes)
        let entries = index?.dictionary ?? [:]
        let peak = fuzz_memory_peak()
        guard peak <= 16 * bytes.count + (1 << 20) else {
            throw Violation("a table of \(bytes.count) bytes takes \(peak) bytes of memory")
        }
        for (key, value) in entries where !Self.isUnicode(key) || !Self.isUnicode(value) {
            throw Violation("a text is not Unicode")
        }
        if let head = CompiledStrings.Head(bytes, fileSize: UInt64(bytes.count)) {
            for key in HostileTables.keys.prefix(16) + ["", "none"] { try search(key, head, entries) }
        } else if index != nil {
            throw Violation("a table without a valid head is read")
        }
        try readFromBundle()
    }

    private static func isUnicode(_ text: String) -> Bool { String(validating: Array(text.utf8), as: UTF8.self) != nil }

    private static func index(of bytes: UnsafeRawBufferPointer) -> StringsIndex? {
        let text = ListText(capacity: bytes.count)
        UnsafeMutableRawBufferPointer(start: text.bytes, count: bytes.count).copyMemory(from: bytes)
        return StringsIndex.compiled(text)
    }

    private func search(_ key: String, _ head: CompiledStrings.Head, _ entries: [String: String]) throws(Violation) {
        var (reads, sum, isOutside) = (0, 0, false)
        let answer = CompiledStrings.find(key, head) { offset, count in
            reads += 1
            guard offset >= 0, count >= 0, count <= bytes.count, offset <= bytes.count - count else {
                isOutside = true
                return nil
            }
            sum += count
            return Array(bytes[offset..<offset + count])
        }
        if isOutside { throw Violation("the search for \(key) reads outside of the file") }
        guard reads <= CompiledStrings.mostReads, sum <= bytes.count + CompiledStrings.mostReads * 64 else {
            throw Violation("the search for \(key) makes \(reads) reads of \(sum) bytes")
        }
        guard case .text(let text) = answer, let other = entries[key], other != text else { return }
        throw Violation("\(key) is “\(text)” by the search and “\(other)” in the whole table")
    }

    /// The table beside a text of the size and time that it states.
    private func readFromBundle() throws(Violation) {
        let folder = "\(ScratchFolder.path)/tables-\(getpid())"
        Self.count += 1
        // A bundle's object lives as long as anybody holds it; each input has its own bundle.
        let bundlePath = "\(folder)/T\(Self.count).bundle"
        let table = "\(bundlePath)/Contents/Resources/en.lproj/Localizable"
        Files.write(
            Array("{ CFBundleIdentifier = t; CFBundleDevelopmentRegion = en; }".utf8),
            to: "\(bundlePath)/Contents/Info.plist")
        let size = bytes.count >= 32 ? bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self) : 0
        Files.write([UInt8](repeating: 0x20, count: Int(min(size, 1 << 16))), to: table + ".strings")
        let times = [timespec](repeating: timespec(tv_sec: 0, tv_nsec: 0), count: 2)
        utimensat(AT_FDCWD, table + ".strings", times, 0)
        Files.write(Array(bytes), to: table + ".compiled-strings")
        defer { fuzz_remove_tree(bundlePath) }
        guard let bundle = PluginBundle(path: bundlePath) else { throw Violation("the bundle does not open") }
        for key in HostileTables.keys.prefix(24) {
            guard Self.isUnicode(bundle.localizedString(forKey: key, value: nil, table: nil)) else {
                throw Violation("the translation of \(key) is not Unicode")
            }
        }
    }

    // One thread.
    nonisolated(unsafe) private static var count = 0
}

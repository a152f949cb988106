import CFuzz
import Glibc
import PropertyLists

/// The limits for every list and table: the memory of a ``ReadingBudget``, and twenty times the time of a sound file for
/// which a reader may use the same memory.
struct BudgetChecks {
    let bytes: UnsafeRawBufferPointer

    /// The readers, and a sound file for each.
    enum Reader: CaseIterable {
        case list, table, index

        func read(_ bytes: UnsafeRawBufferPointer) {
            switch self {
            case .list:
                _ = try? PropertyListReader.read(bytes, limits: bytes.count > 1 << 20 ? .stringsTable : .standard)
            case .table: _ = StringsReader.read(bytes)
            case .index:
                let text = ListText(capacity: bytes.count)
                UnsafeMutableRawBufferPointer(start: text.bytes, count: bytes.count).copyMemory(from: bytes)
                if StringsIndex.recognizing(text) == nil { _ = StringsIndex(StringsReader.read(bytes).entries) }
            }
        }
    }

    func run() throws(Violation) {
        for reader in Reader.allCases {
            fuzz_memory_start()
            var time = Self.time(reader, bytes)
            let peak = fuzz_memory_peak()
            let limit = ReadingBudget.limit(forInputOf: bytes.count)
            guard peak <= limit else {
                throw Violation("\(reader) takes \(peak) bytes for \(bytes.count), the limit is \(limit)")
            }
            // Shorter times are too short to measure.
            guard time > Self.shortest else { continue }
            let sound = Self.soundTime(reader, size: bytes.count + Self.allowance)
            // Other work of the machine does not count as the reader's time.
            for _ in 0..<9 where time > Self.mostTimes * sound { time = min(time, Self.time(reader, bytes)) }
            guard time <= Self.mostTimes * sound else {
                throw Violation(
                    "\(reader) takes \(time / 1000) µs for \(bytes.count) bytes, a sound file \(sound / 1000)")
            }
        }
    }

    private static let mostTimes = 20
    /// A reader may use memory even for an empty file, and needs time for it: as much as for a file of this size.
    private static let allowance =
        ReadingBudget.limit(forInputOf: 0) / (ReadingBudget.limit(forInputOf: 1) - ReadingBudget.limit(forInputOf: 0))
    /// Nanoseconds.
    private static let shortest = 4_000_000

    /// The time to read a sound file of a size.
    ///
    /// It is measured now, because the machine may be busier than before. For the index the file is a list, because the
    /// usual form of a table is recognised without reading it.
    private static func soundTime(_ reader: Reader, size: Int) -> Int {
        let isList = reader != .table
        var text = isList ? "<plist version=\"1.0\"><dict>" : ""
        var number = 0
        while text.utf8.count < size {
            text +=
                isList
                ? "<key>CFBundleKey\(number)</key>\n<string>A value of no great length</string>\n"
                : "/* No. \(number) */\n\"key \(number)\" = \"A translation of no great length\";\n"
            number += 1
        }
        if isList { text += "</dict></plist>" }
        return Array(text.utf8).withUnsafeBytes { bytes in
            (0..<3).map { _ in time(reader, bytes) }.max() ?? 0
        }
    }

    /// The time of this thread on the processor.
    private static func time(_ reader: Reader, _ bytes: UnsafeRawBufferPointer) -> Int {
        func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
        let start = now()
        reader.read(bytes)
        return now() - start
    }
}

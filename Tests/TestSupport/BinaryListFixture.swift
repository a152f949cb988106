import Glibc

/// A binary property list put together object by object; references and offsets have four bytes.
package struct BinaryListFixture {
    private var objects: [[UInt8]] = []

    package init() {}

    package mutating func add(_ object: [UInt8]) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    package mutating func add(_ text: String) -> Int {
        add([0x5F, 0x12] + Self.bigEndian(text.utf8.count, 4) + Array(text.utf8))
    }

    package mutating func add(_ entries: [(key: Int, value: Int)]) -> Int {
        add(
            [0xDF, 0x12] + Self.bigEndian(entries.count, 4)
                + (entries.map(\.key) + entries.map(\.value)).flatMap { Self.bigEndian($0, 4) })
    }

    package func bytes(top: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += Self.bigEndian(bytes.count, 4)
            bytes += object
        }
        let place = bytes.count
        return bytes + table + [0, 0, 0, 0, 0, 0, 4, 4] + Self.bigEndian(objects.count, 8) + Self.bigEndian(top, 8)
            + Self.bigEndian(place, 8)
    }

    package static func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

/// What the process has used so far.
package enum ProcessUse {
    /// The most memory at once, in bytes.
    package static var mostMemory: Int {
        var use = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &use)
        return use.ru_maxrss * 1024
    }

    /// Time of the processor, in seconds.
    package static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The memory of the process now, in bytes.
package func currentMemory() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, CInt(line.count), file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(sysconf(CInt(_SC_PAGESIZE))) : 0
}

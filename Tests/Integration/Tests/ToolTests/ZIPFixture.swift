import Fixtures
import Foundation

/// ZIP archives, built byte by byte.
struct ZIPFixture {
    /// What an archive says of one file; a test makes one of these wrong.
    struct Entry {
        var name: String
        var content: [UInt8] = []
        var mode: UInt32 = 0o100644
        var method = 0
        var flags = 0
        /// The system that made it: 3 is Unix, 0 MS-DOS.
        var system = 3
        /// What the file's own header has instead of the name.
        var otherName: String?
        var size: Int?
        var checksum: UInt32?
        /// The number of the file whose bytes it shares.
        var shares: Int?
    }

    var entries: [Entry] = []
    /// What the directory at the end counts, and bytes before and after everything.
    var count: Int?
    var before: [UInt8] = []
    var after: [UInt8] = []

    /// Begins with a bundle's directory and a valid Info.plist.
    init(_ name: String = "Salon.bundle") {
        entries = [
            Entry(name: name + "/", mode: 0o040755),
            Entry(
                name: name + "/Contents/Info.plist",
                content: Array("{ CFBundleIdentifier = \"org.example.Salon\"; }".utf8)),
        ]
    }

    mutating func add(_ name: String, _ content: String = "", mode: UInt32 = 0o100644) {
        entries.append(Entry(name: name, content: Array(content.utf8), mode: mode))
    }

    /// Adds a file that is compressed by gzip's program.
    mutating func addCompressed(_ name: String, _ content: [UInt8], mode: UInt32 = 0o100644) throws {
        let file = Workspace.temporary.appending(path: "part-\(UUID().uuidString)")
        try Data(content).write(to: file)
        try Tool.run(try Tool.find("gzip"), ["-n", "-9", file.path])
        // Ten bytes of a header, and eight of an end: the checksum and the size.
        let bytes = Array(try Data(contentsOf: file.appendingPathExtension("gz")))
        var entry = Entry(
            name: name, content: Array(bytes.dropFirst(10).dropLast(8)), mode: mode, method: 8, size: content.count)
        entry.checksum = bytes.suffix(8).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        entries.append(entry)
    }

    var bytes: [UInt8] {
        var bytes = before
        var directory: [UInt8] = []
        var headers: [Int] = []
        for entry in entries {
            let checksum = entry.checksum ?? Self.checksum(entry.content)
            let size = entry.size ?? entry.content.count
            let name = Array(entry.name.utf8)
            let facts =
                Self.half(entry.flags) + Self.half(entry.method) + [0, 0, 0x21, 0] + Self.word(checksum)
                + Self.word(UInt32(entry.content.count)) + Self.word(UInt32(size))
            headers.append(bytes.count)
            if entry.shares == nil {
                let own = Array((entry.otherName ?? entry.name).utf8)
                bytes += Array("PK\u{3}\u{4}".utf8) + Self.half(20) + facts + Self.half(own.count) + [0, 0] + own
                bytes += entry.content
            }
            directory += Array("PK\u{1}\u{2}".utf8) + [20, UInt8(entry.system)] + Self.half(20) + facts
            directory += Self.half(name.count) + [UInt8](repeating: 0, count: 8)
            directory += Self.word(entry.system == 3 ? entry.mode << 16 : 0)
            directory += Self.word(UInt32(headers[entry.shares ?? headers.count - 1])) + name
        }
        let start = bytes.count
        let number = Self.half(count ?? entries.count)
        return bytes + directory + Array("PK\u{5}\u{6}".utf8) + [0, 0, 0, 0] + number + number
            + Self.word(UInt32(directory.count)) + Self.word(UInt32(start)) + [0, 0] + after
    }

    func write() throws -> String { try Self.write(bytes) }

    static func write(_ bytes: [UInt8], _ suffix: String = "zip") throws -> String {
        let file = Workspace.temporary.appending(path: "foreign-\(UUID().uuidString).\(suffix)")
        try Data(bytes).write(to: file)
        return file.path
    }

    private static func half(_ number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] }

    private static func word(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// CRC-32 (ISO 3309), bit by bit.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}

import Fixtures
import Foundation

/// Archives that no packer makes, built byte by byte.
struct HostileArchive {
    private var tar: [UInt8] = []

    /// Begins with a bundle's directory and a valid Info.plist, so that only the entries added later can be wrong.
    init(_ name: String = "Salon.bundle") {
        add(name + "/", type: "5")
        add(name + "/Contents/Info.plist", "{ CFBundleIdentifier = \"org.example.Salon\"; }")
    }

    init(empty: Void) {}

    mutating func add(
        _ name: String, _ content: String = "", type: Character = "0", mode: Int = 0o644, link: String = "",
        size: Int? = nil
    ) {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at place: Int, most: Int) {
            for (offset, byte) in text.utf8.prefix(most).enumerated() { block[place + offset] = byte }
        }
        func octal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(name, at: 0, most: 100)
        put(octal(mode, 7), at: 100, most: 7)
        put(octal(size ?? content.utf8.count, 11), at: 124, most: 11)
        put("        ", at: 148, most: 8)
        put(String(type), at: 156, most: 1)
        put(link, at: 157, most: 100)
        put("ustar\u{0}00", at: 257, most: 8)
        put(octal(block.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", at: 148, most: 8)
        tar += block + Array(content.utf8)
        tar += [UInt8](repeating: 0, count: (512 - content.utf8.count % 512) % 512)
    }

    /// Adds bytes after everything else.
    mutating func append(_ bytes: [UInt8]) { tar += bytes }

    /// The tar archive, with the blocks that end it.
    var ended: [UInt8] { tar + [UInt8](repeating: 0, count: 1024) }

    /// Writes the archive.
    func write() throws -> String { try Self.write(Self.frame(ended)) }

    static func write(_ bytes: [UInt8]) throws -> String {
        let file = Workspace.temporary.appending(path: "hostile-\(UUID().uuidString).tar.zst")
        try Data(bytes).write(to: file)
        return file.path
    }

    /// A Zstandard frame (RFC 8878) with uncompressed blocks.
    ///
    /// `zeros`: how many zeros to add, in blocks that repeat one byte.
    static func frame(_ bytes: [UInt8], zeros: Int = 0) -> [UInt8] {
        let most = 1 << 17
        var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58]
        func header(_ size: Int, kind: Int, isLast: Bool) -> [UInt8] {
            let word = (isLast ? 1 : 0) | kind << 1 | size << 3
            return [UInt8(word & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word >> 16 & 0xFF)]
        }
        for start in stride(from: 0, to: bytes.count, by: most) {
            let part = bytes[start..<min(start + most, bytes.count)]
            frame += header(part.count, kind: 0, isLast: false) + part
        }
        for _ in 0..<zeros / most { frame += header(most, kind: 1, isLast: false) + [0] }
        return frame + header(0, kind: 0, isLast: true)
    }
}

/// The header of one file in a tar archive (POSIX.1-2017, pax, “ustar Interchange Format”).
struct TarHeader: Equatable {
    enum Kind: Equatable {
        case directory
        case file(size: Int64, isExecutable: Bool)
        case link(to: String)
    }

    static let blockSize = 512
    var path: String
    var kind: Kind

    /// How many zeros follow a file of this size.
    static func padding(after size: Int64) -> Int {
        Int((Int64(blockSize) - size % Int64(blockSize)) % Int64(blockSize))
    }

    // MARK: Writing

    /// The blocks of the header.
    ///
    /// If a name is longer than 100 bytes, a pax header with the whole name comes first.
    var blocks: [UInt8] {
        var records: [UInt8] = []
        func note(_ key: String, _ text: String) -> String {
            if text.utf8.count <= 100 { return text }
            records += Self.record(key, text)
            return String(decoding: text.utf8.prefix(100), as: UTF8.self).filter { $0 != "\u{FFFD}" }
        }
        let name = note("path", path + (kind == .directory ? "/" : ""))
        var target = ""
        if case .link(let goal) = kind { target = note("linkpath", goal) }
        var blocks: [UInt8] = []
        if !records.isEmpty {
            blocks = Self.block("PaxHeader", "x", size: Int64(records.count), mode: 0o644)
            blocks += records + [UInt8](repeating: 0, count: Self.padding(after: Int64(records.count)))
        }
        switch kind {
        case .directory: return blocks + Self.block(name, "5", mode: 0o755)
        case .link: return blocks + Self.block(name, "2", mode: 0o777, target: target)
        case .file(let size, let isExecutable):
            return blocks + Self.block(name, "0", size: size, mode: isExecutable ? 0o755 : 0o644)
        }
    }

    /// A pax record such as “18 path=…”, which begins with the record's length.
    private static func record(_ key: String, _ text: String) -> [UInt8] {
        let rest = " \(key)=\(text)\n"
        var length = rest.utf8.count + 1
        while "\(length)".utf8.count + rest.utf8.count != length { length += 1 }
        return Array("\(length)\(rest)".utf8)
    }

    private static func block(
        _ name: String, _ type: Character, size: Int64 = 0, mode: Int, target: String = ""
    ) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: blockSize)
        func put(_ text: String, at place: Int) {
            for (offset, byte) in text.utf8.enumerated() { block[place + offset] = byte }
        }
        func octal(_ number: Int64, _ digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(name, at: 0)
        put(octal(Int64(mode), 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(size, 11), at: 124)
        put(octal(Int64(FileTree.time), 11), at: 136)
        put("        ", at: 148)
        put(String(type), at: 156)
        put(target, at: 157)
        put("ustar", at: 257)
        put("00", at: 263)
        put(octal(Int64(block.reduce(0) { $0 + Int($1) }), 6) + "\0 ", at: 148)
        return block
    }
}

/// A header in an archive, before its content is checked.
struct RawTarHeader {
    private let block: [UInt8]

    /// The type of the file: “0”, “5”, “2”, “x”.
    var type: UInt8 { block[156] == 0 ? UInt8(ascii: "0") : block[156] }
    /// The name; in the POSIX format, with its prefix.
    var name: [UInt8] {
        // In GNU's format, these bytes have another meaning.
        let prefix = isPOSIX ? field(345, 155) : []
        return prefix.isEmpty ? field(0, 100) : prefix + [UInt8(ascii: "/")] + field(0, 100)
    }
    var linkTarget: [UInt8] { field(157, 100) }
    var mode: Int64? { octal(100, 8) }
    var size: Int64? { octal(124, 12) }

    private var isPOSIX: Bool { block[262] == 0 }

    /// Creates nil if the block is not a header: it has another format, or its checksum is wrong.
    init?(_ block: [UInt8]) {
        self.block = block
        let magic = block[257..<262]
        guard magic.elementsEqual("ustar".utf8), block[262] == 0 || block[262] == UInt8(ascii: " ") else { return nil }
        let sum = block.enumerated().reduce(Int64(0)) {
            $0 + ((148..<156).contains($1.offset) ? 32 : Int64($1.element))
        }
        guard octal(148, 8) == sum else { return nil }
    }

    private func field(_ start: Int, _ length: Int) -> [UInt8] {
        Array(block[start..<start + length].prefix { $0 != 0 })
    }

    /// An octal number surrounded by spaces; nil for anything else.
    ///
    /// GNU's binary form is not read: it is used only for numbers above all limits.
    private func octal(_ start: Int, _ length: Int) -> Int64? {
        let digits = block[start..<start + length].drop { $0 == 0x20 }.prefix { $0 != 0 && $0 != 0x20 }
        guard digits.count < 20 else { return nil }
        return digits.isEmpty
            ? 0 : Int64(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
    }
}

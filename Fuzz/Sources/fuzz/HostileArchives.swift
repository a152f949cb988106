/// Makes archives of a bundle that are valid except for a few fields: of a tar header, of a pax header, of the order of the
/// entries, or of the Zstandard frame around them.
struct HostileArchives {
    private struct Entry {
        var name: [UInt8]
        var type: UInt8
        var content: [UInt8] = []
        var link: [UInt8] = []
        var mode: [UInt8] = Array("0000644".utf8)
        /// Nil for the size of the content.
        var size: [UInt8]?
        /// Bytes to write over the finished header, at a place.
        var patch: (place: Int, bytes: [UInt8])?
        var hasWrongSum = false
        /// How many bytes to leave out of the padding.
        var lacking = 0

        init(_ name: String, _ type: Character, _ content: String = "", link: String = "") {
            self.name = Array(name.utf8)
            self.type = type.asciiValue ?? 0
            self.content = Array(content.utf8)
            self.link = Array(link.utf8)
        }
    }

    private var random: SeededGenerator
    private var entries: [Entry] = []

    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        var maker = HostileArchives(random: SeededGenerator(seed: random.next()))
        return maker.archive()
    }

    private init(random: SeededGenerator) { self.random = random }

    private mutating func archive() -> [UInt8] {
        makeEntries()
        let isSound = random.oneIn(16)
        let isOfFrame = random.oneIn(3)
        if !isSound, !isOfFrame {
            for _ in 0..<(random.oneIn(3) ? 2 + random.below(3) : 1) { change() }
        }
        var tar = entries.flatMap(blocks)
        var zeros = 1024
        if !isSound, random.oneIn(8) { zeros = random.pick([0, 1, 511, 512, 1023, 1025, 10_240]) }
        tar += [UInt8](repeating: 0, count: zeros)
        if !isSound, random.oneIn(16) { tar += bytes(1 + random.below(600)) }
        if !isSound, random.oneIn(16) { tar.removeLast(random.below(tar.count)) }
        return frames(tar, isSound: isSound || !isOfFrame)
    }

    /// The name of the bundle; installations of the same one follow each other.
    static let bundle = "Salon.bundle"

    private mutating func makeEntries() {
        entries = [
            Entry(Self.bundle + "/", "5"),
            Entry(
                Self.bundle + "/Contents/Info.plist", "0",
                "{ CFBundleIdentifier = \"org.example.Salon\"; CFBundleVersion = \(random.below(9)); }"),
        ]
        let folder = Self.bundle + "/Contents/Resources"
        for number in 0..<random.below(5) {
            let name = "\(folder)/\(random.pick(["en.lproj", "deep/er", "a", "."]))/f\(number)"
            switch random.below(5) {
            case 0:
                entries.append(
                    Entry(name, "2", link: random.pick(["../a", "f\(number + 1)", "../../Info.plist", "."])))
            case 1: entries.append(Entry("\(name)/", "5"))
            case 2:
                let long = folder + "/" + String(repeating: "long/", count: 1 + random.below(40)) + "f\(number)"
                entries.append(pax(["path": long]))
                entries.append(Entry(name, "0", "long"))
            default:
                entries.append(Entry(name, "0", String(repeating: "text \(number)\n", count: random.below(200))))
            }
        }
    }

    // MARK: Wrong fields

    private mutating func change() {
        let place = random.below(entries.count)
        switch random.below(13) {
        case 0, 1: entries[place].name = name()
        case 2: entries[place].link = name()
        case 3: entries[place].size = number()
        case 4: entries[place].mode = Array(number().prefix(8))
        case 5:
            entries[place].type = random.pick(Array("0123456725gxLKSDVNXA\0 z".utf8))
            if random.oneIn(2) { entries[place].link = name() }
        case 6: entries[place].patch = (random.below(512), bytes(1 + random.below(12)))
        case 7: entries[place].hasWrongSum = true
        case 8: entries[place].lacking = 1 + random.below(511)
        case 9: entries.insert(entries[random.below(entries.count)], at: place)
        case 10: entries.swapAt(place, random.below(entries.count))
        case 11: entries.insert(extendedHeader(), at: place)
        default:
            var more = Entry(String(decoding: name(), as: UTF8.self), random.pick(["0", "2", "5"]), "more")
            more.link = name()
            entries.append(more)
        }
    }

    private mutating func extendedHeader() -> Entry {
        let text = String(decoding: name(), as: UTF8.self)
        switch random.below(8) {
        case 0: return pax(["path": text])
        case 1: return pax(["linkpath": text])
        case 2: return pax(["size": String(decoding: number(), as: UTF8.self)])
        case 3:
            return pax([
                random.pick(["GNU.sparse.major", "GNU.sparse.map", "GNU.sparse.name", "SCHILY.xattr.user.x", "uid", ""]
                ): text
            ])
        case 4: return pax(["path": text, "linkpath": text, "size": "3", "mtime": "1.5"], type: "g")
        case 5:
            var header = pax(["path": text])
            // The length at the beginning of the record, or any other byte of it.
            header.content.replaceSubrange(0..<min(2, header.content.count), with: bytes(2))
            return header
        case 6:
            var header = Entry("././@LongLink", random.pick(["L", "K"]))
            header.content = name() + (random.oneIn(2) ? [0] : [])
            return header
        default:
            var header = pax(["path": text])
            header.content = bytes(random.below(600))
            return header
        }
    }

    private func pax(_ records: [String: String], type: Character = "x") -> Entry {
        var header = Entry("PaxHeader", type)
        for (key, value) in records.sorted(by: { $0.key < $1.key }) {
            let rest = " \(key)=\(value)\n"
            var length = rest.utf8.count + 1
            while "\(length)".utf8.count + rest.utf8.count != length { length += 1 }
            header.content += Array("\(length)\(rest)".utf8)
        }
        return header
    }

    private mutating func name() -> [UInt8] {
        let root = Self.bundle
        let names = [
            "", "/", ".", "..", "/etc/passwd", "../out", "\(root)/../out", "\(root)/Contents/../../out", "./\(root)/x",
            "\(root)//x", "\(root)/.", "\(root)/..", root, root + "/", "Other.bundle/x", "\(root)/Contents/Info.plist",
            "\(root)/contents/info.plist", "\(root)/Contents/Info.plist/x", "\(root)/Contents", "\(root)/a\u{1}b",
            "\(root)/a\nb", "\(root)/\u{FFFD}", "\(root)/e\u{301}", "\(root)/é", ".bundle", "a/b.bundle/c",
            "\(root)/.previous", "\(root)/.pluginhost-x", "../.previous/\(root)", "../\(root)", "../../\(root)/x",
            "self", "f0", "../Resources/a/f1", "\u{202E}x", "%s%n", "\\", "C:\\x", "~", "-rf",
        ]
        switch random.below(8) {
        case 0: return Array((root + "/" + String(repeating: "d/", count: random.below(80)) + "x").utf8)
        case 1: return Array((root + "/" + String(repeating: "n", count: random.below(700))).utf8)
        case 2: return Array(root.utf8) + [0x2F] + bytes(1 + random.below(12))
        case 3: return Array(String(repeating: "../", count: random.below(20)).utf8) + Array("x".utf8)
        default: return Array(random.pick(names).utf8)
        }
    }

    /// A number in a field of a header.
    private mutating func number() -> [UInt8] {
        let numbers = [
            "", "0", "00000000000", "77777777777", "777777777777", "00000000001", "00000000777", "-0000000001", "+1",
            "0x10", "       1", "1 2", "8", "9223372036854775807", "9223372036854775808", "18446744073709551616",
            "4755",
            "0007777", "0002755", "0001777", "0000000", "10000000000", "0000644\0", "2000000000",
        ]
        switch random.below(6) {
        // GNU's binary form.
        case 0: return [0x80] + bytes(11)
        case 1: return [0xFF] + [UInt8](repeating: 0xFF, count: 11)
        case 2: return bytes(1 + random.below(12))
        case 3: return Array(String(random.below(1 << 20), radix: 8).utf8)
        default: return Array(random.pick(numbers).utf8)
        }
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    // MARK: Headers

    private func blocks(of entry: Entry) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ bytes: some Collection<UInt8>, at place: Int, most: Int) {
            for (offset, byte) in bytes.prefix(min(most, 512 - place)).enumerated() { block[place + offset] = byte }
        }
        let octal = String(entry.content.count, radix: 8)
        put(entry.name, at: 0, most: 100)
        put(entry.mode, at: 100, most: 8)
        put(entry.size ?? Array((String(repeating: "0", count: 11 - octal.utf8.count) + octal).utf8), at: 124, most: 12)
        put(Array("        ".utf8), at: 148, most: 8)
        block[156] = entry.type
        put(entry.link, at: 157, most: 100)
        put(Array("ustar\u{0}00".utf8), at: 257, most: 8)
        if let (place, bytes) = entry.patch { put(bytes, at: place, most: 512) }
        put(Array("        ".utf8), at: 148, most: 8)
        let sum = String(block.reduce(entry.hasWrongSum ? 1 : 0) { $0 + Int($1) }, radix: 8)
        put(Array((String(repeating: "0", count: max(0, 6 - sum.utf8.count)) + sum + "\u{0} ").utf8), at: 148, most: 8)
        let padding = max(0, (512 - entry.content.count % 512) % 512 - entry.lacking)
        return block + entry.content + [UInt8](repeating: 0, count: padding)
    }

    // MARK: Frames

    /// The archive in Zstandard frames (RFC 8878) with uncompressed blocks and blocks of one repeated byte.
    private mutating func frames(_ tar: [UInt8], isSound: Bool) -> [UInt8] {
        var parts = [tar[...]]
        if random.oneIn(4) {
            let cut = random.below(tar.count + 1)
            parts = [tar[..<cut], tar[cut...]]
        }
        var result: [UInt8] = []
        for part in parts {
            if random.oneIn(8) {
                let size = random.below(20)
                result += [0x50 + UInt8(random.below(16)), 0x2A, 0x4D, 0x18, UInt8(size), 0, 0, 0] + bytes(size)
            }
            result += frame(Array(part), isSound: isSound)
        }
        if isSound { return result }
        switch random.below(8) {
        case 0: result.removeLast(random.below(result.count))
        case 1: result += bytes(1 + random.below(20))
        case 2: result += result
        // A skipped frame that claims to be longer than the file.
        case 3: result += [0x51, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, UInt8(random.below(256))] + bytes(4)
        default: break
        }
        return result
    }

    private mutating func frame(_ content: [UInt8], isSound: Bool) -> [UInt8] {
        var head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
        // A window of 2 MiB, or the size of the content in eight bytes.
        if random.oneIn(2) {
            head += [0x00, 0x58]
        } else {
            head += [0xE0] + (0..<8).map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) }
        }
        var blocks: [[UInt8]] = []
        let most = random.pick([1, 100, 512, 5_000, 1 << 17])
        var rest = content[...]
        repeat {
            let run = rest.prefix(1 << 17).prefix { $0 == rest.first }.count
            let isRun = run > 64
            let count = isRun ? run : min(rest.count, most == 1 && content.count > 4_000 ? 4_000 : most)
            let isLast = count == rest.count
            let word = (isLast ? 1 : 0) | (isRun ? 2 : 0) | count << 3
            let start = [UInt8(word & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word >> 16 & 0xFF)]
            blocks.append(start + (isRun ? rest.prefix(1) : rest.prefix(count)))
            rest = rest.dropFirst(count)
        } while !rest.isEmpty
        if !isSound {
            switch random.below(9) {
            // The descriptor, the window or the size of the content.
            case 0: head[4] = UInt8(truncatingIfNeeded: random.next())
            case 1: head[5 + random.below(head.count - 5)] = UInt8(truncatingIfNeeded: random.next())
            case 2: head[random.below(4)] ^= 1 << UInt8(random.below(8))
            // A block's kind, its size, or whether it is the last.
            case 3: blocks[random.below(blocks.count)][0] ^= UInt8(1 + random.below(7))
            case 4: blocks[random.below(blocks.count)][random.below(3)] = UInt8(truncatingIfNeeded: random.next())
            case 5: blocks.remove(at: random.below(blocks.count))
            // A checksum that the frame does not have, or one that is wrong.
            case 6: head[4] |= 0x04
            case 7:
                head[4] |= 0x04
                blocks.append(bytes(4))
            // A compressed block of random bytes.
            default:
                let body = bytes(1 + random.below(80))
                blocks.insert(
                    [UInt8(4 | body.count << 3 & 0xFF), UInt8(body.count >> 5), 0] + body,
                    at: random.below(blocks.count))
            }
        }
        return head + blocks.joined()
    }
}

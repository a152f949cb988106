/// Makes lists and tables that are valid but expensive: small files that expand to much, or long files that make a reader
/// search them again and again.
struct HostileLists {
    private var random: SeededGenerator
    /// How many bytes the file should have, approximately.
    private let size: Int

    /// One in ten is larger than 256 KB.
    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        let size = random.oneIn(10) ? 262_144 + random.below(700_000) : 64 + random.below(1 << (7 + random.below(10)))
        var maker = HostileLists(random: SeededGenerator(seed: random.next()), size: size)
        var bytes = maker.make()
        // A file that passes every check may still fail by one bit.
        if random.oneIn(3), !bytes.isEmpty {
            for _ in 0..<(1 + random.below(3)) { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
        }
        return bytes
    }

    private mutating func make() -> [UInt8] {
        switch random.below(16) {
        case 0, 1: overlapping()
        case 2: sharedContainers()
        case 3, 4: sharedValue()
        case 5: equalKeysOfABinaryList()
        case 6: repeated(open: "<dict>", random.pick(Self.markup), close: "</dict>")
        case 7: repeated(open: "<plist><array>", random.pick(Self.elements), close: "</array></plist>")
        case 8: repeated(open: "", random.pick(Self.table), close: "")
        case 9: repeated(open: "(", random.pick(Self.oldStyle), close: ")")
        case 10: longKey()
        case 11: nest()
        case 12: numberedKeys(xml: true)
        case 13: numberedKeys(xml: false)
        case 14: wide(repeated(open: "", random.pick(Self.table), close: ""))
        default: repeated(open: "{", random.pick(Self.table + Self.oldStyle), close: "}")
        }
    }

    // MARK: Text

    private static let markup = [
        "<key>a</key><!--", "<key>a</key><?x", "<key>a</key><string><![CDATA[", "<key>a</key><string>&#", "<key>",
        "<key>a</key>", "<key>a", "<key>a</key><string>b", "<key>a</key><true/><true/>", "<key>a</key><dict>",
        "<key>a</key><data>!", "<key>a</key><!-- x --><string>b</string>", "<key a=\"", "<key>a</key><string>&amp;",
        "<key>a</key><dict><key>b</key>", "<key></key><string></string>", "<key>a</key><integer>x</integer>",
    ]
    private static let elements = [
        "<true/>", "<dict/>", "<array/>", "<string/>", "<dict><key>a</key><true/></dict>", "<array><true/></array>",
        "<integer>1</integer>", "<data/>", "<string>a</string>", "<string>0123456789abcdef</string>", "<!-- -->",
        "<array><array><true/></array></array>",
    ]
    private static let table = [
        "\"a\" = \"b\";\n", "\"a\" = \"b\"\n", "\"a\" = ", "\"a\n", "\"", "'\"", "a;", "a b;\n", "= ;\n", ");", "/*",
        "/* */",
        "//\n", "\"\\U\" = \"\\U\";", "\"\\\"", "a = {;\n", "a = (b);\n", "a = <", "{", "}",
        "\"a\" = \"b;\n\"c\" = \"d\";\n",
        "a = \"b\" /* c */;", "\"%1$999d\" = \"%1$999d\";",
    ]
    private static let oldStyle = [
        "a,", "\"\",", "(),", "(a),", "((a)),", "{},", "{a=b;},", "<>,", "<61>,", "<*BY>,", "\"\\U41\",", "'a',",
        "(a,b,c,d),",
        "{a=(b);},",
    ]

    private func repeated(open: String, _ piece: String, close: String) -> [UInt8] {
        let piece = Array(piece.utf8)
        var bytes = Array(open.utf8)
        bytes.reserveCapacity(size + piece.count + 32)
        while bytes.count < size { bytes += piece }
        return bytes + Array(close.utf8)
    }

    private mutating func numberedKeys(xml: Bool) -> [UInt8] {
        var text = xml ? "<dict>" : "{"
        let value = random.pick(["", "b", "0123456789abcdef", "(c)"])
        var number = 0
        let start = random.below(1 << 20)
        while text.utf8.count < size {
            let key = String(start + number, radix: 36)
            text += xml ? "<key>\(key)</key><string>\(value)</string>" : value.isEmpty ? "\(key);" : "\(key)=\(value);"
            number += 1
        }
        return Array((text + (xml ? "</dict>" : "}")).utf8)
    }

    /// Half of the file is one key, around many short ones.
    private mutating func longKey() -> [UInt8] {
        let long = String(repeating: "k", count: size / 2)
        var text = random.oneIn(2) ? "<dict><key>\(long)</key><dict>" : "{ \(long) = {"
        let isXML = text.first == "<"
        var number = 0
        while text.utf8.count < size {
            text += isXML ? "<key>\(number)</key><true/>" : "\(number)=a;"
            number += 1
        }
        return Array((text + (isXML ? "</dict></dict>" : "};}")).utf8)
    }

    /// Many nests as deep as the limit, beside one another.
    private mutating func nest() -> [UInt8] {
        let depth = 1 + random.below(66)
        let (open, close) = random.pick([
            ("(", ")"), ("{a=", ";}"), ("<array>", "</array>"), ("<dict><key>a</key>", "</dict>"),
        ])
        let isXML = open.hasPrefix("<")
        let middle = isXML ? "<true/>" : "a"
        let one = String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
        return repeated(open: isXML ? "<array>" : "(", isXML ? one : one + ",", close: isXML ? "</array>" : ")")
    }

    private mutating func wide(_ bytes: [UInt8]) -> [UInt8] {
        let isBig = random.oneIn(2)
        return (isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]) + bytes.prefix(size / 2).flatMap { isBig ? [0, $0] : [$0, 0] }
    }

    // MARK: Binary lists

    /// Objects that each hold all later ones.
    private mutating func overlapping() -> [UInt8] {
        let count = max(2, size / 14)
        var file = BinaryFile(referenceSize: 4)
        let kind = random.pick([0x4F, 0x5F, 0x6F])
        let start = file.bytes.count
        for number in 0..<count {
            let rest = (count - number - 1) * 6 / (kind == 0x6F ? 2 : 1)
            // In text, the markers of the later ones would not be ASCII: a length of few bytes keeps some of them right.
            file.add([UInt8(kind), 0x12] + BinaryListWriter.bigEndian(UInt64(kind == 0x5F ? min(rest, 0) : rest), 4))
        }
        if kind == 0x5F {
            // Strings that overlap: a length of one byte before each place of one long text.
            file = BinaryFile(referenceSize: 4)
            let text =
                [UInt8](repeating: 0x5F, count: count) + [0x11, 0x40, 0x40] + [UInt8](repeating: 0x41, count: size)
            file.add(text)
            file.offsets = (0..<count).map { _ in UInt64(8 + count - 1) }
        }
        _ = start
        let array = [0xAF, 0x12] + BinaryListWriter.bigEndian(UInt64(count), 4)
        let references = (0..<count).flatMap { BinaryListWriter.bigEndian(UInt64($0), 4) }
        return file.finished(withTop: array + references)
    }

    /// Containers that hold one container many times, level by level.
    private mutating func sharedContainers() -> [UInt8] {
        var file = BinaryFile(referenceSize: 2)
        file.add(random.pick([[0x09], [0x40], Self.string(200)]))
        let width = 1 + random.below(1 << random.below(12))
        var last = 0
        for _ in 0..<random.below(60) {
            let reference = BinaryListWriter.bigEndian(UInt64(last), 2)
            file.add(
                [0xAF, 0x12] + BinaryListWriter.bigEndian(UInt64(width), 4) + (0..<width).flatMap { _ in reference })
            last += 1
            if file.bytes.count > size { break }
        }
        return file.finished(withTop: [0xA1] + BinaryListWriter.bigEndian(UInt64(last), 2))
    }

    /// Many keys with one value, which is long or a container.
    private mutating func sharedValue() -> [UInt8] {
        var file = BinaryFile(referenceSize: 4)
        let length = random.below(size)
        file.add(random.oneIn(2) ? Self.string(length) : [0xA0])
        let count = max(1, (size - min(length, size / 2)) / 16)
        for number in 0..<count { file.add(Self.string(Array(String(number, radix: 36).utf8))) }
        let keys = (0..<count).flatMap { BinaryListWriter.bigEndian(UInt64($0 + 1), 4) }
        return file.finished(
            withTop: [0xDF, 0x12] + BinaryListWriter.bigEndian(UInt64(count), 4) + keys
                + [UInt8](repeating: 0, count: 4 * count))
    }

    private mutating func equalKeysOfABinaryList() -> [UInt8] {
        var file = BinaryFile(referenceSize: 1)
        file.add(Self.string(random.below(100)))
        file.add([0x09])
        let count = size / 2
        return file.finished(
            withTop: [0xDF, 0x12] + BinaryListWriter.bigEndian(UInt64(count), 4) + [UInt8](repeating: 0, count: count)
                + [UInt8](repeating: 1, count: count))
    }

    private static func string(_ count: Int) -> [UInt8] { string([UInt8](repeating: 0x61, count: count)) }

    private static func string(_ text: [UInt8]) -> [UInt8] {
        [0x5F, 0x12] + BinaryListWriter.bigEndian(UInt64(text.count), 4) + text
    }
}

/// The file of a binary list, object by object.
struct BinaryFile {
    private(set) var bytes = Array("bplist00".utf8)
    var offsets: [UInt64] = []
    let referenceSize: UInt8

    init(referenceSize: UInt8) { self.referenceSize = referenceSize }

    mutating func add(_ object: [UInt8]) {
        offsets.append(UInt64(bytes.count))
        bytes += object
    }

    consuming func finished(withTop top: [UInt8]) -> [UInt8] {
        add(top)
        let table = bytes.count
        for offset in offsets { bytes += BinaryListWriter.bigEndian(offset, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, referenceSize] + BinaryListWriter.bigEndian(UInt64(offsets.count), 8)
        return bytes + BinaryListWriter.bigEndian(UInt64(offsets.count - 1), 8)
            + BinaryListWriter.bigEndian(UInt64(table), 8)
    }
}

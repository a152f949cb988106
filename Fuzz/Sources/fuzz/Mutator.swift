/// Damages files: bits, bytes, tokens, pieces of other files, and the fields of binary lists.
struct Mutator {
    private let samples: [Sample]
    private let tokens: [[UInt8]]
    private let target: Target

    init(samples: [Sample], target: Target) {
        self.target = target
        self.samples = samples
        let special =
            switch target {
            case .strings: Self.table
            case .nibs: Self.markup + Self.nib
            default: Self.markup
            }
        tokens = (Self.common + special).map { Array($0.utf8) }
    }

    /// One input: a correct file or, mostly, a damaged one.
    func input(_ random: inout SeededGenerator) -> (bytes: [UInt8], sample: Sample?) {
        if let bytes = target.hostileInput(&random) { return (bytes, nil) }
        let sample = samples[random.below(samples.count)]
        if random.oneIn(64) { return (sample.bytes, sample) }
        if random.oneIn(256) {
            return ((0..<random.below(64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }, nil)
        }
        var bytes = sample.bytes
        for _ in 0..<(1 + random.below(random.oneIn(8) ? 24 : 4)) { mutate(&bytes, sample.isBinary, &random) }
        return (bytes, nil)
    }

    /// A file larger than any of these finds nothing more.
    private static let longest = 1 << 15

    private func mutate(_ bytes: inout [UInt8], _ isBinary: Bool, _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else {
            bytes = random.pick(tokens)
            return
        }
        if isBinary, random.oneIn(2), bytes.count > 40 { return mutateFields(&bytes, &random) }
        let place = random.below(bytes.count)
        switch random.below(12) {
        case 0, 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 3: bytes[place] = random.pick(Self.interesting)
        case 4: bytes.insert(random.pick(Self.interesting), at: place)
        case 5: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(16)))
        case 6: copyToken(&bytes, to: place, &random)
        case 7: bytes.insert(contentsOf: random.pick(tokens), at: place)
        case 8: splice(&bytes, at: place, &random)
        case 9: removeToken(&bytes, from: place)
        case 10 where random.oneIn(3): bytes.removeSubrange(place...)
        case 11 where random.oneIn(6): repeatPiece(&bytes, at: place, &random)
        default: bytes.replaceSubrange(place..<min(bytes.count, place + 4), with: random.pick(tokens))
        }
        if bytes.count > Self.longest { bytes.removeSubrange(Self.longest...) }
    }

    // MARK: Text

    private static func isBorder(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\"")
    }

    private func token(in bytes: [UInt8], at place: Int) -> Range<Int> {
        var end = place + 1
        while end < bytes.count, end - place < 40, !Self.isBorder(bytes[end]) { end += 1 }
        return place..<end
    }

    private func copyToken(_ bytes: inout [UInt8], to place: Int, _ random: inout SeededGenerator) {
        let token = token(in: bytes, at: random.below(bytes.count))
        bytes.insert(contentsOf: Array(bytes[token]), at: place)
    }

    private func removeToken(_ bytes: inout [UInt8], from place: Int) {
        bytes.removeSubrange(token(in: bytes, at: place))
    }

    private func splice(_ bytes: inout [UInt8], at place: Int, _ random: inout SeededGenerator) {
        let other = samples[random.below(samples.count)].bytes
        guard !other.isEmpty else { return }
        let start = random.below(other.count)
        let piece = other[start..<min(other.count, start + 1 + random.below(64))]
        if random.oneIn(4) {
            bytes.replaceSubrange(place..., with: other[start...])
        } else {
            bytes.insert(contentsOf: piece, at: place)
        }
    }

    /// Deep nests, long runs of quotes, many equal keys, which expose quadratic time.
    private func repeatPiece(_ bytes: inout [UInt8], at place: Int, _ random: inout SeededGenerator) {
        let piece = random.oneIn(2) ? random.pick(tokens) : Array(bytes[token(in: bytes, at: place)])
        let times = 1 + random.below(random.oneIn(8) ? 2000 : 80)
        bytes.insert(contentsOf: (0..<times).flatMap { _ in piece }, at: place)
    }

    // MARK: Binary lists

    /// Changes a field of the trailer, an offset, or the marker or length of an object.
    private func mutateFields(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let trailer = bytes.count - 32
        switch random.below(4) {
        case 0:
            let (offset, size) = random.pick([(6, 1), (7, 1), (8, 8), (16, 8), (24, 8), (5, 1), (0, 4)])
            Self.put(random.pick(Self.numbers), size, at: trailer + offset, in: &bytes)
        case 1:
            let table = Int(truncatingIfNeeded: Self.number(8, at: trailer + 24, in: bytes))
            let size = max(1, min(Int(bytes[trailer + 6]), 8))
            guard table >= 0, table < trailer else { return }
            let entry = table + size * random.below(max(1, (trailer - table) / size))
            guard entry + size <= bytes.count else { return }
            let value = random.oneIn(2) ? UInt64(random.below(bytes.count)) : random.pick(Self.numbers)
            Self.put(value, size, at: entry, in: &bytes)
        case 2:
            // Most likely a marker or a reference, because those are the bytes of small value.
            let place = 8 + random.below(bytes.count - 40)
            bytes[place] = random.pick(Self.markers)
        default:
            let place = 8 + random.below(bytes.count - 40)
            bytes[place] = UInt8(random.below(16))
        }
    }

    private static func number(_ size: Int, at place: Int, in bytes: [UInt8]) -> UInt64 {
        bytes[place..<place + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func put(_ value: UInt64, _ size: Int, at place: Int, in bytes: inout [UInt8]) {
        for index in 0..<size {
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (size - 1 - index)))
        }
    }

    private static let numbers: [UInt64] = [
        0, 1, 2, 7, 8, 9, 15, 16, 31, 32, 64, 127, 128, 255, 256, 65535, 65536, 1 << 31, 1 << 32, 1 << 62, 1 << 63,
        .max, .max - 1, .max - 31,
    ]

    private static let markers: [UInt8] = [
        0x00, 0x08, 0x09, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x22, 0x23, 0x33, 0x40, 0x4F, 0x50, 0x51, 0x5F, 0x60,
        0x6F, 0x7F, 0x80, 0x83, 0x8F, 0xA0, 0xA1, 0xA2, 0xAF, 0xC1, 0xD0, 0xD1, 0xD2, 0xDF, 0xFF,
    ]

    private static let interesting: [UInt8] =
        [0, 1, 9, 10, 13, 0x7F, 0x80, 0xBF, 0xC0, 0xC3, 0xE2, 0xED, 0xF0, 0xFE, 0xFF]
        + Array("<>&;/\"'\\{}()=,*![]-%@$#?".utf8)

    private static let common = [
        "\\U", "\\Ud83d", "\\ude00", "\\777", "\\", "\\n", "\u{301}", "\u{1F600}", "\u{FEFF}", "\u{2028}", "\r\n", "\0",
        "/*", "*/", "//", "/", "\"", "'", ";", "=", "{", "}", "(", ")", "<", ">", ",",
    ]

    private static let table = [
        "\" = \"", "\"a\" = \"b\";\n", "\"a\"", "a;", "a = b;", "= ;", ";;", "\"\"", "{ a = ( b ); }", "<61>",
        "\"a\" =\n\"b\" = \"c\";",
        "/* a */", "%@", "%1$@",
    ]

    private static let markup = [
        "<key>", "</key>", "<string>", "</string>", "<dict>", "</dict>", "<array>", "</array>", "<array/>", "<plist>",
        "</plist>", "<integer>", "</integer>", "<real>", "<date>", "<data>", "</data>", "<true/>", "<false/>",
        "<![CDATA[", "]]>", "<!--", "-->", "&#x", "&#0;", "&#xD800;", "&lt;", "&amp", "&x;", "<?", "?>", "<!DOCTYPE",
        "<!DOCTYPE [", "<!ENTITY x", "encoding='x'", "encoding=\"UTF-16\"", "encoding=\"latin1\"", "<key>CF$UID</key>",
        "nan", "inf", "1e999", "0x", "-0", "99999999999999999999", "2024-02-30T00:00:00Z", "<*I", "<*D", "<*BY>", "<*R",
        "<[", "]>", "%#@n@", "%1$", "%99999999999$@", "%.*f", "NSStringLocalizedFormatKey", "other",
    ]

    private static let nib = [
        "<objects>", "</objects>", "<view id=\"v0\">", "</view>", "<view>", "<subviews>", "</subviews>",
        "<connections>",
        "</connections>", "id=\"v0\"", "key=\"title\"", "customClass=\"FuzzedBlock\"", "property=\"next\"",
        "destination=\"-2\"", "destination=\"-1\"", "<outlet property=\"next\" destination=\"v0\" id=\"x\"/>",
        "<action selector=\"open:\" target=\"-1\" id=\"y\"/>", "<nil key=\"title\"/>", "placeholderIdentifier=\"X\"",
        "base64-UTF8=\"YES\"", "<resources>", "</resources>", "<image name=\"x\"/>", "<constraint id=\"k\"/>",
    ]
}

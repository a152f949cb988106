import PropertyLists

/// A correct file and its content: the start of mutations.
struct Sample {
    let bytes: [UInt8]
    /// The value that a reader must give; nil for a file from the user.
    let value: PropertyList?

    var isBinary: Bool { bytes.starts(with: Array("bplist".utf8)) }
}

/// Makes correct files of every format and encoding.
struct Corpus {
    var random: SeededGenerator

    static func samples(of target: Target, count: Int, seed: UInt64) -> [Sample] {
        var corpus = Corpus(random: SeededGenerator(seed: seed ^ 0xC0_FFEE))
        return (0..<count).map { _ in
            switch target {
            case .plists where corpus.random.oneIn(3): corpus.infoList()
            case .plists, .planted, .elf: corpus.list(corpus.value(depth: 0))
            case .strings: corpus.table(corpus.entries())
            case .stringsdict: corpus.list(corpus.plurals())
            case .nibs: corpus.nib()
            case .settings: Sample(bytes: corpus.list(corpus.settings()).bytes, value: nil)
            case .budgets, .formats, .indexes, .tables, .archives, .ownnames, .signatures, .lanes, .nibsizes, .records:
                Sample(bytes: [], value: nil)
            }
        }
    }

    // MARK: Values

    private mutating func value(depth: Int) -> PropertyList {
        let mostContainers = depth == 0 ? 10 : depth < 4 ? 9 : 7
        switch depth == 0 ? 8 + random.below(2) : random.below(mostContainers + 1) {
        case 0, 1: return .string(string())
        case 2: return integer()
        case 3: return .real(random.pick([0, -0.5, 1.5, 1e300, -1e-300, 3.14159, 1234567.25]))
        case 4: return .boolean(random.oneIn(2))
        case 5: return .date(Double(random.below(1 << 31)))
        case 6: return .data((0..<random.below(20)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        case 7: return .string(string())
        case 8: return .array((0..<random.below(6)).map { _ in value(depth: depth + 1) })
        default:
            var entries: [String: PropertyList] = [:]
            for _ in 0..<random.below(8) { entries[string()] = value(depth: depth + 1) }
            return .dictionary(entries)
        }
    }

    private mutating func integer() -> PropertyList {
        let number = random.pick([0, 1, -1, 127, 255, 256, 65536, Int64.max, Int64.min, -300])
        return random.oneIn(12) ? .unsigned(UInt64(Int64.max) + 1 + UInt64(random.below(1000))) : .integer(number)
    }

    private static let pieces = [
        "CFBundleIdentifier", "name", "a", "b", "key", "value", " ", "é", "ö", "日本", "\u{1F600}", "%@", "%d", "%1$@",
        "&", "<", ">", "\"", "'", "\\", ";", "=", "{", "}", "(", ")", "/*", "*/", "//", "\n", "\t", "\r", "\u{7}",
        "e\u{301}", "-", "_", "1", "x.y", "%%", "%#@n@", "\u{FFFD}", "\u{2028}", "]]>", "<!--", "\u{FEFF}",
    ]

    private mutating func string() -> String {
        (0..<random.below(5)).map { _ in random.pick(Self.pieces) }.joined()
    }

    private mutating func entries() -> [String: PropertyList] {
        var entries: [String: PropertyList] = [:]
        for _ in 0..<random.below(16) { entries[string()] = .string(string()) }
        return entries
    }

    // MARK: Info.plist

    private static let infoKeys = [
        "CFBundleIdentifier", "CFBundleName", "NSExecutable", "CFBundleLocalizations", "PHFactories", "PHRequires",
        "name",
        "version", "CF$UID", "CFBundleName-linux", "", "é", "a&b",
    ]

    /// A list in the form that the index of places can read.
    private mutating func infoList() -> Sample {
        var entries: [String: PropertyList] = [:]
        for _ in 0..<random.below(8) { entries[random.pick(Self.infoKeys)] = infoValue(depth: 1) }
        let value = PropertyList.dictionary(entries)
        guard let text = try? PropertyListWriter.xml(value) else { return list(value) }
        return Sample(bytes: Array(text.utf8), value: value)
    }

    private mutating func infoValue(depth: Int) -> PropertyList {
        switch random.below(depth < 4 ? 9 : 6) {
        case 0: return .boolean(random.oneIn(2))
        case 1: return integer()
        case 6: return .array((0..<random.below(4)).map { _ in infoValue(depth: depth + 1) })
        case 7, 8:
            var entries: [String: PropertyList] = [:]
            for _ in 0..<random.below(4) { entries[random.pick(Self.infoKeys)] = infoValue(depth: depth + 1) }
            return .dictionary(entries)
        default: return .string(string())
        }
    }

    private mutating func plurals() -> PropertyList {
        var entries: [String: PropertyList] = [:]
        for _ in 0..<(1 + random.below(4)) {
            var variable: [String: PropertyList] = [
                "NSStringFormatSpecTypeKey": .string("NSStringPluralRuleType"),
                "NSStringFormatValueTypeKey": .string(random.pick(["d", "ld", "lu", "f", "@", ""])),
            ]
            for category in ["zero", "one", "two", "few", "many", "other"] where !random.oneIn(3) {
                variable[category] = .string(random.pick(["%d files", "no files", "%#@n@", "%1$d %2$@", string()]))
            }
            let format = random.pick(["%#@n@", "%1$#@n@ %2$@", "%#@m@ of %#@n@", "%d", string()])
            let other = random.oneIn(4) ? value(depth: 3) : .dictionary(variable)
            entries[string()] = .dictionary(
                ["NSStringLocalizedFormatKey": .string(format), "n": .dictionary(variable), "m": other])
        }
        return .dictionary(entries)
    }

    // MARK: Files

    mutating func list(_ value: PropertyList) -> Sample {
        switch random.below(3) {
        case 0: return Sample(bytes: BinaryListWriter.bytes(of: value, &random), value: value)
        case 1:
            // Only values that the form can express come back unchanged.
            var writer = OldStyleWriter(SeededGenerator(seed: random.next()))
            writer.write(value)
            return Sample(bytes: encoded(writer.text), value: value.hasDate ? nil : value)
        default:
            guard let text = try? PropertyListWriter.xml(value) else { return list(.array([])) }
            return Sample(bytes: encoded(text), value: value)
        }
    }

    private mutating func table(_ entries: [String: PropertyList]) -> Sample {
        guard !random.oneIn(4) else { return list(.dictionary(entries)) }
        var writer = OldStyleWriter(SeededGenerator(seed: random.next()))
        writer.writeEntries(entries)
        return Sample(bytes: encoded(writer.text), value: .dictionary(entries))
    }

    private mutating func encoded(_ text: String) -> [UInt8] {
        // Without a mark, a wide encoding is recognised by the zero bytes of its first character, if that is ASCII.
        let startsPlain = text.utf8.first.map { $0 < 0x80 && $0 > 0 } ?? false
        switch random.below(startsPlain ? 10 : 7) {
        case 0: return [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        case 1: return [0xFF, 0xFE] + Self.utf16(text, bigEndian: false)
        case 2: return [0xFE, 0xFF] + Self.utf16(text, bigEndian: true)
        case 3: return [0, 0, 0xFE, 0xFF] + Self.utf32(text)
        case 7: return Self.utf16(text, bigEndian: false)
        case 8: return Self.utf16(text, bigEndian: true)
        case 9: return Self.utf32(text)
        default: return Array(text.utf8)
        }
    }

    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private static func utf32(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { BinaryListWriter.bigEndian(UInt64($0.value), 4) }
    }
}

extension PropertyList {
    /// Whether it holds a value that old-style lists have no form for.
    fileprivate var hasDate: Bool {
        switch self {
        case .date, .uid: true
        case .array(let values): values.contains(where: \.hasDate)
        case .dictionary(let entries): entries.values.contains(where: \.hasDate)
        default: false
        }
    }
}

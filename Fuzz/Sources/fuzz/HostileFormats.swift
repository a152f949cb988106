import PropertyLists

/// Makes hostile tables of plural rules that are well formed: chains and circles of variables, shared entries, texts that
/// double with each variable, absurd widths, and values of the wrong type anywhere.
struct HostileFormats {
    private var random: SeededGenerator

    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        var maker = HostileFormats(random: SeededGenerator(seed: random.next()))
        let table = PropertyList.dictionary(maker.entries())
        switch random.below(3) {
        case 0: return BinaryListWriter.bytes(of: table, &random)
        case 1: return (try? PropertyListWriter.xml(table)).map { Array($0.utf8) } ?? []
        default:
            var writer = OldStyleWriter(SeededGenerator(seed: random.next()))
            writer.write(table)
            return Array(writer.text.utf8)
        }
    }

    private mutating func entries() -> [String: PropertyList] {
        var entries: [String: PropertyList] = [:]
        let shared = entry()
        for number in 0..<(1 + random.below(1 << random.below(11))) {
            entries["k\(number)"] = random.oneIn(3) ? entry() : shared
            // Large ones are rare.
            if number > 16, random.oneIn(64) { break }
        }
        return entries
    }

    private mutating func entry() -> PropertyList {
        switch random.below(8) {
        case 0: return .string(random.pick(Self.formats))
        case 1: return variants("NSStringVariableWidthRuleType") { "\($0 * 7)" }
        case 2: return variants("NSStringDeviceSpecificRuleType") { "device\($0)" }
        case 3: return random.pick([.integer(1), .array([.string("a")]), .dictionary([:]), .boolean(true)])
        default: return chain()
        }
    }

    /// Variables that each use the next ones.
    private mutating func chain() -> PropertyList {
        let count = 1 + random.below(1 << random.below(random.oneIn(8) ? 12 : 7))
        let uses = 1 + random.below(random.oneIn(3) ? 60 : 3)
        var entry: [String: PropertyList] = [:]
        let order = random.oneIn(2) ? Array(0..<count) : Array((0..<count).reversed())
        let format =
            random.oneIn(2) ? "%#@v0@" : order.prefix(2_000).map { "%\(random.pick(["", "1$"]))#@v\($0)@" }.joined()
        entry["NSStringLocalizedFormatKey"] = .string(format)
        for number in 0..<count {
            let next = random.oneIn(40) ? random.below(count) : number + 1
            let text =
                next >= count
                ? String(repeating: random.pick(Self.formats), count: 1 + random.below(20))
                : (0..<uses).map { _ in "%#@v\(next)@" }.joined(separator: random.pick(["", " ", "%d"]))
            var variable: [String: PropertyList] = ["other": .string(text)]
            if !random.oneIn(8) { variable["NSStringFormatSpecTypeKey"] = .string("NSStringPluralRuleType") }
            if random.oneIn(4) { variable[random.pick(["one", "few", "zero", "nonsense"])] = .string(text) }
            if random.oneIn(30) { variable["other"] = random.pick([.integer(1), .dictionary([:]), chainLink(text)]) }
            entry["v\(number)"] = .dictionary(variable)
        }
        return .dictionary(entry)
    }

    private func chainLink(_ text: String) -> PropertyList {
        .dictionary(["NSStringLocalizedFormatKey": .string(text)])
    }

    private mutating func variants(_ rule: String, _ name: (Int) -> String) -> PropertyList {
        var variants: [String: PropertyList] = [:]
        for number in 0..<random.below(300) { variants[name(number)] = .string(random.pick(Self.formats)) }
        return .dictionary([rule: .dictionary(variants)])
    }

    private static let formats = [
        "%d files", "%1$999d", "%*.*f", "%999.999f", "%1$*2$d", "%n%p", "%-+ #0'999lld", "%#@missing@", "%#@", "%%",
        String(repeating: "%1$999d", count: 400), String(repeating: "x", count: 3_000), "%99$d", "%.999@", "",
        "%" + String(repeating: "0", count: 500) + "d", String(repeating: "%", count: 501),
    ]
}

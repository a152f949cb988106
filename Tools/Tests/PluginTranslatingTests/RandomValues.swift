import PropertyLists

/// Values for round trips, the same for the same seed.
struct RandomValues: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// Characters that forms escape, shorten or treat in a special way.
    private static let characters: [Unicode.Scalar] = [
        "a", "Z", "0", " ", "\"", "'", "\\", "/", "*", ";", "=", "{", "}", "(", ")", "<", ">", "&", "%", "@", "$", ".",
        "\n", "\t", "\r", "\u{1}", "\u{7F}", "\u{85}", "é", "e\u{301}".unicodeScalars.last!, "ß", "日", "😀", "\u{202E}",
        "\u{2028}", "\u{FEFF}", "\u{FFFD}",
    ]

    mutating func text() -> String {
        var text = "x"
        for _ in 0..<Int.random(in: 0...20, using: &self) {
            text.unicodeScalars.append(Self.characters.randomElement(using: &self) ?? "a")
        }
        return text
    }

    /// A value of one of some types.
    mutating func value(_ types: [String], depth: Int = 0) -> PropertyList {
        let containers: Set = ["array", "dictionary"]
        let allowed = depth < 4 ? types : types.filter { !containers.contains($0) }
        switch allowed.randomElement(using: &self) ?? "string" {
        case "integer":
            let numbers = [0, -1, 1, 127, 128, 255, 256, 65535, 65536, 1 << 31, 1 << 32, .max, .min] as [Int64]
            return .integer(numbers.randomElement(using: &self) ?? 0)
        case "unsigned": return .unsigned(.max)
        case "real":
            let numbers = [0, -0.0, 1, 1.5, -2.25e-300, 1e300, .leastNonzeroMagnitude, 0.1]
            return .real(numbers.randomElement(using: &self) ?? 0)
        case "boolean": return .boolean(Bool.random(using: &self))
        case "date": return .date([0, -1, 700_000_000, 0.0].randomElement(using: &self) ?? 0)
        case "data": return .data((0..<Int.random(in: 0...40, using: &self)).map { UInt8($0) })
        case "uid": return .uid([0, 255, 256, 70_000].randomElement(using: &self) ?? 0)
        case "array":
            return .array((0..<Int.random(in: 0...20, using: &self)).map { _ in value(types, depth: depth + 2) })
        case "dictionary":
            let count = Int.random(in: 0...20, using: &self)
            let entries = (0..<count).map { _ in (text(), value(types, depth: depth + 2)) }
            return .dictionary(Dictionary(entries, uniquingKeysWith: { $1 }))
        default: return .string(text())
        }
    }
}

/// How long the human form of a mangled name can become: one pass over its bytes, without reading its grammar.
///
/// A byte of a name that is no reference adds a bounded number of bytes to the human form. A reference (`S1_`, `T_` in
/// C++, `A` and the letters behind it in Swift) repeats a part that ended before it, so it adds at most what the whole
/// name before it stands for: it doubles the estimate at most. Where one letter sequence can be a reference or a part
/// of an identifier, it counts as a reference. The estimate is therefore never too small; a name that it calls too long
/// is shown as the linker knows it.
enum ManglingEstimate {
    /// What the demanglers may make of one name.
    static let limit = 1 << 20
    /// `Ss` is the longest human form of a single byte: std::basic_string<char, …> for two.
    private static let bytesPerByte = 8

    static func isSmall(_ symbol: String) -> Bool {
        let bytes = Array(symbol.utf8)
        return bytes.starts(with: [UInt8(ascii: "_"), UInt8(ascii: "Z")]) ? isSmallCxx(bytes) : isSmallSwift(bytes)
    }

    /// Itanium C++ ABI, 5.1: `S_`, `S<number>_`, `T_`, `T<number>_`.
    private static func isSmallCxx(_ bytes: [UInt8]) -> Bool {
        var size = 0
        var hasParameters = false
        var hasExpansion = false
        for index in bytes.indices {
            size += bytesPerByte
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch (bytes[index], next) {
            case (UInt8(ascii: "S"), _) where isNumberOrEnd(next):
                size *= 2
            case (UInt8(ascii: "T"), _) where isNumberOrEnd(next) || next == UInt8(ascii: "L"):
                size *= 2
                hasParameters = true
            // A pack expansion repeats its pattern for each argument. A conversion's type may name parameters that
            // stand behind it.
            case (UInt8(ascii: "D"), UInt8(ascii: "p")), (UInt8(ascii: "s"), UInt8(ascii: "p")),
                (UInt8(ascii: "f"), _) where isFold(next), (UInt8(ascii: "c"), UInt8(ascii: "v")):
                hasExpansion = true
            default: break
            }
            guard size <= limit, !(hasParameters && hasExpansion) else { return false }
        }
        return true
    }

    private static func isNumberOrEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
    }

    /// `fl`, `fr`, `fL` and `fR` fold a pack.
    private static func isFold(_ byte: UInt8) -> Bool {
        byte | 0x20 == UInt8(ascii: "l") || byte | 0x20 == UInt8(ascii: "r")
    }

    /// Swift's Mangling.rst, "Substitutions": `A`, then lowercase letters and a capital one, each a reference, each with
    /// the number of times that it is repeated before it; or a number and `_`.
    private static func isSmallSwift(_ bytes: [UInt8]) -> Bool {
        var size = 0
        for index in bytes.indices {
            size += bytesPerByte
            guard bytes[index] == UInt8(ascii: "A") else { continue }
            var count = 0
            var next = index + 1
            references: while next < bytes.count, size <= limit {
                switch bytes[next] {
                case let digit where UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit:
                    count = min(count * 10 + Int(digit - UInt8(ascii: "0")), limit)
                case UInt8(ascii: "a")...UInt8(ascii: "z"):
                    size *= 1 + max(count, 1)
                    count = 0
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                    size *= 1 + max(count, 1)
                    break references
                default: break references
                }
                next += 1
            }
            guard size <= limit else { return false }
        }
        return true
    }
}

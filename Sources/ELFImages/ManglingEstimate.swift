/// Estimates how long the readable form of a mangled name can become, in one pass over its bytes without parsing its
/// grammar.
///
/// A byte that is not part of a reference adds a bounded number of bytes to the readable form. A reference (`S1_`, `T_`
/// in C++, `A` and the letters after it in Swift) repeats an earlier part, so it at most doubles the estimate. A
/// sequence of letters that may be a reference or a part of an identifier counts as a reference. So the estimate is
/// never too small. A name with too long an estimate is shown in its mangled form.
package enum ManglingEstimate {
    /// The longest readable form that the demanglers may produce.
    package static let limit = 1 << 20
    /// `Ss` has the longest readable form per byte: std::basic_string<char, …> for two bytes.
    private static let bytesPerByte = 8

    package static func isSmall(_ symbol: String) -> Bool {
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
            // A pack expansion repeats its pattern for each argument. The type of a conversion may refer to parameters
            // after it.
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

    /// Swift's Mangling.rst, "Substitutions": `A`, then lowercase letters and a capital one, each of them a reference
    /// with an optional repeat count before it; or a number and `_`.
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

@_spi(Tools) internal import HostBasics
@_spi(Tools) internal import PluginHost

/// Spells texts as in strings tables and old-style lists.
enum StringsQuoting {
    /// A text in double quotes.
    ///
    /// Line ends, tabs and control characters are escaped; everything else is unchanged.
    static func quoted(_ text: String, unicodeEscape: String = "\\U") -> String {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        // Use bytes, because appending single characters to a string is much slower.
        var result: [UInt8] = [quote]
        result.reserveCapacity(text.utf8.count + 2)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += [backslash, UInt8(ascii: scalar)]
            case "\n": result += "\\n".utf8
            case "\r": result += "\\r".utf8
            case "\t": result += "\\t".utf8
            case " "..."~": result.append(UInt8(ascii: scalar))
            case _ where isHidden(scalar):
                let digits = String(scalar.value, radix: 16)
                result += (unicodeEscape + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: result += scalar.utf8
            }
        }
        result.append(quote)
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether a character is invisible to an author: displays obey it or do not show it.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool { scalar.isObeyedByDisplays || scalar == "\u{FEFF}" }
}

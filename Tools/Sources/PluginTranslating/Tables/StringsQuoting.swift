@_spi(Tools) internal import PluginHost

/// Texts as strings tables and old-style lists spell them.
enum StringsQuoting {
    /// A text in double quotes.
    ///
    /// Line ends, tabs and control characters are escaped, everything else is as it is.
    static func quoted(_ text: String, unicodeEscape: String = "\\U") -> String {
        let quote = UInt8(ascii: "\"")
        let backslash = UInt8(ascii: "\\")
        let source = Array(text.utf8)
        var result: [UInt8] = [quote]
        result.reserveCapacity(source.count + 2)
        var rest = source[...]
        while let byte = rest.first {
            // The length of a character of UTF-8.
            let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            let bytes = rest.prefix(length)
            switch byte {
            case quote, backslash: result += [backslash, byte]
            case UInt8(ascii: "\n"): result += "\\n".utf8
            case UInt8(ascii: "\r"): result += "\\r".utf8
            case UInt8(ascii: "\t"): result += "\\t".utf8
            case 0x20..<0x7F: result.append(byte)
            default:
                if let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first, isHidden(scalar) {
                    let digits = String(scalar.value, radix: 16)
                    result += (unicodeEscape + String(repeating: "0", count: 4 - digits.count) + digits).utf8
                } else {
                    result += bytes
                }
            }
            rest = rest.dropFirst(length)
        }
        result.append(quote)
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether an author could not see a character: displays obey it, or do not show it.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool { scalar.isObeyedByDisplays || scalar == "\u{FEFF}" }
}

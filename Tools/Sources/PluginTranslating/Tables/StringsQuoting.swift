@_spi(Tools) internal import PluginHost

/// Texts as strings tables and old-style lists spell them.
enum StringsQuoting {
    /// A text in double quotes.
    ///
    /// Line ends, tabs and control characters are escaped, everything else is as it is.
    static func quoted(_ text: String, unicodeEscape: String = "\\U") -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isHidden(scalar):
                let digits = String(scalar.value, radix: 16)
                result += unicodeEscape + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Whether an author could not see a character: displays obey it, or do not show it.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool { scalar.isObeyedByDisplays || scalar == "\u{FEFF}" }
}

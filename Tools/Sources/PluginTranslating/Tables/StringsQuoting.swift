/// Texts as strings tables and old-style lists spell them.
enum StringsQuoting {
    /// A text in double quotes.
    ///
    /// Line ends, tabs and control characters are escaped, everything else is as it is.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // A display obeys the marks of direction, so an author could not see them.
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || isInvisible(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}

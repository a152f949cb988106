/// Numbers in the spelling of text lists.
enum NumberText {
    enum Integer {
        case value(PropertyList)
        case malformed
        case overflow
    }

    /// A whole number: an optional sign, then decimal digits, or `0x` and hexadecimal digits.
    static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Integer {
        var position = 0
        var isNegative = false
        if let first = text.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            position = 1
        }
        var radix: UInt64 = 10
        if text.count > position + 1, text[position] == UInt8(ascii: "0"),
            text[position + 1] | 0x20 == UInt8(ascii: "x")
        {
            radix = 16
            position += 2
        }
        guard position < text.count else { return .malformed }
        var magnitude: UInt64 = 0
        var overflows = false
        while position < text.count {
            guard let digit = hexadecimalDigit(text[position]), UInt64(digit) < radix else { return .malformed }
            let (product, multiplied) = magnitude.multipliedReportingOverflow(by: radix)
            let (sum, added) = product.addingReportingOverflow(UInt64(digit))
            // The rest is still read, so that text that is not a number is reported as such.
            overflows = overflows || multiplied || added
            magnitude = sum
            position += 1
        }
        if overflows { return .overflow }
        if !isNegative { return .value(PropertyList(magnitude)) }
        // The lowest number has no positive counterpart.
        guard magnitude <= UInt64(Int64.max) + 1 else { return .overflow }
        return .value(.integer(Int64(truncatingIfNeeded: 0 &- magnitude)))
    }

    enum Real {
        case value(Double)
        case malformed
        case notFinite
    }

    /// A real number: decimal digits with an optional sign, point and exponent.
    static func real(_ text: UnsafeBufferPointer<UInt8>) -> Real {
        let string = String(decoding: text, as: UTF8.self)
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                continue
            default:
                return isSpelledNotFinite(string) ? .notFinite : .malformed
            }
        }
        guard let value = Double(string) else { return .malformed }
        return value.isFinite ? .value(value) : .notFinite
    }

    /// The value of a hexadecimal digit.
    @inline(__always)
    static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isSpelledNotFinite(_ text: String) -> Bool {
        let word = text.lowercased().drop { $0 == "+" || $0 == "-" }
        return word == "nan" || word == "inf" || word == "infinity"
    }
}

extension PropertyList {
    /// A whole number without a sign: `integer` if it fits, otherwise `unsigned`.
    init(_ magnitude: UInt64) {
        self = Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
    }
}

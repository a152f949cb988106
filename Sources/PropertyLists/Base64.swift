/// Base64 text: four characters for three bytes (RFC 4648).
public enum Base64 {
    /// The bytes that a text encodes, or nil if it is not base64; the padding may be missing.
    ///
    /// Blanks are allowed anywhere. Interface Builder omits the padding.
    public static func decoding(_ text: String) -> [UInt8]? {
        var digits = text.utf8.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        if !digits.contains(UInt8(ascii: "=")), digits.count % 4 > 1 {
            digits += Array(repeating: UInt8(ascii: "="), count: 4 - digits.count % 4)
        }
        return digits.withUnsafeBufferPointer { decode($0) }
    }

    /// The bytes that a text encodes, or nil if it is not base64.
    ///
    /// Blanks are allowed anywhere; padding is required, so that truncated text is noticed.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var digits = 0
        var padding = 0
        for byte in text {
            if byte == 0x20 || (0x09...0x0D).contains(byte) { continue }
            if byte == UInt8(ascii: "=") {
                padding += 1
                guard padding <= 2 else { return nil }
                continue
            }
            guard padding == 0, let digit = value(of: byte) else { return nil }
            group = group << 6 | UInt32(digit)
            digits += 1
            if digits == 4 {
                append(group, 3, to: &bytes)
                group = 0
                digits = 0
            }
        }
        switch (digits, padding) {
        case (0, 0): break
        case (2, 2): append(group << 12, 1, to: &bytes)
        case (3, 1): append(group << 6, 2, to: &bytes)
        default: return nil
        }
        return bytes
    }

    /// Appends the base64 text of some bytes, in one line.
    static func encode(_ bytes: ArraySlice<UInt8>, into text: inout [UInt8]) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let left = bytes.endIndex - index
            let group =
                UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                | (left > 2 ? UInt32(bytes[index + 2]) : 0)
            text.append(character(group >> 18))
            text.append(character(group >> 12 & 63))
            text.append(left > 1 ? character(group >> 6 & 63) : UInt8(ascii: "="))
            text.append(left > 2 ? character(group & 63) : UInt8(ascii: "="))
            index += min(left, 3)
        }
    }

    private static func append(_ group: UInt32, _ count: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        if count > 1 { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
        if count > 2 { bytes.append(UInt8(truncatingIfNeeded: group)) }
    }

    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static func character(_ value: UInt32) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: value)
        switch digit {
        case 0..<26: return UInt8(ascii: "A") + digit
        case 26..<52: return UInt8(ascii: "a") + digit - 26
        case 52..<62: return UInt8(ascii: "0") + digit - 52
        case 62: return UInt8(ascii: "+")
        default: return UInt8(ascii: "/")
        }
    }
}

/// The patterns of dates that strftime() and NSCalendarDate write: `%A, %d %B %Y`.
///
/// Sources: POSIX, strftime(), with glibc's flags; OpenStep, NSCalendarDate, “The Calendar Format”.
enum DatePattern {
    private static let conversions = Set("aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ".utf8)
    /// Conversions that String(format:) has too.
    private static let shared = Set("aAcCdDeFgGpsSuUxX".utf8)

    /// Whether a text is a date pattern: it has two or more conversions, all are conversions of dates, and at least one
    /// does not exist in String(format:).
    static func isOne(_ bytes: [UInt8]) -> Bool {
        var count = 0
        var hasOwn = false
        var index = 0
        while let percent = bytes[index...].firstIndex(of: UInt8(ascii: "%")) {
            index = percent + 1
            while index < bytes.count, isModifier(bytes[index]) { index += 1 }
            guard index < bytes.count else { return false }
            defer { index += 1 }
            if bytes[index] == UInt8(ascii: "%") { continue }
            guard conversions.contains(bytes[index]) else { return false }
            count += 1
            hasOwn = hasOwn || !shared.contains(bytes[index])
        }
        return hasOwn && count >= 2
    }

    /// Flags, widths, and the letters that select another calendar or other digits.
    private static func isModifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "E"), UInt8(ascii: "O"):
            true
        default: false
        }
    }
}

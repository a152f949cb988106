/// The 8-bit encoding of most old files that are not UTF-8, and a superset of Latin-1 (ISO 8859-1).
///
/// The two differ from 0x80 to 0x9F only: Latin-1 has control characters there, which no text contains. So a file that
/// has these bytes is in Windows-1252, whatever it declares.
///
/// Sources: Unicode, VENDORS/MICSFT/WINDOWS/CP1252.TXT; WHATWG, Encoding Standard, “Names and labels”.
enum Windows1252 {
    /// The bytes from 0x80 to 0x9F; zero for the five that have no character.
    private static let differing: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]

    /// Whether a byte has another character than in Latin-1, or none.
    static func differs(_ byte: UInt8) -> Bool { byte & 0xE0 == 0x80 }

    /// The character of a byte; nil for the five bytes that have none.
    static func scalar(_ byte: UInt8) -> UInt32? {
        guard differs(byte) else { return UInt32(byte) }
        let scalar = differing[Int(byte & 0x1F)]
        return scalar == 0 ? nil : UInt32(scalar)
    }

    /// How many bytes a byte takes in UTF-8; three for U+FFFD, which replaces a byte without a character.
    static func utf8Count(_ byte: UInt8) -> Int {
        guard let scalar = scalar(byte) else { return 3 }
        return scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : 3
    }
}

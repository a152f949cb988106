/// The encoding of a text list, and its conversion to UTF-8.
enum TextEncoding: Equatable {
    case utf8
    case utf16(bigEndian: Bool)
    case utf32(bigEndian: Bool)
    /// Latin-1, and where it has control characters, Windows-1252; see ``Windows1252``.
    case latin1
    case ascii

    /// Recognises the encoding by the byte-order mark, otherwise by the zero bytes of the first character: a list
    /// always begins with an ASCII character.
    static func detect(_ bytes: UnsafeBufferPointer<UInt8>) -> (encoding: TextEncoding, markLength: Int) {
        func byte(_ index: Int) -> Int { index < bytes.count ? Int(bytes[index]) : -1 }
        switch (byte(0), byte(1), byte(2), byte(3)) {
        case (0xEF, 0xBB, 0xBF, _): return (.utf8, 3)
        case (0xFF, 0xFE, 0, 0): return (.utf32(bigEndian: false), 4)
        case (0, 0, 0xFE, 0xFF): return (.utf32(bigEndian: true), 4)
        case (0xFF, 0xFE, _, _): return (.utf16(bigEndian: false), 2)
        case (0xFE, 0xFF, _, _): return (.utf16(bigEndian: true), 2)
        case (0, 0, 0, 1...): return (.utf32(bigEndian: true), 0)
        case (1..., 0, 0, 0): return (.utf32(bigEndian: false), 0)
        case (0, 1..., _, _): return (.utf16(bigEndian: true), 0)
        case (1..., 0, _, _): return (.utf16(bigEndian: false), 0)
        default: return (.utf8, 0)
        }
    }

    /// The encoding named in an XML declaration, or nil for one that is not supported.
    static func named(_ name: String) -> Declared? {
        switch name.uppercased() {
        case "UTF-8", "UTF8": .utf8
        case "US-ASCII", "ASCII": .ascii
        case "ISO-8859-1", "ISO_8859-1", "LATIN1", "LATIN-1": .latin1
        case "UTF-16", "UTF16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF32", "UTF-32LE", "UTF-32BE": .wide
        default: nil
        }
    }

    /// The possible values of a declaration.
    ///
    /// The wide encodings are recognised by their bytes, not by their name.
    enum Declared {
        case utf8
        case ascii
        case latin1
        case wide
    }
}

/// Converts text to UTF-8 and checks it.
struct TextDecoder {
    /// Whether invalid bytes become U+FFFD with a fault in `faults`; otherwise they end the reading.
    let isLenient: Bool
    /// The replacements, with positions in the output.
    private(set) var faults = FaultList()
    private var output: [UInt8] = []

    init(isLenient: Bool) {
        self.isLenient = isLenient
    }

    /// Converts text in a wide or 8-bit encoding to UTF-8.
    mutating func convert(
        _ bytes: UnsafeBufferPointer<UInt8>, from encoding: TextEncoding
    ) throws(PropertyListFault) -> [UInt8] {
        output = []
        output.reserveCapacity(encoding == .latin1 ? bytes.count + bytes.count / 8 : bytes.count)
        switch encoding {
        case .utf8, .ascii: output.append(contentsOf: bytes)
        case .latin1: try convertLatin1(bytes)
        case .utf16(let bigEndian): try convertUTF16(bytes, bigEndian)
        case .utf32(let bigEndian): try convertUTF32(bytes, bigEndian)
        }
        return output
    }

    private mutating func convertLatin1(_ bytes: UnsafeBufferPointer<UInt8>) throws(PropertyListFault) {
        for byte in bytes {
            if let scalar = Windows1252.scalar(byte) {
                append(scalar)
            } else {
                try replace(
                    "The byte 0x\(String(byte, radix: 16, uppercase: true)) stands for no character in Latin-1 "
                        + "or Windows-1252.")
            }
        }
    }

    private mutating func convertUTF16(
        _ bytes: UnsafeBufferPointer<UInt8>, _ bigEndian: Bool
    ) throws(PropertyListFault) {
        let high = bigEndian ? 0 : 1
        let low = 1 - high
        var index = 0
        while index + 1 < bytes.count {
            let unit = UInt32(bytes[index + high]) << 8 | UInt32(bytes[index + low])
            index += 2
            guard unit & 0xF800 == 0xD800 else {
                append(unit)
                continue
            }
            if unit < 0xDC00, index + 1 < bytes.count {
                let next = UInt32(bytes[index + high]) << 8 | UInt32(bytes[index + low])
                if next & 0xFC00 == 0xDC00 {
                    append(0x10000 + (unit & 0x3FF) << 10 + (next & 0x3FF))
                    index += 2
                    continue
                }
            }
            try replace("The UTF-16 text holds the lone surrogate 0x\(String(unit, radix: 16, uppercase: true)).")
        }
        if index < bytes.count {
            try replace("The UTF-16 text has an odd number of bytes; the last character is cut in half.")
        }
    }

    private mutating func convertUTF32(
        _ bytes: UnsafeBufferPointer<UInt8>, _ bigEndian: Bool
    ) throws(PropertyListFault) {
        var index = 0
        while index + 3 < bytes.count {
            var unit: UInt32 = 0
            for place in 0..<4 {
                unit = unit << 8 | UInt32(bytes[index + (bigEndian ? place : 3 - place)])
            }
            index += 4
            if unit > 0x10FFFF || unit & 0xFFFF_F800 == 0xD800 {
                try replace(
                    "The UTF-32 text holds 0x\(String(unit, radix: 16, uppercase: true)), which is not a character.")
            } else {
                append(unit)
            }
        }
        if index < bytes.count {
            try replace("The UTF-32 text has \(bytes.count) bytes, which is not a multiple of four.")
        }
    }

    private mutating func replace(_ message: @autoclosure () -> String) throws(PropertyListFault) {
        guard isLenient else {
            let fault = TextFault(.invalidEncoding, at: output.count, message())
            throw output.withUnsafeBufferPointer { fault.located(in: $0) }
        }
        faults.add(TextFault(.invalidEncoding, at: output.count, message()))
        append(0xFFFD)
    }

    private mutating func append(_ scalar: UInt32) {
        output.appendUTF8(scalar)
    }
}

extension [UInt8] {
    /// Appends the UTF-8 form of a scalar value, which is not a surrogate and at most U+10FFFF.
    @inline(__always)
    mutating func appendUTF8(_ scalar: UInt32) {
        if scalar < 0x80 {
            append(UInt8(truncatingIfNeeded: scalar))
            return
        }
        if scalar < 0x800 {
            append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
        } else {
            if scalar < 0x10000 {
                append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
            } else {
                append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
                append(0x80 | UInt8(truncatingIfNeeded: scalar >> 12) & 0x3F)
            }
            append(0x80 | UInt8(truncatingIfNeeded: scalar >> 6) & 0x3F)
        }
        append(0x80 | UInt8(truncatingIfNeeded: scalar) & 0x3F)
    }
}

/// A text in UTF-16 that is converted to UTF-8 piece by piece.
///
/// So a large file need never be in memory as a whole: for the system, allocating its pages takes as long as the
/// conversion.
///
/// **Threads.** One owner at a time.
public struct UTF16Text: ~Copyable {
    /// Where the text begins in the file, after the byte-order mark.
    public let start: Int
    let text: ListText
    private let bigEndian: Bool
    /// The maximum size of the file.
    private let size: Int
    /// How many bytes of the file were processed, including the mark.
    private(set) var taken: Int
    /// How many bytes of the text are written.
    private var end = 0

    /// Nil if the file is not in UTF-16.
    ///
    /// - Parameters:
    ///   - beginning: the first four bytes of the file, or all of a shorter one; more bytes are allowed.
    ///   - size: the maximum number of bytes in the file.
    public init?(beginning: UnsafeBufferPointer<UInt8>, size: Int) {
        guard case (.utf16(let bigEndian), let markLength) = TextEncoding.detect(beginning) else { return nil }
        self.bigEndian = bigEndian
        self.size = size
        start = markLength
        taken = markLength
        // Room for the longest form of each unit; memory that is never written costs nothing.
        text = ListText(capacity: size / 2 * 3)
    }

    /// Appends the next piece of the file.
    ///
    /// - Returns: how many of its bytes were processed. If the piece ends inside a character, the first bytes of that
    ///   character are not processed and must be at the start of the next piece. Nil if the piece contains a lone
    ///   surrogate, or the file becomes too long.
    public mutating func append(_ piece: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let source = piece.baseAddress else { return 0 }
        guard piece.count <= size - taken else { return nil }
        let units = piece.count / 2
        let converted =
            bigEndian
            ? Self.convert(source, units: units, to: text.bytes + end) { UInt64(bigEndian: $0).reversedUnits }
            : Self.convert(source, units: units, to: text.bytes + end) { UInt64(littleEndian: $0) }
        guard let converted else { return nil }
        taken += converted.units * 2
        end += converted.bytes
        return converted.units * 2
    }

    /// Ends the text.
    ///
    /// Returns whether it is only ASCII.
    mutating func finish() -> Bool {
        text.shorten(to: end)
        return end == (taken - start) / 2
    }

    /// Converts stored UTF-16 units to UTF-8.
    ///
    /// `ordered`: converts four stored units to numbers with the first one lowest. Returns how many units were read and
    /// bytes written; nil for a lone surrogate. A surrogate at the end is not read, because its other half may be in
    /// the next piece.
    @inline(__always)
    private static func convert(
        _ source: UnsafePointer<UInt8>, units: Int, to bytes: UnsafeMutablePointer<UInt8>, _ ordered: (UInt64) -> UInt64
    ) -> (units: Int, bytes: Int)? {
        let raw = UnsafeRawPointer(source)
        var next = 0
        var end = 0
        while next &+ 4 <= units {
            let word = ordered(raw.loadUnaligned(fromByteOffset: next &* 2, as: UInt64.self))
            let others = word & 0xFF80_FF80_FF80_FF80
            // Only the units before the first one that is not ASCII count; the bytes stored for the others are
            // overwritten later.
            var packed = (word | word >> 8) & 0x0000_FFFF_0000_FFFF
            packed = (packed | packed >> 16) & 0xFFFF_FFFF
            UnsafeMutableRawPointer(bytes + end).storeBytes(
                of: UInt32(truncatingIfNeeded: packed).littleEndian, as: UInt32.self)
            if others == 0 {
                next &+= 4
                end &+= 4
                continue
            }
            let plain = others.trailingZeroBitCount / 16
            next &+= plain
            end &+= plain
            var scalar = UInt32(truncatingIfNeeded: word >> UInt64(plain &* 16)) & 0xFFFF
            next &+= 1
            if scalar & 0xF800 == 0xD800 {
                guard scalar < 0xDC00 else { return nil }
                guard next < units else { return (next &- 1, end) }
                let low = unit(raw, next, ordered)
                guard low & 0xFC00 == 0xDC00 else { return nil }
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                next &+= 1
            }
            end &+= store(scalar, at: bytes + end)
        }
        while next < units {
            var scalar = unit(raw, next, ordered)
            next &+= 1
            if scalar & 0xF800 == 0xD800 {
                guard scalar < 0xDC00 else { return nil }
                guard next < units else { return (next &- 1, end) }
                let low = unit(raw, next, ordered)
                guard low & 0xFC00 == 0xDC00 else { return nil }
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                next &+= 1
            }
            end &+= store(scalar, at: bytes + end)
        }
        return (units, end)
    }

    @inline(__always)
    private static func unit(_ raw: UnsafeRawPointer, _ index: Int, _ ordered: (UInt64) -> UInt64) -> UInt32 {
        // One unit in the first of four places.
        let stored = raw.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self)
        return UInt32(truncatingIfNeeded: ordered(UInt64(UInt16(littleEndian: stored)).littleEndian) & 0xFFFF)
    }

    @inline(__always)
    private static func store(_ scalar: UInt32, at place: UnsafeMutablePointer<UInt8>) -> Int {
        func tail(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: scalar >> shift) & 0x3F }
        if scalar < 0x80 {
            place[0] = UInt8(truncatingIfNeeded: scalar)
            return 1
        }
        if scalar < 0x800 {
            place[0] = 0xC0 | UInt8(truncatingIfNeeded: scalar >> 6)
            place[1] = tail(0)
            return 2
        }
        if scalar < 0x10000 {
            place[0] = 0xE0 | UInt8(truncatingIfNeeded: scalar >> 12)
            place[1] = tail(6)
            place[2] = tail(0)
            return 3
        }
        place[0] = 0xF0 | UInt8(truncatingIfNeeded: scalar >> 18)
        place[1] = tail(12)
        place[2] = tail(6)
        place[3] = tail(0)
        return 4
    }
}

extension UInt64 {
    /// The four units of 16 bits in the opposite order.
    fileprivate var reversedUnits: UInt64 {
        (self >> 48) | (self >> 16 & 0xFFFF_0000) | (self << 16 & 0xFFFF_0000_0000) | (self << 48)
    }
}

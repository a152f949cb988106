/// The bytes of a list or a strings table, with zeros behind them so that words of eight bytes may be read at its end.
///
/// **Threads.** Written by who makes it, before it is shared; read by any.
// @unchecked: see above.
public final class ListText: @unchecked Sendable {
    public let bytes: UnsafeMutablePointer<UInt8>
    public private(set) var count: Int

    private static let padding = 16

    /// Memory for a text, not yet written but for the zeros.
    public init(capacity: Int) {
        bytes = .allocate(capacity: capacity + Self.padding)
        count = capacity
        (bytes + capacity).initialize(repeating: 0, count: Self.padding)
    }

    deinit { bytes.deallocate() }

    /// Ends the text before the memory does.
    public func shorten(to count: Int) {
        (bytes + count).initialize(repeating: 0, count: Self.padding)
        self.count = count
    }

    public var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

    func buffer(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
    }

    /// Whether the text from a place on is ASCII alone; nil if it is no valid UTF-8.
    func isASCII(from start: Int) -> Bool? {
        let raw = UnsafeRawPointer(bytes)
        var index = start
        // Behind the text are zeros.
        while index < count, raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
            index &+= 8
        }
        if index >= count { return true }
        return UTF8Check.firstFault(in: buffer(index..<count), refusingNUL: false) == nil ? false : nil
    }

    /// Text in UTF-16 as UTF-8; nil if it holds a lone surrogate or half a character.
    convenience init?(utf16 source: UnsafeBufferPointer<UInt8>, bigEndian: Bool) {
        guard source.count % 2 == 0, let start = source.baseAddress else { return nil }
        // The longest form of a unit; memory that is not written costs nothing.
        self.init(capacity: source.count / 2 * 3)
        let end =
            bigEndian
            ? Self.convert(start, units: source.count / 2, to: bytes) { UInt64(bigEndian: $0).reversedUnits }
            : Self.convert(start, units: source.count / 2, to: bytes) { UInt64(littleEndian: $0) }
        guard let end else { return nil }
        shorten(to: end)
    }

    /// - Parameter ordered: four units as they are stored, as numbers with the first one lowest.
    /// - Returns: how many bytes were written.
    @inline(__always)
    private static func convert(
        _ source: UnsafePointer<UInt8>, units: Int, to bytes: UnsafeMutablePointer<UInt8>, _ ordered: (UInt64) -> UInt64
    ) -> Int? {
        let raw = UnsafeRawPointer(source)
        var next = 0
        var end = 0
        while next &+ 4 <= units {
            let word = ordered(raw.loadUnaligned(fromByteOffset: next &* 2, as: UInt64.self))
            let others = word & 0xFF80_FF80_FF80_FF80
            // The units before the first that is no ASCII count; what is stored for the others is written over.
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
                guard scalar < 0xDC00, next < units else { return nil }
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
                guard scalar < 0xDC00, next < units, unit(raw, next, ordered) & 0xFC00 == 0xDC00 else { return nil }
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (unit(raw, next, ordered) & 0x3FF)
                next &+= 1
            }
            end &+= store(scalar, at: bytes + end)
        }
        return end
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

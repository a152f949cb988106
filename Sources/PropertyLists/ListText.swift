// @unchecked: see above.
/// The bytes of a list or a strings table, with zeros behind them so that words of eight bytes may be read at its end.
///
/// **Threads.** Written by who makes it, before it is shared; read by any.
public final class ListText: @unchecked Sendable {
    /// The first byte.
    public let bytes: UnsafeMutablePointer<UInt8>
    // Not checked for two accesses at once: it is written before the text is shared, and read for every value.
    /// The number of bytes, without the zeros behind them.
    @exclusivity(unchecked) public private(set) var count: Int

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

    /// The bytes, without the zeros behind them.
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
}

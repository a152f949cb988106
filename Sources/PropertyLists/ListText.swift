// @unchecked: see “Threads” below.
/// The bytes of a list or a strings table, followed by zeros, so that words of eight bytes can be read at its end.
///
/// **Threads.** Written by its creator before it is shared; read by any thread.
public final class ListText: @unchecked Sendable {
    /// The first byte.
    public let bytes: UnsafeMutablePointer<UInt8>
    // Not checked for simultaneous access: it is written before the text is shared, and read for every value.
    /// The number of bytes, without the zeros after them.
    @exclusivity(unchecked) public private(set) var count: Int

    private static let padding = 16

    /// Allocates memory for a text; only the zeros are written.
    public init(capacity: Int) {
        bytes = .allocate(capacity: capacity + Self.padding)
        count = capacity
        (bytes + capacity).initialize(repeating: 0, count: Self.padding)
    }

    deinit { bytes.deallocate() }

    /// Shortens the text to fewer bytes than were allocated.
    public func shorten(to count: Int) {
        (bytes + count).initialize(repeating: 0, count: Self.padding)
        self.count = count
    }

    /// The bytes, without the zeros after them.
    public var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

    func buffer(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
    }

    /// Whether the text from a position on is only ASCII; nil if it is not valid UTF-8.
    func isASCII(from start: Int) -> Bool? {
        let raw = UnsafeRawPointer(bytes)
        var index = start
        // The text is followed by zeros.
        while index < count, raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
            index &+= 8
        }
        if index >= count { return true }
        return UTF8Check.firstFault(in: buffer(index..<count), refusingNUL: false) == nil ? false : nil
    }
}

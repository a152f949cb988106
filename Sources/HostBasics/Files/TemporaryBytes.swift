import Glibc
import Synchronization

/// Provides uninitialised memory for the duration of a call.
///
/// The last released block is kept for the next call, up to 32 KiB: enough for an Info.plist or the tables of an ELF
/// file. Why not `withUnsafeTemporaryAllocation`: it takes everything above 1 KiB from the heap. A block of several
/// pages at the end of the heap makes malloc() grow and shrink the heap at every call: two system calls, and a page
/// fault for each page.
///
/// **Threads.** Any; if two threads use it at once, one gets a separate block.
@inlinable @inline(__always)
package func withTemporaryBytes<Value, Failure: Error>(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    let block = TemporaryBlock.take(count)
    defer { TemporaryBlock.giveBack(block, count) }
    return try body(UnsafeMutableRawBufferPointer(start: block, count: count))
}

@usableFromInline enum TemporaryBlock {
    private static let keptSize = 32768

    /// The address of the unused block; 0 if there is none.
    private static let spare = Atomic<UInt>(0)

    @usableFromInline static func take(_ count: Int) -> UnsafeMutableRawPointer {
        guard count <= keptSize else { return .allocate(byteCount: count, alignment: 16) }
        return UnsafeMutableRawPointer(bitPattern: spare.exchange(0, ordering: .acquiring))
            ?? .allocate(byteCount: keptSize, alignment: 16)
    }

    @usableFromInline static func giveBack(_ block: UnsafeMutableRawPointer, _ count: Int) {
        guard count <= keptSize else { return block.deallocate() }
        // If another block was put back meanwhile, release that one.
        let other = spare.exchange(UInt(bitPattern: block), ordering: .acquiringAndReleasing)
        UnsafeMutableRawPointer(bitPattern: other)?.deallocate()
    }
}

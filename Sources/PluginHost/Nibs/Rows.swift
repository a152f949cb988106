/// A list that only grows, whose elements are used where they stand.
///
/// One thread appends; afterwards any thread may read. An array cannot hold what is not copyable.
final class Rows<Element: ~Copyable>: @unchecked Sendable {
    // @unchecked because nothing is appended any more when a second thread gets it.
    private var room = UnsafeMutableBufferPointer<Element>(start: nil, count: 0)
    private(set) var count = 0

    /// They live as long as this object, and stand here until another one is appended.
    var all: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: room.baseAddress, count: count) }

    /// Returns the element's number.
    @discardableResult
    func append(_ element: consuming Element) -> Int {
        if count == room.count {
            let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(16, 2 * count))
            if let from = room.baseAddress { larger.baseAddress!.moveInitialize(from: from, count: count) }
            room.deallocate()
            room = larger
        }
        (room.baseAddress! + count).initialize(to: element)
        count += 1
        return count - 1
    }

    deinit {
        room.baseAddress?.deinitialize(count: count)
        room.deallocate()
    }
}

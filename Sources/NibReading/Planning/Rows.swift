/// A list that only grows, and whose elements are used in place.
///
/// Why not an array: it cannot contain elements that are not copyable. One thread appends; afterwards any thread may
/// read. Inlinable, because an instantiation reads each step and each function in place, in another module.
@usableFromInline package final class Rows<Element: ~Copyable>: @unchecked Sendable {
    // @unchecked because appending ends before a second thread gets the list.
    // Appending is not reentrant, and calls no other code. Without the attributes, each access is checked at run time,
    // because other modules could access them too.
    @exclusivity(unchecked) @usableFromInline var room = UnsafeMutableBufferPointer<Element>(start: nil, count: 0)
    @exclusivity(unchecked) @usableFromInline private(set) var count = 0

    /// The elements.
    ///
    /// The pointer is valid as long as this object, and until another element is appended.
    @inlinable package var all: UnsafeBufferPointer<Element> {
        UnsafeBufferPointer(start: room.baseAddress, count: count)
    }

    /// Appends an element and returns its index.
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

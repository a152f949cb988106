/// A stack from which elements are moved instead of copied.
///
/// An array can only copy a range and then destroy it, which costs two atomic operations for each string; that was a
/// fifth of the time for reading an Info.plist.
struct MoveStack<Element>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }

    /// The top element.
    var last: Element? { count > 0 ? base[count - 1] : nil }

    /// An element that is in the stack.
    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count)
        return base[index]
    }

    /// Whether the next element needs more memory.
    @inline(__always)
    var isFull: Bool { count == capacity }

    /// The size of its memory in bytes.
    var size: Int { capacity * MemoryLayout<Element>.stride }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    /// Replaces the top element, if there is one.
    mutating func replaceLast(with element: consuming Element) {
        guard count > 0 else { return }
        base[count - 1] = element
    }

    /// Destroys the elements above the first `newCount`.
    mutating func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count)
        (base + newCount).deinitialize(count: count - newCount)
        count = newCount
    }

    /// Moves the elements above the first `newCount` into an array.
    mutating func takeArray(above newCount: Int) -> [Element] {
        precondition(newCount >= 0 && newCount <= count)
        let taken = count - newCount
        count = newCount
        // The initialiser would write a length of 0 into the empty array that the whole process shares, which the
        // thread sanitiser rightly reports.
        if taken == 0 { return [] }
        return Array(unsafeUninitializedCapacity: taken) { buffer, initialized in
            buffer.baseAddress?.moveInitialize(from: base + newCount, count: taken)
            initialized = taken
        }
    }

    /// Removes the elements above the first `newCount`.
    ///
    /// The caller must move all of them out at once: they no longer belong to the stack, and the next `append`
    /// overwrites them.
    mutating func surrender(above newCount: Int) -> UnsafeMutableBufferPointer<Element> {
        precondition(newCount >= 0 && newCount <= count)
        let taken = UnsafeMutableBufferPointer(start: base + newCount, count: count - newCount)
        count = newCount
        return taken
    }

    /// Doubles the memory.
    @inline(never)
    mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}

/// Values of one attribute, converted to its type and kept side by side: a closure for each would be an allocation for each.
///
/// One thread appends; afterwards any thread may read.
@usableFromInline
final class NibValueList<Value>: ManagedBuffer<Int, Value> {
    // The header is the number of values.

    /// An empty list with room for some values.
    @inlinable
    static func make(_ capacity: Int) -> NibValueList {
        unsafeDowncast(create(minimumCapacity: capacity) { _ in 0 }, to: NibValueList.self)
    }

    deinit { _ = withUnsafeMutablePointers { $1.deinitialize(count: $0.pointee) } }

    /// Appends a value, for which there must be room, and returns its number.
    @inlinable
    func append(_ value: Value) -> Int {
        precondition(header < capacity, "a list of values has no room for another one")
        return withUnsafeMutablePointers { count, values in
            (values + count.pointee).initialize(to: value)
            count.pointee += 1
            return count.pointee - 1
        }
    }

    /// The value of a number.
    @inlinable
    subscript(number: Int) -> Value { withUnsafeMutablePointerToElements { $0[number] } }
}

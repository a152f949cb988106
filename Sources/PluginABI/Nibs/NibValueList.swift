/// Values of one attribute, converted to its type and stored side by side.
///
/// One closure per value would cost one allocation per value.
///
/// One thread appends; afterwards any thread may read.
@usableFromInline
final class NibValueList<Value>: ManagedBuffer<Int, Value> {
    // The header is the number of values.

    /// An empty list with room for `capacity` values.
    @inlinable
    static func make(_ capacity: Int) -> NibValueList {
        unsafeDowncast(create(minimumCapacity: capacity) { _ in 0 }, to: NibValueList.self)
    }

    deinit { _ = withUnsafeMutablePointers { $1.deinitialize(count: $0.pointee) } }

    /// Appends a value and returns its index.
    ///
    /// There must be room for it.
    @inlinable
    func append(_ value: Value) -> Int {
        precondition(header < capacity, "a list of values has no room for another one")
        return withUnsafeMutablePointers { count, values in
            (values + count.pointee).initialize(to: value)
            count.pointee += 1
            return count.pointee - 1
        }
    }

    /// The value at an index.
    @inlinable
    subscript(number: Int) -> Value { withUnsafeMutablePointerToElements { $0[number] } }
}

extension Optional: RemoteValue where Wrapped: RemoteValue {
    /// Writes 0 for nil, otherwise 1 and the value.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws {
        try writer.write(self != nil)
        if let value = self { try writer.write(value) }
    }

    /// Reads 0 for nil, otherwise 1 and the value.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> Wrapped? {
        try reader.next(Bool.self) ? try reader.next(Wrapped.self) : nil
    }
}

extension Array: RemoteValue where Element: RemoteValue {
    /// Writes the number of elements, and the elements.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws {
        try writer.write(count: count)
        try Element._writeElements(self, to: &writer)
    }

    /// Reads the number of elements, and the elements.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> [Element] {
        try Element._readElements(reader.count(), from: &reader)
    }
}

extension Set: RemoteValue where Element: RemoteValue {
    /// Writes the number of elements, and the elements in any order.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws {
        try writer.write(count: count)
        for element in self { try writer.write(element) }
    }

    /// Reads the number of elements, and the elements, which must all be different.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> Set<Element> {
        let count = try reader.count()
        var result = Set()
        result.reserveCapacity(Swift.min(count, reader.bytesLeft / Swift.max(1, MemoryLayout<Element>.stride)))
        for _ in 0..<count {
            guard result.insert(try reader.next()).inserted else {
                throw RemoteFailure.violation("A set in a message has an element twice.")
            }
        }
        return result
    }
}

extension Dictionary: RemoteValue where Key: RemoteValue, Value: RemoteValue {
    /// Writes the number of items, and the key and value of each in any order.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws {
        try writer.write(count: count)
        for (key, value) in self {
            try writer.write(key)
            try writer.write(value)
        }
    }

    /// Reads the number of items, and the key and value of each; all keys must be different.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> [Key: Value] {
        let count = try reader.count(ofAtLeast: 2)
        var result = Dictionary()
        result.reserveCapacity(
            Swift.min(count, reader.bytesLeft / Swift.max(1, MemoryLayout<(Key, Value)>.stride)))
        for _ in 0..<count {
            let key = try reader.next(Key.self)
            guard result.updateValue(try reader.next(), forKey: key) == nil else {
                throw RemoteFailure.violation("A dictionary in a message has a key twice.")
            }
        }
        return result
    }
}

extension Range: RemoteValue where Bound: RemoteValue {
    /// Writes both bounds.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws {
        try writer.write(lowerBound)
        try writer.write(upperBound)
    }

    /// Reads both bounds; the second must not be less than the first.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> Range<Bound> {
        let lower = try reader.next(Bound.self)
        let upper = try reader.next(Bound.self)
        guard lower <= upper else { throw RemoteFailure.violation("A range in a message ends before it begins.") }
        return lower..<upper
    }
}

/// Several values as one, for places where a tuple cannot be used because it conforms to no protocol.
///
/// The code that `pluginhost remote` generates uses it for methods that return a tuple.
public struct RemoteTuple<each Element: RemoteValue>: RemoteValue {
    /// The values.
    public let elements: (repeat each Element)

    /// Combines the given values.
    public init(_ element: repeat each Element) {
        elements = (repeat each element)
    }

    /// Writes one value after another.
    public func write(to writer: inout RemoteWriter) throws {
        repeat try writer.write(each elements)
    }

    /// Reads one value after another.
    public static func read(from reader: inout RemoteReader) throws -> Self {
        Self(repeat try reader.next((each Element).self))
    }
}

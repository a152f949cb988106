/// A value that can be passed to another process and back.
///
/// Numbers, `Bool`, `String`, `Optional`, `Array`, `Set`, `Dictionary`, `Range` and `Duration` conform. The command
/// `pluginhost remote` writes the two functions for the structs and enums of an application's API. A type that is
/// `Codable` needs no functions: `extension Settings: RemoteValue {}` uses a compact coder, which is many times slower.
///
/// By hand, write the parts in some order and read them in the same order:
/// ```swift
/// extension Document: RemoteValue {
///     public func write(to writer: inout RemoteWriter) throws {
///         try writer.write(name)
///         try writer.write(byteCount)
///     }
///     public static func read(from reader: inout RemoteReader) throws -> Document {
///         Document(name: try reader.next(), byteCount: try reader.next())
///     }
/// }
/// ```
/// A message has only values, no names and no types; integers are little-endian. So the names of the methods and the
/// version of the extension point are the schema: raise the version when a value changes.
///
/// Bytes of a message may come from a hostile process. A `read` therefore holds every count against the bytes that are
/// left, and throws where a value is impossible; the library's own functions do.
public protocol RemoteValue: SendableMetatype {
    /// Writes the value: at least one byte.
    ///
    /// - Parameter writer: where to write it.
    /// - Throws: ``RemoteFailure`` of code `messageTooLarge`, or the error of a value that cannot cross.
    func write(to writer: inout RemoteWriter) throws

    /// Reads a value as it was written.
    ///
    /// - Parameter reader: where to read it.
    /// - Returns: the value.
    /// - Throws: ``RemoteFailure`` of code `protocolViolation` if the bytes are not such a value.
    static func read(from reader: inout RemoteReader) throws -> Self

    /// Writes the elements of an array.
    ///
    /// For the library, which copies arrays of numbers at once. The default writes one element after another.
    ///
    /// - Parameters:
    ///   - values: the elements.
    ///   - writer: where to write them.
    /// - Throws: the errors of ``write(to:)``.
    static func _writeElements(_ values: [Self], to writer: inout RemoteWriter) throws

    /// Reads the elements of an array.
    ///
    /// For the library, which copies arrays of numbers at once. The default reads one element after another.
    ///
    /// - Parameters:
    ///   - count: the number of elements, which was held against the bytes left.
    ///   - reader: where to read them.
    /// - Returns: the elements.
    /// - Throws: the errors of ``read(from:)``.
    static func _readElements(_ count: Int, from reader: inout RemoteReader) throws -> [Self]
}

extension RemoteValue {
    /// The default writes one element after another.
    @inlinable
    public static func _writeElements(_ values: [Self], to writer: inout RemoteWriter) throws {
        for value in values { try writer.write(value) }
    }

    /// The default reads one element after another.
    @inlinable
    public static func _readElements(_ count: Int, from reader: inout RemoteReader) throws -> [Self] {
        var values: [Self] = []
        // An element may have fewer bytes in the message than in memory: no more is reserved than the message has.
        values.reserveCapacity(min(count, reader.bytesLeft / max(1, MemoryLayout<Self>.stride)))
        for _ in 0..<count { values.append(try reader.next()) }
        return values
    }
}

/// A value that can be passed to another process and back.
///
/// Numbers, `Bool`, `String`, `Optional`, `Array`, `Set`, `Dictionary`, `Range` and `Duration` conform. The command
/// `pluginhost remote` generates the two functions for the structs and enums of an application's API. A `Codable` type
/// needs no functions: `extension Settings: RemoteValue {}` uses a compact coder, which is many times slower.
///
/// To implement the functions by hand, write the parts in some order and read them in the same order:
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
/// A message contains only values, no names and no types; integers are little-endian. So the names of the methods and
/// the version of the extension point are the schema: raise the version when a value changes.
///
/// A message may come from a hostile process. Therefore `read` checks every count against the number of remaining
/// bytes, and throws for impossible values; the library's own functions do so.
public protocol RemoteValue: SendableMetatype {
    /// Writes the value, which must produce at least one byte.
    ///
    /// - Parameter writer: the destination.
    /// - Throws: ``RemoteFailure`` with code `messageTooLarge`, or the error of a value that cannot be passed to
    ///   another process.
    func write(to writer: inout RemoteWriter) throws

    /// Reads a value that ``write(to:)`` wrote.
    ///
    /// - Parameter reader: the source.
    /// - Returns: the value.
    /// - Throws: ``RemoteFailure`` with code `protocolViolation` if the bytes are not such a value.
    static func read(from reader: inout RemoteReader) throws -> Self

    /// Writes the elements of an array.
    ///
    /// For internal use: arrays of numbers are copied at once. The default writes one element after another.
    ///
    /// - Parameters:
    ///   - values: the elements.
    ///   - writer: the destination.
    /// - Throws: the errors of ``write(to:)``.
    static func _writeElements(_ values: [Self], to writer: inout RemoteWriter) throws

    /// Reads the elements of an array.
    ///
    /// For internal use: arrays of numbers are copied at once. The default reads one element after another.
    ///
    /// - Parameters:
    ///   - count: the number of elements, already checked against the number of remaining bytes.
    ///   - reader: the source.
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
        // An element may be shorter in the message than in memory, so this reserves no more memory than the message has
        // bytes.
        values.reserveCapacity(min(count, reader.bytesLeft / max(1, MemoryLayout<Self>.stride)))
        for _ in 0..<count { values.append(try reader.next()) }
        return values
    }
}

/// A number that has the same bytes in memory and in a message, on little-endian machines.
///
/// For internal use: arrays of such numbers are copied at once.
public protocol _RemoteNumber: RemoteValue, BitwiseCopyable {}

extension _RemoteNumber {
    /// Copies all elements at once.
    @inlinable
    public static func _writeElements(_ values: [Self], to writer: inout RemoteWriter) throws {
        #if _endian(little)
        try values.withUnsafeBytes { try writer.write(bytes: $0) }
        #else
        for value in values { try writer.write(value) }
        #endif
    }

    /// Copies all elements at once.
    @inlinable
    public static func _readElements(_ count: Int, from reader: inout RemoteReader) throws -> [Self] {
        // The count was checked for one byte per element, but an element may have several.
        guard count <= reader.bytesLeft / MemoryLayout<Self>.size else { throw RemoteFailure.truncated }
        #if _endian(little)
        // Why: with capacity 0, the standard library writes the count into its empty array, which all threads share.
        if count == 0 { return [] }
        return try [Self](unsafeUninitializedCapacity: count) { memory, initialized in
            let elements = UnsafeMutableBufferPointer(rebasing: memory[..<count])
            try reader.copyBytes(to: UnsafeMutableRawBufferPointer(elements))
            initialized = count
        }
        #else
        return try (0..<count).map { _ in try reader.next() }
        #endif
    }
}

extension _RemoteNumber where Self: FixedWidthInteger {
    /// Writes its bytes, lowest byte first.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws { try writer.write(integer: self) }

    /// Reads its bytes, lowest byte first.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> Self { try reader.integer() }
}

extension Int: _RemoteNumber {}
extension Int8: _RemoteNumber {}
extension Int16: _RemoteNumber {}
extension Int32: _RemoteNumber {}
extension Int64: _RemoteNumber {}
extension Int128: _RemoteNumber {}
extension UInt: _RemoteNumber {}
extension UInt8: _RemoteNumber {}
extension UInt16: _RemoteNumber {}
extension UInt32: _RemoteNumber {}
extension UInt64: _RemoteNumber {}
extension UInt128: _RemoteNumber {}

extension Float16: _RemoteNumber {
    /// Writes its bits, including those of NaN values.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws { try writer.write(integer: bitPattern) }

    /// Reads its bits.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> Float16 {
        Float16(bitPattern: try reader.integer())
    }
}

extension Float: _RemoteNumber {
    /// Writes its bits, including those of NaN values.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws { try writer.write(integer: bitPattern) }

    /// Reads its bits.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> Float { Float(bitPattern: try reader.integer()) }
}

extension Double: _RemoteNumber {
    /// Writes its bits, including those of NaN values.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws { try writer.write(integer: bitPattern) }

    /// Reads its bits.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> Double {
        Double(bitPattern: try reader.integer())
    }
}

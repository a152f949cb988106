extension RemoteValue where Self: Encodable & Decodable {
    /// Writes the value with a compact coder.
    ///
    /// It keeps the names of the keys, each once, so every way to write `encode(to:)` works.
    ///
    /// - Parameter writer: where to write it.
    /// - Throws: the errors of the type's own `encode(to:)`; `EncodingError`.
    ///
    /// **Cost.** Many times that of functions written by `pluginhost remote`.
    public func write(to writer: inout RemoteWriter) throws {
        let message = try CompactMessage(encoding: self)
        try writer.write(message.keys)
        try writer.write(message.bytes)
    }

    /// Reads a value as it was written.
    ///
    /// - Parameter reader: where to read it.
    /// - Returns: the value.
    /// - Throws: the errors of the type's own `init(from:)`; `DecodingError`; ``RemoteFailure``.
    public static func read(from reader: inout RemoteReader) throws -> Self {
        try CompactMessage(keys: try reader.next(), bytes: try reader.next()).decode()
    }
}

/// A Codable value in bytes.
///
/// A value is its length (four bytes, or ``none`` for nil) and its content: the bytes of a number or of a text, values one
/// after another, or items of a key's number (two bytes) and a value. All integers are little-endian. Only the type that
/// is decoded says which it is.
struct CompactMessage {
    /// The names of the keys, by their numbers.
    let keys: [String]
    let bytes: [UInt8]

    /// The length of nil.
    static let none = UInt32.max
    /// How deeply values may be nested, so that a hostile message cannot use up the stack.
    static let depthLimit = RemoteWriter.depthLimit
}

extension String: RemoteValue {
    /// Writes the length of its UTF-8 in bytes, and the bytes.
    public func write(to writer: inout RemoteWriter) throws {
        var text = self
        try text.withUTF8 { utf8 in
            try writer.write(count: utf8.count)
            try writer.write(bytes: UnsafeRawBufferPointer(utf8))
        }
    }

    /// Reads text, which must be UTF-8.
    public static func read(from reader: inout RemoteReader) throws -> String {
        let count = try reader.count()
        return try String(unsafeUninitializedCapacity: count) { memory in
            let memory = UnsafeMutableBufferPointer(rebasing: memory[..<count])
            // Why copied first: the other side may change its bytes between a check and a copy.
            try reader.copyBytes(to: UnsafeMutableRawBufferPointer(memory))
            // Why checked: the initialiser would repair invalid bytes, and the caller would get a text that nobody
            // wrote.
            do {
                _ = try UTF8Span(validating: UnsafeBufferPointer(memory).span)
            } catch {
                throw RemoteFailure.violation("A text in a message is not UTF-8.")
            }
            return count
        }
    }
}

extension Bool: RemoteValue {
    /// Writes one byte, 0 or 1.
    @inlinable public func write(to writer: inout RemoteWriter) throws {
        try writer.write(integer: self ? 1 : 0 as UInt8)
    }

    /// Reads one byte, 0 or 1.
    @inlinable public static func read(from reader: inout RemoteReader) throws -> Bool {
        switch try reader.integer(UInt8.self) {
        case 0: false
        case 1: true
        case let other: throw RemoteFailure.violation("A Bool in a message is \(other).")
        }
    }
}

extension Duration: RemoteValue {
    /// Writes the duration in attoseconds.
    public func write(to writer: inout RemoteWriter) throws { try writer.write(integer: attoseconds) }

    /// Reads the duration in attoseconds.
    public static func read(from reader: inout RemoteReader) throws -> Duration {
        Duration(attoseconds: try reader.integer())
    }
}

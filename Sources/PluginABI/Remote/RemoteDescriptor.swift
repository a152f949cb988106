import Glibc

/// A file, pipe or socket that is passed to the other process.
///
/// Each side has its own descriptor for the same open file. It is closed on exec, and when the last reference to the
/// object is released.
///
/// **Threads.** Any.
public final class RemoteDescriptor: RemoteValue, Sendable {
    /// The descriptor; it belongs to this object.
    public let descriptor: Int32

    /// Duplicates a descriptor of this process.
    ///
    /// - Parameter descriptor: the descriptor, which the caller keeps and closes.
    /// - Throws: ``PluginFailure`` if it is not open, or if the process has no free descriptor.
    public init(duplicating descriptor: Int32) throws {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else {
            throw PluginFailure(
                "The descriptor \(descriptor) cannot be duplicated: \(String(cString: strerror(errno))).")
        }
        self.descriptor = own
    }

    /// Takes over a descriptor, for a transport.
    ///
    /// - Parameter descriptor: an open descriptor, which this object closes.
    @_spi(PluginHost)
    public init(adopting descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Writes the descriptor's number among the descriptors of the message.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.write(integer: writer.output.attach(self))
    }

    /// Reads the number of a descriptor in the message.
    public static func read(from reader: inout RemoteReader) throws -> RemoteDescriptor {
        try reader.input.descriptor(reader.integer())
    }
}

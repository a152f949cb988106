internal import CPluginSupport.Shims
import Glibc

/// Memory that both processes share, for data that is rewritten in place many times, such as frames, samples or tiles.
///
/// It is passed once and used for many calls; nothing is copied. The other process may change the bytes at any time,
/// even while this one reads them. So copy what must not change, and check the copy.
///
/// A plug-in in a sandboxed worker cannot create a buffer; the application creates it and passes it.
///
/// **Threads.** Any; the callers synchronise their accesses themselves. **Lifetime.** The memory is unmapped when the
/// last reference to the object is released.
public final class RemoteBuffer: RemoteValue, @unchecked Sendable {
    // @unchecked because of the pointer: it never changes, and the memory is mapped as long as the object exists.
    private let memory: UnsafeMutableRawBufferPointer
    private let file: RemoteDescriptor

    /// The number of bytes.
    public var byteCount: Int { memory.count }

    /// Creates memory that is filled with zeros.
    ///
    /// - Parameter byteCount: the number of bytes, at least 1.
    /// - Throws: ``PluginFailure`` if the system refuses it.
    public convenience init(byteCount: Int) throws {
        guard byteCount > 0 else { throw PluginFailure("A RemoteBuffer has at least one byte, not \(byteCount).") }
        let file = phs_create_shared_memory(byteCount)
        guard file >= 0 else { throw Self.failure(byteCount) }
        try self.init(RemoteDescriptor(adopting: file), byteCount: byteCount)
    }

    private init(_ file: RemoteDescriptor, byteCount: Int) throws {
        guard let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0),
            start != MAP_FAILED
        else { throw Self.failure(byteCount) }
        memory = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        self.file = file
    }

    deinit { munmap(memory.baseAddress, memory.count) }

    private static func failure(_ byteCount: Int) -> PluginFailure {
        PluginFailure("Shared memory of \(byteCount) bytes cannot be created: \(String(cString: strerror(errno))).")
    }

    /// Gives access to the bytes.
    ///
    /// - Parameter body: uses the bytes; the pointer is valid only during the call.
    /// - Returns: the result of the body.
    public func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) throws -> Result) rethrows -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(memory)
    }

    /// Passes the memory's descriptor, and writes the number of bytes.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.write(file)
        try writer.write(count: byteCount)
    }

    /// Reads a descriptor of memory that can never shrink, and the number of bytes.
    public static func read(from reader: inout RemoteReader) throws -> RemoteBuffer {
        let file = try reader.next(RemoteDescriptor.self)
        let count: UInt64 = try reader.integer()
        // Reading past the end of a mapped file would crash the process.
        guard count > 0, count <= phs_shared_memory_size(file.descriptor) else {
            throw RemoteFailure.violation(
                "A RemoteBuffer of \(count) bytes is not shared memory of this size that can never shrink.")
        }
        return try RemoteBuffer(file, byteCount: Int(count))
    }
}

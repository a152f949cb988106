package import HostBasics

/// Identifies a file or directory and its content, as far as the inode shows them.
package struct IndexStamp: Sendable, Hashable {
    package var device: UInt64
    package var inode: UInt64
    package var size: UInt64
    package var modified: Int64
    package var changed: Int64

    /// Equals the stamp of no file, so a candidate with it is always read again.
    package static let none = IndexStamp(device: 0, inode: 0, size: 0, modified: 0, changed: 0)

    /// The stamp to store for a file, for a later comparison.
    ///
    /// It is ``none`` for a file that was changed shortly before it was read, because another change may leave its
    /// times equal. `now`: nanoseconds since 1970, taken before the file was read.
    package init(_ identity: FileIdentity, at now: Int64) {
        self = identity.isSettled(at: now) ? IndexStamp(identity) : .none
    }

    package init(_ identity: FileIdentity) {
        self.init(
            device: identity.device, inode: identity.inode, size: identity.size, modified: identity.modified,
            changed: identity.changed)
    }

    package init(device: UInt64, inode: UInt64, size: UInt64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    package func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(inode)
        writer.put(size)
        writer.put(modified)
        writer.put(changed)
    }

    package init(from reader: inout RecordReader) {
        device = reader.number()
        inode = reader.number()
        size = reader.number()
        modified = reader.number()
        changed = reader.number()
    }

    package init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func word(_ number: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8 * number, as: UInt64.self))
        }
        self.init(
            device: word(0), inode: word(1), size: word(2), modified: Int64(bitPattern: word(3)),
            changed: Int64(bitPattern: word(4)))
    }
}

import HostBasics

/// The bytes of the tables that the dynamic linker reads, in separate memory: a table is read once, and its bytes do
/// not move while this value exists.
///
/// Linkers put nearly all tables next to each other at the beginning of the file. These tables are read at once, or not
/// again if they are in the head, which is already read. A table elsewhere is read separately. Nothing is mapped: a
/// file that shrinks while mapped causes a SIGBUS.
struct TableBytes: ~Copyable {
    /// The part that contains most tables, and its offset in the file.
    private var main = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var mainStart: UInt64 = 0
    private var others: [UnsafeMutableRawBufferPointer] = []
    /// How much more may be read, in bytes.
    ///
    /// Each table is at most as large as the file, and there are about ten of them. The tables of the largest libraries
    /// have about 20 MiB.
    private var bytesLeft: UInt64

    /// - Parameter fileSize: the size of the file.
    init(fileSize: UInt64) { bytesLeft = min(fileSize, 1 << 24) * 16 + 1 << 20 }

    deinit {
        main.deallocate()
        for other in others { other.deallocate() }
    }

    /// Reads the part of the file from `start` to `end` that contains most tables.
    mutating func readMain(
        _ start: UInt64, _ end: UInt64, through window: inout FileWindow, _ file: borrowing OpenedFile
    ) {
        guard let buffer = read(at: start, count: Int(end - start), &window, file) else { return }
        main = buffer
        mainStart = start
    }

    /// The requested bytes; nil if the file does not have them.
    package mutating func bytes(
        at offset: UInt64, count: Int, through window: inout FileWindow, _ file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        if let known = bytesInMemory(at: offset, count: count) ?? window.bytesInHead(at: offset, count: count) {
            return known
        }
        guard let buffer = read(at: offset, count: count, &window, file) else { return nil }
        others.append(buffer)
        return UnsafeRawBufferPointer(buffer)
    }

    /// The requested bytes if they are in memory; otherwise a few bytes from the window, valid until the next call.
    @inline(__always)
    mutating func fewBytes(
        at offset: UInt64, count: Int, through window: inout FileWindow, _ file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        bytesInMemory(at: offset, count: count) ?? window.bytes(at: offset, count: count, of: file)
    }

    @inline(__always)
    private func bytesInMemory(at offset: UInt64, count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= mainStart, offset - mainStart <= UInt64(main.count),
            count <= main.count - Int(offset - mainStart)
        else { return nil }
        let start = Int(offset - mainStart)
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(main)[start..<(start + count)])
    }

    private mutating func read(
        at offset: UInt64, count: Int, _ window: inout FileWindow, _ file: borrowing OpenedFile
    ) -> UnsafeMutableRawBufferPointer? {
        guard count >= 0, UInt64(count) <= bytesLeft else { return nil }
        bytesLeft -= UInt64(count)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        guard window.fill(part, at: offset, of: file) else {
            buffer.deallocate()
            return nil
        }
        return part
    }
}

/// Why a table is unusable, as the end of “is damaged: …”.
package struct TableFault: Error {
    package let what: String
}

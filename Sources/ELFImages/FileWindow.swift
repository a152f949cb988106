package import HostBasics

/// Access to a file through two small buffers.
///
/// One permanently has the file's first bytes; the other is a window that moves to the requested bytes. The file is
/// never mapped, because a file that shrinks while mapped causes a SIGBUS.
///
/// Linkers put the symbols, their names and the hash table at the beginning of the file. The first 4 KiB contain all of
/// these for a small plug-in; otherwise the next 8 KiB are read at once, and only then single parts.
package struct FileWindow: ~Copyable {
    /// The bytes at offset 0; it grows once and is never moved.
    package private(set) var head: UnsafeRawBufferPointer
    private let headStorage: UnsafeMutableRawBufferPointer
    private var window: UnsafeMutableRawBufferPointer
    private var windowStart: UInt64 = 0
    private var windowCount = 0
    private let size: UInt64
    /// Why the system refused to read; reported once, at the end of the inspection.
    package private(set) var failure: OpenedFile.Failure?
    /// Whether bytes within the file size were missing: the file shrank while it was read.
    private(set) var isShort = false

    private static let firstCount = 4096
    private static let headCapacity = 3 * firstCount
    static let windowCapacity = 4096
    static let storageSize = headCapacity + windowCapacity
    /// How many bytes to read at least, because names and table entries are close together.
    private static let usualCount = 1024

    /// `storage`: at least ``storageSize`` bytes.
    init(of file: borrowing OpenedFile, storage: UnsafeMutableRawBufferPointer) {
        size = file.identity.size
        headStorage = UnsafeMutableRawBufferPointer(rebasing: storage[..<Self.headCapacity])
        window = UnsafeMutableRawBufferPointer(rebasing: storage[Self.headCapacity..<Self.storageSize])
        head = UnsafeRawBufferPointer(rebasing: headStorage[..<0])
        growHead(to: Self.firstCount, file)
    }

    private mutating func growHead(to count: Int, _ file: borrowing OpenedFile) {
        let more = read(
            file, into: UnsafeMutableRawBufferPointer(rebasing: headStorage[head.count..<count]), at: UInt64(head.count)
        )
        head = UnsafeRawBufferPointer(rebasing: headStorage[..<(head.count + more)])
    }

    /// The requested bytes, valid until the next call; nil if the file ends before them or cannot be read, or if they
    /// do not fit into the window.
    package mutating func bytes(
        at offset: UInt64, count: Int, of file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        bytesInHead(at: offset, count: count) ?? bytesElsewhere(at: offset, count: count, of: file)
    }

    /// Bytes in the head, valid as long as the window's storage.
    @inline(__always)
    func bytesInHead(at offset: UInt64, count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, offset <= UInt64(head.count), count <= head.count - Int(offset) else { return nil }
        return UnsafeRawBufferPointer(rebasing: head[Int(offset)..<(Int(offset) + count)])
    }

    @inline(never)
    private mutating func bytesElsewhere(
        at offset: UInt64, count: Int, of file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        guard count >= 0, offset <= size, UInt64(count) <= size - offset else { return nil }
        let end = offset + UInt64(count)  // at most the file's size
        if end > UInt64(head.count), end <= UInt64(Self.headCapacity), head.count == Self.firstCount {
            growHead(to: Self.headCapacity, file)
            if let grown = bytesInHead(at: offset, count: count) { return grown }
        }
        let isInWindow =
            offset >= windowStart && offset - windowStart <= UInt64(windowCount)
            && count <= windowCount - Int(offset - windowStart)
        if !isInWindow {
            guard count <= window.count else { return nil }
            let wanted = Int(min(UInt64(max(count, Self.usualCount)), size - offset))
            windowStart = offset
            windowCount = read(
                file, into: UnsafeMutableRawBufferPointer(rebasing: window[..<wanted]), at: offset)
            guard count <= windowCount else { return nil }
        }
        let start = Int(offset - windowStart)
        return UnsafeRawBufferPointer(rebasing: window[start..<(start + count)])
    }

    /// The bytes starting at an offset: up to the end of the file, but at most `limit` and at most the window's size.
    package mutating func bytes(
        at offset: UInt64, upTo limit: Int, of file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        guard offset <= size else { return nil }
        return bytes(at: offset, count: Int(min(UInt64(min(limit, Self.windowCapacity)), size - offset)), of: file)
    }

    /// The requested bytes, valid as long as the window and the caller's buffer, which receives bytes that are not in
    /// the head.
    mutating func lastingBytes(
        at offset: UInt64, count: Int, of file: borrowing OpenedFile, in target: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        if let bytes = bytesInHead(at: offset, count: count) { return bytes }
        guard count >= 0, count <= target.count, offset <= size, UInt64(count) <= size - offset else { return nil }
        let part = UnsafeMutableRawBufferPointer(rebasing: target[..<count])
        return read(file, into: part, at: offset) == count ? UnsafeRawBufferPointer(part) : nil
    }

    /// Fills the caller's buffer.
    ///
    /// - Returns: whether the file provided all bytes.
    package mutating func fill(
        _ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, of file: borrowing OpenedFile
    ) -> Bool {
        guard offset <= size, UInt64(buffer.count) <= size - offset else { return false }
        return read(file, into: buffer, at: offset) == buffer.count
    }

    private mutating func read(
        _ file: borrowing OpenedFile, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) -> Int {
        do throws(OpenedFile.Failure) {
            // Never read beyond the known size: a second system call would only find the end.
            let wanted = Int(min(UInt64(buffer.count), size - min(offset, size)))
            let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
            if count < wanted { isShort = true }
            return count
        } catch {
            failure = error
            return 0
        }
    }
}

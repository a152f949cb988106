/// A file seen through two small buffers: its first bytes, which stay, and one window that moves to where bytes are
/// asked for. The file is never mapped: a file that shrinks under a mapping is a SIGBUS.
///
/// Linkers put the symbols, their names and the hash table at the file's beginning. The first 4 KiB hold all of it for
/// a small plug-in; where they do not, the next 8 KiB are read at once, and only then single places.
struct FileWindow: ~Copyable {
    /// The bytes at offset 0; it grows once, and stays where it is.
    private(set) var head: UnsafeRawBufferPointer
    private let headStorage: UnsafeMutableRawBufferPointer
    private var window: UnsafeMutableRawBufferPointer
    private var windowStart: UInt64 = 0
    private var windowCount = 0
    private let size: UInt64
    /// What the system said when it refused to read; such a file is told once, at the end.
    private(set) var failure: OpenedFile.Failure?
    /// Bytes that the file system promised and did not give: the file shrank while it was read.
    private(set) var isShort = false

    private static let firstCount = 4096
    private static let headCapacity = 3 * firstCount
    static let windowCapacity = 4096
    static let storageSize = headCapacity + windowCapacity
    /// What is read beyond the bytes asked for: names and table entries stand close together.
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

    /// The bytes asked for, valid until the next call; nil if the file ends before, or cannot be read, or if they are
    /// more than the window holds.
    mutating func bytes(
        at offset: UInt64, count: Int, of file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        bytesInHead(at: offset, count: count) ?? bytesElsewhere(at: offset, count: count, of: file)
    }

    /// Bytes that stand in the head, valid as long as the window's storage.
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

    /// As many bytes as there are from an offset on, at most `limit` and at most the window.
    mutating func bytes(
        at offset: UInt64, upTo limit: Int, of file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        guard offset <= size else { return nil }
        return bytes(at: offset, count: Int(min(UInt64(min(limit, Self.windowCapacity)), size - offset)), of: file)
    }

    /// The bytes asked for, valid as long as the window and a buffer of the caller's, which takes those that are not in
    /// the head.
    mutating func lastingBytes(
        at offset: UInt64, count: Int, of file: borrowing OpenedFile, in target: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        if let bytes = bytesInHead(at: offset, count: count) { return bytes }
        guard count >= 0, count <= target.count, offset <= size, UInt64(count) <= size - offset else { return nil }
        let part = UnsafeMutableRawBufferPointer(rebasing: target[..<count])
        return read(file, into: part, at: offset) == count ? UnsafeRawBufferPointer(part) : nil
    }

    /// Fills a buffer of the caller's.
    ///
    /// - Returns: whether the file gave all bytes.
    mutating func fill(
        _ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, of file: borrowing OpenedFile
    ) -> Bool {
        guard offset <= size, UInt64(buffer.count) <= size - offset else { return false }
        return read(file, into: buffer, at: offset) == buffer.count
    }

    private mutating func read(
        _ file: borrowing OpenedFile, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) -> Int {
        do throws(OpenedFile.Failure) {
            // Never beyond the size that was found: asking on would cost a second system call to learn of the end.
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

/// The bytes of the tables that the dynamic linker reads, in memory of its own: a table is read once, and its bytes stay
/// where they are as long as this lives.
///
/// Linkers put nearly all tables side by side at the file's beginning. They are read at once, or not at all if they stand
/// in the head that was read already; a table that stands apart is read by itself. Nothing is mapped: a file that
/// shrinks under a mapping is a SIGBUS.
struct TableBytes: ~Copyable {
    /// The part that holds most tables, and where it begins in the file.
    private var main = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var mainStart: UInt64 = 0
    private var others: [UnsafeMutableRawBufferPointer] = []
    /// What else may be read: each table is at most the whole file, and there are some ten of them. The tables of the
    /// largest libraries have some 20 MiB.
    private var bytesLeft: UInt64

    /// - Parameter fileSize: of the file that is read.
    init(fileSize: UInt64) { bytesLeft = min(fileSize, 1 << 24) * 16 + 1 << 20 }

    deinit {
        main.deallocate()
        for other in others { other.deallocate() }
    }

    /// Reads the part of the file from `start` to `end` that holds most tables.
    mutating func readMain(
        _ start: UInt64, _ end: UInt64, through window: inout FileWindow, _ file: borrowing OpenedFile
    ) {
        guard let buffer = read(at: start, count: Int(end - start), &window, file) else { return }
        main = buffer
        mainStart = start
    }

    /// The bytes asked for; nil if the file cannot give them.
    mutating func bytes(
        at offset: UInt64, count: Int, through window: inout FileWindow, _ file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        if let known = bytesInMemory(at: offset, count: count) ?? window.bytesInHead(at: offset, count: count) {
            return known
        }
        guard let buffer = read(at: offset, count: count, &window, file) else { return nil }
        others.append(buffer)
        return UnsafeRawBufferPointer(buffer)
    }

    /// The bytes asked for if they are in memory, or a few bytes from the window, valid until the next call.
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

/// What makes a table unusable, as the end of “is damaged: …”.
struct TableFault: Error {
    let what: String
}

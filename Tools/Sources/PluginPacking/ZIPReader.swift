internal import CPackingSupport
import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// Unpacks a ZIP archive of a bundle (PKWARE, APPNOTE.TXT 6.3.10).
///
/// The archive is not trusted. The directory at its end lists its content. Each file's own header must match the
/// directory, and no two files may share bytes of the archive. The limits and checks are the same as for other archives
/// (``FileTree``, ``ArchiveFile``). Directories `__MACOSX`, which macOS adds for attributes that Linux does not have,
/// are left out.
struct ZIPReader {
    /// One file, as the directory of the archive describes it.
    private struct Entry {
        let name: [UInt8]
        let path: String
        let mode: UInt32
        let isUnix: Bool
        let isDirectory: Bool
        let flags: Int
        let method: Int
        let checksum: UInt32
        let packedSize: Int64
        let size: Int64
        let header: Int64
    }

    private let file: ArchiveFile
    private var budget: Int64

    static func unpack(
        _ file: ArchiveFile, into directory: String
    ) throws(PackingError) -> (name: String, tree: FileTree) {
        var reader = ZIPReader(file: file, budget: file.budget)
        return try reader.unpack(into: directory)
    }

    private mutating func unpack(into directory: String) throws(PackingError) -> (name: String, tree: FileTree) {
        let (entries, end) = try entries()
        let contents = try contents(of: entries, before: end)
        var bundle = UnpackedBundle(of: file.path, in: directory)
        for (entry, content) in zip(entries, contents) where !Self.isOfMac(entry.path) {
            let kind = try kind(of: entry, content)
            guard let target = try bundle.add(entry.path, kind) else { continue }
            let new = try UnpackedBundle.newFile(target)
            defer { close(new) }
            try unpack(entry, content) { (part) throws(PackingError) in try FileTree.append(part, to: new, target) }
        }
        return try bundle.finished()
    }

    private static func isOfMac(_ path: String) -> Bool { path.hasPrefix("__MACOSX/") }

    // MARK: The directory

    private static let endSize = 22
    private static let entrySize = 46
    private static let headerSize = 30
    /// The most bytes from the end record on: the record, and a comment of up to 65,535 bytes.
    private static let mostAfterEnd = 65_557
    /// More than the names and records of a bundle's files can take.
    private static let longestDirectory: Int64 = 64 << 20

    /// The entries of the directory, and the offset where the directory begins.
    private func entries() throws(PackingError) -> ([Entry], Int64) {
        let tailStart = max(0, file.size - Int64(Self.mostAfterEnd))
        let tail = try file.bytes(at: tailStart, atMost: Self.mostAfterEnd)
        let ends = stride(from: tail.count - Self.endSize, through: 0, by: -1)
        guard tail.count >= Self.endSize,
            let end = ends.first(where: { place in
                tail[place] == 0x50 && tail[place...].starts(with: "PK\u{5}\u{6}".utf8)
                    && Self.half(tail, place + 20) == tail.count - place - Self.endSize
            })
        else { throw file.invalid("it has no end, so it is cut off or continued") }
        let count = Self.half(tail, end + 10)
        let size = Int64(Self.word(tail, end + 12))
        let start = Int64(Self.word(tail, end + 16))
        guard Self.half(tail, end + 4) == 0, Self.half(tail, end + 6) == 0, Self.half(tail, end + 8) == count else {
            throw file.invalid("it is one part of several")
        }
        guard count < 0xFFFF, start < 0xFFFF_FFFF, size < 0xFFFF_FFFF, size <= Self.longestDirectory else {
            throw file.invalid("it holds more than a bundle can (ZIP64)")
        }
        guard start + size == tailStart + Int64(end) else {
            throw file.invalid("its directory is not where its end says, so something was added or is missing")
        }
        let bytes = try file.bytes(at: start, atMost: Int(size))
        var entries: [Entry] = []
        var place = 0
        for _ in 0..<count {
            let (entry, next) = try entry(bytes, at: place)
            entries.append(entry)
            place = next
        }
        guard place == bytes.count else { throw file.invalid("its directory holds more than it counts") }
        return (entries, start)
    }

    private func entry(_ bytes: [UInt8], at place: Int) throws(PackingError) -> (Entry, next: Int) {
        guard place + Self.entrySize <= bytes.count, bytes[place...].starts(with: "PK\u{1}\u{2}".utf8) else {
            throw file.invalid("its directory is damaged")
        }
        let nameEnd = place + Self.entrySize + Self.half(bytes, place + 28)
        let next = nameEnd + Self.half(bytes, place + 30) + Self.half(bytes, place + 32)
        guard next <= bytes.count else { throw file.invalid("its directory is damaged") }
        let name = Array(bytes[(place + Self.entrySize)..<nameEnd])
        // Bytes that are not UTF-8 become U+FFFD, which FileTree refuses.
        let path = String(decoding: name, as: UTF8.self)
        let system = bytes[place + 5]
        let attributes = Self.word(bytes, place + 38)
        // Unix, and macOS.
        let isUnix = system == 3 || system == 19
        let mode = isUnix ? attributes >> 16 : 0
        let isDirectory = path.hasSuffix("/") || mode & S_IFMT == S_IFDIR || !isUnix && attributes & 0x10 != 0
        return (
            Entry(
                name: name, path: path, mode: mode, isUnix: isUnix, isDirectory: isDirectory,
                flags: Self.half(bytes, place + 8), method: Self.half(bytes, place + 10),
                checksum: Self.word(bytes, place + 16), packedSize: Int64(Self.word(bytes, place + 20)),
                size: Int64(Self.word(bytes, place + 24)), header: Int64(Self.word(bytes, place + 42))), next
        )
    }

    // MARK: Files

    /// Where the content of each file is.
    ///
    /// Files must not share bytes, because then they could expand to more than the archive contains.
    private func contents(of entries: [Entry], before end: Int64) throws(PackingError) -> [Range<Int64>] {
        var contents: [Range<Int64>] = []
        for entry in entries {
            let header = try file.bytes(at: entry.header, atMost: Self.headerSize)
            guard header.count == Self.headerSize, header.starts(with: "PK\u{3}\u{4}".utf8) else {
                throw file.invalid("\(quoted(entry.path)) has no header")
            }
            let nameStart = entry.header + Int64(Self.headerSize)
            let name = try file.bytes(at: nameStart, atMost: Self.half(header, 26))
            guard name == entry.name, Self.half(header, 6) == entry.flags, Self.half(header, 8) == entry.method else {
                throw file.invalid("the header of \(quoted(entry.path)) says something else than the directory")
            }
            let start = nameStart + Int64(name.count + Self.half(header, 28))
            guard start + entry.packedSize <= end else { throw file.invalid("\(quoted(entry.path)) is cut off") }
            contents.append(start..<(start + entry.packedSize))
        }
        var last: Int64 = 0
        for (entry, content) in zip(entries, contents).sorted(by: { $0.0.header < $1.0.header }) {
            guard entry.header >= last else {
                throw file.unsafe(entry.path, "which shares its bytes with another file")
            }
            last = content.upperBound
        }
        return contents
    }

    private static let encrypted = 1 << 0 | 1 << 6 | 1 << 13

    private mutating func kind(of entry: Entry, _ content: Range<Int64>) throws(PackingError) -> TarHeader.Kind {
        guard entry.flags & Self.encrypted == 0 else { throw file.invalid("\(quoted(entry.path)) is encrypted") }
        guard entry.method == 0 || entry.method == 8 else {
            throw file.invalid("\(quoted(entry.path)) is compressed by a method that is not read (\(entry.method))")
        }
        guard entry.mode & 0o7000 == 0 else {
            throw file.unsafe(entry.path, "a file that lends its owner's rights (setuid)")
        }
        guard entry.size <= FileTree.Limits().bytes else { throw file.standsForTooMuch }
        if entry.isDirectory {
            guard entry.size == 0, entry.mode & S_IFMT == 0 || entry.mode & S_IFMT == S_IFDIR else {
                throw file.invalid("\(quoted(entry.path)) is a directory with a content")
            }
            return .directory
        }
        switch entry.mode & S_IFMT {
        case 0, S_IFREG: return .file(size: entry.size, isExecutable: entry.mode & 0o100 != 0)
        case S_IFLNK:
            guard entry.size <= Int64(FileTree.Limits().path) else {
                throw file.invalid("\(quoted(entry.path)) is a link to a path that is too long")
            }
            var target: [UInt8] = []
            try unpack(entry, content) { (part) throws(PackingError) in target += part }
            return .link(to: String(decoding: target, as: UTF8.self))
        case S_IFIFO: throw file.unsafe(entry.path, "a FIFO")
        case S_IFCHR, S_IFBLK: throw file.unsafe(entry.path, "a device")
        default: throw file.unsafe(entry.path, "a file of the unknown kind \(entry.mode >> 12)")
        }
    }

    /// Passes the content of a file to `take`, part by part.
    private mutating func unpack(
        _ entry: Entry, _ content: Range<Int64>, take: ([UInt8]) throws(PackingError) -> Void
    ) throws(PackingError) {
        let stream = try Decompressor(.deflate, for: file.path)
        var checksum: UInt32 = 0
        var written: Int64 = 0
        var isComplete = entry.method == 0
        func pass(_ part: [UInt8], _ reader: inout ZIPReader) throws(PackingError) {
            written += Int64(part.count)
            reader.budget -= Int64(part.count)
            guard reader.budget >= 0 else { throw reader.file.standsForTooMuch }
            guard written <= entry.size else { throw reader.damaged(entry) }
            checksum = part.withUnsafeBytes { packing_checksum(checksum, $0.baseAddress, $0.count) }
            try take(part)
        }
        var place = content.lowerBound
        var output = [UInt8](repeating: 0, count: 1 << 17)
        while place < content.upperBound {
            let input = try file.bytes(at: place, atMost: Int(min(1 << 16, content.upperBound - place)))
            guard !input.isEmpty else { throw damaged(entry) }
            place += Int64(input.count)
            guard entry.method != 0 else {
                try pass(input, &self)
                continue
            }
            var taken = 0
            while true {
                // Nothing may follow the end of the data.
                guard !isComplete || taken == input.count else { throw damaged(entry) }
                let step = input.withUnsafeBytes { input in
                    output.withUnsafeMutableBytes { output in
                        stream.run(UnsafeRawBufferPointer(rebasing: input[taken...]), into: output)
                    }
                }
                guard step.error == nil else { throw damaged(entry) }
                taken += step.taken
                isComplete = step.is_complete
                if step.written > 0 { try pass(Array(output[..<step.written]), &self) }
                // If the output filled the buffer, more output may be left even though all input is taken.
                if taken == input.count, isComplete || step.written < output.count { break }
                guard step.taken > 0 || step.written > 0 else { throw damaged(entry) }
            }
        }
        guard isComplete, written == entry.size, checksum == entry.checksum else { throw damaged(entry) }
    }

    private func damaged(_ entry: Entry) -> PackingError { file.invalid("\(quoted(entry.path)) in it is damaged") }

    // MARK: Numbers

    private static func half(_ bytes: [UInt8], _ place: Int) -> Int {
        Int(bytes[place]) | Int(bytes[place + 1]) << 8
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        UInt32(half(bytes, place)) | UInt32(half(bytes, place + 2)) << 16
    }
}

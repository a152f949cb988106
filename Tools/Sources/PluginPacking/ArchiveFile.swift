import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// A file that may be an archive, open for reading.
final class ArchiveFile {
    /// The form of a file, recognised by its first bytes.
    enum Form {
        case zstandard
        case gzip
        case zip
        /// Any other file, with its description as the end of a sentence.
        case other(String)
    }

    /// How many bytes an archive may expand to: `bytesForEach` for each of its own bytes, plus `bytesForAny`.
    static let bytesForEach: Int64 = 256
    static let bytesForAny: Int64 = 16 << 20

    let path: String
    let size: Int64
    private let descriptor: CInt

    init(_ path: String) throws(PackingError) {
        descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.path = path
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            size = 0
            throw .refused(.unreadable, path, cannot: "be read as an archive", errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            size = 0
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a device, a FIFO or a socket"
            throw PackingError(
                .unreadable, path: path, message: "\(quoted(path)) cannot be read as an archive: it is \(kind).",
                remedy: "Name an archive that is a regular file, or a directory NAME.bundle.")
        }
        size = Int64(status.st_size)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// How many bytes it may expand to.
    var budget: Int64 { Self.bytesForAny + Self.bytesForEach * size }

    /// The forms that are recognised by their first bytes but not supported.
    private static let others: [(magic: [UInt8], name: String)] = [
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "compressed by xz"), (Array("BZh".utf8), "compressed by bzip2"),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive"), (Array("Rar!".utf8), "a RAR archive"),
        (Array("!<arch>\n".utf8), "a package of Debian or a static library"),
        ([0xED, 0xAB, 0xEE, 0xDB], "an RPM package"), ([4, 0x22, 0x4D, 0x18], "compressed by LZ4"),
    ]

    /// The form of the file.
    func form() throws(PackingError) -> Form {
        let head = try bytes(at: 0, atMost: 512)
        if head.starts(with: [0x1F, 0x8B]) { return .gzip }
        if head.starts(with: "PK\u{3}\u{4}".utf8) || head.starts(with: "PK\u{5}\u{6}".utf8) { return .zip }
        if head.count == 512, head[257..<262].elementsEqual("ustar".utf8) {
            return .other("a tar archive that is not compressed")
        }
        if let other = Self.others.first(where: { head.starts(with: $0.magic) }) { return .other(other.name) }
        // A Zstandard archive may begin with skippable frames.
        let isZstandard =
            head.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
            || head.count >= 4 && head[0] & 0xF0 == 0x50
                && head[1..<4].elementsEqual([0x2A, 0x4D, 0x18])
        return isZstandard ? .zstandard : .other(Self.foreignKind(head))
    }

    /// A description of a file that is not an archive, as the end of a sentence.
    private static func foreignKind(_ head: [UInt8]) -> String {
        if head.isEmpty { return "empty" }
        let text = String(decoding: head, as: UTF8.self).lowercased()
        if text.contains("<!doctype html") || text.contains("<html") {
            return "a page of HTML, such as the error of a server"
        }
        let isText = head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        return isText ? "a text file" : "no archive of a known form"
    }

    /// The next bytes, at most `count`; empty at the end.
    func next(_ count: Int) throws(PackingError) -> [UInt8] {
        try bytes(count) { Glibc.read(descriptor, $0.baseAddress!, $0.count) }
    }

    /// The bytes at an offset, fewer at the end of the file.
    func bytes(at offset: Int64, atMost count: Int) throws(PackingError) -> [UInt8] {
        var found: [UInt8] = []
        while found.count < count {
            let (start, rest) = (offset + Int64(found.count), count - found.count)
            let part = try bytes(rest) { pread(descriptor, $0.baseAddress!, $0.count, off_t(start)) }
            if part.isEmpty { break }
            found += part
        }
        return found
    }

    private func bytes(
        _ count: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(PackingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let count = bytes.withUnsafeMutableBytes(read)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .refused(.unreadable, path, cannot: "be read", errno: errno) }
            bytes.removeLast(bytes.count - count)
            return bytes
        }
    }

    // MARK: Errors

    func invalid(_ reason: String) -> PackingError {
        PackingError(
            .archiveInvalid, path: path, message: "\(quoted(path)) is no archive of a bundle: \(reason).",
            remedy: """
                Get the file again. If it is no better, pack the bundle with “pluginhost pack --archive”, or ask its author to.
                """)
    }

    func unsafe(_ name: String, _ what: String) -> PackingError {
        PackingError(
            .unsafeFile, path: path, message: "The archive \(quoted(path)) holds \(quoted(name)), \(what).",
            remedy: "Do not install it; ask its author for one that was made by “pluginhost pack --archive”.")
    }

    var standsForTooMuch: PackingError {
        PackingError(
            .tooLarge, path: path,
            message: "The archive \(quoted(path)) stands for more than \(Self.bytesForEach) bytes for each of its own.",
            remedy: "Ask its author for one that was made by “pluginhost pack --archive”.")
    }
}

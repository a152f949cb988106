internal import CPackingSupport
import Glibc
@_spi(Tools) internal import PluginHost

/// Unpacks an archive of a bundle.
///
/// The archive is not trusted.
///
/// Each name is checked before anything is written for it (``FileTree``). Directories and files are made first, in a
/// directory that belongs to this process. Links are made last, so that nothing is ever written through one. The size
/// of the archive limits how much it may expand to. An archive is refused if it contains anything but directories,
/// files, and links that lead to something in the bundle.
struct ArchiveReader: ~Copyable {
    /// How many bytes an archive may expand to: this many for each of its own bytes, plus a fixed number for every
    /// archive.
    static let bytesForEach: Int64 = 256
    static let bytesForAny: Int64 = 16 << 20

    private let path: String
    private let descriptor: CInt
    private let stream: OpaquePointer
    private var input: [UInt8] = []
    private var inputStart = 0
    private var output = [UInt8](repeating: 0, count: 1 << 17)
    private var outputStart = 0
    private var outputEnd = 0
    /// Whether the input that was read so far ends a Zstandard frame.
    private var isFrameComplete = true
    private var isAtEnd = false
    /// How many more bytes the archive may expand to.
    private var budget: Int64

    /// Unpacks an archive into an empty directory.
    ///
    /// - Returns: the bundle's name, with `.bundle`, and its files. The bundle is a directory of that name in the given
    ///   one.
    static func unpack(_ path: String, into directory: String) throws(PackingError) -> (name: String, tree: FileTree) {
        var reader = try ArchiveReader(path)
        return try reader.unpack(into: directory)
    }

    private init(_ path: String) throws(PackingError) {
        guard let stream = packing_zstd_make(false) else { throw .withoutZstandard(path) }
        let descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let number = descriptor < 0 ? errno : EINVAL
            if descriptor >= 0 { close(descriptor) }
            packing_zstd_free(stream)
            throw .refused(.unreadable, path, cannot: "be read as an archive", errno: number)
        }
        self.path = path
        self.descriptor = descriptor
        self.stream = stream
        budget = Self.bytesForAny + Self.bytesForEach * Int64(status.st_size)
    }

    deinit {
        packing_zstd_free(stream)
        close(descriptor)
    }

    // MARK: Files

    private mutating func unpack(into directory: String) throws(PackingError) -> (name: String, tree: FileTree) {
        var name: String?
        var tree = FileTree(root: path)
        while let entry = try next() {
            var parts = entry.path.split(separator: "/", omittingEmptySubsequences: false)[...]
            if parts.first == "." { parts.removeFirst() }
            if parts.last == "", entry.kind == .directory { parts.removeLast() }
            guard let root = parts.popFirst() else { continue }
            if name == nil {
                guard root.hasSuffix(".bundle"), root.utf8.count > 7, root.utf8.count < 200 else {
                    throw invalid("its first entry is \(quoted(entry.path)), and no bundle")
                }
                // The name of the bundle passes the same checks as any other name, because a directory gets it.
                var names = FileTree(root: path)
                try names.add(String(root), .directory)
                name = String(root)
                try make(Path.join(directory, String(root)))
            }
            guard let name, name.utf8.elementsEqual(root.utf8) else {
                throw invalid("it holds \(quoted(entry.path)) beside \(quoted(name ?? ""))")
            }
            if parts.isEmpty {
                guard entry.kind == .directory else { throw invalid("\(quoted(name)) is no directory in it") }
                continue
            }
            try add(parts.joined(separator: "/"), entry, to: &tree, Path.join(directory, name))
        }
        guard let name else { throw invalid("it is empty") }
        try tree.check()
        try tree.finish(in: Path.join(directory, name))
        return (name, tree)
    }

    private mutating func add(
        _ place: String, _ entry: TarHeader, to tree: inout FileTree, _ directory: String
    ) throws(PackingError) {
        let target = directory + "/" + place
        switch entry.kind {
        case .directory:
            try tree.add(place, .directory)
            try make(target, below: directory)
        case .link(let goal):
            try tree.add(place, .link(to: goal))
            // An archive need not list the directories of its files.
            try make(Path.parent(target), below: directory)
        case .file(let size, let isExecutable):
            try tree.add(place, .file(.disk(path: target, size: size), isExecutable: isExecutable))
            try make(Path.parent(target), below: directory)
            try copy(size, to: target)
        }
    }

    /// Makes a directory, and the ones above it that are missing.
    ///
    /// The tree has accepted all of them as directories.
    private func make(_ path: String, below directory: String = "") throws(PackingError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, path.utf8.count > directory.utf8.count else {
            throw .refused(.unwritable, path, cannot: "be made", errno: errno)
        }
        try make(Path.parent(path), below: directory)
        guard mkdir(path, 0o700) == 0 else { throw .refused(.unwritable, path, cannot: "be made", errno: errno) }
    }

    private mutating func copy(_ size: Int64, to target: String) throws(PackingError) {
        let file = openFile(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .refused(.unwritable, target, cannot: "be made", errno: errno) }
        defer { close(file) }
        var rest = size
        while rest > 0 {
            let part = try read(atMost: rest)
            try FileTree.append(part, to: file, target)
            rest -= Int64(part.count)
        }
        try skip(TarHeader.padding(after: size))
    }

    // MARK: Headers

    /// The header of the next file; nil at the end.
    private mutating func next() throws(PackingError) -> TarHeader? {
        var longName: String?
        var longTarget: String?
        var longSize: Int64?
        while true {
            let block = try read(TarHeader.blockSize)
            if block.allSatisfy({ $0 == 0 }) {
                try requireNothingMore()
                return nil
            }
            guard let header = RawTarHeader(block), let mode = header.mode, let ownSize = header.size else {
                throw invalid("it has a damaged header")
            }
            let name = longName ?? String(decoding: header.name, as: UTF8.self)
            switch Character(Unicode.Scalar(header.type)) {
            case "x":
                for (key, value) in try records(header) {
                    switch key {
                    case "path": longName = value
                    case "linkpath": longTarget = value
                    case "size": longSize = Int64(value)
                    case "GNU.sparse.major", "GNU.sparse.map", "GNU.sparse.name": throw unsafe(name, "a sparse file")
                    // Times, owners and attributes are ignored: the user who installs the bundle owns it, and it gets
                    // times of its own.
                    default: break
                    }
                }
            case "g": _ = try records(header)
            case "L": longName = try longText(header)
            case "K": longTarget = try longText(header)
            case "0", "5", "2":
                guard mode & 0o7000 == 0 else { throw unsafe(name, "a file that lends its owner's rights (setuid)") }
                let size = longSize ?? ownSize
                guard size >= 0, header.type == UInt8(ascii: "0") || size == 0 else {
                    throw invalid("\(quoted(name)) has a size that it cannot have")
                }
                let target = longTarget ?? String(decoding: header.linkTarget, as: UTF8.self)
                let kind: TarHeader.Kind =
                    switch header.type {
                    case UInt8(ascii: "5"): .directory
                    case UInt8(ascii: "2"): .link(to: target)
                    default: .file(size: size, isExecutable: mode & 0o100 != 0)
                    }
                return TarHeader(path: name, kind: kind)
            case "1": throw unsafe(name, "a hard link")
            case "3", "4": throw unsafe(name, "a device")
            case "6": throw unsafe(name, "a FIFO")
            case "S": throw unsafe(name, "a sparse file")
            default: throw unsafe(name, "a file of the unknown kind \(header.type)")
            }
        }
    }

    /// The most bytes of a name or of an extended header.
    ///
    /// A longer text cannot be the name of a file.
    private static let longestText: Int64 = 1 << 16

    private mutating func text(_ header: RawTarHeader) throws(PackingError) -> [UInt8] {
        guard let size = header.size, size <= Self.longestText else { throw invalid("a name in it is too long") }
        let bytes = try read(Int(size))
        try skip(TarHeader.padding(after: size))
        return bytes
    }

    private mutating func longText(_ header: RawTarHeader) throws(PackingError) -> String {
        String(decoding: try text(header).prefix { $0 != 0 }, as: UTF8.self)
    }

    private mutating func records(_ header: RawTarHeader) throws(PackingError) -> [(String, String)] {
        var rest = try text(header)[...]
        var records: [(String, String)] = []
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != 0x20 }
            guard digits.count < 8, let length = Int(String(decoding: digits, as: UTF8.self)),
                length > digits.count + 2,
                length <= rest.count, rest[rest.startIndex + length - 1] == 0x0A,
                let equals = rest.prefix(length).firstIndex(of: UInt8(ascii: "="))
            else { throw invalid("it has a damaged extended header") }
            let key = rest[(rest.startIndex + digits.count + 1)..<equals]
            let value = rest[(equals + 1)..<(rest.startIndex + length - 1)]
            records.append((String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            rest = rest.dropFirst(length)
        }
        return records
    }

    // MARK: Bytes

    private mutating func read(_ count: Int) throws(PackingError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try read(atMost: Int64(count - bytes.count)) }
        return bytes
    }

    private mutating func skip(_ count: Int) throws(PackingError) { _ = try read(count) }

    private mutating func read(atMost most: Int64) throws(PackingError) -> [UInt8] {
        if outputStart == outputEnd { try decompress() }
        guard outputStart < outputEnd else { throw invalid("it is cut off") }
        let end = min(outputEnd, outputStart + Int(most))
        defer { outputStart = end }
        return Array(output[outputStart..<end])
    }

    /// Checks that only zeros follow the first block of zeros.
    private mutating func requireNothingMore() throws(PackingError) {
        while true {
            if outputStart == outputEnd { try decompress() }
            if outputStart == outputEnd { return }
            guard output[outputStart..<outputEnd].allSatisfy({ $0 == 0 }) else {
                throw invalid("there is more after its end")
            }
            outputStart = outputEnd
        }
    }

    /// Decompresses the next part into the output.
    ///
    /// At the end of the file, the output is empty.
    private mutating func decompress() throws(PackingError) {
        (outputStart, outputEnd) = (0, 0)
        while outputEnd == 0, !isAtEnd {
            if inputStart == input.count { try fill() }
            isAtEnd = input.isEmpty && isFrameComplete
            if isAtEnd { return }
            // After the last byte of the file, the decompressor may still hold output that did not fit before.
            let step = input.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { output in
                    packing_zstd_run(
                        stream, input.baseAddress.map { $0 + inputStart }, input.count - inputStart,
                        output.baseAddress, output.count, false)
                }
            }
            guard !input.isEmpty || step.written > 0 else { throw invalid("it is cut off") }
            if let error = step.error {
                throw invalid("it is no Zstandard archive, or damaged (\(String(cString: error)))")
            }
            inputStart += step.taken
            outputEnd = step.written
            isFrameComplete = step.is_complete
            budget -= Int64(step.written)
            guard budget >= 0 else {
                throw PackingError(
                    .tooLarge, path: path,
                    message:
                        "The archive \(quoted(path)) stands for more than \(Self.bytesForEach) bytes for each of its own.",
                    remedy: "Ask its author for one that was made by “pluginhost pack --archive”.")
            }
        }
    }

    private mutating func fill() throws(PackingError) {
        input = [UInt8](repeating: 0, count: 1 << 16)
        inputStart = 0
        while true {
            let count = input.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress!, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .refused(.unreadable, path, cannot: "be read", errno: errno) }
            input.removeLast(input.count - count)
            return
        }
    }

    // MARK: Errors

    private func invalid(_ reason: String) -> PackingError {
        PackingError(
            .archiveInvalid, path: path, message: "\(quoted(path)) is no archive of a bundle: \(reason).",
            remedy: "Get the file again; “pluginhost pack --archive” makes such archives.")
    }

    private func unsafe(_ name: String, _ what: String) -> PackingError {
        PackingError(
            .unsafeFile, path: path, message: "The archive \(quoted(path)) holds \(quoted(name)), \(what).",
            remedy: "Do not install it; ask its author for one that was made by “pluginhost pack --archive”.")
    }
}

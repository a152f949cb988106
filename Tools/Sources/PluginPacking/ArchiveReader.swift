internal import CPackingSupport
import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// Unpacks an archive of a bundle: a tar archive compressed with Zstandard or gzip, or a ZIP archive.
///
/// The archive is not trusted.
///
/// Each name is checked before its file is written (``FileTree``). Directories and files are made first, in a directory
/// that belongs to this process. Links are made last, so that nothing is ever written through one. The size of the
/// archive limits how much it may expand to. An archive is refused if it contains anything but directories, files, and
/// links that lead to something in the bundle.
struct ArchiveReader: ~Copyable {
    private let path: String
    private let file: ArchiveFile
    private let stream: Decompressor
    private var input: [UInt8] = []
    private var inputStart = 0
    private var output = [UInt8](repeating: 0, count: 1 << 17)
    private var outputStart = 0
    private var outputEnd = 0
    /// Whether the input that was read so far ends a frame of Zstandard or a member of gzip.
    private var isFrameComplete = true
    private var isAtEnd = false
    /// How many more bytes the archive may expand to.
    private var budget: Int64

    /// Unpacks an archive into an empty directory.
    ///
    /// - Returns: the bundle's name, with `.bundle`, and its files. The bundle is a directory of that name in
    ///   `directory`.
    static func unpack(_ path: String, into directory: String) throws(PackingError) -> (name: String, tree: FileTree) {
        let file = try ArchiveFile(path)
        switch try file.form() {
        case .zip: return try ZIPReader.unpack(file, into: directory)
        case .zstandard: return try unpack(file, .zstandard, into: directory)
        case .gzip: return try unpack(file, .gzip, into: directory)
        case .other(let name):
            throw PackingError(
                .archiveInvalid, path: path, message: "\(quoted(path)) is \(name), which is not read.",
                remedy:
                    "Get or make the bundle as .tar.zst, .tar.gz or .zip; “pluginhost pack --archive” makes .tar.zst.")
        }
    }

    private static func unpack(
        _ file: ArchiveFile, _ form: Decompressor.Form, into directory: String
    ) throws(PackingError) -> (name: String, tree: FileTree) {
        var reader = ArchiveReader(file, try Decompressor(form, for: file.path))
        return try reader.unpack(into: directory)
    }

    private init(_ file: ArchiveFile, _ stream: consuming Decompressor) {
        path = file.path
        self.file = file
        self.stream = stream
        budget = file.budget
    }

    // MARK: Files

    private mutating func unpack(into directory: String) throws(PackingError) -> (name: String, tree: FileTree) {
        var bundle = UnpackedBundle(of: path, in: directory)
        while let entry = try next() {
            guard let target = try bundle.add(entry.path, entry.kind), case .file(let size, _) = entry.kind else {
                continue
            }
            try copy(size, to: target)
        }
        return try bundle.finished()
    }

    private mutating func copy(_ size: Int64, to target: String) throws(PackingError) {
        let file = try UnpackedBundle.newFile(target)
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
                    case "size":
                        // Refuse this, so that no two programs can read different files from one archive.
                        guard let size = Int64(value) else {
                            throw invalid("\(quoted(name)) has a size that it cannot have")
                        }
                        longSize = size
                    case "GNU.sparse.major", "GNU.sparse.map", "GNU.sparse.name": throw unsafe(name, "a sparse file")
                    // Ignore times, owners and attributes: the user who installs the bundle owns it, and its times are
                    // set later.
                    default: break
                    }
                }
            case "g":
                let isOfOneFile = try records(header).contains { key, _ in
                    ["path", "linkpath", "size"].contains(key) || key.hasPrefix("GNU.sparse.")
                }
                if isOfOneFile { throw invalid("its extended header gives all files one name or size") }
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
            // After the last byte of the file, the decompressor may still hold output that did not fit earlier.
            let step = input.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { output in
                    stream.run(UnsafeRawBufferPointer(rebasing: input[inputStart...]), into: output)
                }
            }
            guard !input.isEmpty || step.written > 0 else { throw invalid("it is cut off") }
            if let error = step.error {
                throw invalid("it is no \(stream.form.name) archive, or damaged (\(String(cString: error)))")
            }
            inputStart += step.taken
            outputEnd = step.written
            isFrameComplete = step.is_complete
            budget -= Int64(step.written)
            guard budget >= 0 else { throw file.standsForTooMuch }
        }
    }

    private mutating func fill() throws(PackingError) {
        inputStart = 0
        input = try file.next(1 << 16)
    }

    // MARK: Errors

    private func invalid(_ reason: String) -> PackingError { file.invalid(reason) }

    private func unsafe(_ name: String, _ what: String) -> PackingError { file.unsafe(name, what) }
}

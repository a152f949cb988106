internal import CPackingSupport
import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// Writes a bundle into one file: a POSIX tar archive (ustar, with pax headers for long names), compressed with
/// Zstandard.
///
/// Archives of the same bundle are byte-identical: the order, owner, times and modes of the files do not depend on the
/// machine.
struct ArchiveWriter: ~Copyable {
    private let path: String
    private let descriptor: CInt
    private let stream: OpaquePointer
    private var output = [UInt8](repeating: 0, count: 1 << 17)

    /// Writes the bundle in a directory to a new file.
    ///
    /// `name`: the name of the only directory at the top of the archive.
    static func write(_ bundle: String, as name: String, to path: String) throws(PackingError) {
        var tree = FileTree(root: bundle)
        _ = try tree.add(contentsOf: bundle)
        try tree.check()
        var writer = try ArchiveWriter(path)
        try writer.put(TarHeader(path: name, kind: .directory))
        for path in tree.paths {
            let inside = name + "/" + path
            switch tree.entries[path] {
            case .directory: try writer.put(TarHeader(path: inside, kind: .directory))
            case .link(let target): try writer.put(TarHeader(path: inside, kind: .link(to: target)))
            case .file(let bytes, let isExecutable):
                try writer.put(TarHeader(path: inside, kind: .file(size: bytes.count, isExecutable: isExecutable)))
                try writer.put(bytes)
            case nil: break
            }
        }
        try writer.finish()
    }

    private init(_ path: String) throws(PackingError) {
        guard let stream = packing_zstd_make(true) else { throw .withoutZstandard(path) }
        let descriptor = openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let number = errno
            packing_zstd_free(stream)
            throw .refused(.unwritable, path, cannot: "be made", to: .make, errno: number)
        }
        self.path = path
        self.descriptor = descriptor
        self.stream = stream
    }

    deinit {
        packing_zstd_free(stream)
        close(descriptor)
    }

    private mutating func put(_ header: TarHeader) throws(PackingError) { try compress(header.blocks) }

    private mutating func put(_ bytes: FileTree.FileBytes) throws(PackingError) {
        switch bytes {
        case .memory(let bytes): try compress(bytes)
        case .disk(let source, let size):
            // Read the whole file, because a closure for ``FileTree/eachPart(of:size:_:)`` may not change this
            // noncopyable value.
            try compress(FileTree.FileBytes.disk(path: source, size: size).bytes())
        }
        try compress([UInt8](repeating: 0, count: TarHeader.padding(after: bytes.count)))
    }

    private mutating func finish() throws(PackingError) {
        try compress([UInt8](repeating: 0, count: 2 * TarHeader.blockSize))
        try compress([], ends: true)
        guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else {
            throw .refused(.unwritable, path, cannot: "be written", errno: errno)
        }
    }

    private mutating func compress(_ bytes: [UInt8], ends: Bool = false) throws(PackingError) {
        var taken = 0
        while true {
            let step = bytes.withUnsafeBytes { bytes in
                output.withUnsafeMutableBytes { output in
                    packing_zstd_run(
                        stream, bytes.baseAddress.map { $0 + taken }, bytes.count - taken, output.baseAddress,
                        output.count, ends)
                }
            }
            if let error = step.error {
                throw PackingError(
                    .toolFailed, path: path, message: "Zstandard cannot compress: \(String(cString: error)).",
                    remedy: "Try again.")
            }
            taken += step.taken
            try FileTree.append(output[..<step.written], to: descriptor, path)
            if ends ? step.is_complete : taken == bytes.count { return }
        }
    }
}

extension PackingError {
    static func withoutZstandard(_ path: String) -> PackingError {
        PackingError(
            .toolFailed, path: path,
            message: "The dynamic linker cannot load libzstd.so.1, by which archives are compressed: "
                + "\(String(cString: packing_zstd_failure())).",
            remedy: "If it is not installed, install it: on Debian the package libzstd1. Otherwise try again.")
    }
}

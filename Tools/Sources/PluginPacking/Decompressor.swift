internal import CPackingSupport

/// Decompresses a stream of bytes with a library of the system.
struct Decompressor: ~Copyable {
    enum Form {
        case zstandard
        case gzip
        /// The data of a file in a ZIP archive.
        case deflate

        var name: String {
            switch self {
            case .zstandard: "Zstandard"
            case .gzip: "gzip"
            case .deflate: "ZIP"
            }
        }
    }

    let form: Form
    private let stream: OpaquePointer

    /// `path`: the archive, for error messages.
    init(_ form: Form, for path: String) throws(PackingError) {
        self.form = form
        switch form {
        case .zstandard:
            guard let made = packing_zstd_make(false) else { throw .withoutZstandard(path) }
            stream = made
        case .gzip, .deflate:
            guard let made = packing_zlib_make(form == .gzip) else {
                throw PackingError(
                    .toolFailed, path: path,
                    message: "The dynamic linker cannot load libz.so.1, by which this archive is read: "
                        + "\(String(cString: packing_zlib_failure())).",
                    remedy: "If it is not installed, install it: on Debian the package zlib1g. Otherwise try again.")
            }
            stream = made
        }
    }

    deinit {
        switch form {
        case .zstandard: packing_zstd_free(stream)
        case .gzip, .deflate: packing_zlib_free(stream)
        }
    }

    /// Decompresses the next bytes.
    func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> packing_step {
        switch form {
        case .zstandard:
            packing_zstd_run(stream, input.baseAddress, input.count, output.baseAddress, output.count, false)
        case .gzip, .deflate:
            packing_zlib_run(stream, input.baseAddress, input.count, output.baseAddress, output.count)
        }
    }
}

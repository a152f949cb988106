import Glibc

/// What stands at a path. Not FileManager.fileExists(), which says “no” where it cannot look.
enum FileLook {
    case directory
    /// Anything else.
    case file
    case nothing

    init(path: String) throws(SystemFailure) {
        var status = stat()
        while stat(path, &status) != 0 {
            switch errno {
            case EINTR: continue
            case ENOENT, ENOTDIR:
                self = .nothing
                return
            default: throw SystemFailure(errno)
            }
        }
        self = status.st_mode & S_IFMT == S_IFDIR ? .directory : .file
    }
}

/// Why a system call failed.
struct SystemFailure: Error {
    let number: Int32
    var reason: String { String(cString: strerror(number)) }

    init(_ number: Int32) { self.number = number }

    /// What a system call returned, made again when a signal interrupted it.
    static func checked<Number: FixedWidthInteger>(_ call: () -> Number) throws(SystemFailure) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw SystemFailure(errno) }
        }
    }

    /// Writes all of some bytes.
    static func write(_ bytes: some Sequence<UInt8>, to descriptor: CInt) throws(SystemFailure) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = try checked { rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
            rest = rest.dropFirst(count)
        }
    }

    /// “X cannot be used: Input/output error.”
    func sentence(about path: String) -> String { localized("{0} cannot be used: {1}.", path, reason) }
}

import Glibc

/// Why a system call failed, in plain words instead of the system's.
struct SystemFailure: Error {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// A part of a sentence, without a full stop.
    var reason: String {
        switch number {
        case EACCES, EPERM: localized("access is not allowed")
        case ENOENT, ENOTDIR: localized("it does not exist any more")
        case ENOSPC, EDQUOT: localized("no space is left")
        case EROFS: localized("the disk is read-only")
        case EIO: localized("the disk reports an error")
        case EMFILE, ENFILE: localized("too many files are open")
        case ENOMEM: localized("there is not enough memory")
        case ELOOP: localized("its links lead in a circle")
        case ENAMETOOLONG: localized("the name is too long")
        case EPIPE: localized("nobody reads it any more")
        default: localized("the system reports “{0}”", String(cString: strerror(number)))
        }
    }

    /// The result of a system call, which is repeated if a signal interrupted it.
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

    /// A sentence that names the file and the cause: “X cannot be used: the disk reports an error.”.
    func sentence(about path: String) -> String { localized("{0} cannot be used: {1}.", path, reason) }
}

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

    /// “X cannot be used: Input/output error.”
    func sentence(about path: String) -> String { localized("{0} cannot be used: {1}.", path, reason) }
}

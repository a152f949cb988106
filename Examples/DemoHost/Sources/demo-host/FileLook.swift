import Glibc

/// The kind of file at a path.
///
/// Why not FileManager.fileExists(): it says “no” if it cannot look.
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

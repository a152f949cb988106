import Glibc

/// Opens a file as `open()` does, and again if a signal interrupted the call.
///
/// - Parameters:
///   - path: the file.
///   - flags: the flags of `open()`.
///   - mode: the permissions of a file that is made.
/// - Returns: the descriptor, which the caller closes; -1 with `errno` if the file cannot be opened.
func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    // A file system that keeps being interrupted answers with EINTR in the end.
    var descriptor: Int32 = -1
    for _ in 0..<100 {
        descriptor = open(path, flags, mode)
        guard descriptor < 0, errno == EINTR else { break }
    }
    return descriptor
}

import Glibc

/// Opens a file as `open()` does, and repeats the call if a signal interrupts it.
///
/// - Parameters:
///   - path: the file.
///   - flags: the flags of `open()`.
///   - mode: the permissions of a file that is made.
/// - Returns: the descriptor, which the caller closes; -1 with `errno` if the file cannot be opened.
func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    // If the call is interrupted each time, the result is EINTR.
    var descriptor: Int32 = -1
    for _ in 0..<100 {
        descriptor = open(path, flags, mode)
        guard descriptor < 0, errno == EINTR else { break }
    }
    return descriptor
}

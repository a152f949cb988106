import Glibc

/// The beginning of absolute paths that leads to an open directory: files below it are opened from that directory,
/// without resolving the whole path again.
struct PathBase: Sendable {
    let directory: CInt
    /// How many bytes of a path lead to the directory, including the slash after it.
    let length: Int

    /// For paths that are resolved from their beginning.
    static let none = PathBase(directory: AT_FDCWD, length: 0)
}

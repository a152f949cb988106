import Glibc

/// The beginning of absolute paths that leads to an open directory: what stands there is found from the directory on,
/// without the walk along the whole path.
struct PathBase: Sendable {
    let directory: CInt
    /// How many bytes of a path lead to the directory, with the slash after it.
    let length: Int

    /// For paths that are walked from their beginning.
    static let none = PathBase(directory: AT_FDCWD, length: 0)
}

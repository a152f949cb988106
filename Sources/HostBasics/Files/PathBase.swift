import Glibc

/// The beginning of absolute paths that leads to an open directory.
///
/// Files below are opened from that directory, without resolving the whole path again.
package struct PathBase: Sendable {
    package let directory: CInt
    /// How many bytes of a path lead to the directory, including the slash after it.
    package let length: Int

    package init(directory: CInt, length: Int) {
        self.directory = directory
        self.length = length
    }

    /// For paths that are resolved from their beginning.
    package static let none = PathBase(directory: AT_FDCWD, length: 0)
}

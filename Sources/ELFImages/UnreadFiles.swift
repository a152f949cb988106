package import HostBasics

/// The files that one inspection could not read, because the system temporarily lacked something or the disk failed.
///
/// Conclusions without these files may be wrong: for example, a symbol may be defined in the library that could not be
/// read.
///
/// **Threads.** One.
package final class UnreadFiles {
    /// The path of the first such file, and the error number.
    package private(set) var first: (path: String, errno: CInt)?

    package init() {}

    /// Records a temporary failure.
    ///
    /// A missing file, or a file without permission to read it, is a fact and not such a failure.
    package func note(_ path: String, _ failure: OpenedFile.Failure) {
        guard first == nil, let errno = failure.errno, ErrorNumber.isPassing(errno) else { return }
        first = (path, errno)
    }

    /// The finding that replaces all conclusions made without the file.
    ///
    /// `inspected`: the file whose libraries and symbols were checked.
    package func finding(about inspected: String) -> PluginFinding? {
        guard let first else { return nil }
        return PluginFinding(
            .notLoadable, filePath: first.path,
            message: """
                The file \(quoted(first.path)) cannot be read, so the libraries and symbols that \(quoted(inspected)) \
                needs could not be checked.
                """
        ).refused(by: first.errno)
    }
}

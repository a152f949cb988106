/// The files that one inspection could not read, because the system lacked something at that moment or the disk failed.
///
/// What an inspection concludes without them may be wrong: a symbol is not missing because the library that defines it could
/// not be read.
///
/// **Threads.** One; an inspection makes its own.
final class UnreadFiles {
    /// The first of them, and why.
    private(set) var first: (path: String, errno: CInt)?

    /// Notes a failure that passes. That a file is missing, or that nobody may read it, is a fact and no such failure.
    func note(_ path: String, _ failure: OpenedFile.Failure) {
        guard first == nil, let errno = failure.errno, ErrorNumber.isPassing(errno) else { return }
        first = (path, errno)
    }

    /// The finding in place of all that was concluded without the file. `inspected`: the file whose libraries and
    /// symbols were looked for.
    func finding(about inspected: String) -> PluginFinding? {
        guard let first else { return nil }
        return PluginFinding(
            .notLoadable, filePath: first.path,
            message: """
                The file \(quoted(first.path)) cannot be read, so that the libraries and symbols that \(quoted(inspected)) \
                needs could not be checked.
                """
        ).refused(by: first.errno)
    }
}

import CPluginSupport.Shims
import Glibc

extension Inotify.Failure {
    /// The error for the owner of a watch: which limit was reached, and how to raise it.
    package func asError(directory: String) -> PluginError {
        let (message, remedy) = text(directory)
        return PluginError(
            bundlePath: directory,
            PluginFinding(
                .watchFailed, filePath: directory, message: message, remedy: remedy,
                systemMessage: describe(errno: errno)))
    }

    private func text(_ directory: String) -> (message: String, remedy: String) {
        switch (step, errno) {
        case (.directory, ENOSPC):
            (
                "\(quoted(directory)) is not watched for changes: the user has no inotify watches left\(now(Self.watches)).",
                "Raise the limit: “sysctl \(Self.watches)=524288”, and put the line into /etc/sysctl.d to keep it."
            )
        case (.instance, EMFILE):
            (
                "Nothing is watched for changes: the user has no inotify instances left\(now(Self.instances)).",
                "Raise the limit: “sysctl \(Self.instances)=1024”, and put the line into /etc/sysctl.d to keep it."
            )
        case (.descriptor, EMFILE), (.instance, ENFILE), (.descriptor, ENFILE):
            (
                "Nothing is watched for changes: the process can open no more files.",
                "Raise the limit of open files (“ulimit -n”), or find out what keeps so many files open."
            )
        case (.directory, EBADF):
            (
                "\(quoted(directory)) is not watched for changes: the watch belongs to the process that this one was "
                    + "forked from.",
                "Make a watch in the child, after exec()."
            )
        default:
            (
                "\(quoted(directory)) is not watched for changes.",
                ErrorNumber.remedy(errno, to: step == .directory ? .read : .start)
            )
        }
    }

    private static let watches = "fs.inotify.max_user_watches"
    private static let instances = "fs.inotify.max_user_instances"

    /// The current limit as the end of a clause.
    private func now(_ limit: String) -> String { Inotify.limit(limit).map { " (\(limit) is \($0))" } ?? "" }
}

extension Inotify {
    /// A limit of the kernel, by its name for sysctl.
    package static func limit(_ name: String) -> Int? {
        let path = "/proc/sys/" + name.split(separator: ".").joined(separator: "/")
        let descriptor = phs_open(AT_FDCWD, path, O_RDONLY, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Why not OpenedFile: it trusts a file's size, which is 0 for files in /proc.
        return withTemporaryBytes(32) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return Int(String(decoding: buffer[..<max(0, count)], as: UTF8.self).filter(\.isNumber))
        }
    }
}

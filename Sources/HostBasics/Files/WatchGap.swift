import Glibc

/// A directory in which changes are not noticed, at least in parts of it, and the reason.
package struct WatchGap: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// The bundle has more directories than are watched for one bundle.
        case bundleIsLarge(limit: Int)
        /// All bundles together have more directories than are watched in total.
        case manyBundles(limit: Int)
        /// The directory is too deep inside its bundle.
        case deep(limit: Int)
        /// The system refused to read the directory; the watch tries again.
        case unreadable(errno: CInt)
    }

    package let directory: String
    package let reason: Reason

    /// The error for the owner of the watch.
    ///
    /// The watch continues.
    package var asError: PluginError {
        let (message, remedy, system) = text
        var finding = PluginFinding(
            .watchFailed, filePath: directory, message: message, remedy: remedy, systemMessage: system)
        if case .unreadable(let errno) = reason { finding.refusal = errno }
        return PluginError(bundlePath: directory, finding)
    }

    private var text: (message: String, remedy: String, system: String?) {
        let refresh = "PluginCatalog.refresh() also finds changes of Info.plist where nothing is watched."
        switch reason {
        case .bundleIsLarge(let limit):
            return (
                "Not all of \(quoted(directory)) is watched for changes: it has more than \(limit) directories.",
                "Remove files from the bundle that do not belong to it. \(refresh)", nil
            )
        case .manyBundles(let limit):
            return (
                """
                \(quoted(directory)) and later directories are not watched for changes: all bundles together have more \
                than \(limit) directories.
                """,
                "Raise fs.inotify.max_user_watches (a sixteenth of it is used), or remove bundles. \(refresh)", nil
            )
        case .deep(let limit):
            return (
                "\(quoted(directory)) is not watched for changes: it is \(limit) directories deep in its bundle.",
                "Remove files from the bundle that do not belong to it. \(refresh)", nil
            )
        case .unreadable(let errno):
            return (
                "\(quoted(directory)) is not watched for changes, because it cannot be read.",
                ErrorNumber.remedy(errno), describe(errno: errno)
            )
        }
    }
}

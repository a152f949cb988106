import HostBasics
internal import PluginABI

/// Watches the directories with files of settings, for all bundles of the process: one thread, one queue of the kernel.
final class SettingsWatch: Sendable {
    static let shared = SettingsWatch()

    /// A change counts soon: files of settings are replaced as a whole, so there is nothing to wait for.
    private static let quiet = Duration.milliseconds(1)

    private struct State {
        var watch: DirectoryWatch?
        /// Whether the kernel refused at the last use; each use tries again, and only the first refusal is logged.
        var isRefused = false
        /// The settings that have files in a directory.
        var users: [String: WeakObjects<FileSettings>] = [:]
        /// The directories that the kernel watches.
        var watched: Set<String> = []
    }

    private let state = Lock(State())

    /// Reads the files of a bundle again whenever one of them changes, is made or removed.
    ///
    /// If the kernel cannot watch, this is logged; then a change of another process counts at the next change or refresh
    /// in this one.
    func add(_ settings: FileSettings) {
        let directories = Set(settings.places.all.map(Path.parent))
        // For all directories first: where the kernel refuses one, another bundle may have it watched later.
        state.withLock { state in
            for directory in directories { state.users[directory, default: WeakObjects()].add(settings) }
        }
        do throws(PluginError) {
            let watch = try watch()
            for directory in directories.sorted() {
                let isNew = state.withLock { $0.watched.insert(directory).inserted }
                guard isNew else { continue }
                do throws(PluginError) {
                    try watch.add(directory)
                } catch {
                    // The next use tries again.
                    _ = state.withLock { $0.watched.remove(directory) }
                    throw error
                }
                // A later refusal is news again.
                state.withLock { $0.isRefused = false }
            }
        } catch {
            let isFirst = state.withLock { state in
                defer { state.isRefused = true }
                return !state.isRefused
            }
            guard isFirst else { return }
            HostEnvironment.log(
                .warning,
                """
                Changes of settings by other processes are not noticed; they count at the next change or refresh in this \
                process. \(error.findings[0].message) \(error.findings[0].remedy)
                """)
        }
    }

    private func watch() throws(PluginError) -> DirectoryWatch {
        if let known = state.withLock(\.watch) { return known }
        let new = try DirectoryWatch(
            quietPeriod: Self.quiet, longestWait: .milliseconds(20), enters: { _ in false }, isBundle: { _ in false }
        ) { changes in
            Self.shared.take(changes)
        }
        return state.withLock { state in
            state.watch = state.watch ?? new
            return state.watch!
        }
    }

    private func take(_ changes: DirectoryChanges) {
        let affected = state.withLock { state in
            state.users.filter { directory, _ in
                changes.wholly.contains { Path.part(of: directory, in: $0) != nil || directory == $0 }
                    || changes.names.keys.contains { Path.part(of: directory, in: $0) != nil || directory == $0 }
            }.map { ($0.key, $0.value.all) }
        }
        for (directory, users) in affected {
            let names = changes.wholly.isEmpty ? changes.names[directory] : nil
            for user in users {
                guard let settings = user.object, Self.concerns(names, in: directory, settings) else { continue }
                settings.refresh()
            }
        }
    }

    /// Whether one of the names is a file of the settings; nil names stand for all.
    private static func concerns(_ names: Set<String>?, in directory: String, _ settings: FileSettings) -> Bool {
        guard let names else { return true }
        return names.contains { name in settings.places.all.contains(Path.join(directory, name)) }
    }
}

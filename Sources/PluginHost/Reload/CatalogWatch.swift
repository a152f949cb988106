import BundleReading
import CatalogIndexing
import HostBasics
import Synchronization

/// Keeps a catalogue and its loaded plug-ins up to date with the search paths.
///
/// **Lifetime.** It exists as long as its events have a reader.
final class CatalogWatch: Sendable {
    private struct State {
        var directories: DirectoryWatch?
        var readers: [Int: Deferred<AsyncStream<CatalogEvent>.Continuation>] = [:]
        var made = 0
        /// The places where watching is not possible.
        ///
        /// Every reader gets this list.
        var gaps: [WatchGap] = []
    }

    private let catalog: PluginCatalog
    private let state = Lock(State())

    init(_ catalog: PluginCatalog, quietPeriod: Duration) throws(PluginError) {
        self.catalog = catalog
        let extensions = catalog.options.extensions
        let isNamed: @Sendable (String) -> Bool = { name in
            guard let dot = name.lastIndex(of: ".") else { return false }
            return extensions.contains(String(name[name.index(after: dot)...]))
        }
        let directories = try DirectoryWatch(quietPeriod: quietPeriod, enters: isNamed) { path in
            isNamed(path) || BundleLayout.hasInfoList(root: path)
        } handler: { [weak self] in
            self?.take($0)
        }
        for path in catalog.searchPaths { try directories.add(path) }
        state.withLock { $0.directories = directories }
    }

    // MARK: Events

    func events() -> AsyncStream<CatalogEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CatalogEvent.self, bufferingPolicy: .bufferingNewest(EventListeners<CatalogEvent>.bufferLimit))
        let (number, directories, gaps) = state.withLock { state in
            state.made += 1
            state.readers[state.made] = Deferred(continuation)
            return (state.made, state.directories, state.gaps)
        }
        for gap in gaps { continuation.yield(.failed(gap.asError)) }
        // Keeps the watch alive until the stream ends.
        continuation.onTermination = { [self] _ in
            state.withLock { _ = $0.readers.removeValue(forKey: number) }
        }
        // When the first reader arrives, reports everything that has happened since the catalogue's last scan.
        if number == 1 { directories?.reportAll() }
        return stream
    }

    private static let mostGaps = 100

    private func report(_ event: CatalogEvent) {
        // A resumed task may run on an executor of the application.
        HeldLocks.preconditionNone(before: "tasks that listen to a watched catalogue")
        for reader in state.withLock({ Array($0.readers.values) }) { reader.value.yield(event) }
    }

    // MARK: Changes

    private func take(_ changes: DirectoryChanges) {
        if let failure = changes.failure {
            report(.failed(failure.asError(directory: catalog.searchPaths.first ?? "/")))
        }
        for gap in changes.gaps {
            state.withLock { state in
                if state.gaps.count < Self.mostGaps { state.gaps.append(gap) }
            }
            report(.failed(gap.asError))
        }
        let touched = TouchedBundles(changes, in: catalog.searchPaths)
        let change = catalog.refresh()
        for plugin in change.added { report(.added(plugin)) }
        for plugin in change.removed { reportRemoved(plugin) }
        let described = Set(change.changed.map(\.identifier))
        let added = Set(change.added.map(\.identifier))
        // Plug-ins that others require come first.
        for plugin in catalog.loadOrder {
            let isDescribedAnew = described.contains(plugin.identifier)
            guard isDescribedAnew || touched.contains(plugin.bundlePath) else { continue }
            if reload(plugin, isDescribedAnew) || added.contains(plugin.identifier) { continue }
            // If everything may have changed, it is not known whether this plug-in has.
            if isDescribedAnew || touched.isNamed(plugin.bundlePath) { report(.changed(plugin)) }
        }
        catalog.generationTable?.removeEndedCopies()
        // If the system temporarily refused something, try again later.
        if catalog.current.isPassing { reportAllLater() }
    }

    private func reportAllLater() { state.withLock(\.directories)?.reportAllLater() }

    /// - Returns: whether the plug-in needs no event `changed`.
    private func reload(_ plugin: PluginDescription, _ isDescribedAnew: Bool) -> Bool {
        guard let generations = catalog.generationTable?.generations(of: plugin.identifier) else { return false }
        switch generations.reload(at: plugin.bundlePath) {
        case .unchanged:
            // An event for an active plug-in in which no byte differs needs no report.
            return !isDescribedAnew && generations.current != nil
        case .resources: return false
        case .replaced(let generation):
            report(.reloaded(plugin, generation: generation.report, remaining: generations.remaining))
            return true
        case .failed(let error):
            if error.isPassing { reportAllLater() }
            report(.failed(error))
            return true
        }
    }

    private func reportRemoved(_ plugin: PluginDescription) {
        report(.removed(plugin))
        let candidate = catalog.candidates.first { $0.bundlePath == plugin.bundlePath }
        // It exists but cannot be used, and its author needs the reason.
        if let error = candidate?.error, error.findings[0].severity == .error { report(.failed(error)) }
    }
}

/// The bundles that are affected by changes in the search paths.
private struct TouchedBundles {
    private var isEverything = false
    /// Paths with links resolved.
    private var paths: Set<String> = []

    init(_ changes: DirectoryChanges, in roots: [String]) {
        for root in roots {
            if changes.wholly.contains(root) { isEverything = true }
            for name in changes.names[root] ?? [] { insert(Path.join(root, name)) }
            for directory in changes.wholly.union(changes.names.keys) {
                guard let rest = Path.part(of: directory, in: root) else { continue }
                insert(Path.join(root, String(rest.prefix { $0 != "/" })))
            }
        }
    }

    private mutating func insert(_ path: String) { paths.insert(Path.resolved(path) ?? path) }

    /// Whether something in the bundle at a path is known to have changed.
    func isNamed(_ path: String) -> Bool { paths.contains(path) }

    func contains(_ path: String) -> Bool { isEverything || paths.contains(path) }
}

import Synchronization

/// What keeps a catalogue and its loaded plug-ins up to date with the search paths.
///
/// **Lifetime.** As long as somebody reads its events.
final class CatalogWatch: Sendable {
    private struct State {
        var directories: DirectoryWatch?
        var readers: [Int: Deferred<AsyncStream<CatalogEvent>.Continuation>] = [:]
        var made = 0
        /// Where nothing is watched: every reader is told.
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
        // Holds the watch, until the stream ends.
        continuation.onTermination = { [self] _ in
            state.withLock { _ = $0.readers.removeValue(forKey: number) }
        }
        // What has happened since the catalogue last looked, now that somebody reads of it.
        if number == 1 { directories?.tellAll() }
        return stream
    }

    private static let mostGaps = 100

    private func tell(_ event: CatalogEvent) {
        // A resumed task may run on an executor of the application's.
        HeldLocks.preconditionNone(before: "tasks that listen to a watched catalogue")
        for reader in state.withLock({ Array($0.readers.values) }) { reader.value.yield(event) }
    }

    // MARK: Changes

    private func take(_ changes: DirectoryChanges) {
        if let failure = changes.failure {
            tell(.failed(failure.asError(directory: catalog.searchPaths.first ?? "/")))
        }
        for gap in changes.gaps {
            state.withLock { state in
                if state.gaps.count < Self.mostGaps { state.gaps.append(gap) }
            }
            tell(.failed(gap.asError))
        }
        let touched = TouchedBundles(changes, in: catalog.searchPaths)
        let change = catalog.refresh()
        for plugin in change.added { tell(.added(plugin)) }
        for plugin in change.removed { tellRemoved(plugin) }
        let described = Set(change.changed.map(\.identifier))
        let added = Set(change.added.map(\.identifier))
        // What others require goes first.
        for plugin in catalog.loadOrder {
            let isDescribedAnew = described.contains(plugin.identifier)
            guard isDescribedAnew || touched.contains(plugin.bundlePath) else { continue }
            if reload(plugin, isDescribedAnew) || added.contains(plugin.identifier) { continue }
            // Where anything may have changed, nobody knows what has.
            if isDescribedAnew || touched.isNamed(plugin.bundlePath) { tell(.changed(plugin)) }
        }
        catalog.generationTable?.removeEndedCopies()
        // What the system refused now is tried again when it may have passed.
        if catalog.current.isPassing { tellAllLater() }
    }

    private func tellAllLater() { state.withLock(\.directories)?.tellAllLater() }

    /// - Returns: whether there was more to tell than that something has changed.
    private func reload(_ plugin: PluginDescription, _ isDescribedAnew: Bool) -> Bool {
        guard let generations = catalog.generationTable?.generations(of: plugin.identifier) else { return false }
        switch generations.reload(at: plugin.bundlePath) {
        case .unchanged:
            // An event without a difference in any byte, while the plug-in is in service, is nothing to tell of.
            return !isDescribedAnew && generations.current != nil
        case .resources: return false
        case .replaced(let generation):
            tell(.reloaded(plugin, generation: generation.report, remaining: generations.remaining))
            return true
        case .failed(let error):
            if error.isPassing { tellAllLater() }
            tell(.failed(error))
            return true
        }
    }

    private func tellRemoved(_ plugin: PluginDescription) {
        tell(.removed(plugin))
        let candidate = catalog.candidates.first { $0.bundlePath == plugin.bundlePath }
        // It is there and cannot be used: its author wants to know why.
        if let error = candidate?.error, error.findings[0].severity == .error { tell(.failed(error)) }
    }
}

/// The bundles that changes in search paths concern.
private struct TouchedBundles {
    private var isEverything = false
    /// With links resolved.
    private var paths: Set<String> = []

    init(_ changes: DirectoryChanges, in roots: [String]) {
        for root in roots {
            if changes.wholly.contains(root) { isEverything = true }
            for name in changes.names[root] ?? [] { insert(Path.join(root, name)) }
            for directory in changes.wholly.union(changes.names.keys)
            where Path.isInside(directory, directory: root) {
                let rest = directory.dropFirst(root == "/" ? 1 : root.count + 1)
                insert(Path.join(root, String(rest.prefix { $0 != "/" })))
            }
        }
    }

    private mutating func insert(_ path: String) { paths.insert(Path.resolved(path) ?? path) }

    /// Whether something in it is known to have changed.
    func isNamed(_ path: String) -> Bool { paths.contains(path) }

    func contains(_ path: String) -> Bool { isEverything || paths.contains(path) }
}

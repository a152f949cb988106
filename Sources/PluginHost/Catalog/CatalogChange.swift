import CatalogIndexing
public import PluginABI

/// The difference between two scans of a catalogue's search paths.
public struct CatalogChange: Sendable {
    /// Plug-ins that are now in use and were not before.
    public var added: [PluginDescription] = []
    /// Plug-ins that were in use and no longer are, with their earlier descriptions.
    public var removed: [PluginDescription] = []
    /// Plug-ins for which another bundle is now used, or whose Info.plist changed, with their new descriptions.
    public var changed: [PluginDescription] = []
    /// The earlier descriptions of the ``changed`` plug-ins, in the same order.
    public var replaced: [PluginDescription] = []

    /// Whether nothing changed.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }

    init() {}

    init(from old: CatalogIndex, to new: CatalogIndex, in catalog: PluginCatalog) {
        func plugins(_ index: CatalogIndex) -> [PluginDescription] {
            (0..<index.pluginCount).map { PluginDescription(catalog, index, index.plugin($0)) }
        }
        let before = Dictionary(plugins(old).map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
        let after = plugins(new)
        for plugin in after {
            guard let known = before[plugin.identifier] else {
                added.append(plugin)
                continue
            }
            if known == plugin { continue }
            changed.append(plugin)
            replaced.append(known)
        }
        let identifiers = Set(after.map(\.identifier))
        removed = before.values.filter { !identifiers.contains($0.identifier) }.sorted { $0.identifier < $1.identifier }
    }

    /// Whether any extension at an extension point has changed.
    func concerns(_ point: String) -> Bool {
        (added + removed + changed + replaced).contains { $0.extensions.contains { $0.extensionPoint == point } }
    }
}

extension PluginCatalog {
    /// The changes after the access, found by ``refresh(_:)`` and ``watch(quietPeriod:)``.
    ///
    /// Each access creates a separate stream for one loop. It keeps the latest 1,024 unread events; older ones are
    /// dropped.
    public var changes: AsyncStream<CatalogChange> { listeners.stream() }

    /// The extensions at an extension point: the current list, then a new list after each change.
    ///
    /// ```swift
    /// for await filters in catalog.updates(of: .textFilter) { menu.show(filters) }
    /// ```
    /// - Returns: a stream for one loop, whose first element is the current list. It keeps only the latest element: a
    ///   slow loop misses the lists in between.
    public func updates<Interface>(
        of point: ExtensionPoint<Interface>
    ) -> AsyncStream<[PluginExtension<Interface>]> {
        // Listens before it reads, so that no change is missed.
        let changes = listeners.stream()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                continuation.yield(self.extensions(of: point))
                for await change in changes where change.concerns(point.name) {
                    continuation.yield(self.extensions(of: point))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

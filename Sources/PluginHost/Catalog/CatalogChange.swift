public import PluginABI

/// What is different between two looks of a catalogue at its search paths.
public struct CatalogChange: Sendable {
    /// Identifiers that are used now and were not.
    public var added: [PluginDescription] = []
    /// Those that were used and are not now, as they were.
    public var removed: [PluginDescription] = []
    /// Those of which another bundle is used, or whose Info.plist says something else, as they are now.
    public var changed: [PluginDescription] = []
    /// The ``changed`` ones as they were, in the same order.
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

    /// Whether something that is offered at an extension point is different.
    func concerns(_ point: String) -> Bool {
        (added + removed + changed + replaced).contains { $0.extensions.contains { $0.extensionPoint == point } }
    }
}

extension PluginCatalog {
    /// The changes of what there is, from this call on: those that ``refresh(_:)`` and ``watch(quietPeriod:)`` find.
    ///
    /// Each use of the property is a stream of its own, for one loop. It keeps the latest 1,024 events that the loop has
    /// not read; older ones are dropped.
    public var changes: AsyncStream<CatalogChange> { listeners.stream() }

    /// What is offered at an extension point, each time that it changes.
    ///
    /// ```swift
    /// for await filters in catalog.updates(of: .textFilter) { menu.show(filters) }
    /// ```
    /// - Returns: a stream for one loop, whose first element is what there is now. It keeps the latest element only: a
    ///   slow loop misses what was true in between.
    public func updates<Interface>(
        of point: ExtensionPoint<Interface>
    ) -> AsyncStream<[PluginExtension<Interface>]> {
        // Listens before it looks, so that no change falls between.
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

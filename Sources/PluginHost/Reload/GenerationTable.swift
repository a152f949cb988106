import HostBasics
import Synchronization

/// The generations of a catalogue's plug-ins that were used while it was watched.
final class GenerationTable: Sendable {
    private struct State {
        var byIdentifier: [String: PluginGenerations] = [:]
        var watch = WeakReference<CatalogWatch>(nil)
    }

    private let state = Lock(State())

    func generations(of identifier: String) -> PluginGenerations? { state.withLock { $0.byIdentifier[identifier] } }

    /// The generations of a plug-in that is about to be used, kept as long as the catalogue exists; nil while the
    /// catalogue is not watched.
    func madeIfWatched(_ plugin: PluginDescription) -> PluginGenerations? {
        state.withLock { state in
            if let known = state.byIdentifier[plugin.identifier] { return known }
            guard state.watch.isAlive else { return nil }
            let linked = BundleTable.shared.linkedBundle(atPath: plugin.bundlePath)
            let made = linked.map(PluginGenerations.init(inPlace:)) ?? PluginGenerations(path: plugin.bundlePath)
            state.byIdentifier[plugin.identifier] = made
            return made
        }
    }

    /// Removes the copies of all plug-ins that are no longer needed.
    func removeEndedCopies() {
        for generations in state.withLock({ Array($0.byIdentifier.values) }) { generations.removeEndedCopies() }
    }

    /// The watch of a catalogue; created if there is none.
    func watch(_ catalog: PluginCatalog, quietPeriod: Duration) throws(PluginError) -> CatalogWatch {
        if let watch = state.withLock(\.watch).object { return watch }
        let made = try CatalogWatch(catalog, quietPeriod: quietPeriod)
        // Plug-ins that were loaded earlier can no longer be copied. The loaded bundle is the first generation.
        let loaded = catalog.openedBundles.filter(\.bundle.isLoaded)
        let watch = state.withLock { state in
            if let other = state.watch.object { return other }
            state.watch = WeakReference(made)
            for (identifier, bundle) in loaded where state.byIdentifier[identifier] == nil {
                state.byIdentifier[identifier] = PluginGenerations(inPlace: bundle)
            }
            return made
        }
        return watch
    }
}

extension PluginCatalog {
    /// The generations of its plug-ins; nil for a catalogue that was never watched.
    var generationTable: GenerationTable? { generationReference.load() }

    /// The generations of its plug-ins; created for the first watch.
    var madeGenerationTable: GenerationTable {
        if let generationTable { return generationTable }
        let stored = generationReference.storeIfNil(GenerationTable())
        // Providers that were found before are no longer used, because calls through them would not be counted.
        routeChanges.add(1, ordering: .releasing)
        return stored
    }
}

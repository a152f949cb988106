import CatalogIndexing
import HostBasics
import PluginABI

extension PluginCatalog {
    /// Loads a plug-in after everything that it requires.
    ///
    /// Code that is already loaded is not loaded again.
    ///
    /// - Parameter identifier: the plug-in's identifier.
    /// - Returns: the plug-in's bundle, loaded. A bundle without code is returned without a load.
    /// - Throws: ``PluginError``: `quarantined` if it is in quarantine; `pluginMissing` with the reason if no bundle is
    ///   in use under the identifier for another reason; `requirementUnmet` with the chain if a required plug-in does
    ///   not load; `probeFailed` if ``Options/requiresProbe`` demands a probe that failed; the errors of a load.
    ///
    /// **Threads.** Any; it waits for loads by other threads.
    /// **Cost.** If it is already loaded: a look-up in a table.
    @discardableResult
    public func activate(_ identifier: String) throws -> PluginBundle { try withPlugin(identifier) { $0 } }

    /// Lets a caller use a plug-in's bundle, loaded as by ``activate(_:)``.
    ///
    /// While the body runs, no reload of a watched catalogue deactivates the bundle. Several steps, such as requesting
    /// providers and creating an object with one, therefore use the same generation of the plug-in, and their result
    /// stays valid.
    ///
    /// - Parameters:
    ///   - identifier: the plug-in's identifier.
    ///   - body: receives the active bundle. It may be called again if it threw because the bundle was replaced before
    ///     it was loaded.
    /// - Returns: what the body returns.
    /// - Throws: the errors of ``activate(_:)``, and the errors of the body.
    ///
    /// **Threads.** Any; no lock is held while the body runs.
    public func withPlugin<Result>(_ identifier: String, _ body: (PluginBundle) throws -> Result) throws -> Result {
        HeldLocks.preconditionNone(before: "what uses a plug-in")
        if let generations = generationTable?.generations(of: identifier) {
            if generations.current?.bundle.isLoaded ?? false { return try generations.use(body) }
        } else if let bundle = openedBundle(identifier), bundle.isLoaded {
            return try body(bundle)
        }
        let (needed, optional) = try requirements(of: identifier)
        for plugin in needed {
            do {
                try use(plugin) { try $0.loadAndReturnError() }
            } catch let error as PluginError where error.code == .notCode {
                // A bundle with only resources needs no load.
            } catch let error as PluginError where optional.contains(plugin.identifier) {
                HostEnvironment.log(
                    .warning, bundleIdentifier: plugin.identifier,
                    "\(quoted(identifier)) can use \(quoted(plugin.identifier)), which does not load: \(error)")
            } catch let error as PluginError where plugin.identifier != identifier {
                throw unmet(identifier, plugin, error)
            }
        }
        return try use(requirePlugin(identifier), body)
    }

    private func use<Result>(_ plugin: PluginDescription, _ use: (PluginBundle) throws -> Result) throws -> Result {
        // Sets the catalogue from which the bundle's code requests services.
        func body(_ bundle: PluginBundle) throws -> Result {
            bundle.catalog = self
            return try use(bundle)
        }
        if let table = generationTable,
            let own = table.generations(of: plugin.identifier) ?? table.madeIfWatched(plugin)
        {
            return try own.use(body)
        }
        return try body(bundle(of: plugin))
    }

    /// Withdraws a plug-in's registrations, after those of all plug-ins that require it: see ``PluginBundle/unload()``.
    ///
    /// - Returns: whether it was loaded.
    @discardableResult
    public func deactivate(_ identifier: String) -> Bool {
        // Plug-ins that require it come after it in the load order, and plug-ins that require those come later still.
        let index = current
        let identifier = index.inUse(identifier)
        var affected: Set = [identifier]
        var dependents: [String] = []
        for plugin in loadOrder where !affected.isDisjoint(with: plugin.requires.keys.lazy.map(index.inUse)) {
            affected.insert(plugin.identifier)
            dependents.append(plugin.identifier)
        }
        for dependent in dependents.reversed() { loadedBundle(dependent)?.unload() }
        return loadedBundle(identifier)?.unload() ?? false
    }

    /// The bundle whose code the plug-in currently uses.
    private func loadedBundle(_ identifier: String) -> PluginBundle? {
        generationTable?.generations(of: identifier)?.current?.bundle ?? openedBundle(identifier)
    }

    /// The state of a plug-in; ``PluginBundle/stateChanges`` reports each change.
    ///
    /// - Returns: nil if no candidate has the identifier; `discovered` if none of its candidates can be used.
    public func state(of identifier: String) -> PluginState? {
        guard let plugin = plugin(identifier) else {
            return candidates.contains { $0.identifier == identifier } ? .discovered : nil
        }
        // It may have been loaded without the catalogue.
        let bundle = loadedBundle(identifier) ?? BundleTable.shared.bundle(atPath: plugin.bundlePath)
        guard let bundle, bundle.state != .discovered else { return .resolved }
        return bundle.state
    }

    /// The bundle, after checking that its Info.plist still matches the plug-in's description.
    private func bundle(of plugin: PluginDescription) throws -> PluginBundle {
        let bundle = try opened(plugin)
        guard bundle.state == .discovered, !plugin.describes(bundle) else { return bundle }
        // It was changed after the last scan.
        refresh()
        let renewed = try requirePlugin(plugin.identifier)
        return try opened(renewed)
    }

    private func requirePlugin(_ identifier: String) throws(PluginError) -> PluginDescription {
        if let plugin = plugin(identifier) { return plugin }
        throw missing(identifier)
    }

    /// A plug-in and everything that is loaded before it, in load order, with the identifiers of what it can do
    /// without.
    private func requirements(
        of identifier: String
    ) throws(PluginError) -> (needed: [PluginDescription], optional: Set<String>) {
        let wanted = try requirePlugin(identifier)
        if wanted.requires.isEmpty, wanted.optionalRequires.isEmpty { return ([wanted], []) }
        // All from one state of the catalogue, in which all requirements are met.
        let index = wanted.candidate.index
        var found: [String: PluginDescription] = [identifier: wanted]
        var pending = [wanted]
        while let plugin = pending.popLast() {
            for required in plugin.requires.keys where found[required] == nil {
                guard let candidate = index.plugin(identifier: required) else { throw missing(required) }
                let description = PluginDescription(self, index, candidate)
                found[required] = description
                pending.append(description)
            }
        }
        // The identifiers in use: a requirement may name an older one.
        let required = Set(found.values.map(\.identifier))
        addOptional(to: &found, index)
        let byEntry = Dictionary(found.values.map { ($0.candidateNumber, $0) }, uniquingKeysWith: { $1 })
        var needed: [PluginDescription] = []
        // In a circle, an optional one may come later: then it is not loaded first.
        for place in 0..<index.pluginCount where needed.last?.candidateNumber != wanted.candidateNumber {
            if let plugin = byEntry[index.inLoadOrder(place)] { needed.append(plugin) }
        }
        return (needed, Set(found.values.map(\.identifier)).subtracting(required))
    }

    /// Adds the plug-ins in use that those found require optionally, and everything that these require.
    private func addOptional(to found: inout [String: PluginDescription], _ index: CatalogIndex) {
        var pending = Array(found.values)
        while let plugin = pending.popLast() {
            // What is required is in use, in a version that fits.
            var wanted: [String: VersionRange?] = plugin.optionalRequires.mapValues { $0 }
            for identifier in plugin.requires.keys { wanted.updateValue(nil, forKey: identifier) }
            for (identifier, range) in wanted where found[identifier] == nil {
                guard let candidate = index.plugin(identifier: identifier) else { continue }
                let description = PluginDescription(self, index, candidate)
                if let range, !range.contains(description.candidate.comparableVersion) { continue }
                found[identifier] = description
                pending.append(description)
            }
        }
    }

    private func unmet(_ identifier: String, _ plugin: PluginDescription, _ error: PluginError) -> PluginError {
        PluginError(
            bundlePath: plugin.bundlePath,
            findings: [
                PluginFinding(
                    .requirementUnmet, filePath: plugin.bundlePath, subject: plugin.identifier,
                    message: "\(quoted(identifier)) requires \(quoted(plugin.identifier)), which cannot be loaded.",
                    remedy: error.findings[0].remedy, systemMessage: "\(error)")
            ] + error.findings)
    }

    private func missing(_ identifier: String) -> PluginError {
        let explanation = explanation(of: identifier)
        let quarantined = explanation.candidates.first { $0.verdict == .quarantined }
        if let error = quarantined?.error { return error }
        return PluginError(
            bundlePath: explanation.candidates.first?.path ?? identifier,
            findings: [
                PluginFinding(
                    .pluginMissing, filePath: explanation.candidates.first?.path, subject: identifier,
                    message: explanation.sentence, remedy: explanation.remedy)
            ] + explanation.candidates.flatMap(\.findings))
    }
}

extension PluginDescription {
    /// Whether a bundle's Info.plist matches this description.
    fileprivate func describes(_ bundle: PluginBundle) -> Bool {
        PluginRecord(bundle.contents, foundAt: candidate.path) == candidate.record
    }
}

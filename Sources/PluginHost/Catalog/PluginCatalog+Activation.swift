extension PluginCatalog {
    /// Loads a plug-in, and before it what it requires, unless they are loaded.
    ///
    /// - Parameter identifier: the plug-in's.
    /// - Returns: the plug-in's bundle, loaded; one without code as it is.
    /// - Throws: ``PluginError``: `pluginMissing` if no bundle is used under the identifier, with the reason;
    ///   `requirementUnmet` if a plug-in that is required does not load, with the chain; what a load throws.
    ///
    /// **Threads.** Any; what others load meanwhile is waited for.
    /// **Cost.** Where it is loaded already: a look-up in a table.
    @discardableResult
    public func activate(_ identifier: String) throws -> PluginBundle { try withPlugin(identifier) { $0 } }

    /// Lets a caller use a plug-in's bundle, loaded as by ``activate(_:)``.
    ///
    /// While the body runs, no reload of a watched catalogue deactivates the bundle. So what takes several steps (asking
    /// for factories and making an object of one) is done with one generation of the plug-in, and is not lost.
    ///
    /// - Parameters:
    ///   - identifier: the plug-in's.
    ///   - body: takes the bundle in service. It may be called again, if it threw because the bundle was replaced before
    ///     it was loaded.
    /// - Returns: what the body returns.
    /// - Throws: what ``activate(_:)`` throws, and what the body throws.
    ///
    /// **Threads.** Any; no lock is held while the body runs.
    public func withPlugin<Result>(_ identifier: String, _ body: (PluginBundle) throws -> Result) throws -> Result {
        HeldLocks.preconditionNone(before: "what uses a plug-in")
        if let generations = generations?.known(identifier) {
            if generations.bundleInService?.isLoaded ?? false { return try generations.use(body) }
        } else if let bundle = openedBundle(identifier), bundle.isLoaded {
            return try body(bundle)
        }
        for plugin in try requirements(of: identifier) {
            do {
                try use(plugin) { try $0.loadAndReturnError() }
            } catch let error as PluginError where error.code == .notCode {
                // A bundle of resources is all there.
            } catch let error as PluginError where plugin.identifier != identifier {
                throw unmet(identifier, plugin, error)
            }
        }
        return try use(requirePlugin(identifier), body)
    }

    private func use<Result>(_ plugin: PluginDescription, _ use: (PluginBundle) throws -> Result) throws -> Result {
        // For the services that its code asks for.
        func body(_ bundle: PluginBundle) throws -> Result {
            bundle.catalog = self
            return try use(bundle)
        }
        if let generations, let own = generations.known(plugin.identifier) ?? generations.madeIfWatched(plugin) {
            return try own.use(body)
        }
        return try body(bundle(of: plugin))
    }

    /// Takes back what a plug-in registered, after everything that requires it: see ``PluginBundle/unload()``.
    ///
    /// - Returns: whether it was loaded.
    @discardableResult
    public func deactivate(_ identifier: String) -> Bool {
        // What requires it stands after it in the load order, and what requires that further on.
        var affected: Set = [identifier]
        var dependents: [String] = []
        for plugin in loadOrder where !affected.isDisjoint(with: plugin.requires.keys) {
            affected.insert(plugin.identifier)
            dependents.append(plugin.identifier)
        }
        for dependent in dependents.reversed() { loadedBundle(dependent)?.unload() }
        return loadedBundle(identifier)?.unload() ?? false
    }

    /// The bundle whose code stands for a plug-in now.
    private func loadedBundle(_ identifier: String) -> PluginBundle? {
        generations?.known(identifier)?.bundleInService ?? openedBundle(identifier)
    }

    /// Where a plug-in stands in its life; ``PluginBundle/stateChanges`` tells each change.
    ///
    /// - Returns: nil where nothing has the identifier; `discovered` where no candidate of it can be used.
    public func state(of identifier: String) -> PluginState? {
        guard let plugin = plugin(identifier) else {
            return candidates.contains { $0.identifier == identifier } ? .discovered : nil
        }
        // It may have been loaded without the catalogue.
        let bundle = loadedBundle(identifier) ?? BundleTable.shared.bundle(atPath: plugin.bundlePath)
        guard let bundle, bundle.state != .discovered else { return .resolved }
        return bundle.state
    }

    /// The bundle, whose Info.plist is still the one that the plug-in was described by.
    private func bundle(of plugin: PluginDescription) throws -> PluginBundle {
        let bundle = try opened(plugin)
        guard bundle.state == .discovered, !plugin.describes(bundle) else { return bundle }
        // It was changed since it was last looked at.
        refresh()
        let renewed = try requirePlugin(plugin.identifier)
        return try opened(renewed)
    }

    private func requirePlugin(_ identifier: String) throws(PluginError) -> PluginDescription {
        if let plugin = plugin(identifier) { return plugin }
        throw missing(identifier)
    }

    /// A plug-in and everything that it requires, in load order.
    private func requirements(of identifier: String) throws(PluginError) -> [PluginDescription] {
        let wanted = try requirePlugin(identifier)
        if wanted.requires.isEmpty { return [wanted] }
        // All from one state of the catalogue, in which everything that is chosen has what it requires.
        let index = wanted.candidate.index
        var found: [String: PluginDescription] = [identifier: wanted]
        var pending = [wanted]
        while let plugin = pending.popLast() {
            for required in plugin.requires.keys where found[required] == nil {
                guard let entry = index.plugin(identifier: required) else { throw missing(required) }
                let description = PluginDescription(self, index, entry)
                found[required] = description
                pending.append(description)
            }
        }
        let byEntry = Dictionary(found.values.map { ($0.candidateNumber, $0) }, uniquingKeysWith: { $1 })
        return (0..<index.pluginCount).compactMap { byEntry[index.inLoadOrder($0)] }
    }

    private func unmet(_ identifier: String, _ plugin: PluginDescription, _ error: PluginError) -> PluginError {
        PluginError(
            bundlePath: plugin.bundlePath,
            findings: [
                PluginFinding(
                    .requirementUnmet, filePath: plugin.bundlePath, subject: plugin.identifier,
                    message: "\(quoted(identifier)) requires \(quoted(plugin.identifier)), which does not load.",
                    remedy: error.findings[0].remedy, systemMessage: "\(error)")
            ] + error.findings)
    }

    private func missing(_ identifier: String) -> PluginError {
        let explanation = explanation(of: identifier)
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
    /// Whether a bundle's Info.plist says what this description says.
    fileprivate func describes(_ bundle: PluginBundle) -> Bool {
        PluginRecord(bundle.contents, foundAt: candidate.path) == candidate.record
    }
}

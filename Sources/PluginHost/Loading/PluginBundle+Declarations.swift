@_spi(PluginHost) internal import PluginABI

/// What was registered at an extension point.
private struct Offer {
    let name: String
    let point: String
    let version: UInt32

    func isDeclared(by entry: Manifest.Factory) -> Bool {
        name == entry.name && point == entry.extensionPoint && version == entry.version
    }
}

extension PluginBundle {
    /// Compares what the entry registered with what `PHFactories` declares.
    ///
    /// - Returns: an error for each provider or factory that is not declared, a warning for each declaration that nothing
    ///   fulfils. Nothing for a bundle without the key: it declares nothing, as a bundle of NSBundle's does.
    func differences(of registrations: borrowing Registrations) -> [PluginFinding] {
        guard manifest.declaresFactories else { return [] }
        let declared = manifest.factories
        let offers = offers(in: registrations)
        var findings: [PluginFinding] = []
        for offer in offers where !declared.contains(where: offer.isDeclared) {
            findings.append(undeclaredFinding(offer))
        }
        // By index and part by part, because whoever takes a whole entry copies it.
        for index in declared.indices {
            let name = declared[index].name
            let isFulfilled =
                if declared[index].extensionPoint == nil {
                    // It names a class, a factory or a provider.
                    registrations.class(named: name) != nil || registrations.factories.contains { $0.name == name }
                        || registrations.providers.contains { $0.name == name }
                } else {
                    // A C function is offered at an extension point by its declaration alone: a function is registered
                    // by its name and signature.
                    offers.contains { $0.isDeclared(by: declared[index]) } || registrations.functions[name] != nil
                }
            if !isFulfilled { findings.append(unfulfilledFinding(declared[index])) }
        }
        return findings
    }

    private func offers(in registrations: borrowing Registrations) -> [Offer] {
        if registrations.providers.isEmpty, registrations.factories.isEmpty { return [] }
        return registrations.providers.map { Offer(name: $0.name, point: $0.pointName, version: $0.pointVersion) }
            + registrations.factories.lazy.filter { !$0.point.isEmpty }
            .map { Offer(name: $0.name, point: $0.point, version: $0.version) }
    }

    @inline(never)
    private func undeclaredFinding(_ offer: Offer) -> PluginFinding {
        let namesake = manifest.factories.first { $0.name == offer.name }
        let other = namesake.map { entry in
            entry.extensionPoint.map { "declares it for version \(entry.version) of \(quoted($0))" }
                ?? "declares it without an extension point"
        }
        return PluginFinding(
            .undeclaredRegistration, filePath: manifestPath, subject: offer.name,
            message: """
                The plug-in registered \(quoted(offer.name)) for version \(offer.version) of the extension point \
                \(quoted(offer.point)), and PHFactories \(other ?? "does not declare it").
                """,
            remedy: "Declare it in PHFactories of Info.plist with this name, extensionPoint and version.")
    }

    @inline(never)
    private func unfulfilledFinding(_ entry: Manifest.Factory) -> PluginFinding {
        let point = entry.extensionPoint
        let place = point.map { " for version \(entry.version) of the extension point \(quoted($0))" } ?? ""
        return PluginFinding(
            .warning, .unfulfilledDeclaration, filePath: manifestPath, subject: entry.name,
            message: "PHFactories declares \(quoted(entry.name))\(place), and the plug-in did not register it.",
            remedy: "Register it in plugin_entry, or remove it from PHFactories.")
    }
}

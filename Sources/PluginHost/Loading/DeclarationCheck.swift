@_spi(PluginHost) internal import PluginABI

/// Compares what an entry registered at extension points with what `PHFactories` declares.
struct DeclarationCheck {
    /// What was registered at an extension point.
    private struct Offer {
        let name: String
        let point: String
        let version: Int

        func isDeclared(by entry: Manifest.Factory) -> Bool {
            name == entry.name && point == entry.extensionPoint && version == entry.version
        }
    }

    let bundle: PluginBundle
    let registrations: Registrations

    private var manifest: Manifest { bundle.manifest }

    /// - Returns: an error for each provider or factory that is not declared, a warning for each declaration that nothing
    ///   fulfils. Nothing for a bundle without the key: it declares nothing, as a bundle of NSBundle's does.
    var findings: [PluginFinding] {
        guard manifest.declaresFactories else { return [] }
        let offers = offers
        var findings: [PluginFinding] = []
        for offer in offers where !manifest.factories.contains(where: offer.isDeclared) {
            findings.append(undeclaredFinding(offer))
        }
        let declared = manifest.factories
        // By index, because a loop over the entries copies each.
        for index in declared.indices where !isFulfilled(declared[index], by: offers) {
            findings.append(unfulfilledFinding(declared[index]))
        }
        return findings
    }

    private var offers: [Offer] {
        if registrations.providers.isEmpty, registrations.factories.isEmpty { return [] }
        return registrations.providers.map { Offer(name: $0.name, point: $0.pointName, version: Int($0.pointVersion)) }
            + registrations.factories.lazy.filter { !$0.point.isEmpty }
            .map { Offer(name: $0.name, point: $0.point, version: Int($0.version)) }
    }

    /// A declaration without an extension point names a class, a factory or a provider. A C function is offered at an
    /// extension point by its declaration alone: a function is registered by its name and signature.
    private func isFulfilled(_ entry: Manifest.Factory, by offers: [Offer]) -> Bool {
        if entry.extensionPoint != nil {
            return offers.contains { $0.isDeclared(by: entry) } || registrations.functions[entry.name] != nil
        }
        return registrations.class(named: entry.name) != nil
            || registrations.factories.contains { $0.name == entry.name }
            || registrations.providers.contains { $0.name == entry.name }
    }

    @inline(never)
    private func undeclaredFinding(_ offer: Offer) -> PluginFinding {
        let namesake = manifest.factories.first { $0.name == offer.name }
        let other = namesake.map { entry in
            entry.extensionPoint.map { "declares it for version \(entry.version) of \(quoted($0))" }
                ?? "declares it without an extension point"
        }
        return PluginFinding(
            .undeclaredRegistration, filePath: bundle.manifestPath, subject: offer.name,
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
            .warning, .unfulfilledDeclaration, filePath: bundle.manifestPath, subject: entry.name,
            message: "PHFactories declares \(quoted(entry.name))\(place), and the plug-in did not register it.",
            remedy: "Register it in plugin_entry, or remove it from PHFactories.")
    }
}

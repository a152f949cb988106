@_spi(PluginHost) internal import PluginABI

/// Compares what an entry registered at extension points with what `PHFactories` declares.
struct DeclarationCheck {
    private struct Offer: Hashable {
        let name: String
        let point: String
        let version: Int
    }

    let bundle: PluginBundle
    let registrations: Registrations

    private var manifest: Manifest { bundle.manifest }

    /// - Returns: an error for each provider or factory that is not declared, a warning for each declaration that nothing
    ///   fulfils. Nothing for a bundle without the key: it declares nothing, as a bundle of NSBundle's does.
    var findings: [PluginFinding] {
        guard manifest.declaresFactories else { return [] }
        var declared: Set<Offer> = []
        for entry in manifest.factories {
            guard let point = entry.extensionPoint else { continue }
            declared.insert(Offer(name: entry.name, point: point, version: entry.version))
        }
        let offered = offers
        let undeclared = offered.filter { !declared.contains($0) }.map(undeclaredFinding)
        if undeclared.isEmpty, offered.count == manifest.factories.count { return [] }
        let all = Set(offered)
        return undeclared + manifest.factories.filter { !isFulfilled($0, by: all) }.map(unfulfilledFinding)
    }

    private var offers: [Offer] {
        registrations.providers.map { Offer(name: $0.name, point: $0.pointName, version: Int($0.pointVersion)) }
            + registrations.factories.lazy.filter { !$0.point.isEmpty }
            .map { Offer(name: $0.name, point: $0.point, version: Int($0.version)) }
    }

    /// A declaration without an extension point names a class, a factory or a provider. A C function is offered at an
    /// extension point by its declaration alone: a function is registered by its name and signature.
    private func isFulfilled(_ entry: Manifest.Factory, by offers: Set<Offer>) -> Bool {
        if let point = entry.extensionPoint {
            return offers.contains(Offer(name: entry.name, point: point, version: entry.version))
                || registrations.functions[entry.name] != nil
        }
        return registrations.factories.contains { $0.name == entry.name }
            || registrations.providers.contains { $0.name == entry.name }
            || registrations.class(named: entry.name) != nil
    }

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

    private func unfulfilledFinding(_ entry: Manifest.Factory) -> PluginFinding {
        let point = entry.extensionPoint
        let place = point.map { " for version \(entry.version) of the extension point \(quoted($0))" } ?? ""
        return PluginFinding(
            .warning, .unfulfilledDeclaration, filePath: bundle.manifestPath, subject: entry.name,
            message: "PHFactories declares \(quoted(entry.name))\(place), and the plug-in did not register it.",
            remedy: "Register it in plugin_entry, or remove it from PHFactories.")
    }
}

import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// A plug-in's request for a service.
struct ServiceRequest {
    /// The levels are separate: a C-level plug-in cannot call a Swift interface, and a Swift plug-in cannot call a C
    /// table.
    enum Level { case swift, c }

    let client: PluginBundle
    let point: String
    let version: UInt32
    let level: Level

    /// Where the service comes from.
    enum Source {
        case host(HostService)
        case plugin(PluginService)

        var order: Int {
            switch self {
            case .host(let service): service.order
            case .plugin(let offer): offer.order
            }
        }
    }

    /// The service to use at the point.
    ///
    /// The rules in order: the lowest order; the application's service; the one that the catalogue lists first; the
    /// loaded bundle whose path sorts first.
    ///
    /// - Throws: `serviceUndeclared`.
    /// - Returns: nil if there is no such service. Nothing is loaded.
    func firstSource() throws(PluginError) -> Source? {
        guard client.manifest.uses[point] == version else { throw undeclared }
        var sources: [Source] = []
        if level == .swift { sources += HostServices.shared.services(at: point, version: version).map(Source.host) }
        if let offer = client.catalog?.service(at: point, version: version) { sources.append(.plugin(offer)) }
        sources += loadedServices.map(Source.plugin)
        // min(by:) returns the first of equal elements.
        return sources.min { $0.order < $1.order }
    }

    /// The services of bundles that are active, or that are active once the caller has waited for their load.
    private var loadedServices: [PluginService] {
        owners.flatMap { bundle in
            let offers = bundle.mappedCode?.registrations.services(at: point, version: version, level: level) ?? []
            return offers.map { PluginService(owner: .bundle(bundle), name: $0.name, order: $0.order) }
        }
    }

    private var owners: [PluginBundle] {
        ProviderTable.shared.owners(at: point).sorted().compactMap { BundleTable.shared.bundle(atPath: $0) }
            .filter { $0.state != .deactivating }
    }

    // MARK: Errors

    private var undeclared: PluginError {
        let declared = client.manifest.uses[point].map { "declares version \($0)" } ?? "does not declare it"
        return PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(
                .serviceUndeclared, filePath: client.manifestPath, subject: point,
                message: """
                    The plug-in asked for version \(version) of the service \(quoted(point)), and PHUses \(declared).
                    """,
                remedy: "Add the extension point with this version to PHUses of Info.plist."))
    }

    var missing: PluginError {
        // Without a catalogue, only opened bundles are known.
        let declaring = BundleTable.shared.all.filter { !$0.isSuperseded }.compactMap { bundle -> String? in
            let versions = bundle.manifest.extensions.filter { $0.extensionPoint == point }.map(\.version)
            let name = quoted(bundle.originalPath)
            if versions.contains(version) { return "\(name) declares it but is not loaded" }
            return versions.max().map { "\(name) declares version \($0)" }
        }
        let known =
            client.catalog?.whyServiceIsMissing(at: point, version: version)
            ?? (declaring.isEmpty ? nil : declaring.joined(separator: ", ").asSentence)
        return PluginError(
            bundlePath: client.bundlePath,
            PluginFinding(
                .serviceMissing, subject: point,
                message: """
                    Neither the application nor a plug-in offers version \(version) of the service \(quoted(point)). \
                    \(known ?? "No known plug-in declares it.")
                    """,
                remedy: known == nil ? "Install a plug-in that provides it." : "Load or update that plug-in."))
    }
}

extension Registrations {
    fileprivate func services(
        at point: String, version: UInt32, level: ServiceRequest.Level
    ) -> [(name: String, order: Int)] {
        switch level {
        case .swift:
            providers.filter { $0.pointName == point && $0.pointVersion == version }.map { ($0.name, $0.order) }
        case .c: cProviders.filter { $0.point == point && $0.version == version }.map { ($0.name, $0.order) }
        }
    }
}

import CatalogIndexing
import HostBasics

extension PluginCatalog {
    /// The first plug-in service declared at an extension point.
    ///
    /// The call loads no plug-in.
    func service(at point: String, version: UInt32) -> PluginService? {
        firstExtension(at: point, version: version).map {
            PluginService(owner: .plugin($0.plugin), name: $0.name, order: $0.order)
        }
    }

    /// Why no plug-in provides a service: which installed plug-ins declare it, and what prevents each from providing
    /// it.
    ///
    /// The result is full sentences, or nil if no installed plug-in declares the extension point.
    func whyServiceIsMissing(at point: String, version: UInt32) -> String? {
        let reasons = candidates.compactMap { candidate -> String? in
            let versions = candidate.record.extensions.filter { $0.extensionPoint == point }.map(\.version)
            guard let newest = versions.max() else { return nil }
            if !versions.contains(version) { return "\(quoted(candidate.path)) declares version \(newest)." }
            return "\(quoted(candidate.path)) declares it. \(candidate.explanation)"
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: " ")
    }
}

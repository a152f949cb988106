extension PluginCatalog {
    /// The plug-in's offer that comes first at an extension point, by what is declared. Nothing is loaded.
    func service(at point: String, version: UInt32) -> PluginService? {
        firstExtension(at: point, version: version).map {
            PluginService(owner: .plugin($0.plugin), name: $0.name, order: $0.order)
        }
    }

    /// Why no plug-in offers a service: which are installed that could, and what keeps each. Sentences, or nil.
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

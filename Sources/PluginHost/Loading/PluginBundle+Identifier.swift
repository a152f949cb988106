import HostBasics

extension PluginBundle {
    /// The bundle with an identifier, among those that the process has opened.
    ///
    /// A loaded bundle is preferred, then the highest version, then the one opened last. Of the generations of hot
    /// reload, only the newest active one counts.
    ///
    /// It never searches directories.
    public convenience init?(identifier: String) {
        self.init(object: Self.best(identifier: identifier))
    }

    private static func best(identifier: String) -> PluginBundle? {
        let candidates = ([main] + BundleTable.shared.all).filter {
            $0.bundleIdentifier == identifier && !$0.isSuperseded
        }
        return candidates.reduce(nil as PluginBundle?) { best, next in
            guard let best else { return next }
            if best.isLoaded != next.isLoaded { return best.isLoaded ? best : next }
            // >= decides ties: the list is in the order of creation, and the newest one wins.
            return PluginVersion(reading: next.manifest.version) >= PluginVersion(reading: best.manifest.version)
                ? next : best
        }
    }
}

extension PluginBundle: CustomStringConvertible {
    /// The path, and whether the code is loaded.
    public var description: String {
        "PluginBundle \(quoted(bundlePath)) (\(isLoaded ? "loaded" : "not loaded"))"
    }
}

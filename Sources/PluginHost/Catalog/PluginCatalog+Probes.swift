extension PluginCatalog {
    /// Forgets what programs keep about the probe of a bundle, so that their catalogues try it again at its next use.
    ///
    /// - Parameters:
    ///   - bundle: the bundle.
    ///   - storage: where the catalogues keep their index.
    /// - Returns: how many programs kept a result.
    @_spi(Tools) @discardableResult
    public static func forgetProbes(of bundle: PluginBundle, in storage: IndexStorage = .user) -> Int {
        ProbeResults(storage).forget(bundle)
    }
}

extension ProbeResults {
    /// The results beside the index files.
    convenience init(_ storage: PluginCatalog.IndexStorage) {
        switch storage {
        case .user: self.init(directory: IndexFile.userDirectory, isUsual: true)
        case .directory(let path): self.init(directory: Path.normalized(path) ?? path, isUsual: false)
        case .none: self.init(directory: nil, isUsual: false)
        }
    }
}

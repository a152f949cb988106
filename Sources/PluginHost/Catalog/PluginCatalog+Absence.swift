extension PluginCatalog {
    /// What would be different if a bundle were not there: which plug-ins could not be used without it, and which bundle
    /// would be used in its place. Nothing is changed.
    ///
    /// - Parameter candidate: any of the catalogue's.
    /// - Returns: what would be different; empty where nothing would.
    ///
    /// **Cost.** That of choosing among all candidates anew; no file is read.
    @_spi(Tools) public func change(without candidate: PluginCandidate) -> CatalogChange {
        let index = candidate.index
        let absent = candidate.bundlePath
        var builder = CatalogIndexBuilder(rules: .current(choices: choices))
        for folder in index.folders {
            // The same directory may be reached by links, too.
            let present = folder.entries.lazy.map(index.entry).filter {
                PluginCandidate(index, $0).bundlePath != absent
            }
            builder.add(
                path: folder.path, realPath: folder.realPath, stamp: folder.stamp, finding: folder.finding,
                bundles: ScannedBundle.known(Array(present), in: index))
        }
        return CatalogChange(from: index, to: builder.index(), in: self)
    }
}

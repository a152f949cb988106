import CatalogIndexing

extension PluginCatalog {
    /// What would change if a bundle did not exist.
    ///
    /// The answer lists the plug-ins that could not be used without it, and the bundle that would be used instead.
    /// Nothing is actually changed.
    ///
    /// - Parameter candidate: any candidate of the catalogue.
    /// - Returns: the changes; empty if there would be none.
    ///
    /// **Cost.** The cost of choosing among all candidates again; no file is read.
    @_spi(Tools) public func change(without candidate: PluginCandidate) -> CatalogChange {
        let index = candidate.index
        let absent = candidate.bundlePath
        var builder = CatalogIndexBuilder(rules: .current(choices: choices, options))
        for folder in index.folders {
            // Links may lead to the same directory.
            let present = folder.candidates.lazy.map(index.candidateRow).filter {
                PluginCandidate(index, $0).bundlePath != absent
            }
            builder.add(
                path: folder.path, realPath: folder.realPath, stamp: folder.stamp, finding: folder.finding,
                bundles: ScannedBundle.known(Array(present), in: index))
        }
        return CatalogChange(from: index, to: builder.index(), in: self)
    }
}

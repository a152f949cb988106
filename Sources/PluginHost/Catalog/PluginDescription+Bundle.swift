import BundleReading
import CatalogIndexing
import HostBasics
import HostRecords

extension PluginDescription {
    /// The description of a bundle: the one of the catalogue that uses it, otherwise a new one from the bundle alone.
    init(of bundle: PluginBundle) {
        if let catalog = bundle.catalog,
            let plugin = catalog.plugin(bundle.displayIdentifier), plugin.bundlePath == bundle.originalPath
        {
            self = plugin
        } else {
            self.init(alone: bundle)
        }
    }

    private init(alone bundle: PluginBundle) {
        let path = bundle.originalPath
        let record = PluginRecord(bundle.contents, foundAt: path)
        // It is unknown which other plug-ins exist, so requirements do not affect the verdict.
        var free = record
        free.requires = [:]
        // Nor is it known whether the user has enabled it; its code is used already.
        free.isEnabledByDefault = true
        var writer = ScannedBundle.Writer(count: 1)
        writer.add(name: Path.lastComponent(path), stamp: .none, record: free, nanoseconds: 0)
        var builder = CatalogIndexBuilder(rules: CatalogRules.current(choices: UserChoices()))
        let folder = Path.parent(path)
        builder.add(path: folder, realPath: folder, stamp: .none, finding: nil, bundles: writer.bundles())
        let index = builder.index()
        self.init(.bundle(bundle), PluginCandidate(index, index.candidateRow(0), record), number: 0)
    }
}

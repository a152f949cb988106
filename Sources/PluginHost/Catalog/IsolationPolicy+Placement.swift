import HostBasics

extension IsolationPolicy: PlacementPolicy {
    func place(_ bundle: PluginBundle, _ placement: inout Placement) {
        let plugin = PluginDescription(of: bundle)
        placement.execution = max(placement.execution, execution(plugin))
        // The other settings do not matter to code in the application's process.
        if placement.execution == .inProcess { return }
        let asked = bundle.manifest.permissions
        if !asked.isEmpty {
            let application = HostEnvironment.current.name
            let places = PermissionPlaces(
                identifier: plugin.identifier, application: application, host: directories)
            placement.permissions = asked.granted(by: grant(plugin, asked), at: places)
            if placement.permissions.hasStateDirectory {
                placement.stateDirectory = StateDirectory(of: plugin.identifier, in: application)
            }
        }
        placement.limits = bundle.manifest.limits.limited(to: limits(plugin, bundle.manifest.limits))
        placement.group = group(plugin)
        placement.program = worker
        placement.isolatesForeignToolchains = foreignToolchain == .isolate
        placement.directories = directories
        placement.callTime = callTime
        placement.cancelTime = cancelTime
        placement.startTime = startTime
        placement.idleTime = idleTime
        placement.user = user ?? (placement.execution == .sandboxed ? sandboxUser : nil)
        placement.spares = spares
        placement.deaths = deaths
        placement.deathsWithin = deathsWithin
    }
}

extension PluginDescription {
    /// The description of a bundle: the one of the catalogue that uses it, otherwise a new one from the bundle alone.
    init(of bundle: PluginBundle) {
        if let catalog = bundle.codeState.catalog.withLock({ $0 }) as? PluginCatalog,
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
        var writer = ScannedBundle.Writer(count: 1)
        writer.add(name: Path.lastComponent(path), stamp: .none, record: free, nanoseconds: 0)
        var builder = CatalogIndexBuilder(rules: CatalogRules.current(choices: UserChoices()))
        let folder = Path.parent(path)
        builder.add(path: folder, realPath: folder, stamp: .none, finding: nil, bundles: writer.bundles())
        let index = builder.index()
        self.init(.bundle(bundle), PluginCandidate(index, index.candidateRow(0), record), number: 0)
    }
}

import CatalogIndexing
import HostBasics
import HostRecords

extension PluginCatalog {
    /// Removes the probe results that programs keep for a bundle, so that their catalogues try it again at its next
    /// use.
    ///
    /// - Parameters:
    ///   - bundle: the bundle.
    ///   - storage: where the catalogues keep their index.
    /// - Returns: the number of programs that kept a result.
    @_spi(Tools) @discardableResult
    public static func forgetProbes(of bundle: PluginBundle, in storage: IndexStorage = .user) -> Int {
        ProbeResults(storage).forget(bundle)
    }

    /// The probe results that programs keep for a bundle, if the bundle has not changed since.
    ///
    /// - Parameters:
    ///   - bundle: the bundle.
    ///   - storage: where the catalogues keep their index.
    /// - Returns: a value for each program, by its path.
    ///
    /// **Cost.** Reads a directory and the files of the bundle in it.
    @_spi(Tools)
    public static func keptProbes(of bundle: PluginBundle, in storage: IndexStorage = .user) -> [KeptProbe] {
        ProbeResults(storage).kept(of: bundle).map { KeptProbe(program: $0.program, findings: $0.findings) }
            .sorted { $0.program < $1.program }
    }

    /// The least isolation that the administrator's list of an application demands for a plug-in.
    ///
    /// - Parameters:
    ///   - identifier: the plug-in's identifier.
    ///   - application: the name of the application's directories: one path component.
    /// - Returns: `isolated` or `sandboxed`; nil if the list demands nothing.
    ///
    /// **Cost.** Reads the list.
    @_spi(Tools)
    public static func demandedExecution(of identifier: String, application: String) -> String? {
        let demand = ExecutionList.read(of: application).list.demand(for: identifier)
        return demand == .inProcess ? nil : demand.description
    }

    /// A probe result that a program keeps for a bundle.
    @_spi(Tools) public struct KeptProbe: Sendable {
        /// The absolute path of the program.
        public let program: String
        /// Why the bundle failed; empty if it passed.
        public let findings: [PluginFinding]
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

import CatalogIndexing
import HostBasics

/// A plug-in of a catalogue: the bundle in use under its identifier, described without running any of its code.
///
/// **Threads.** A value; it shows the state of the catalogue when it was created.
public struct PluginDescription: Sendable, CustomStringConvertible {
    /// How the bundle is opened.
    enum Source: Sendable {
        case catalog(PluginCatalog)
        /// The bundle belongs to no catalogue.
        case bundle(PluginBundle)
    }

    private let source: Source
    let candidateNumber: Int
    /// The candidate that is used for this plug-in.
    public let candidate: PluginCandidate
    private var record: PluginRecord { candidate.record }

    init(_ catalog: PluginCatalog, _ index: CatalogIndex, _ candidateNumber: Int) {
        self.init(
            .catalog(catalog), PluginCandidate(index, index.candidateRow(candidateNumber)), number: candidateNumber)
    }

    init(_ source: Source, _ candidate: PluginCandidate, number: Int) {
        self.source = source
        self.candidate = candidate
        candidateNumber = number
    }

    /// The catalogue.
    ///
    /// Every description has one, except one that was created from a bundle for an ``IsolationPolicy``.
    var catalog: PluginCatalog {
        guard case .catalog(let catalog) = source else { preconditionFailure("the description is of no catalogue") }
        return catalog
    }

    /// The bundle, opened.
    func opened() throws -> PluginBundle {
        switch source {
        case .catalog(let catalog): try catalog.opened(self)
        case .bundle(let bundle): bundle
        }
    }

    /// The identifier, the version and the bundle's directory.
    public var description: String {
        "\(identifier)\(version.map { " " + $0 } ?? "") (\(bundlePath))"
    }

    /// `CFBundleIdentifier`, otherwise the directory's name without its extension.
    public var identifier: String { record.identifier }

    /// The absolute path of the bundle's directory, with links resolved.
    public var bundlePath: String { candidate.bundlePath }

    /// `CFBundleShortVersionString`, otherwise `CFBundleVersion`; nil if neither exists.
    public var version: String? { candidate.version }

    /// `CFBundleName`, not localised; otherwise the directory's name.
    public var name: String { record.name ?? Path.stem(candidate.path) }

    /// The name to show to the user, in the user's language.
    ///
    /// **Cost.** The first use opens the bundle to read its strings; none of its code runs.
    public var displayName: String { (try? opened())?.displayName ?? name }

    /// What the plug-in says about itself for people, in the user's language; without values if it cannot be opened.
    ///
    /// **Cost.** The first use opens the bundle, as ``displayName`` does; the index does not have these texts.
    public var metadata: PluginMetadata { (try? opened())?.metadata() ?? PluginMetadata() }

    /// The state of the plug-in: `resolved` until it is loaded.
    ///
    /// ``PluginBundle/stateChanges`` reports each change.
    public var state: PluginState {
        switch source {
        case .catalog(let catalog): catalog.state(of: identifier) ?? .discovered
        case .bundle(let bundle): bundle.state
        }
    }

    /// `PHFactories`: the extensions that the plug-in declares.
    public var extensions: [Manifest.Extension] { record.extensions }

    /// `CFBundleDocumentTypes` and `NSExtensions`: the types of documents that it opens.
    public var documentTypes: [Manifest.DocumentType] { record.documentTypes }

    /// `PHExtensionPoints`: the extension points that it opens for other plug-ins.
    public var extensionPoints: [Manifest.Point] { record.extensionPoints }

    /// `PHRequires`: the version ranges of other plug-ins that it requires, by their identifiers.
    public var requires: [String: VersionRange] { record.requires }

    /// `PHOptionalRequires`: the version ranges of plug-ins that are loaded before it if they can be used.
    public var optionalRequires: [String: VersionRange] { record.optionalRequires }

    /// `PHConflicts`: the version ranges of plug-ins with which it is never used together.
    public var conflicts: [String: VersionRange] { record.conflicts }

    /// `PHReplaces`: the older identifiers of this plug-in.
    public var replaces: [String] { record.replaces }

    /// `PHEnabledByDefault`: whether it is used before the user has enabled it.
    public var isEnabledByDefault: Bool { record.isEnabledByDefault }

    /// `PHUses`: the services that its code requests, as extension points with their versions.
    public var uses: [String: UInt32] { record.uses }

    /// `PHHostRequires`: the range that must contain the host's version.
    public var hostRequires: VersionRange? { record.hostRequires }

    /// `PHCapabilities`: the capabilities that the host must offer.
    public var capabilities: [String] { record.capabilities }

    /// `PHExecution`: where its code may run: `any`, `in-process`, `isolated` or `sandboxed`; nil for `any`.
    public var execution: String? { record.execution?.rawValue }

    /// `PHPermissions`: the permissions that its code requests when it is sandboxed.
    public var permissions: PluginPermissions { record.workerRequest?.permissions ?? PluginPermissions() }

    /// `PHLimits`: the limits that it requests for its worker process.
    public var limits: WorkerLimits { record.workerRequest?.limits ?? WorkerLimits() }

    /// `UIRequiredDeviceCapabilities`: capabilities that the host must offer (true) or must not offer (false).
    public var deviceCapabilities: [String: Bool] { record.deviceCapabilities }
}

extension PluginDescription: Hashable {
    /// Two descriptions are equal if they have the same content and the same bundle.
    public static func == (a: PluginDescription, b: PluginDescription) -> Bool {
        a.bundlePath == b.bundlePath && a.record == b.record
    }

    /// Adds the bundle's path to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(bundlePath) }
}

/// A plug-in of a catalogue: the bundle in use under its identifier, described without running any of its code.
///
/// **Threads.** A value; it shows the state of the catalogue when it was created.
public struct PluginDescription: Sendable {
    let catalog: PluginCatalog
    let candidateNumber: Int
    /// The candidate that is used for this plug-in.
    public let candidate: PluginCandidate
    private var record: PluginRecord { candidate.record }

    init(_ catalog: PluginCatalog, _ index: CatalogIndex, _ candidateNumber: Int) {
        self.catalog = catalog
        self.candidateNumber = candidateNumber
        candidate = PluginCandidate(index, index.candidateRow(candidateNumber))
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
    public var displayName: String { (try? catalog.opened(self))?.displayName ?? name }

    /// The state of the plug-in: `resolved` until it is loaded.
    ///
    /// ``PluginBundle/stateChanges`` reports each change.
    public var state: PluginState { catalog.state(of: identifier) ?? .discovered }

    /// `PHFactories`: what the plug-in declares.
    public var extensions: [Manifest.Extension] { record.extensions }

    /// `PHExtensionPoints`: the extension points that it opens for other plug-ins.
    public var extensionPoints: [Manifest.Point] { record.extensionPoints }

    /// `PHRequires`: the version ranges of other plug-ins that it requires, by their identifiers.
    public var requires: [String: VersionRange] { record.requires }

    /// `PHUses`: the services that its code requests, as extension points with their versions.
    public var uses: [String: UInt32] { record.uses }

    /// `PHHostRequires`: the range that must contain the host's version.
    public var hostRequires: VersionRange? { record.hostRequires }

    /// `PHCapabilities`: the capabilities that the host must offer.
    public var capabilities: [String] { record.capabilities }

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

/// A plug-in of a catalogue: the bundle that is used under its identifier, described without running any of its code.
///
/// **Threads.** A value; tells what the catalogue knew when it was asked for.
public struct PluginDescription: Sendable {
    let catalog: PluginCatalog
    let candidateNumber: Int
    /// The candidate that it is.
    public let candidate: PluginCandidate
    private var record: PluginRecord { candidate.record }

    init(_ catalog: PluginCatalog, _ index: CatalogIndex, _ candidateNumber: Int) {
        self.catalog = catalog
        self.candidateNumber = candidateNumber
        candidate = PluginCandidate(index, index.entry(candidateNumber))
    }

    /// `CFBundleIdentifier`, else the directory's name without its extension.
    public var identifier: String { record.identifier }

    /// The absolute path of the bundle's directory, links resolved.
    public var bundlePath: String { candidate.bundlePath }

    /// `CFBundleShortVersionString`, else `CFBundleVersion`; nil where there is neither.
    public var version: String? { candidate.version }

    /// `CFBundleName`, not localised; the directory's name where there is none.
    public var name: String { record.name ?? Path.stem(candidate.path) }

    /// What to show to the user, in the user's language.
    ///
    /// **Cost.** At the first time the bundle is opened for its strings; none of its code runs.
    public var displayName: String { (try? catalog.opened(self))?.displayName ?? name }

    /// Where it stands in its life: `resolved` until it is loaded. ``PluginBundle/stateChanges`` tells each change.
    public var state: PluginState { catalog.state(of: identifier) ?? .discovered }

    /// `PHFactories`: what it offers.
    public var extensions: [Manifest.Extension] { record.extensions }

    /// `PHExtensionPoints`: the extension points that it opens to others.
    public var extensionPoints: [Manifest.Point] { record.extensionPoints }

    /// `PHRequires`: version ranges of other plug-ins, by their identifiers.
    public var requires: [String: VersionRange] { record.requires }

    /// `PHUses`: the services that its code asks for, as extension points with their versions.
    public var uses: [String: UInt32] { record.uses }

    /// `PHHostRequires`: the range that the host's version must be in.
    public var hostRequires: VersionRange? { record.hostRequires }

    /// `PHCapabilities`: what the host must offer.
    public var capabilities: [String] { record.capabilities }

    /// `UIRequiredDeviceCapabilities`: what the host must offer (true) and what it must not (false).
    public var deviceCapabilities: [String: Bool] { record.deviceCapabilities }
}

extension PluginDescription: Hashable {
    /// Equal are those that tell the same of the same bundle.
    public static func == (a: PluginDescription, b: PluginDescription) -> Bool {
        a.bundlePath == b.bundlePath && a.record == b.record
    }

    /// Feeds what equality compares into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(bundlePath) }
}

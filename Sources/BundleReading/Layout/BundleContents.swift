package import HostBasics

/// The values that are read when a bundle is opened.
///
/// Not copyable: each copy would retain some twenty references.
package struct BundleContents: ~Copyable, Sendable {
    package let path: String
    package let layout: BundleLayout
    /// Where Info.plist was found, or would be expected.
    package let manifestPath: String
    /// The file that was read; nil if none could be opened.
    package let manifestIdentity: FileIdentity?
    /// Empty if there is none.
    package let manifest: Manifest
    /// Why there is no manifest.
    package let finding: PluginFinding?
    /// Whether the system refused to let us read the bundle: the next attempt may succeed.
    package var isProvisional: Bool { finding?.isProvisional ?? false }

    /// The contents of a bundle whose Info.plist was found.
    init(path: String, layout: BundleLayout, manifestPath: String, list: borrowing OpenedFile) {
        self.path = path
        self.layout = layout
        self.manifestPath = manifestPath
        manifestIdentity = list.identity
        do throws(PluginFinding) {
            manifest = try ManifestReader.read(list, path: manifestPath)
            finding = nil
        } catch {
            manifest = .empty
            finding = error
        }
    }

    /// The contents of a bundle whose Info.plist values come from another process.
    package init(path: String, layout: BundleLayout, manifestPath: String, manifest: Manifest) {
        self.path = path
        self.layout = layout
        self.manifestPath = manifestPath
        manifestIdentity = nil
        self.manifest = manifest
        finding = nil
    }

    /// The contents of a bundle without an Info.plist that can be opened.
    package init(path: String, layout: BundleLayout, manifestPath: String, finding: PluginFinding) {
        self.path = path
        self.layout = layout
        self.manifestPath = manifestPath
        manifestIdentity = nil
        manifest = .empty
        self.finding = finding
    }
}

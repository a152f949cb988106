package import HostBasics

/// What a worker needs to know of a plug-in, without its bundle object.
package struct PluginInfo: Sendable, Hashable {
    /// The identifier for messages and lists.
    package let identifier: String
    /// The directory of the bundle, with links resolved.
    package let path: String
    /// The file with the code; nil if there is none.
    package let executablePath: String?
    /// Where the bundle's Info.plist is, or where it is expected.
    package let manifestPath: String
    /// For a private copy, the path where the original bundle is installed; otherwise nil.
    private let original: String?

    package init(
        identifier: String, path: String, executablePath: String?, manifestPath: String, copyOf original: String? = nil
    ) {
        self.identifier = identifier
        self.path = path
        self.executablePath = executablePath
        self.manifestPath = manifestPath
        self.original = original
    }

    /// The directory where the bundle is installed: see `PluginBundle.originalPath`.
    package var originalPath: String { original.map { CopiedPaths.original(of: path) ?? $0 } ?? path }

    /// The files whose change shows that the plug-in was replaced.
    package var identities: [FileIdentity?] {
        [manifestPath, executablePath].map { $0.flatMap { FileIdentity(path: $0) } }
    }
}

import BundleReading
import CatalogIndexing
import HostBasics

extension PluginCatalog {
    /// A search path and the result of scanning it.
    public struct Folder: Sendable {
        /// The search path.
        public let path: String
        /// Whether there is such a directory.
        public let exists: Bool
        /// The number of candidates in it.
        public let count: Int
        /// Why it cannot be listed, or nil.
        public let finding: PluginFinding?

        /// Findings about other users who may change the bundles in it: warnings, like those of
        /// ``PluginBundle/findings(loadedBy:)`` for a bundle.
        ///
        /// **Cost.** One stat() for it and for each directory above it.
        @_spi(Tools) public var permissionFindings: [PluginFinding] { exists ? Permissions.findings(of: [path]) : [] }

        /// The extensions of bundles' names, without the dot.
        fileprivate let extensions: Set<String>

        /// A warning if the directory has no candidates because it is one level too deep or too high: it is itself a
        /// bundle, or its subdirectories contain bundles.
        ///
        /// **Cost.** Nothing for a directory with candidates; otherwise it lists the directory and up to 64
        /// subdirectories.
        @_spi(Tools) public var placeFinding: PluginFinding? {
            guard exists, finding == nil else { return nil }
            if count > 0 { return namelessFinding }
            return isBundle ? bundleFinding : namelessFinding ?? subdirectoryFinding
        }

        private var isBundle: Bool {
            isNamedAsBundle(path) || BundleLayout.hasInfoList(root: path)
        }

        private func isNamedAsBundle(_ path: String) -> Bool {
            let name = Path.lastComponent(path)
            guard let dot = name.lastIndex(of: ".") else { return false }
            return extensions.contains(String(name[name.index(after: dot)...]))
        }

        private var bundleFinding: PluginFinding {
            // The directory of a part of a bundle, such as Contents, also counts as a bundle.
            var directory = Path.parent(path)
            while isNamedAsBundle(directory), directory != "/" { directory = Path.parent(directory) }
            return PluginFinding(
                .warning, .bundleNotFound, filePath: path,
                message:
                    "The search path \(quoted(path)) is a bundle itself; a search path is a directory with bundles.",
                remedy: "Name the directory that contains it: \(quoted(directory)).")
        }

        private static let mostSubdirectories = 64

        /// The first directories in the path, in the order of their names.
        private var subdirectories: some Sequence<(name: String, path: String)> {
            DirectoryListing(path: path).names.filter { $1 != .file && !$0.hasPrefix(".") }.keys.sorted()
                .prefix(Self.mostSubdirectories).map { ($0, Path.join(path, $0)) }
        }

        /// The warning about a directory that lacks only the name of a bundle.
        private var namelessFinding: PluginFinding? {
            for (name, directory) in subdirectories
            where !isNamedAsBundle(directory) && BundleLayout.hasInfoList(root: directory) {
                return PluginFinding(
                    .warning, .bundleNotFound, filePath: directory,
                    message: """
                        The directory \(quoted(directory)) has an Info.plist, as a bundle has, but is not found: its name does \
                        not end with “.bundle”.
                        """,
                    remedy: "If it is a bundle, rename it to \(quoted(name + ".bundle")).")
            }
            return nil
        }

        private var subdirectoryFinding: PluginFinding? {
            for (name, directory) in subdirectories {
                guard let found = try? BundleNames(directory: directory, extensions: extensions).names.first else {
                    continue
                }
                return PluginFinding(
                    .warning, .bundleNotFound, filePath: path,
                    message:
                        "The search path \(quoted(path)) has no bundles, but its directory \(quoted(name)) has, for "
                        + "example \(quoted(found.text)); directories in a search path are not searched.",
                    remedy: "Add \(quoted(directory)) to the search paths, or move the bundles up.")
            }
            return nil
        }
    }

    /// The search paths with the results of scanning them.
    ///
    /// A directory that several search paths lead to is listed once.
    public var folders: [Folder] {
        current.folders.map { folder in
            Folder(
                path: folder.path, exists: !folder.realPath.isEmpty, count: folder.candidates.count,
                finding: folder.finding, extensions: options.extensions)
        }
    }

    /// The findings about the search paths, about the user's choices, and about plug-ins that conflict.
    ///
    /// It lists directories and files that cannot be read, search paths that are one level too deep or too high, and
    /// names that two plug-ins declare at one extension point. For the findings about single bundles see
    /// ``candidates``.
    ///
    /// **Cost.** Reads the declarations of every plug-in.
    public var findings: [PluginFinding] {
        folders.flatMap { [$0.finding, $0.placeFinding].compactMap(\.self) } + [choicesFinding].compactMap(\.self)
            + quarantineFindings + duplicateFactories
    }

    private var duplicateFactories: [PluginFinding] {
        let index = current
        var owners: [String: PluginDescription] = [:]
        // A plug-in with many extensions is decoded once.
        var plugins: [Int: PluginDescription] = [:]
        return (0..<index.extensionCount).compactMap { number in
            let row = index.extensionRow(number)
            let plugin = plugins[row.candidate] ?? PluginDescription(self, index, row.candidate)
            plugins[row.candidate] = plugin
            guard plugin.extensions.indices.contains(row.index) else { return nil }
            let declaration = plugin.extensions[row.index]
            let point = declaration.extensionPoint ?? ""
            // A name must be unique at its point, whatever the version: see ProviderTable.
            guard let owner = owners.updateValue(plugin, forKey: point + "\0" + declaration.name) else { return nil }
            owners[point + "\0" + declaration.name] = owner
            return PluginFinding(
                .warning, .duplicateFactory, filePath: plugin.bundlePath, subject: declaration.name,
                message: "\(quoted(plugin.identifier)) declares \(quoted(declaration.name)) at the extension point "
                    + "\(quoted(point)), as does \(quoted(owner.identifier)), which comes first.",
                remedy: "Remove one of the two bundles, or rename the extension.")
        }
    }
}

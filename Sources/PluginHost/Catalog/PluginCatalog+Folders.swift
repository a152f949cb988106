extension PluginCatalog {
    /// Where plug-ins were looked for.
    public struct Folder: Sendable {
        /// The search path.
        public let path: String
        /// Whether there is such a directory.
        public let exists: Bool
        /// The number of candidates in it.
        public let count: Int
        /// Why it cannot be listed, or nil.
        public let finding: PluginFinding?

        /// Who else may change what is found there: warnings, as ``PluginBundle/findings(loadedBy:)`` gives for a bundle.
        ///
        /// **Cost.** A stat() for it and each directory above it.
        @_spi(Tools) public var permissionFindings: [PluginFinding] { exists ? Permissions.findings(of: [path]) : [] }
    }

    /// The search paths, with what became of looking through each: a directory that is reached by several of them is
    /// told once.
    public var folders: [Folder] {
        current.folders.map { folder in
            Folder(
                path: folder.path, exists: !folder.realPath.isEmpty, count: folder.entries.count,
                finding: folder.finding)
        }
    }

    /// What is wrong with the search paths, with the user's choices, and between plug-ins: directories and files that cannot
    /// be read, and names that two
    /// plug-ins offer at one extension point. What is wrong with a bundle is told by ``candidates``.
    ///
    /// **Cost.** Reads what every plug-in declares.
    public var findings: [PluginFinding] {
        folders.compactMap(\.finding) + [choicesFinding].compactMap(\.self) + duplicateFactories
    }

    private var duplicateFactories: [PluginFinding] {
        let index = current
        var owners: [String: PluginDescription] = [:]
        return (0..<index.extensionCount).compactMap { number in
            let row = index.extensionRow(number)
            let plugin = PluginDescription(self, index, row.entry)
            guard plugin.extensions.indices.contains(row.factory) else { return nil }
            let factory = plugin.extensions[row.factory]
            let point = factory.extensionPoint ?? ""
            // A name is unique at its point, whatever the version: see ProviderTable.
            guard let owner = owners.updateValue(plugin, forKey: point + "\0" + factory.name) else { return nil }
            owners[point + "\0" + factory.name] = owner
            return PluginFinding(
                .warning, .duplicateFactory, filePath: plugin.bundlePath, subject: factory.name,
                message: "\(quoted(plugin.identifier)) offers \(quoted(factory.name)) at the extension point "
                    + "\(quoted(point)), as \(quoted(owner.identifier)) does, which goes first.",
                remedy: "Remove one of the two bundles, or rename the factory.")
        }
    }
}

/// Why a plug-in is there or not, who needs it, and what it needs.
public struct PluginExplanation: Sendable {
    public let identifier: String
    /// Every candidate of the identifier, with its verdict.
    public let candidates: [PluginCandidate]
    /// The plug-in that is used, or nil.
    public let plugin: PluginDescription?
    /// Everything that requires the identifier, used or not, with the range that it gives.
    public let requiredBy: [(candidate: PluginCandidate, range: String)]
    private let searchPaths: [String]

    init(_ identifier: String, in catalog: PluginCatalog) {
        self.identifier = identifier
        let all = catalog.candidates
        candidates = all.filter { $0.identifier == identifier }
        plugin = catalog.plugin(identifier)
        requiredBy = all.compactMap { candidate in
            candidate.record.requires[identifier].map { (candidate, $0) }
        }
        searchPaths = catalog.searchPaths
    }

    /// The answer in short.
    public var sentence: String {
        if let plugin {
            let version = plugin.version.map { " " + $0 } ?? ""
            return "\(quoted(identifier))\(version) is used, from \(quoted(plugin.candidate.path))."
        }
        if candidates.isEmpty {
            return "No bundle with the identifier \(quoted(identifier)) is in any search path."
        }
        let reasons = candidates.map { "\(quoted($0.path)): \($0.explanation)" }
        return "No bundle with the identifier \(quoted(identifier)) can be used. " + reasons.joined(separator: " ")
    }

    /// What to do about it; empty where nothing need be done.
    public var remedy: String {
        if plugin != nil { return "" }
        if candidates.isEmpty {
            let places = searchPaths.isEmpty ? "a search path" : searchPaths.map { quoted($0) }.joined(separator: ", ")
            return "Install it in \(places)."
        }
        return candidates.flatMap(\.findings).map(\.remedy).first { !$0.isEmpty } ?? ""
    }
}

extension PluginCatalog {
    /// Why a plug-in is there or not.
    ///
    /// - Parameter identifier: the plug-in's; any text is answered.
    ///
    /// **Cost.** Reads what is known of every candidate.
    public func explanation(of identifier: String) -> PluginExplanation { PluginExplanation(identifier, in: self) }

    /// Where plug-ins were looked for.
    public struct Folder: Sendable {
        /// The search path.
        public let path: String
        public let exists: Bool
        /// The number of candidates in it.
        public let count: Int
        /// Why it cannot be listed, or nil.
        public let problem: PluginFinding?

        /// Who else may change what is found there: warnings, as ``PluginBundle/problems(loadedBy:)`` gives for a bundle.
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
                problem: folder.problem)
        }
    }

    /// What is wrong with the search paths and between plug-ins: directories that cannot be listed, and names that two
    /// plug-ins offer at one extension point. What is wrong with a bundle is told by ``candidates``.
    ///
    /// **Cost.** Reads what every plug-in declares.
    public var problems: [PluginFinding] { folders.compactMap(\.problem) + duplicateFactories }

    private var duplicateFactories: [PluginFinding] {
        let index = current
        var owners: [String: PluginDescription] = [:]
        return (0..<index.contributionCount).compactMap { number in
            let contribution = index.contribution(number)
            let plugin = PluginDescription(self, index, contribution.entry)
            guard plugin.factories.indices.contains(contribution.factory) else { return nil }
            let factory = plugin.factories[contribution.factory]
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

/// Why a plug-in is there or not, who needs it, and what it needs.
public struct PluginExplanation: Sendable {
    /// The identifier in question.
    public let identifier: String
    /// Every candidate of the identifier, with its verdict.
    public let candidates: [PluginCandidate]
    /// The plug-in that is used, or nil.
    public let plugin: PluginDescription?
    /// Everything that requires the identifier, used or not, with the range that it gives.
    public let requiredBy: [(candidate: PluginCandidate, range: VersionRange)]
    private let searchPaths: [String]
    /// Why a search path or an Info.plist could not be read, where the identifier may stand.
    private let unread: PluginFinding?

    init(_ identifier: String, in catalog: PluginCatalog) {
        self.identifier = identifier
        let all = catalog.candidates
        candidates = all.filter { $0.identifier == identifier }
        plugin = catalog.plugin(identifier)
        requiredBy = all.compactMap { candidate in
            candidate.record.requires[identifier].map { (candidate, $0) }
        }
        searchPaths = catalog.searchPaths
        unread =
            catalog.folders.lazy.compactMap(\.finding).first
            ?? all.first { $0.verdict == .malformed && $0.record.listPath == nil }?.findings.first
    }

    /// The answer in short.
    public var sentence: String {
        if let plugin {
            let version = plugin.version.map { " " + $0 } ?? ""
            return "\(quoted(identifier))\(version) is used, from \(quoted(plugin.candidate.path))."
        }
        if candidates.isEmpty, let unread {
            let known = "No bundle with the identifier \(quoted(identifier)) is among those that could be read."
            return "\(known) \(unread.message)"
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
        if candidates.isEmpty, let unread { return unread.remedy }
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
    /// - Returns: the answer, with every candidate of the identifier.
    ///
    /// **Cost.** Reads what is known of every candidate.
    public func explanation(of identifier: String) -> PluginExplanation { PluginExplanation(identifier, in: self) }
}

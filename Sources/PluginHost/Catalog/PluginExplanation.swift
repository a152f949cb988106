import CatalogIndexing
import HostBasics
@_spi(Tools) import PluginWorkers

/// Why a plug-in is in use or not, what requires it, and what it requires.
public struct PluginExplanation: Sendable {
    /// The identifier in question.
    public let identifier: String
    /// Every candidate with the identifier, with its verdict.
    public let candidates: [PluginCandidate]
    /// The plug-in in use, or nil; one with another identifier if that replaces this one (`PHReplaces`).
    public let plugin: PluginDescription?
    /// Every candidate that requires the identifier, in use or not, with the required range.
    public let requiredBy: [(candidate: PluginCandidate, range: VersionRange)]
    private let searchPaths: [String]
    /// Why the plug-in in use does not load: a probe that the catalogue demands has failed.
    private let failedProbe: PluginFinding?
    /// The permissions that the plug-in in use requests, and did not request when the user decided about it; none if
    /// the user never decided.
    public let unanswered: PluginPermissions
    /// Why a search path could not be read, or a bundle whose name matches the identifier.
    private let unread: PluginFinding?
    /// The path of a bundle with another name that the system did not let us read.
    ///
    /// It may have the identifier, but probably does not.
    private let unreadBundle: String?

    init(_ identifier: String, in catalog: PluginCatalog) {
        self.identifier = identifier
        let all = catalog.candidates
        candidates = all.filter { $0.identifier == identifier }
        plugin = catalog.plugin(identifier)
        let index = catalog.current
        requiredBy = all.compactMap { candidate in
            let range = candidate.record.requires.first { $0.key == identifier || index.inUse($0.key) == identifier }
            return range.map { (candidate, $0.value) }
        }
        searchPaths = catalog.searchPaths
        failedProbe =
            plugin.flatMap { plugin in
                catalog.probes.flatMap { probes in (try? plugin.opened()).flatMap(probes.knownFailure) }
            }?.findings.first
        unanswered =
            plugin.flatMap { plugin in catalog.consents?.added(by: plugin) } ?? PluginPermissions()
        let unnamed = all.filter { $0.verdict == .malformed && $0.record.listPath == nil }
        unread =
            catalog.folders.firstNonNil(\.finding)
            ?? unnamed.first { Self.isName(Path.stem($0.path), of: identifier) }?.findings.first
        // A bundle without an Info.plist has no identifier, so it says nothing about this one.
        unreadBundle = unnamed.first { $0.record.isProvisional }?.path
    }

    /// Whether a bundle with this name probably has the identifier: the name is the identifier's last part.
    private static func isName(_ name: String, of identifier: String) -> Bool {
        name == identifier || identifier.lowercased().hasSuffix("." + name.lowercased())
    }

    /// A short answer.
    public var sentence: String {
        if let plugin {
            let version = plugin.version.map { " " + $0 } ?? ""
            let what =
                plugin.identifier == identifier
                ? "\(quoted(identifier))\(version) is used"
                : "\(quoted(plugin.identifier))\(version), which replaces \(quoted(identifier)), is used"
            let use = [
                "\(what), from \(quoted(plugin.candidate.path)).", unansweredSentence,
            ].compactMap(\.self).joined(separator: " ")
            return failedProbe.map { "\(use) But it does not load: \($0.message)" } ?? use
        }
        if candidates.isEmpty, let unread {
            let known = "No bundle with the identifier \(quoted(identifier)) is among the bundles that could be read."
            return "\(known) \(unread.message)"
        }
        if candidates.isEmpty {
            let exception = unreadBundle.map { ", unless it is \(quoted($0)), which could not be read" } ?? ""
            return "No bundle with the identifier \(quoted(identifier)) is in any search path\(exception)."
        }
        let reasons = candidates.map { "\(quoted($0.path)): \($0.explanation)" }
        return "No bundle with the identifier \(quoted(identifier)) can be used. " + reasons.joined(separator: " ")
    }

    /// A sentence about the permissions that an update requests in addition to those that the user decided about; nil
    /// if there are none.
    @_spi(Tools) public var unansweredSentence: String? {
        unanswered.isEmpty
            ? nil
            : """
            It asks for more than when the user decided what it may reach: \(unanswered.items.joined(separator: ", ")). Until \
            the user has answered again, it reaches what was allowed then.
            """
    }

    /// The remedy; empty if nothing needs to be done.
    public var remedy: String {
        if plugin != nil { return failedProbe?.remedy ?? "" }
        if candidates.isEmpty, let unread { return unread.remedy }
        if candidates.isEmpty {
            let places = searchPaths.isEmpty ? "a search path" : searchPaths.map { quoted($0) }.joined(separator: ", ")
            return "Install it in \(places)."
        }
        return candidates.flatMap(\.findings).map(\.remedy).first { !$0.isEmpty } ?? ""
    }
}

extension PluginCatalog {
    /// Why a plug-in is in use or not.
    ///
    /// - Parameter identifier: the plug-in's identifier; any text is allowed.
    /// - Returns: the answer, with every candidate for the identifier.
    ///
    /// **Cost.** Decodes the record of every candidate. If ``Options/requiresProbe`` demands a probe, also examines the
    /// plug-in's code files and the libraries that they use.
    public func explanation(of identifier: String) -> PluginExplanation { PluginExplanation(identifier, in: self) }
}

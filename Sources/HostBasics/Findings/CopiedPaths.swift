import Synchronization

/// The directories of the process that are private copies of bundles.
///
/// Messages name the original bundle, which its author knows, instead of the copy, wherever the message comes from.
package enum CopiedPaths {
    private static let originals = Lock<[String: String]>([:])
    /// Lets an application that makes no copies skip the look-up.
    private static let isUsed = Atomic(false)

    /// The bundle of which a copy was made, or to which it was refreshed since; nil if the copy was removed.
    package static func original(of copy: String) -> String? { originals.withLock { $0[copy] } }

    /// The path of the original for that of a copy; every other path unchanged.
    static func withOriginalPath(_ path: String) -> String {
        isUsed.load(ordering: .acquiring) ? original(of: path) ?? path : path
    }

    package static func insert(_ copy: String, of original: String) {
        originals.withLock { $0[copy] = original }
        isUsed.store(true, ordering: .releasing)
    }

    /// Call it for a copy that is removed because nobody uses it any more.
    package static func remove(_ copy: String) { originals.withLock { _ = $0.removeValue(forKey: copy) } }

    /// The same finding with the paths of the originals.
    package static func withOriginalPaths(_ finding: PluginFinding) -> PluginFinding {
        guard isUsed.load(ordering: .acquiring) else { return finding }
        let known = originals.withLock { $0 }
        var finding = finding
        finding.filePath = finding.filePath.map { withOriginalPaths($0, known) }
        finding.subject = finding.subject.map { withOriginalPaths($0, known) }
        finding.message = withOriginalPaths(finding.message, known)
        finding.remedy = withOriginalPaths(finding.remedy, known)
        finding.systemMessage = finding.systemMessage.map { withOriginalPaths($0, known) }
        return finding
    }

    private static func withOriginalPaths(_ text: String, _ known: [String: String]) -> String {
        known.reduce(text) { text, pair in
            guard text.contains(pair.key) else { return text }
            return text.split(separator: pair.key, omittingEmptySubsequences: false).joined(separator: pair.value)
        }
    }
}

import Synchronization

/// The process's private copies of bundles, each with the bundle that it was copied from.
///
/// Every message names the original bundle, which its author knows, instead of the copy.
package enum CopiedPaths {
    private static let copies = Lock<[String: Origin]>([:])

    private struct Origin {
        /// The directory that was copied, which may be a copy too.
        let source: String
        /// The bundle that is installed.
        let bundle: String
    }

    /// Lets an application that makes no copies skip the look-up.
    private static let isUsed = Atomic(false)

    /// The bundle that a copy was made from or last refreshed from; nil if the copy was removed.
    package static func original(of copy: String) -> String? { copies.withLock { $0[copy]?.bundle } }

    /// The copies of a directory that still exist.
    package static func copies(of source: String) -> [String] {
        guard isUsed.load(ordering: .acquiring) else { return [] }
        return copies.withLock { copies in copies.filter { $0.value.source == source }.map(\.key) }
    }

    /// The original's path for a copy's path; any other path unchanged.
    static func withOriginalPath(_ path: String) -> String {
        isUsed.load(ordering: .acquiring) ? original(of: path) ?? path : path
    }

    package static func insert(_ copy: String, of original: String) {
        copies.withLock { copies in
            // Of a copy of a copy, the reader knows only the bundle that is installed.
            copies[copy] = Origin(source: original, bundle: copies[original]?.bundle ?? original)
        }
        isUsed.store(true, ordering: .releasing)
    }

    /// Call this when a copy is removed because it is no longer used.
    package static func remove(_ copy: String) { copies.withLock { _ = $0.removeValue(forKey: copy) } }

    /// The same finding with the paths of the originals.
    package static func withOriginalPaths(_ finding: PluginFinding) -> PluginFinding {
        guard isUsed.load(ordering: .acquiring) else { return finding }
        let known = copies.withLock { $0.mapValues(\.bundle) }
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

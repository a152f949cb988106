import Synchronization

/// Which directories of the process are private copies of bundles: messages name the bundle that its author knows, whoever
/// makes them.
enum CopiedPaths {
    private static let originals = Lock<[String: String]>([:])
    /// So that an application that copies nothing looks nothing up.
    private static let isUsed = Atomic(false)

    static func insert(_ copy: String, of original: String) {
        originals.withLock { $0[copy] = original }
        isUsed.store(true, ordering: .releasing)
    }

    /// For a copy that is removed: nobody uses it any more.
    static func remove(_ copy: String) { originals.withLock { _ = $0.removeValue(forKey: copy) } }

    /// A finding that speaks of originals.
    static func told(_ finding: PluginFinding) -> PluginFinding {
        guard isUsed.load(ordering: .acquiring) else { return finding }
        let known = originals.withLock { $0 }
        var finding = finding
        finding.filePath = finding.filePath.map { told($0, known) }
        finding.subject = finding.subject.map { told($0, known) }
        finding.message = told(finding.message, known)
        finding.remedy = told(finding.remedy, known)
        finding.systemMessage = finding.systemMessage.map { told($0, known) }
        return finding
    }

    private static func told(_ text: String, _ known: [String: String]) -> String {
        known.reduce(text) { text, pair in
            guard text.contains(pair.key) else { return text }
            return text.split(separator: pair.key, omittingEmptySubsequences: false).joined(separator: pair.value)
        }
    }
}

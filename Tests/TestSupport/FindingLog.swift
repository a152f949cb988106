package import HostBasics

/// Keeps the log for later checks.
package final class FindingLog: Sendable {
    private let entries = FixtureLock<[[PluginFinding]]>([])

    package init() {}

    package var calls: [[PluginFinding]] { entries.withLock { $0 } }
    package var findings: [PluginFinding] { calls.flatMap { $0 } }
    package func add(_ findings: [PluginFinding]) { entries.withLock { $0.append(findings) } }
}

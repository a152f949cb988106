import CatalogIndexing
import ELFImages
import HostBasics

/// The result of a scan for an item that looks like a bundle.
public enum PluginVerdict: Sendable, Hashable {
    /// It is used.
    case usable
    /// Another bundle is used: one with the same identifier, or one that replaces it.
    case shadowed(by: String, rule: PluginShadowing)
    /// Another bundle with the same identifier and version in the same folder is used: the first by name.
    case duplicate(of: String)
    /// The application does not have the version that it requires, or lacks a capability that it requires.
    case incompatible
    /// A bundle that it requires is missing, has another version, or cannot be used.
    case unresolved
    /// Its Info.plist is missing, cannot be read, or has a value that cannot be used.
    case malformed
    /// The user has disabled plug-ins of its identifier, or a safe start leaves it out.
    case disabled
    /// It is in ``Quarantine``, because its code ended processes of the application, or because it was put there.
    case quarantined
    /// It has the name of a bundle but is not one: a file, a broken link, or a name that is not UTF-8.
    case notABundle
}

/// The rule by which another bundle is used instead.
public enum PluginShadowing: String, Sendable, Hashable, CaseIterable {
    /// The other has a higher version.
    case higherVersion
    /// The other has the same version and is in an earlier search path.
    case earlierSearchPath
    /// The other has a lower version, because plug-ins that require it accept no higher one.
    case requirements
    /// The other has another identifier, and its `PHReplaces` names that of this one.
    case replacement
}

/// An item in a catalogue's search path that looks like a bundle, with its verdict.
///
/// **Threads.** A value; it shows the state of the catalogue when it was created.
public struct PluginCandidate: Sendable {
    let index: CatalogIndex
    let row: CandidateRow
    let record: PluginRecord

    init(_ index: CatalogIndex, _ row: CandidateRow) { self.init(index, row, index.record(row)) }

    init(_ index: CatalogIndex, _ row: CandidateRow, _ record: PluginRecord) {
        self.index = index
        self.row = row
        self.record = record
    }

    /// The absolute path at which it was found.
    public var path: String { index.path(row) }

    /// The bundle's directory with its links resolved; equal to ``path`` if there was no link.
    public var bundlePath: String { record.linkedPath ?? path }

    /// The search path in which it was found, as given.
    public var searchPath: String { index.folders[row.folder].path }

    /// `CFBundleIdentifier`, otherwise the directory's name without its extension.
    public var identifier: String { record.identifier }

    /// `CFBundleShortVersionString`, otherwise `CFBundleVersion`; nil if neither exists.
    public var version: String? { record.shortVersion ?? record.version }

    /// The version that requirements refer to, and that is compared if two bundles have the same identifier: the parsed
    /// form of ``version``.
    public var comparableVersion: PluginVersion { record.pluginVersion }

    /// How long it took to read its Info.plist; nil if the data came from the index file.
    @_spi(Tools) public var readingTime: Duration? { index.readings[row.name.offset].map(Duration.nanoseconds) }

    /// Whether it is used, and if not, the kind of reason.
    public var verdict: PluginVerdict {
        switch row.verdict {
        case .usable, .alias: .usable
        case .otherVersion: .shadowed(by: other, rule: .higherVersion)
        case .otherRequired: .shadowed(by: other, rule: .requirements)
        case .laterFolder: .shadowed(by: other, rule: .earlierSearchPath)
        case .duplicate: .duplicate(of: other)
        case .replaced: .shadowed(by: other, rule: .replacement)
        case .incompatible: .incompatible
        case .unresolved: .unresolved
        case .malformed: .malformed
        case .noBundle: .notABundle
        case .disabled, .leftOut: .disabled
        case .quarantined: .quarantined
        }
    }

    /// The path of the candidate that is used instead of this one.
    private var other: String { index.path(index.candidateRow(row.other)) }

    /// Why it is not used, each finding with a remedy.
    ///
    /// Empty for a candidate that is used, and for one that was replaced because of its version or search path.
    public var findings: [PluginFinding] { record.findings + index.findings(row) }

    /// The errors among ``findings``, or nil.
    public var error: PluginError? {
        let findings = self.findings.filter { $0.severity == .error }
        return findings.isEmpty ? nil : PluginError(bundlePath: bundlePath, findings: findings)
    }

    /// The verdict as a sentence, with its reason.
    public var explanation: String {
        switch verdict {
        case .usable: return "It is used."
        case .shadowed(let other, .higherVersion):
            return "\(quoted(other)) is used instead: the same identifier and a higher version\(otherVersion)."
        case .shadowed(let other, .earlierSearchPath):
            return "\(quoted(other)) is used instead: the same identifier and version in an earlier search path."
        case .shadowed(let other, .requirements):
            return "\(quoted(other)) is used instead. " + findings.map(\.message).joined(separator: " ")
        case .shadowed(let other, .replacement):
            let newer = index.text(index.candidateRow(row.other).identifier)
            return "\(quoted(other)) is used instead: \(quoted(newer))\(otherVersion) replaces this identifier."
        case .duplicate(let other):
            return "\(quoted(other)) is used instead: the same identifier and version, and an earlier name."
        case .incompatible, .unresolved, .malformed, .notABundle, .disabled, .quarantined:
            return findings.map(\.message).joined(separator: " ")
        }
    }

    private var otherVersion: String {
        let other = index.record(index.candidateRow(row.other))
        return (other.shortVersion ?? other.version).map { ", \($0)" } ?? ""
    }

    /// Opens the bundle, whatever its verdict.
    ///
    /// - Throws: ``PluginError`` of code `bundleNotFound`.
    public func open() throws -> PluginBundle {
        if row.verdict == .noBundle, let error { throw error }
        return try PluginBundle.open(path: bundlePath)
    }
}

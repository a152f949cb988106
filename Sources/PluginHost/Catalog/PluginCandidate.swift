/// What a scan made of something that looks like a bundle.
public enum PluginVerdict: Sendable, Hashable {
    /// It is used.
    case usable
    /// Another bundle of its identifier is used.
    case shadowed(by: String, rule: PluginShadowing)
    /// A bundle of its identifier and version in the same folder is used, the first by name.
    case duplicate(of: String)
    /// This application is not of the version that it requires, or does not offer what it requires.
    case incompatible
    /// Another bundle that it requires is missing, of another version, or cannot be used itself.
    case unresolved
    /// Its Info.plist is missing, cannot be read, or has a value that cannot be used.
    case malformed
    /// The user has disabled plug-ins of its identifier.
    case disabled
    /// It is named like a bundle, and is none: a file, a link that leads nowhere, a name that is not UTF-8.
    case notABundle
}

/// The rule by which one bundle is used in place of another of its identifier.
public enum PluginShadowing: String, Sendable, Hashable, CaseIterable {
    /// The other has a higher version.
    case higherVersion
    /// The other has the same version and stands in an earlier search path.
    case earlierSearchPath
    /// The other has a lower version, and others accept no higher one.
    case requirements
}

/// Something that looks like a bundle, in one of a catalogue's search paths, with its verdict.
///
/// **Threads.** A value; tells what the catalogue knew when it was asked for.
public struct PluginCandidate: Sendable {
    let index: CatalogIndex
    let entry: CandidateRow
    let record: PluginRecord

    init(_ index: CatalogIndex, _ entry: CandidateRow) {
        self.index = index
        self.entry = entry
        record = index.record(entry)
    }

    /// The absolute path at which it was found.
    public var path: String { index.path(entry) }

    /// The bundle's directory with its links resolved; the same as ``path`` where no link led to it.
    public var bundlePath: String { record.linkedPath ?? path }

    /// The search path that it was found in, as it was given.
    public var searchPath: String { index.folders[entry.folder].path }

    /// `CFBundleIdentifier`, else the directory's name without its extension.
    public var identifier: String { record.identifier }

    /// `CFBundleShortVersionString`, else `CFBundleVersion`; nil where there is neither.
    public var version: String? { record.shortVersion ?? record.version }

    /// The version that others require, and that is compared where two bundles have one identifier: ``version``, as far as
    /// it can be read as one.
    public var comparableVersion: PluginVersion { record.pluginVersion }

    /// How long the reading of its Info.plist took; nil where the index file had it.
    @_spi(Tools) public var readingTime: Duration? { index.readings[entry.name.offset].map(Duration.nanoseconds) }

    /// Whether it is used, and if not, for what kind of reason.
    public var verdict: PluginVerdict {
        switch entry.verdict {
        case .usable, .alias: .usable
        case .otherVersion: .shadowed(by: other, rule: .higherVersion)
        case .otherRequired: .shadowed(by: other, rule: .requirements)
        case .laterFolder: .shadowed(by: other, rule: .earlierSearchPath)
        case .duplicate: .duplicate(of: other)
        case .incompatible: .incompatible
        case .unresolved: .unresolved
        case .malformed: .malformed
        case .noBundle: .notABundle
        case .disabled: .disabled
        }
    }

    /// The path of the candidate that is used in place of this one.
    private var other: String { index.path(index.entry(entry.other)) }

    /// What keeps it from being used, each finding with a remedy; empty for one that is used, and for one that gave way to
    /// another by version or search path.
    public var findings: [PluginFinding] { record.findings + index.findings(entry) }

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
            return "\(quoted(other)) is used in its place: the same identifier and a higher version\(otherVersion)."
        case .shadowed(let other, .earlierSearchPath):
            return "\(quoted(other)) is used in its place: the same identifier and version in an earlier search path."
        case .shadowed(let other, .requirements):
            return "\(quoted(other)) is used in its place. " + findings.map(\.message).joined(separator: " ")
        case .duplicate(let other):
            return "\(quoted(other)) is used in its place: the same identifier and version, and an earlier name."
        case .incompatible, .unresolved, .malformed, .notABundle, .disabled:
            return findings.map(\.message).joined(separator: " ")
        }
    }

    private var otherVersion: String {
        let other = index.record(index.entry(entry.other))
        return (other.shortVersion ?? other.version).map { ", \($0)" } ?? ""
    }

    /// Opens the bundle, whatever its verdict.
    ///
    /// - Throws: ``PluginError`` of code `bundleNotFound`.
    public func open() throws -> PluginBundle {
        if entry.verdict == .noBundle, let error { throw error }
        return try PluginBundle.open(path: bundlePath)
    }
}

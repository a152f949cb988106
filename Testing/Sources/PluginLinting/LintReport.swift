@_spi(Tools) public import PluginHost

/// What a linter found in one bundle or file.
///
/// **Threads.** A value; may be shared freely.
public struct LintReport: Sendable, Hashable {
    /// The bundle or the file, as an absolute path.
    public let path: String
    /// The lists, tables and sources that were read, as absolute paths, sorted by name.
    public let files: [String]
    /// The keys of the bundle's tables, for other bundles that share its sources.
    var keys: Set<String> = []
    /// The findings, sorted by file and place.
    ///
    /// Those about Info.plist come first.
    public internal(set) var findings: [LintFinding]

    /// The report on a bundle that cannot be opened.
    public init(unopened error: PluginError) {
        path = error.bundlePath
        files = []
        findings = error.findings.map { LintFinding($0, in: nil) }
    }

    init(path: String, files: [String], findings: [LintFinding]) {
        self.path = path
        self.files = files
        self.findings = findings
    }

    /// The number of findings with a severity.
    public func count(_ severity: LintFinding.Severity) -> Int { findings.count { $0.severity == severity } }
}

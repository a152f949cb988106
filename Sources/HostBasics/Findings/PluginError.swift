/// Why a bundle could not be opened, checked or loaded.
///
/// It contains every problem that was found, not only the first: ``findings`` lists them. ``description`` states the
/// first in full and the number of the others; if there is only one other, it states that in full too.
public struct PluginError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    ///
    /// More codes may be added in later versions.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as text.
        public let rawValue: String
        /// A code with the given text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code as text.
        public var description: String { rawValue }
    }

    /// The absolute path of the bundle directory.
    public let bundlePath: String
    /// All findings, the decisive error first; at least one has severity `error`.
    public let findings: [PluginFinding]

    /// - Precondition: `findings` is not empty.
    public init(bundlePath: String, findings: [PluginFinding]) {
        precondition(!findings.isEmpty, "a PluginError has at least one finding")
        self.bundlePath = CopiedPaths.withOriginalPath(bundlePath)
        let findings = findings.map(CopiedPaths.withOriginalPaths)
        self.findings = findings.filter { $0.severity == .error } + findings.filter { $0.severity != .error }
    }

    package init(bundlePath: String, _ finding: PluginFinding) {
        self.init(bundlePath: bundlePath, findings: [finding])
    }

    /// The same error with more findings after its own.
    package func adding(_ more: [PluginFinding]) -> PluginError {
        more.isEmpty ? self : PluginError(bundlePath: bundlePath, findings: findings + more)
    }

    /// Whether any finding applies only at this moment.
    package var isProvisional: Bool { findings.contains(where: \.isProvisional) }
    /// Whether the same attempt may succeed soon, even if nobody changes anything.
    package var isPassing: Bool { findings.contains(where: \.isPassing) }

    /// The code of the decisive finding.
    public var code: Code { findings[0].code }
    /// The file concerned.
    public var filePath: String? { findings[0].filePath }
    /// The symbol, library, key, class or extension point concerned.
    public var subject: String? { findings[0].subject }
    /// What the system, the dynamic linker or the plug-in said.
    public var systemMessage: String? { findings[0].systemMessage }

    /// How the worker process ended, if its end caused the error; otherwise nil.
    public var workerEnd: WorkerEnd? { findings[0].workerEnd }

    /// Full sentences: which bundle, what went wrong with which file, what to do.
    public var description: String {
        let first = findings[0]
        // A watch concerns directories that contain bundles, not one bundle.
        var text =
            code == .watchFailed ? first.message : "The bundle \(quoted(bundlePath)): \(first.placedMessage)"
        if let said = first.systemMessage, !first.message.contains(said) {
            text += " The system said: \(said.asSentence)"
        }
        if !first.remedy.isEmpty { text += " " + first.remedy }
        switch findings.count {
        case 1: return text
        case 2:
            // Hardly longer than a count, and it saves the reader a look elsewhere.
            let other = findings[1]
            return "\(text) One more problem: \(other.placedMessage)" + (other.remedy.isEmpty ? "" : " \(other.remedy)")
        default: return "\(text) \(findings.count - 1) more problems were found."
        }
    }
}

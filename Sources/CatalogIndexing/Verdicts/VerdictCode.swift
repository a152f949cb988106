/// A verdict in the form of the index.
package enum VerdictCode: UInt8, Sendable {
    case usable
    /// Another bundle with the identifier has a higher version.
    case otherVersion
    /// A lower version is used, because the plug-ins that require it accept no higher one.
    case otherRequired
    /// A bundle with the identifier and version is in an earlier search path.
    case laterFolder
    /// A bundle with the identifier and version is in the same folder.
    case duplicate
    /// The host does not meet its requirements.
    case incompatible
    /// A plug-in that it requires is missing or cannot be used.
    case unresolved
    case malformed
    case noBundle
    /// A link to the directory of another candidate; it is not a separate candidate.
    case alias
    /// The user has disabled its identifier.
    case disabled
    /// It is in quarantine.
    case quarantined
    /// A safe start leaves it out.
    case leftOut
    /// A plug-in with another identifier replaces it.
    case replaced

    /// Whether the verdict means that another candidate is used.
    package var namesAnother: Bool {
        switch self {
        case .otherVersion, .otherRequired, .laterFolder, .duplicate, .alias, .replaced: true
        case .usable, .incompatible, .unresolved, .malformed, .noBundle, .disabled, .quarantined, .leftOut: false
        }
    }
}

/// A verdict as the index holds it.
enum VerdictCode: UInt8, Sendable {
    case usable
    /// Another bundle of the identifier has a higher version.
    case otherVersion
    /// A lower version is used, because others accept no higher one.
    case otherRequired
    /// A bundle of the identifier and version stands in an earlier search path.
    case laterFolder
    /// A bundle of the identifier and version stands in the same folder.
    case duplicate
    /// The host is not what it requires.
    case incompatible
    /// Another plug-in that it requires is missing or cannot be used.
    case unresolved
    case malformed
    case noBundle
    /// The same directory as another candidate's, reached by a link; it is no candidate of its own.
    case alias
    /// The user has disabled its identifier.
    case disabled

    /// Whether the verdict is that another candidate is used.
    var namesAnother: Bool {
        switch self {
        case .otherVersion, .otherRequired, .laterFolder, .duplicate, .alias: true
        case .usable, .incompatible, .unresolved, .malformed, .noBundle, .disabled: false
        }
    }
}

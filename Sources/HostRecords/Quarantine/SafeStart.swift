/// Which plug-ins a start leaves out after a crash.
///
/// It applies to one start and changes no setting of the user.
public enum SafeStart: Sendable, Hashable {
    /// None.
    case normal
    /// The plug-ins with these identifiers, because their code caused the crash.
    case without([String])
    /// All plug-ins, because the application crashed more than once with plug-ins in its process, and none of them can
    /// be named as the cause.
    case noPlugins

    package func leavesOut(_ identifier: String) -> Bool {
        switch self {
        case .normal: false
        case .without(let identifiers): identifiers.contains(identifier)
        case .noPlugins: true
        }
    }

    /// Equal texts for equal values.
    package var names: [String] {
        switch self {
        case .normal: []
        case .without(let identifiers): identifiers.sorted()
        case .noPlugins: [""]
        }
    }
}

/// Where the code of a plug-in runs; a later case is safer.
///
/// The application's `IsolationPolicy`, `PHExecution` in the bundle's Info.plist and the demand of an ``ExtensionPoint``
/// decide before any of the code runs; the safest of their values counts. The code never runs less safely than decided.
///
/// Frozen: applications switch over it.
@frozen
public enum PluginExecution: Int, Sendable, Hashable, CaseIterable, Comparable, CustomStringConvertible {
    /// In the application's process, with everything that it may do.
    case inProcess
    /// In a separate process, with the rights of the user and with limits of what it may use.
    case isolated
    /// In a separate process that can reach only what was granted.
    case sandboxed

    /// The name as `PHExecution` spells it: `in-process`, `isolated`, `sandboxed`.
    public var description: String {
        switch self {
        case .inProcess: "in-process"
        case .isolated: "isolated"
        case .sandboxed: "sandboxed"
        }
    }

    /// The execution with a name, or nil.
    ///
    /// - Parameter name: a name as `PHExecution` spells it.
    public init?(_ name: String) {
        guard let execution = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = execution
    }

    /// Whether the second place is safer.
    @inlinable
    public static func < (a: PluginExecution, b: PluginExecution) -> Bool { a.rawValue < b.rawValue }
}

/// The state of a plug-in.
public enum PluginState: Sendable, Hashable {
    /// The plug-in is known, but its code was never needed.
    case discovered
    /// A catalogue has selected it and everything that it requires; its code is not loaded.
    case resolved
    /// Its code is being loaded, or its `activate` is running.
    case loading
    /// Its registrations are offered.
    case active
    /// Its registrations are no longer offered, and its `deactivate` is running.
    case deactivating
    /// It was unloaded: its registrations are not offered, but its code stays in the process.
    case deactivated
    /// The last load failed, and nothing is offered; loading may be tried again.
    case failed(PluginError)
}

extension PluginState: CustomStringConvertible {
    /// The state's name: `active`, `failed`.
    public var description: String {
        switch self {
        case .discovered: "discovered"
        case .resolved: "resolved"
        case .loading: "loading"
        case .active: "active"
        case .deactivating: "deactivating"
        case .deactivated: "deactivated"
        case .failed: "failed"
        }
    }
}

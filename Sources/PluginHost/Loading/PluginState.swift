/// Where a plug-in stands in its life.
public enum PluginState: Sendable, Hashable {
    /// It is known; nothing of its code was asked for.
    case discovered
    /// A catalogue has chosen it and everything that it requires; its code is not loaded.
    case resolved
    /// Its code is being brought in, or its `activate` runs.
    case loading
    /// What it registered is offered.
    case active
    /// Nothing of it is offered any more, and its `deactivate` runs.
    case deactivating
    /// It was unloaded: nothing of it is offered, its code stays in the process.
    case deactivated
    /// The last load failed, and nothing of it is offered; a new load may be tried.
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

/// Where a bundle's code stands in its life. What is large is behind a reference, because each load copies states.
enum LoadState {
    /// Never loaded, or nothing of the last try is left in the process.
    case unloaded
    /// A thread is loading it, up to the end of its last `activate`.
    case loading(LoadTicket, mapped: LoadedCode?)
    case active(LoadedCode)
    /// A thread is unloading it: the registrations are not offered any more, its names are still taken.
    case deactivating(LoadTicket, LoadedCode)
    /// The code is mapped and its entry has succeeded, the registrations are not offered: it was unloaded, or another
    /// bundle held one of its names, or its `activate` failed (then the error tells).
    indirect case dormant(LoadedCode, PluginError?)
    /// The last try failed.
    case failed(LoadFailure)

    /// As applications see it.
    var visible: PluginState {
        switch self {
        case .unloaded: .discovered
        case .loading: .loading
        case .active: .active
        case .deactivating: .deactivating
        case .dormant(_, nil): .deactivated
        case .dormant(_, let error?): .failed(error)
        case .failed(let failure): .failed(failure.error)
        }
    }
}

extension LoadState {
    /// The code, if it is in the process, whether it is offered or not.
    var mappedCode: LoadedCode? {
        switch self {
        case .unloaded, .failed: nil
        case .loading(_, let code): code
        case .active(let code), .deactivating(_, let code), .dormant(let code, _): code
        }
    }
}

/// A load that failed.
final class LoadFailure: Sendable {
    let error: PluginError
    /// Whose entry was called: it must not be called again, so a new try waits for another file.
    let entered: EnteredCode?

    init(error: PluginError, entered: EnteredCode?) {
        self.error = error
        self.entered = entered
    }
}

/// Code whose entry was called.
enum EnteredCode: Equatable {
    case file(FileIdentity)
    /// It is linked into the program, and cannot be replaced.
    case linked
}

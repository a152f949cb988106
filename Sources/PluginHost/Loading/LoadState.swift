import HostBasics

/// The state of a bundle's code.
///
/// Large parts are behind a reference, because each load copies states.
enum LoadState {
    /// Never loaded, or nothing of the last attempt is left in the process.
    case unloaded
    /// A thread is loading it. Ends after the bundle's last `activate`.
    case loading(LoadTicket, mapped: LoadedCode?)
    case active(LoadedCode)
    /// A thread is unloading it: its registrations are already withdrawn, but its names are still taken.
    case deactivating(LoadTicket, LoadedCode)
    /// The code is mapped and its entry has succeeded, but the registrations are not offered: the bundle was unloaded,
    /// or another bundle had one of its names, or its `activate` failed (the error states which).
    indirect case dormant(LoadedCode, PluginError?)
    /// The last attempt failed.
    case failed(LoadFailure)

    /// The state as applications see it.
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
    /// The code if it is in the process, whether its registrations are offered or not.
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
    /// The code whose entry was called.
    ///
    /// The entry must not be called again, so a new attempt needs another file.
    let entered: EnteredCode?

    init(error: PluginError, entered: EnteredCode?) {
        self.error = error
        self.entered = entered
    }
}

/// Code whose entry was called.
enum EnteredCode: Equatable {
    case file(FileIdentity)
    /// The code is linked into the program and cannot be replaced.
    case linked
}

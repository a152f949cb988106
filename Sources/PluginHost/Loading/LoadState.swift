/// Where a bundle's code stands in its life.
enum LoadState {
    /// Never loaded, or nothing of the last try is left in the process.
    case unloaded
    /// A thread is loading it.
    case loading(LoadTicket)
    case loaded(LoadedCode)
    /// The code is mapped and its entry has succeeded, the registrations are not offered: it was unloaded, or another
    /// bundle held one of its names (then the error tells which).
    case dormant(LoadedCode, PluginError?)
    /// The last try failed.
    case failed(LoadFailure)
}

/// A load that failed.
struct LoadFailure {
    let error: PluginError
    /// The executable, where its entry was called: it must not be called again, so a new try waits for another file.
    let entered: FileIdentity?
}

import HostBasics
import Synchronization

/// The state that loading, catalogues and hot reload keep for a bundle: the state of its code, and who uses it.
final class CodeState: Sendable {
    let load = Lock(LoadState.unloaded)
    /// The address of the entry if the code is linked into the program; 0 for code in a file.
    ///
    /// It is not under a lock, because each load reads it.
    let linkedEntry = Atomic<UInt>(0)
    /// Whether a newer generation has replaced this bundle.
    let isSuperseded = Atomic(false)
    /// The catalogue that loaded the bundle, held for ever.
    ///
    /// Why: loaded code may request services until the process ends. The folder Services knows its type.
    let catalog = Lock<(any AnyObject & Sendable)?>(nil)
    /// The kept results of the catalogue that loads the bundle; nil unless that demands a probe.
    let probes = Lock<ProbeResults?>(nil)
    let state = Lock(StateSource.user)

    /// Who says where the plug-in keeps its state.
    enum StateSource: Sendable {
        /// The user's directory for state.
        case user
        /// The host of this worker; nil if it did not grant it.
        case host(String?)
    }
}

extension PluginBundle {
    /// Created at the first use; afterwards it stays the same as long as the bundle exists.
    var codeState: CodeState {
        // Only this property stores a value there.
        if let known = loadingState.load() { return unsafeDowncast(known, to: CodeState.self) }
        return unsafeDowncast(loadingState.storeIfNil(CodeState()), to: CodeState.self)
    }

    /// Whether a newer generation has replaced it: it is not found by its identifier and not loaded again.
    var isSuperseded: Bool { codeState.isSuperseded.load(ordering: .acquiring) }

    func supersede() { codeState.isSuperseded.store(true, ordering: .releasing) }
}

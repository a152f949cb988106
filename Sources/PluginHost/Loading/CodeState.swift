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
    /// The catalogue that loaded the bundle, held until the process ends.
    ///
    /// Why: loaded code may request services until then.
    let catalog = Lock<PluginCatalog?>(nil)
    /// The probe results of the catalogue that loads the bundle; nil unless the catalogue demands a probe.
    let probes = Lock<ProbeResults?>(nil)
    let state = Lock(StateSource.user)

    /// What determines where the plug-in keeps its state.
    enum StateSource: Sendable {
        /// The user's state directory.
        case user
        /// The host of this worker; nil if the host did not grant a directory.
        case host(String?)
    }
}

extension PluginBundle {
    /// Created at the first use, and the same object as long as the bundle exists.
    var codeState: CodeState { codeReference.load() ?? codeReference.storeIfNil(CodeState()) }

    /// Whether a newer generation has replaced this bundle: its identifier no longer finds it, and it is not loaded
    /// again.
    var isSuperseded: Bool { codeState.isSuperseded.load(ordering: .acquiring) }

    func supersede() { codeState.isSuperseded.store(true, ordering: .releasing) }
}

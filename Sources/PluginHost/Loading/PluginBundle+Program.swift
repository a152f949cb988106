import ELFImages
import Synchronization

extension PluginBundle {
    /// Whether this is the main bundle, whose code runs from the start of the process.
    ///
    /// A main bundle with a linked entry (``linked(at:entry:)``) is loaded through that entry, like other bundles.
    var isProgram: Bool { BundleOpening.isMain(self) && !isLinked }

    /// Gives the main bundle a state for the running code, without registrations.
    ///
    /// Observers see no change of state, because the code was loaded before any observer existed.
    func beginAsProgram() {
        guard currentCode == nil else { return }
        let code = LoadedCode(
            library: LoadedLibrary.program, registrations: Registrations(), findings: [], table: HostTable(bundle: self)
        )
        codeState.load.withLock { state in
            guard case .unloaded = state else { return }
            code.isOffered.store(true, ordering: .releasing)
            state = .active(code)
        }
    }
}

import Synchronization

extension PluginBundle {
    /// Whether the bundle is the program's own, the main bundle: its code runs from the start of the process. One whose
    /// entry was linked (``linked(at:entry:)``) is loaded by that entry, as all others are.
    var isProgram: Bool { BundleOpening.isMain(self) && !isLinked }

    /// Gives the program's bundle the code that runs, which registered nothing. Not a change of state for an observer: it
    /// was loaded before anybody could look.
    func beginAsProgram() {
        guard currentCode == nil else { return }
        let code = LoadedCode(
            image: LoadedImage.program, registrations: Registrations(), findings: [], table: HostTable(bundle: self))
        codeState.load.withLock { state in
            guard case .unloaded = state else { return }
            code.isActive.store(true, ordering: .relaxed)
            state = .active(code)
        }
    }
}

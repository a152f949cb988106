import Synchronization

/// What loading, catalogues and hot reload keep on a bundle: where its code stands in its life, and who uses it.
final class CodeState: Sendable {
    let load = Lock(LoadState.unloaded)
    /// Where the entry stands of code that is linked into the program; 0 for code in a file. No lock, because each load
    /// asks for it.
    let linkedEntry = Atomic<UInt>(0)
    /// Whether a newer generation is in the bundle's place.
    let isSuperseded = Atomic(false)
    /// The catalogue that brought the bundle into use. Held for good: whose code is loaded may ask for services as long
    /// as the process lives. Services knows its type.
    let catalog = Lock<(any AnyObject & Sendable)?>(nil)
}

extension PluginBundle {
    /// Made at the first question, then the same for the bundle's life.
    var codeState: CodeState {
        // What stands there is stored here only.
        if let known = loadingState.load() { return unsafeDowncast(known, to: CodeState.self) }
        return unsafeDowncast(loadingState.storeIfNil(CodeState()), to: CodeState.self)
    }

    /// Whether a newer generation is in its place: it is not found by its identifier and not loaded again.
    var isSuperseded: Bool { codeState.isSuperseded.load(ordering: .acquiring) }

    func supersede() { codeState.isSuperseded.store(true, ordering: .releasing) }
}

import Dispatch
import HostBasics
import PluginABI
import Synchronization

/// The generations of one plug-in's code, one of which is active.
///
/// Each is loaded from a private copy of the bundle, next to earlier ones. A new generation is entered and activated
/// while the old one is still in use; then one assignment under a lock directs every new caller to the new one. Callers
/// that are in the old one finish there, and it is deactivated when the last of them has left. Nothing is ever
/// unmapped.
///
/// **Threads.** Any; no lock is held while code of a plug-in runs.
final class PluginGenerations: Sendable {
    /// One generation.
    final class Generation: Sendable {
        let number: Int
        let bundle: PluginBundle
        /// Nil for a generation that is loaded from the original bundle, because the catalogue was not watched yet, or
        /// because the code is linked into the program.
        let copy: BundleCopy?
        /// The files from which it was loaded, if there is no copy to compare with; nil if they could not be read.
        private let identity: BundleCode.Identity?
        /// Whether the copy was removed because it is no longer needed.
        fileprivate let isCopyRemoved = Atomic(false)
        /// The callers that are currently in it.
        let users = DispatchGroup()

        init(number: Int, copy: BundleCopy) throws(PluginError) {
            self.number = number
            self.copy = copy
            bundle = try BundleOpening.bundle(path: copy.path, copyOf: copy.original)
            identity = nil
        }

        init(inPlace bundle: PluginBundle) {
            number = 1
            copy = nil
            self.bundle = bundle
            identity = try? BundleCode(layout: bundle.layout, executable: bundle.executableName)
                .identity(in: bundle.bundlePath)
        }

        fileprivate var code: BundleCode { BundleCode(layout: bundle.layout, executable: bundle.executableName) }

        /// Whether a bundle has the same code as this generation.
        fileprivate func isCurrent(_ path: String) throws(BundleCode.Failure) -> Bool {
            guard let copy else {
                if path != bundle.bundlePath { return false }
                return try code.identity(in: path) == identity
            }
            return try code.isEqual(in: path, and: copy.path)
        }
    }

    private struct State {
        var current: Generation?
        /// Earlier generations, oldest first.
        var old: [Generation] = []
        var made = 0
        /// The code of the last failed reload.
        ///
        /// It is not tried again until it changes.
        var refused: BundleCode.Identity?
        /// Where the bundle is installed.
        var path: String
    }

    /// The result of ``reload(at:)``.
    enum Outcome {
        /// Nothing was loaded, or the code is the same as before.
        case unchanged
        /// The same code, with other resources.
        case resources(Generation)
        case replaced(by: Generation)
        /// The previous generation stays active.
        case failed(PluginError)
    }

    private let state: Lock<State>
    /// Held while a copy is made.
    ///
    /// Files are then read and written, but no code of a plug-in runs.
    private let copying = Lock(())

    /// - Parameter path: where the bundle is installed.
    init(path: String) { state = Lock(State(path: path)) }

    /// - Parameter bundle: the first generation, which is already loaded or linked into the program.
    init(inPlace bundle: PluginBundle) {
        state = Lock(State(current: Generation(inPlace: bundle), made: 1, path: bundle.bundlePath))
    }

    /// Where the bundle is installed.
    var path: String { state.withLock(\.path) }

    // MARK: Use

    /// Lets a caller use the active generation, which is not deactivated until the body has returned.
    ///
    /// The first caller creates the first generation, which is not loaded yet.
    ///
    /// - Throws: the errors of the body, with the path of the installed bundle; ``PluginError`` of code `copyFailed`.
    func use<Result>(_ body: (PluginBundle) throws -> Result) throws -> Result {
        while true {
            let generation = try entered()
            defer { generation.users.leave() }
            do {
                return try body(generation.bundle)
            } catch let error as PluginError {
                // It was retired before it was loaded, because the bundle had changed. Use its successor.
                if error.code == .superseded, generation.bundle.isSuperseded { continue }
                throw generation.copy?.ofOriginal(error) ?? error
            }
        }
    }

    /// The active generation, already entered: the caller must leave its group.
    private func entered() throws(PluginError) -> Generation {
        while true {
            if let generation = enterCurrent() { return generation }
            try copying.withLock { (_) throws(PluginError) in
                // Another thread may have created it in the meantime.
                if current != nil { return }
                let first = try make()
                state.withLock { $0.current = first }
            }
        }
    }

    /// Looks it up and enters it in one step, so that a thread that replaces it waits for this caller.
    private func enterCurrent() -> Generation? {
        state.withLock { state in
            state.current?.users.enter()
            return state.current
        }
    }

    /// The active generation; nil if the plug-in was not used since the last one was retired without a successor.
    var current: Generation? { state.withLock(\.current) }

    private func make() throws(PluginError) -> Generation {
        let path = path
        if BundleTable.shared.linkedBundle(atPath: path) != nil { throw Self.linked(path) }
        let copy = try BundleCopy(of: path)
        for finding in copy.findings { HostEnvironment.log(.warning, "\(finding.message) \(finding.remedy)") }
        let number = state.withLock { state in
            state.made += 1
            return state.made
        }
        do throws(PluginError) {
            return try Generation(number: number, copy: copy)
        } catch {
            copy.remove()
            throw copy.ofOriginal(error)
        }
    }

    /// The error for linked code, which has only one generation.
    private static func linked(_ path: String) -> PluginError {
        PluginError(
            bundlePath: path,
            PluginFinding(
                .copyFailed, filePath: path,
                message: """
                    The code of this bundle is linked into the application and cannot be replaced while it \
                    runs; only the resources of the bundle are read again.
                    """,
                remedy: "Build the application again, and restart it."))
    }

    // MARK: Reload

    /// Updates the active generation from the currently installed bundle.
    ///
    /// If the plug-in is not loaded, the next use makes a new copy.
    ///
    /// - Parameter path: where the bundle is installed now.
    /// - Returns: the outcome: whether there is a new generation, and if not, why.
    ///
    /// **Threads.** One at a time for each plug-in; it runs code of the plug-in.
    func reload(at path: String) -> Outcome {
        state.withLock { $0.path = path }
        guard let old = current else { return .unchanged }
        // Wait for a load in progress. Its outcome shows in the state.
        if case .loading = old.bundle.state { old.bundle.load() }
        let identity: BundleCode.Identity
        do throws(BundleCode.Failure) {
            if try old.isCurrent(path) { return refreshResources(of: old, from: path) }
            identity = try old.code.identity(in: path)
        } catch {
            return .failed(BundleCopy.error(path, error))
        }
        if state.withLock({ $0.refused == identity }) { return .unchanged }
        switch old.bundle.state {
        // An author who changed linked code must see the error that this has no effect, even before the first use.
        case _ where BundleTable.shared.linkedBundle(atPath: path) != nil: return replace(old, identity)
        case .active, .failed: return replace(old, identity)
        case .discovered, .resolved, .loading, .deactivating, .deactivated:
            // It is not in use. The next caller gets the version that is installed then.
            retire(old, successor: nil)
            return .unchanged
        }
    }

    private func refreshResources(of generation: Generation, from path: String) -> Outcome {
        // A generation that was loaded from the original bundle reads its resources there.
        if let copy = generation.copy {
            do throws(PluginError) {
                guard try copy.refreshResources(generation.code, from: path) else { return .unchanged }
            } catch {
                return .failed(error)
            }
        }
        generation.bundle.noteChangedResources()
        return .resources(generation)
    }

    private func replace(_ old: Generation, _ identity: BundleCode.Identity) -> Outcome {
        do throws(PluginError) {
            let new = try make()
            new.bundle.catalog = old.bundle.catalog
            do {
                try new.bundle.load(inPlaceOf: old.bundle)
            } catch {
                // It must never be found instead of the old one.
                new.bundle.supersede()
                new.removeCopy()
                throw new.ofOriginal(error)
            }
            retire(old, successor: new)
            return .replaced(by: new)
        } catch {
            // The same code would fail again, unless the system refused.
            if !error.isProvisional, error.code != .loadFailed { state.withLock { $0.refused = identity } }
            return .failed(error)
        }
    }

    /// Directs callers to another generation, and deactivates the old one when the last caller in it has left.
    private func retire(_ old: Generation, successor: Generation?) {
        // The single step: before it every caller enters the old one, afterwards the new one.
        state.withLock { state in
            state.current = successor
            state.refused = nil
            state.old.append(old)
        }
        old.bundle.supersede()
        if old.users.wait(timeout: .now()) == .success {
            old.bundle.unload()
        } else {
            old.users.notify(queue: .global()) { old.bundle.unload() }
        }
    }

    // MARK: Copies that nobody needs

    /// How many copies are kept for generations that created structures or closures, because their end cannot be
    /// detected.
    private static let mostUncounted = 3

    /// Removes the copies of generations that ended: inactive, without callers, and without objects.
    ///
    /// Their code stays mapped. Everything that it has already loaded keeps working; a resource that it searches for
    /// later is missing.
    func removeEndedCopies() {
        let ended = state.withLock(\.old).filter { !$0.isHeld && $0.hasLeftService }
        let uncounted = ended.filter(\.bundle.hasMadeUncountedValues)
        let kept = Set(uncounted.suffix(Self.mostUncounted).map(\.number))
        for generation in ended where !kept.contains(generation.number) { generation.removeCopy() }
    }

    // MARK: Reports

    /// Inactive generations that still have callers or objects, oldest first.
    var remaining: [GenerationReport] {
        state.withLock { $0.old.map { $0 } }.filter(\.isHeld).map(\.report)
    }

    /// All generations, oldest first; code is never unmapped.
    var all: [GenerationReport] {
        state.withLock { $0.old + ($0.current.map { [$0] } ?? []) }.map(\.report)
    }
}

extension PluginBundle {
    /// Makes the next look-ups use the present resources, in this process and in the one that runs the code.
    fileprivate func noteChangedResources() {
        resources.noteChangedFiles()
        mappedCode?.isolated?.noteChangedResources()
    }
}

extension PluginGenerations.Generation {
    /// An error of a load, with the path of the installed bundle.
    fileprivate func ofOriginal(_ error: any Error) -> PluginError {
        // Loads throw no other type.
        let error = error as! PluginError
        return copy?.ofOriginal(error) ?? error
    }

    /// Whether its hooks have run for the last time.
    fileprivate var hasLeftService: Bool {
        switch bundle.state {
        case .discovered, .resolved, .failed, .deactivated: true
        case .loading, .active, .deactivating: false
        }
    }

    fileprivate func removeCopy() {
        guard let copy, !isCopyRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return }
        copy.remove()
        bundle.mappedCode?.copy?.remove()
    }

    fileprivate var isHeld: Bool {
        users.wait(timeout: .now()) != .success || !bundle.liveObjects.isEmpty
    }

    var report: GenerationReport {
        GenerationReport(
            number: number, bundlePath: bundle.bundlePath,
            version: bundle.manifest.shortVersion ?? bundle.manifest.version, state: bundle.state,
            liveObjects: bundle.liveObjects)
    }
}

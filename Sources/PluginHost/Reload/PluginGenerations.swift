import Dispatch
import PluginABI
import Synchronization

/// The generations of one plug-in's code, of which one is in service.
///
/// Each is loaded from a private copy of the bundle, beside those before it. A new one is entered and activated while the
/// old one serves; then one assignment under a lock leads every caller to the new one. Who was in the old one by then
/// goes on in it, and only when the last of them has left is the old one deactivated. Nothing is ever unmapped.
///
/// **Threads.** Any; no lock is held over code of a plug-in.
final class PluginGenerations: Generations {
    /// One of them.
    final class Generation: Sendable {
        let number: Int
        let bundle: PluginBundle
        /// Nil for one that is loaded in place, because nobody watched yet, or it is linked into the program.
        let copy: BundleCopy?
        /// Which files it was loaded from, where there is no copy to compare with; nil where that could not be read.
        private let identity: BundleCode.Identity?
        /// Whether the copy was removed, as nobody needs it any more.
        fileprivate let isCopyRemoved = Atomic(false)
        /// Those who are in it now.
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

        /// Whether a bundle has the code that this one was loaded from.
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
        /// Those before, oldest first.
        var old: [Generation] = []
        var made = 0
        /// Which code a reload failed with last: it is not tried again until it has changed.
        var refused: BundleCode.Identity?
        /// Where the bundle is installed.
        var path: String
    }

    /// What ``reload()`` did.
    enum Outcome {
        /// Nothing was loaded, or the code is the same as before.
        case unchanged
        /// The same code, with other resources.
        case resources(Generation)
        case replaced(by: Generation)
        /// The generation before is still in service.
        case failed(PluginError)
    }

    private let state: Lock<State>
    /// Held while a copy is made: files are read and written, and no code of a plug-in runs.
    private let copying = Lock(())

    /// - Parameter path: where the bundle is installed.
    init(path: String) { state = Lock(State(path: path)) }

    /// - Parameter bundle: one that is loaded already, or linked into the program, and is the first generation.
    init(inPlace bundle: PluginBundle) {
        state = Lock(State(current: Generation(inPlace: bundle), made: 1, path: bundle.bundlePath))
    }

    /// Where the bundle is installed.
    var path: String { state.withLock(\.path) }

    // MARK: Use

    /// Lets a caller use the generation in service, which is not deactivated before the body has returned. The first one
    /// is made, and not loaded yet, when the first caller comes.
    ///
    /// - Throws: what the body throws, told of the bundle as it is installed; ``PluginError`` of code `copyFailed`.
    func use<Result>(_ body: (PluginBundle) throws -> Result) throws -> Result {
        while true {
            let generation = try entered()
            defer { generation.users.leave() }
            do {
                return try body(generation.bundle)
            } catch let error as PluginError {
                // It was dismissed before it was loaded, because the bundle had changed: there is another.
                if error.code == .superseded, generation.bundle.isSuperseded { continue }
                throw generation.copy?.told(error) ?? error
            }
        }
    }

    /// The generation in service, entered: its group is to be left.
    private func entered() throws(PluginError) -> Generation {
        while true {
            if let generation = enterCurrent() { return generation }
            try copying.withLock { (_) throws(PluginError) in
                // Another thread may have made it meanwhile.
                if current != nil { return }
                let first = try make()
                state.withLock { $0.current = first }
            }
        }
    }

    /// Looked up and entered in one step: whoever replaces it then waits for the user.
    private func enterCurrent() -> Generation? {
        state.withLock { state in
            state.current?.users.enter()
            return state.current
        }
    }

    /// The generation in service; nil if nobody has used the plug-in since it was last dismissed.
    var current: Generation? { state.withLock(\.current) }

    var bundleInService: PluginBundle? { current?.bundle }

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
            throw copy.told(error)
        }
    }

    /// Of linked code there is the one generation.
    private static func linked(_ path: String) -> PluginError {
        PluginError(
            bundlePath: path,
            PluginFinding(
                .copyFailed, filePath: path,
                message: """
                    The code of this bundle is linked into the application and cannot be replaced while that runs; only \
                    its resources are read anew.
                    """,
                remedy: "Build the application anew, and restart it."))
    }

    // MARK: Reload

    /// Brings the generation in service up to date with the bundle as it is installed now. Of a plug-in that is not
    /// loaded, the next use makes a new copy.
    ///
    /// - Parameter path: where the bundle is installed now.
    /// - Returns: whether there is a new generation, and if not, why.
    ///
    /// **Threads.** One at a time for each plug-in; it runs code of the plug-in.
    func reload(at path: String) -> Outcome {
        state.withLock { $0.path = path }
        guard let old = current else { return .unchanged }
        // What is being loaded is waited for; how it ends shows in the state.
        if case .loading = old.bundle.state { old.bundle.load() }
        let identity: BundleCode.Identity
        do throws(BundleCode.Failure) {
            if try old.isCurrent(path) { return refreshResources(of: old) }
            identity = try old.code.identity(in: path)
        } catch {
            return .failed(BundleCopy.error(path, error))
        }
        if state.withLock({ $0.refused == identity }) { return .unchanged }
        switch old.bundle.state {
        // Whoever changed what is linked is told that it is of no use, also before the first use.
        case _ where BundleTable.shared.linkedBundle(atPath: path) != nil: return replace(old, identity)
        case .active, .failed: return replace(old, identity)
        case .discovered, .resolved, .loading, .deactivating, .deactivated:
            // Nobody uses it. Whoever does next gets what is installed then.
            retire(old, successor: nil)
            return .unchanged
        }
    }

    private func refreshResources(of generation: Generation) -> Outcome {
        // One that was loaded in place sees its resources where they are.
        guard let copy = generation.copy else { return .resources(generation) }
        do throws(PluginError) {
            return try copy.refreshResources(generation.code) ? .resources(generation) : .unchanged
        } catch {
            return .failed(error)
        }
    }

    private func replace(_ old: Generation, _ identity: BundleCode.Identity) -> Outcome {
        do throws(PluginError) {
            let new = try make()
            new.bundle.catalog = old.bundle.catalog
            do {
                try new.bundle.load(inPlaceOf: old.bundle)
            } catch {
                // Never to be found in the old one's place.
                new.bundle.supersede()
                new.removeCopy()
                throw new.told(error)
            }
            retire(old, successor: new)
            return .replaced(by: new)
        } catch {
            // The same code fails in the same way, unless it was the system that refused.
            if !error.isProvisional, error.code != .loadFailed { state.withLock { $0.refused = identity } }
            return .failed(error)
        }
    }

    /// Leads callers to another generation, and deactivates the old one when the last of those in it has left.
    private func retire(_ old: Generation, successor: Generation?) {
        // The one step: before it every caller enters the old one, after it the new one.
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

    /// How many copies are kept of generations that made values whose end nobody can see: structures and closures.
    private static let mostUncounted = 3

    /// Removes the copies of generations that ended: not in service, without callers, and without objects.
    ///
    /// Their code stays mapped. What it has loaded by then works on; a resource that it looks for afterwards is missing.
    func removeEndedCopies() {
        let ended = state.withLock(\.old).filter { !$0.isHeld && $0.hasLeftService }
        let uncounted = ended.filter(\.bundle.hasMadeUncountedValues)
        let kept = Set(uncounted.suffix(Self.mostUncounted).map(\.number))
        for generation in ended where !kept.contains(generation.number) { generation.removeCopy() }
    }

    // MARK: Reports

    /// Those that are not in service any more and still have callers or objects, oldest first.
    var remaining: [GenerationReport] {
        state.withLock { $0.old.map { $0 } }.filter(\.isHeld).map(\.report)
    }

    /// All of them, oldest first: code is never unmapped.
    var all: [GenerationReport] {
        state.withLock { $0.old + ($0.current.map { [$0] } ?? []) }.map(\.report)
    }
}

extension PluginGenerations.Generation {
    /// What a load threw, told of the bundle as it is installed.
    fileprivate func told(_ error: any Error) -> PluginError {
        // Loads throw nothing else.
        let error = error as! PluginError
        return copy?.told(error) ?? error
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

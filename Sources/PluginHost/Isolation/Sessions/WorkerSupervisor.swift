import Glibc
import HostBasics
internal import PluginABI

/// Decides which worker runs which bundle, and when another worker may be started.
///
/// A worker runs as long as it is in use. The next request replaces a worker that has ended: at once the first time,
/// then after a delay that doubles with each end, so that a plug-in that always crashes does not keep the machine busy.
/// After ``IsolationPolicy/deaths`` ends the plug-in is in quarantine.
final class WorkerSupervisor: WorkerSource {
    static let shared = WorkerSupervisor()

    /// What two bundles must have in common to share a worker, so that no bundle runs with more rights than were
    /// decided for it.
    private struct Group: Hashable {
        let name: String
        /// The folder of the bundles: a confined worker reads only the bundles in it.
        let folder: String
        let rights: Placement.Rights
    }

    /// The ends of the workers of one bundle.
    private struct Ends {
        /// The files of the bundle that ended them; nil if the bundle was already released.
        let files: [FileIdentity?]?
        var history = EndHistory()
        /// Whether the ends put the bundle into the application's quarantine, which then decides how long it stays
        /// there.
        var isInQuarantine = false
    }

    private struct State {
        var groups: [Group: PluginWorker] = [:]
        var uses: [ObjectIdentifier: Int] = [:]
        /// By the path of the bundle.
        var ends: [String: Ends] = [:]
    }

    private let state = Lock(State())
    private let now: @Sendable () -> UInt64
    private let count: @Sendable (WorkerEnd, PluginBundle, PluginWorker) -> Bool

    /// - Parameters:
    ///   - now: the monotonic clock, or that of a test.
    ///   - count: counts an end across all processes of the application, and returns whether the bundle is now in
    ///     quarantine.
    init(
        now: @escaping @Sendable () -> UInt64 = { MonotonicTime.now },
        count: @escaping @Sendable (WorkerEnd, PluginBundle, PluginWorker) -> Bool = {
            WorkerSupervisor.count($0, $1, $2)
        }
    ) {
        self.now = now
        self.count = count
    }

    func session(for bundle: PluginBundle) throws(PluginError) -> any WorkerSession {
        let placement: Placement
        if let toolchain = bundle.foreignToolchain {
            placement = try bundle.placement(ofToolchain: toolchain)
        } else {
            placement = try bundle.placement()
        }
        if let finding = Quarantine.current?.finding(about: bundle) {
            throw PluginError(bundlePath: bundle.bundlePath, finding)
        }
        let group = placement.group.map {
            Group(name: $0, folder: Path.parent(bundle.bundlePath), rights: placement.rights)
        }
        PluginWorker.waitForCounts(of: bundle.bundlePath)
        // Also before it uses a worker of its group: otherwise its code could end that worker, with the other bundles,
        // again.
        try waitAfterEnds(of: bundle, placement)
        if let group, let worker = member(of: group) { return worker }
        let worker = try WorkerSpares.shared.worker(for: placement, bundle)
        return state.withLock { state in
            // Another bundle of the group may have been faster: then two workers serve the group.
            if let group, state.groups[group].map(\.hasEnded) ?? true { state.groups[group] = worker }
            state.uses[ObjectIdentifier(worker), default: 0] += 1
            return worker
        }
    }

    private func member(of group: Group) -> PluginWorker? {
        state.withLock { state in
            guard let worker = state.groups[group], !worker.hasEnded else { return nil }
            state.uses[ObjectIdentifier(worker), default: 0] += 1
            return worker
        }
    }

    /// Notes that a bundle no longer uses a worker.
    ///
    /// The worker ends if no other bundle uses it.
    func leave(_ worker: PluginWorker) {
        let isUnused = state.withLock { state in
            let key = ObjectIdentifier(worker)
            let uses = (state.uses[key] ?? 1) - 1
            state.uses[key] = uses == 0 ? nil : uses
            if uses == 0, let group = state.groups.first(where: { $0.value === worker })?.key {
                state.groups[group] = nil
            }
            return uses == 0
        }
        if isUnused { worker.stop(by: PluginWorker.unloadTime) }
    }

    // MARK: Ends

    /// The longest wait, in nanoseconds.
    ///
    /// A longer one is refused, so that the caller who wants an object is not held up.
    private static let longestWait: UInt64 = 1_000_000_000

    /// Notes that a bundle's code ended its worker, so that the next worker may have to wait.
    ///
    /// - Returns: a function for the other consequences of the end. It starts threads and reports, so call it once the
    ///   callers have their errors.
    func note(_ end: WorkerEnd, of bundlePath: String, _ bundle: PluginBundle?, in worker: PluginWorker) -> () -> Void {
        let placement = worker.start.placement
        let now = now()
        let files = bundle.map(Self.files)
        let history = state.withLock { state in
            var ends = state.ends[bundlePath] ?? Ends(files: files)
            if let known = ends.files, let files, known != files { ends = Ends(files: files) }
            ends.history.note(at: now, of: worker)
            state.ends[bundlePath] = ends
            return ends.history
        }
        guard let bundle else { return {} }
        return { [self] in
            WorkerReports.clean { [self] in
                if worker.isForgiven(bundlePath) { return }
                let decision = history.decision(
                    at: now, deaths: placement.deaths, within: placement.deathsWithin, jitter: 0)
                if case .quarantine = decision {
                    worker.report(.quarantined(identifier: worker.start.bundleIdentifier))
                }
                guard count(end, bundle, worker) else { return }
                state.withLock { $0.ends[bundlePath]?.isInQuarantine = true }
            }
        }
    }

    /// No longer counts the end of a worker against a bundle, because the call that ended it had ended another worker
    /// before.
    func forgive(_ worker: PluginWorker, _ bundlePath: String) {
        state.withLock { $0.ends[bundlePath]?.history.forget(worker) }
    }

    /// Counts an end against a bundle, across all processes of the application: see ``Strikes``.
    ///
    /// Logs if the bundle is then in quarantine.
    ///
    /// - Returns: whether the bundle is then in quarantine.
    ///
    /// **Cost.** Reads and writes files, so no caller should wait for it.
    private static func count(_ end: WorkerEnd, _ bundle: PluginBundle, _ worker: PluginWorker) -> Bool {
        let placement = worker.start.placement
        guard
            let finding = Strikes.note(
                end, at: worker.momentOfEnd, of: bundle, deaths: placement.deaths, within: placement.deathsWithin)
        else { return false }
        HostEnvironment.log(
            .error, bundleIdentifier: bundle.displayIdentifier, "\(finding.message) \(finding.remedy)")
        return true
    }

    /// The files whose change shows that a bundle was changed, so that its earlier ends no longer count.
    private static func files(of bundle: PluginBundle) -> [FileIdentity?] {
        [bundle.manifestPath, bundle.executablePath].map { $0.flatMap { FileIdentity(path: $0) } }
    }

    /// Forgets the ends of a bundle's workers.
    private func forgetEnds(of bundlePath: String) {
        state.withLock { _ = $0.ends.removeValue(forKey: bundlePath) }
    }

    /// Waits until another worker may be started for a bundle.
    ///
    /// - Throws: ``PluginError`` of code `quarantined`, or `workerUnavailable` if the wait is longer than
    ///   ``longestWait``.
    private func waitAfterEnds(of bundle: PluginBundle, _ placement: Placement) throws(PluginError) {
        guard let ends = state.withLock({ $0.ends[bundle.bundlePath] }) else { return }
        if let known = ends.files, known != Self.files(of: bundle) { return forgetEnds(of: bundle.bundlePath) }
        let decision = ends.history.decision(
            at: now(), deaths: placement.deaths, within: placement.deathsWithin, jitter: .random(in: 0...1))
        switch decision {
        case .startNow: break
        case .wait(let time) where time <= Self.longestWait: usleep(UInt32(time / 1_000))
        case .wait(let time):
            let seconds = (time + 999_999_999) / 1_000_000_000
            var finding = PluginFinding(
                .workerUnavailable,
                message: "The plug-in ended its worker processes; another one is not started for \(seconds) s.",
                remedy: "Try again later, and report the ends of the processes to the author of the plug-in.")
            finding.refusal = EAGAIN
            throw PluginError(bundlePath: bundle.bundlePath, finding)
        // The application's quarantine was checked before, and no longer has the bundle: it was taken out.
        case .quarantine where ends.isInQuarantine: forgetEnds(of: bundle.bundlePath)
        case .quarantine(let count):
            throw PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    .quarantined,
                    message: """
                        The plug-in ended \(count) of its worker processes within \(placement.deathsWithin). It is in \
                        quarantine.
                        """,
                    remedy: "Install another version of the plug-in, or report the ends to its author."))
        }
    }
}

extension Placement {
    /// Everything that decides what a worker may do.
    struct Rights: Hashable, Sendable {
        let execution: PluginExecution
        let permissions: PluginPermissions
        let limits: WorkerLimits
        let program: WorkerProgram
        let runtime: WorkerRuntime?
        let directories: [String: String]
        /// Belongs to one plug-in; others must not reach it.
        let stateDirectory: StateDirectory?
        let user: String?
        let times: [Duration?]
    }

    var rights: Rights {
        Rights(
            execution: execution, permissions: permissions, limits: limits, program: program, runtime: runtime,
            directories: directories, stateDirectory: stateDirectory, user: user, times: [callTime, cancelTime])
    }
}

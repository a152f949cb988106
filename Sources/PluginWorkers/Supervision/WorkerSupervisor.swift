package import BundleReading
import Glibc
package import HostBasics
import PluginABI

/// Decides which worker runs which bundle, and when another worker may be started.
///
/// A worker runs as long as it is in use. The next request replaces a worker that has ended: at once the first time,
/// then after a delay that doubles with each end, so that a plug-in that always crashes does not keep the machine busy.
/// After ``IsolationPolicy/deaths`` ends the plug-in is in quarantine.
package final class WorkerSupervisor: Sendable {
    package static let shared = WorkerSupervisor()

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
        /// The files of the bundle that ended them.
        let files: [FileIdentity?]
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
    private let count: @Sendable (WorkerEnd, PluginInfo, PluginWorker) -> Bool

    /// - Parameters:
    ///   - now: the monotonic clock, or that of a test.
    ///   - count: counts an end across all processes of the application, and returns whether the bundle is now in
    ///     quarantine.
    init(
        now: @escaping @Sendable () -> UInt64 = { MonotonicTime.now },
        count: @escaping @Sendable (WorkerEnd, PluginInfo, PluginWorker) -> Bool = {
            WorkerSupervisor.count($0, $1, $2)
        }
    ) {
        self.now = now
        self.count = count
    }

    /// A process for a bundle: a new one, or that of its group.
    ///
    /// - Parameters:
    ///   - plugin: the bundle.
    ///   - placement: how it runs.
    ///   - host: the application as it is when a process starts.
    /// - Returns: the process, which the bundle uses until ``leave(_:)``.
    /// - Throws: ``PluginError``: the reasons why no process can be started, or `quarantined`.
    package func session(
        for plugin: PluginInfo, _ placement: Placement, of host: @escaping @Sendable () -> WorkerHost
    ) throws(PluginError) -> PluginWorker {
        let group = placement.group.map {
            Group(name: $0, folder: Path.parent(plugin.path), rights: placement.rights)
        }
        PluginWorker.waitForCounts(of: plugin.path)
        // Also before it uses a worker of its group: otherwise its code could end that worker, with the other bundles,
        // again.
        try waitAfterEnds(of: plugin, placement)
        if let group, let worker = member(of: group) { return worker }
        let worker = try WorkerSpares.shared.worker(for: placement, plugin, of: host)
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
    func note(_ end: WorkerEnd, of plugin: PluginInfo, in worker: PluginWorker) -> () -> Void {
        let placement = worker.start.placement
        let now = now()
        let files = plugin.identities
        let history = state.withLock { state in
            var ends = state.ends[plugin.path] ?? Ends(files: files)
            if ends.files != files { ends = Ends(files: files) }
            ends.history.note(at: now, of: worker)
            state.ends[plugin.path] = ends
            return ends.history
        }
        return { [self] in
            WorkerReports.clean { [self] in
                if worker.isForgiven(plugin.path) { return }
                let decision = history.decision(
                    at: now, deaths: placement.settings.deaths, within: placement.settings.deathsWithin, jitter: 0)
                if case .quarantine = decision {
                    worker.report(.quarantined(identifier: worker.start.bundleIdentifier))
                }
                guard count(end, plugin, worker) else { return }
                state.withLock { $0.ends[plugin.path]?.isInQuarantine = true }
            }
        }
    }

    /// No longer counts the end of a worker against a bundle, because the call that ended it had ended another worker
    /// before.
    func forgive(_ worker: PluginWorker, _ bundlePath: String) {
        state.withLock { $0.ends[bundlePath]?.history.forget(worker) }
    }

    /// Counts an end against a bundle, across all processes of the application: see ``EndCounter``.
    ///
    /// Logs if the bundle is then in quarantine.
    ///
    /// - Returns: whether the bundle is then in quarantine.
    ///
    /// **Cost.** Reads and writes files, so no caller should wait for it.
    private static func count(_ end: WorkerEnd, _ plugin: PluginInfo, _ worker: PluginWorker) -> Bool {
        let settings = worker.start.placement.settings, host = worker.start.host
        guard
            let finding = host.counter.count(
                end, at: worker.momentOfEnd, of: plugin, deaths: settings.deaths, within: settings.deathsWithin)
        else { return false }
        HeldLocks.afterRelease { host.log(.error, plugin.identifier, "\(finding.message) \(finding.remedy)") }
        return true
    }

    /// Forgets the ends of a bundle's workers.
    private func forgetEnds(of bundlePath: String) {
        state.withLock { _ = $0.ends.removeValue(forKey: bundlePath) }
    }

    /// Waits until another worker may be started for a bundle.
    ///
    /// - Throws: ``PluginError`` of code `quarantined`, or `workerUnavailable` if the wait is longer than
    ///   ``longestWait``.
    private func waitAfterEnds(of plugin: PluginInfo, _ placement: Placement) throws(PluginError) {
        guard let ends = state.withLock({ $0.ends[plugin.path] }) else { return }
        // A changed bundle begins anew: its earlier ends no longer count.
        if ends.files != plugin.identities { return forgetEnds(of: plugin.path) }
        let decision = ends.history.decision(
            at: now(), deaths: placement.settings.deaths, within: placement.settings.deathsWithin,
            jitter: .random(in: 0...1))
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
            throw PluginError(bundlePath: plugin.path, finding)
        // The application's quarantine was checked before, and no longer has the bundle: it was taken out.
        case .quarantine where ends.isInQuarantine: forgetEnds(of: plugin.path)
        case .quarantine(let count):
            throw PluginError(
                bundlePath: plugin.path,
                PluginFinding(
                    .quarantined,
                    message: """
                        The plug-in ended \(count) of its worker processes within \(placement.settings.deathsWithin). It is in \
                        quarantine.
                        """,
                    remedy: "Install another version of the plug-in, or report the ends to its author."))
        }
    }
}

import BundleReading
import HostBasics
import Synchronization

/// What an application decides about how the code of bundles runs.
///
/// `IsolationPolicy` is the only one. Its type belongs to a later folder, because it gets descriptions of plug-ins.
protocol PlacementPolicy: Sendable {
    /// Changes what the bundle requires to what the application decides, which is never less safe.
    func place(_ bundle: PluginBundle, _ placement: inout Placement)
}

extension PluginBundle {
    /// Where and how the code runs: the safest of what the bundle requires, what the application and the administrator
    /// decide, and what follows from a crash that its code caused.
    ///
    /// The application's closures run, so no lock may be held. Each start of a worker asks again, so that a grant that was
    /// withdrawn is gone from the next one.
    ///
    /// - Parameter minimum: what the caller, or the code itself, demands besides.
    /// - Returns: the decision.
    /// - Throws: ``PluginError`` of code `executionConflict`.
    ///
    /// **Cost.** If neither has decided anything, as for nearly every bundle: one load of an atomic.
    func placement(atLeast minimum: PluginExecution = .inProcess) throws(PluginError) -> Placement {
        let request = manifest.executionRequest
        // After a strike; not for a plug-in that cannot run elsewhere.
        let demand = request == .inProcess ? .inProcess : Strikes.demand(for: self)
        let least = [request?.least ?? .inProcess, demand, ExecutionList.demand(for: self), minimum].max()!
        if least == .inProcess, HostEnvironment.placementDeciders.load(ordering: .relaxed) == 0 {
            return Placement(execution: .inProcess)
        }
        var placement = Placement(execution: least)
        placement.limits = manifest.limits.limited(to: WorkerLimits())
        (HostEnvironment.current.placementPolicy as? any PlacementPolicy)?.place(self, &placement)
        if request == .inProcess, placement.execution != .inProcess { throw conflict(placement.execution) }
        return placement
    }

    private func conflict(_ decided: PluginExecution) -> PluginError {
        let key = ManifestKey.execution.spelling
        return PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .executionConflict, filePath: manifestPath, subject: key,
                message: """
                    The key \(key) of \(quoted(manifestPath)) is “in-process”: the code cannot run outside of the \
                    application's process, but the application's isolation policy or the administrator's list decided \
                    \(quoted(decided.description)).
                    """,
                remedy: "Use a plug-in that can be isolated, or let the policy and the list trust this one."))
    }
}

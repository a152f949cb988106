import BundleReading
import HostBasics
import HostRecords
import PluginABI
import PluginWorkers

extension PluginBundle {
    /// Where and how the code runs: the safest of the bundle's requirement, the decisions of the application and the
    /// administrator, and the consequence of a crash that its code caused.
    ///
    /// This runs closures of the application, so the caller must not hold a lock. Each start of a worker decides again,
    /// so that a withdrawn grant does not apply to the next worker.
    ///
    /// - Parameter minimum: what the caller, or the code itself, demands in addition.
    /// - Returns: the decision.
    /// - Throws: ``PluginError`` of code `executionConflict`.
    ///
    /// **Cost.** One load of an atomic if neither the application nor the administrator has decided anything, as for
    /// nearly every bundle.
    func placement(atLeast minimum: PluginExecution = .inProcess) throws(PluginError) -> Placement {
        let request = manifest.executionRequest
        // After a strike, but not for a plug-in that cannot run in a worker.
        let demand = request == .inProcess ? .inProcess : Strikes.demand(for: self)
        let listed = ExecutionList.currentDemand(for: displayIdentifier, formerly: manifest.replaces)
        let least = [request?.least ?? .inProcess, demand, listed, minimum].max()!
        if least == .inProcess, !PlacementDecider.isAnyPresent {
            return Placement(execution: .inProcess)
        }
        var placement = Placement(execution: least)
        placement.limits = manifest.limits.limited(to: WorkerLimits())
        HostEnvironment.current.isolationPolicy?.policy.place(self, &placement)
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

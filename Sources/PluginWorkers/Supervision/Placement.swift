package import BundleReading
package import PluginABI

/// Where and how the code of a bundle runs.
///
/// Decided before any of the code runs.
///
/// The initial values apply if the application decides nothing.
package struct Placement: Sendable {
    package var execution: PluginExecution
    /// The granted permissions: those both requested and allowed.
    package var permissions = PluginPermissions()
    /// The limits in force: as requested or by default, and reduced by the policy.
    package var limits = WorkerLimits()
    /// The plug-ins of one group share a worker; nil: this one has its own.
    package var group: String?
    /// The runtime of the toolchain that built the code; nil if the application's own toolchain did.
    package var runtime: WorkerRuntime?
    /// The plug-in's own directory, if it was granted.
    package var stateDirectory: StateDirectory?
    /// The settings for all workers of the application, with the user of this one.
    package var settings = WorkerSettings()

    package init(execution: PluginExecution) { self.execution = execution }
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
            execution: execution, permissions: permissions, limits: limits, program: settings.program, runtime: runtime,
            directories: settings.directories, stateDirectory: stateDirectory, user: settings.user,
            times: [settings.callTime, settings.cancelTime])
    }
}

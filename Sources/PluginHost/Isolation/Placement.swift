/// Where and how the code of a bundle runs.
///
/// Decided before any of the code runs.
///
/// The initial values apply if the application decides nothing.
struct Placement: Sendable {
    var execution: PluginExecution
    /// The granted permissions: those both requested and allowed.
    var permissions = PluginPermissions()
    /// The limits in force: as requested or by default, and reduced by the policy.
    var limits = WorkerLimits()
    /// The plug-ins of one group share a worker; nil: this one has its own.
    var group: String?
    var program = WorkerProgram.automatic
    /// Whether code that another toolchain built runs in a worker of its runtime, instead of being refused.
    var isolatesForeignToolchains = true
    /// The runtime of the toolchain that built the code; nil if the application's own toolchain did.
    var runtime: WorkerRuntime?
    /// The directories of `$HOST/name`, by name.
    var directories: [String: String] = [:]
    /// The plug-in's own directory, if it was granted.
    var stateDirectory: StateDirectory?
    /// How long one call may take; nil: no limit.
    var callTime: Duration?
    /// How long a cancelled call may continue; nil: no limit.
    var cancelTime: Duration?
    var startTime = Duration.seconds(10)
    /// How long a worker without objects keeps running; nil: until it is stopped.
    var idleTime: Duration? = .seconds(60)
    /// The user who runs the workers of a host that runs as root.
    var user: String?
    /// How many workers without a plug-in are kept ready.
    var spares = 0
    /// This many ends of its worker within ``deathsWithin`` put a plug-in into quarantine.
    var deaths = 3
    var deathsWithin = Duration.seconds(300)
}

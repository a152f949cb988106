/// Where and how the code of a bundle runs: decided before any of it runs.
///
/// The initial values are those of an application that decides nothing.
struct Placement: Sendable {
    var execution: PluginExecution
    /// What is granted: what was asked for and allowed.
    var permissions = PluginPermissions()
    /// What is in force: asked for, defaulted, and reduced by the policy.
    var limits = WorkerLimits()
    /// The plug-ins of one group share a worker; nil: this one has its own.
    var group: String?
    var program = WorkerProgram.automatic
    /// Whether code that another toolchain built runs in a worker of its runtime, instead of being refused.
    var isolatesForeignToolchains = true
    /// That of the toolchain that built the code; nil if it is the application's own.
    var runtime: WorkerRuntime?
    /// The directories that `$HOST/name` means.
    var directories: [String: String] = [:]
    /// The plug-in's own directory, if that was granted.
    var stateDirectory: StateDirectory?
    /// How long one call may take; nil: any time.
    var callTime: Duration?
    /// How long a cancelled call may go on; nil: any time.
    var cancelTime: Duration?
    var startTime = Duration.seconds(10)
    /// How long a worker without objects stays; nil: until it is stopped.
    var idleTime: Duration? = .seconds(60)
    /// Who runs the worker of a host that is root.
    var user: String?
    /// How many workers without a plug-in are kept ready.
    var spares = 0
    /// So many ends of its worker in ``deathsWithin`` put a plug-in into quarantine.
    var deaths = 3
    var deathsWithin = Duration.seconds(300)
}

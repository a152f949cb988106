/// What keeps a worker process from the rest of the machine, and what the machine lacks for it.
public struct Confinement: Sendable, Hashable {
    /// A layer of the confinement: each holds even if the plug-in overcomes another.
    public enum Layer: String, Sendable, Hashable, CaseIterable {
        /// The process has no privileges and cannot get any, not even by a set-user-id program.
        case privileges
        /// Only granted files are reached, by Landlock.
        case files
        /// No connections but the granted ones, by seccomp and Landlock.
        case network
        /// No signals to other processes, by seccomp and Landlock.
        case signals
        /// Only the system calls that plug-ins need, by seccomp.
        case systemCalls
        /// The memory is limited.
        case memory
        /// The number of threads is limited.
        case threads
        /// No other processes are started, or those that are end with the worker.
        case processes
    }

    /// The layers in force.
    public var enforced: Set<Layer>
    /// Why a layer is not in force, or only in part: a sentence for each.
    public var missing: [Layer: String]

    /// A confinement by some layers.
    public init(enforced: Set<Layer> = [], missing: [Layer: String] = [:]) {
        self.enforced = enforced
        self.missing = missing
    }
}

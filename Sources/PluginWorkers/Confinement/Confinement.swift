/// What separates a worker process from the rest of the machine, and what the machine lacks for that.
public struct Confinement: Sendable, Hashable {
    /// A layer of the confinement.
    ///
    /// Each layer holds even if the plug-in breaks another one.
    public enum Layer: String, Sendable, Hashable, CaseIterable {
        /// The process has no privileges and cannot get any, not even through a set-user-id program.
        case privileges
        /// Only granted files can be reached, enforced by Landlock.
        case files
        /// Only granted connections can be made, enforced by seccomp and Landlock.
        case network
        /// No signals can be sent to other processes, enforced by seccomp and Landlock.
        case signals
        /// Only the system calls that plug-ins need can be made, enforced by seccomp.
        case systemCalls
        /// The memory is limited.
        case memory
        /// The number of threads is limited.
        case threads
        /// The worker cannot start processes, or the processes that it starts end with it.
        case processes
    }

    /// The layers in force.
    public var enforced: Set<Layer>
    /// Why a layer is not in force, or only in part: a sentence for each.
    public var missing: [Layer: String]

    /// Creates a confinement with some layers.
    public init(enforced: Set<Layer> = [], missing: [Layer: String] = [:]) {
        self.enforced = enforced
        self.missing = missing
    }
}

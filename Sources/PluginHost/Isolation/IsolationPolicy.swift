import BundleReading
public import PluginABI
import PluginWorkers

/// The decisions of an application: where plug-ins run, and what they may reach there.
///
/// ```swift
/// HostEnvironment.current.isolation.execution = { $0.bundlePath.hasPrefix("/usr/lib/") ? .inProcess : .sandboxed }
/// ```
/// The closures run before any code of the plug-in, on the thread that loads it, with no lock held. Without a policy, a
/// plug-in runs in the application's process unless its `PHExecution` requires more.
///
/// **Threads.** A value. A change affects workers that are started afterwards.
public struct IsolationPolicy: Sendable {
    /// What happens to a Swift plug-in that another toolchain built.
    public enum ForeignToolchain: String, Sendable, Hashable, CaseIterable {
        /// It runs in a worker program with the libraries of its toolchain: see ``HostEnvironment/runtimes``.
        case isolate
        /// It is refused.
        case refuse
    }

    /// An extension point and the place that it demands, without its interface.
    public struct DemandingPoint: Sendable, Hashable {
        /// The point's name.
        public let name: String
        /// The least safe place of the code.
        public let execution: PluginExecution

        /// - Parameter point: the point, as the application's API declares it.
        public init<Interface>(_ point: ExtensionPoint<Interface>) {
            name = point.name
            execution = point.execution
        }
    }

    /// The least isolation of a plug-in; `PHExecution` can require more.
    ///
    /// Default: ``/PluginABI/PluginExecution/inProcess``.
    public var execution: @Sendable (PluginDescription) -> PluginExecution = { _ in .inProcess }
    /// The extension points of the application that demand a place for their plug-ins.
    ///
    /// ```swift
    /// HostEnvironment.current.isolation.points = [.init(.textFilter), .init(.exporter)]
    /// ```
    /// The code of a bundle that declares one of them in its Info.plist, with any version, runs there or in a safer place.
    /// A bundle that declares none of them but registers a provider for one is refused (`executionConflict`). Code that is
    /// linked into the program is the application's own, and may provide for these points too.
    ///
    /// Default: none.
    public var points: [DemandingPoint] = []
    /// What happens to a Swift plug-in that another toolchain built.
    ///
    /// It cannot run in the application's process: code of two Swift toolchains does not work together on Linux. If no
    /// runtime of its toolchain exists, loading it throws `toolchainMismatch`. Default: ``ForeignToolchain/isolate``.
    public var foreignToolchain: ForeignToolchain {
        get { settings.isolatesForeignToolchains ? .isolate : .refuse }
        set { settings.isolatesForeignToolchains = newValue == .isolate }
    }
    /// Which of its requested permissions a plug-in gets.
    ///
    /// The second argument is the permissions that it requests. Other permissions are never granted. Default: none.
    public var grant: @Sendable (PluginDescription, _ asked: PluginPermissions) -> PluginPermissions = { _, _ in
        PluginPermissions()
    }
    /// The most that the worker of a plug-in may use.
    ///
    /// The second argument is the limits that it requests. Of each limit, the smaller value applies. Default:
    /// ``WorkerLimits/init()``.
    public var limits: @Sendable (PluginDescription, _ asked: WorkerLimits) -> WorkerLimits = { _, _ in WorkerLimits() }
    /// Plug-ins with the same text share a worker and end together; nil for a separate worker.
    ///
    /// Only plug-ins with the same permissions and limits share a worker, and none that was granted its own state
    /// directory.
    ///
    /// Default: nil for each.
    public var group: @Sendable (PluginDescription) -> String? = { _ in nil }
    /// The directories that plug-ins may request as `$HOST/name`: absolute paths by name.
    ///
    /// Default: none.
    public var directories: [String: String] {
        get { settings.directories }
        set { settings.directories = newValue }
    }
    /// The program that runs plug-ins.
    ///
    /// Default: ``WorkerProgram/automatic``.
    public var worker: WorkerProgram {
        get { settings.program }
        set { settings.program = newValue }
    }
    /// How long a call may take, callbacks included.
    ///
    /// After this time, its worker is ended.
    ///
    /// Default: nil, for any time.
    public var callTime: Duration? {
        get { settings.callTime }
        set { settings.callTime = newValue }
    }
    /// How long a call may continue after its task was cancelled.
    ///
    /// After this time, its worker is ended.
    ///
    /// Default: nil, for any time. The plug-in is then only asked to end the call.
    public var cancelTime: Duration? {
        get { settings.cancelTime }
        set { settings.cancelTime = newValue }
    }
    /// How long a worker may take to start.
    ///
    /// Default: 10 s.
    public var startTime: Duration {
        get { settings.startTime }
        set { settings.startTime = newValue }
    }
    /// How long an unused worker stays: no object of its plug-ins exists, and no call is running.
    ///
    /// Its plug-ins are then deactivated, and the next request starts another worker. Data that a plug-in keeps between
    /// two calls of C functions is lost. Default: 60 s; nil for as long as the application runs.
    public var idleTime: Duration? {
        get { settings.idleTime }
        set { settings.idleTime = newValue }
    }
    /// The name of the user who runs the workers, for an application that runs as root.
    ///
    /// Default: nil; then root cannot start a sandboxed worker.
    public var user: String? {
        get { settings.user }
        set { settings.user = newValue }
    }
    /// Like ``user``, but only for sandboxed workers, if ``user`` is nil.
    @_spi(Tools) public var sandboxUser: String?
    /// How many workers without a plug-in are kept ready, so that the first call does not wait.
    ///
    /// They are started with the first worker. A spare worker serves only plug-ins with the same rights; a sandboxed
    /// one serves only the plug-in for which it was started. If there are too many, the oldest are ended. Default: 0.
    public var spares: Int {
        get { settings.spares }
        set { settings.spares = newValue }
    }
    /// How often a plug-in's worker may end within ``deathsWithin`` before the plug-in is put into quarantine.
    ///
    /// Default: 3.
    public var deaths: Int {
        get { settings.deaths }
        set { settings.deaths = newValue }
    }
    /// The time within which ends of workers are counted.
    ///
    /// Default: 5 minutes.
    public var deathsWithin: Duration {
        get { settings.deathsWithin }
        set { settings.deathsWithin = newValue }
    }

    /// The settings that do not depend on the plug-in.
    var settings = WorkerSettings()

    /// Creates a policy with the default of each setting.
    public init() {}
}

extension HostEnvironment {
    /// Where plug-ins run, and what they may reach there.
    ///
    /// Default: in the application's process, unless `PHExecution` of a plug-in requires more. Set it before the first
    /// bundle is loaded.
    public var isolation: IsolationPolicy {
        get { isolationPolicy?.policy ?? IsolationPolicy() }
        set { isolationPolicy = ChosenPolicy(newValue) }
    }
}

/// The policy that an application has set.
///
/// An object, because ``HostEnvironment/current`` is copied often, and a policy has many parts.
final class ChosenPolicy: Sendable {
    let policy: IsolationPolicy

    init(_ policy: IsolationPolicy) { self.policy = policy }
}

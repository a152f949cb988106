/// A place in the application where plug-ins add something, and the type of what they add.
///
/// The application's API module declares its points once, so that host and plug-in write the same name:
/// ```swift
/// extension ExtensionPoint where Interface == any TextFilter {
///     public static var textFilter: Self { .init("org.example.text-filter", version: 2) }
/// }
/// ```
/// The plug-in then writes `plugin.provide(.textFilter, named: "uppercase", Uppercase.init)` and the host
/// `bundle.providers(of: .textFilter)`. No cast is needed between the two: the conversion to `Interface` is compiled in
/// the plug-in.
///
/// Raise the version with each change of the interface. The host refuses a plug-in (`interfaceMismatch`) if its class
/// lacks a requirement that the interface now has, or if it was compiled for a different number of requirements,
/// because calling it would crash the process. That requirements were reordered, or that one replaced another, is found
/// with the records that `pluginhost pack` and `stage` write. docs/abi.md, "Changed interfaces", states what the host
/// compares, and which changes an API with library evolution may make without a new version.
///
/// A point with a ``remote`` interface also accepts plug-ins that run in a worker process; the article “Remote
/// interfaces” describes how to get one. Such a point can also demand that they do: see ``execution``. Two points are equal if they have the same name and version.
@frozen
public struct ExtensionPoint<Interface>: Sendable, Hashable {
    /// A reverse-DNS name that no other point uses.
    public let name: String
    /// The version of the interface.
    ///
    /// Providers registered for another version are ignored.
    public let version: UInt32
    /// A closure instead of the interface: a point is evaluated at each look-up, and most processes never use its
    /// remote interface.
    @usableFromInline let makeRemote: @Sendable () -> RemoteInterface<Interface>?
    /// The least safe place where a plug-in's code for this point may run.
    ///
    /// A load fails (`executionConflict`) if the code registers a provider for the point in a less safe place. List the
    /// points that demand a place in `IsolationPolicy.points`: then the code of every bundle that declares one of them
    /// in its Info.plist runs there from the beginning.
    public let execution: PluginExecution

    /// Declares a point whose plug-ins may run in the application's process.
    ///
    /// - Parameters:
    ///   - name: a reverse-DNS name that no other point uses.
    ///   - version: the version of the interface; raise it when old plug-ins can no longer work.
    ///   - remote: how other processes use the objects; nil if they cannot. It is evaluated at each use.
    @inlinable
    public init(
        _ name: String, version: UInt32 = 1,
        remote: @autoclosure @escaping @Sendable () -> RemoteInterface<Interface>? = nil
    ) {
        self.name = name
        self.version = version
        makeRemote = remote
        execution = .inProcess
    }

    /// Declares a point that demands where its plug-ins run.
    ///
    /// ```swift
    /// .init("org.example.text-filter", remote: TextFilterProxy.interface, execution: .sandboxed)
    /// ```
    /// - Parameters:
    ///   - name: a reverse-DNS name that no other point uses.
    ///   - version: the version of the interface; raise it when old plug-ins can no longer work.
    ///   - remote: how other processes use the objects. It is evaluated at each use.
    ///   - execution: the least safe place of a plug-in's code.
    @inlinable
    public init(
        _ name: String, version: UInt32 = 1,
        remote: @autoclosure @escaping @Sendable () -> RemoteInterface<Interface>, execution: PluginExecution
    ) {
        self.name = name
        self.version = version
        makeRemote = remote
        self.execution = execution
    }

    /// How other processes use the objects at the point; nil if they cannot.
    @inlinable
    public var remote: RemoteInterface<Interface>? { makeRemote() }

    /// Whether both points have the same name and version.
    @inlinable
    public static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.version == b.version }

    /// Hashes the name and the version.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(version)
    }
}

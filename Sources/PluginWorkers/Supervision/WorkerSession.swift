package import BundleReading
package import HostBasics
@_spi(PluginHost) package import PluginABI

/// The functions of a worker process that the loading of one bundle uses.
///
/// A protocol, so that the loading can be tested without processes.
package protocol WorkerSession: AnyObject, Sendable {
    /// The connection for calls to its objects.
    var connection: any RemoteConnection { get }
    /// Where the code of its plug-ins runs: `isolated` or `sandboxed`.
    var execution: PluginExecution { get }
    /// Whether the process has ended: nothing of it can be used any more.
    var hasEnded: Bool { get }
    /// What the process may reach; nil if it may reach everything that its user may.
    var confinedTo: PluginPermissions? { get }

    /// Opens the code of a bundle in the process, and calls its entry; nothing is activated yet.
    ///
    /// - Parameters:
    ///   - plugin: the bundle.
    ///   - settings: the values of its settings; nil if it has no Settings.bundle.
    ///   - codePaths: finds the files that the application itself would load for it; called only for an error.
    /// - Returns: the number of the bundle in the process, and what it registered.
    /// - Throws: the errors of a load in the process, or why the process ended.
    func load(
        _ plugin: PluginInfo, settings: SettingsUpdate?, codePaths: () -> [String]
    ) throws(PluginError) -> (number: UInt32, report: LoadedReport)

    /// Sends changed settings of a bundle to the process. [any thread]
    ///
    /// `bundle`: the number from ``load(_:settings:codePaths:)``.
    func send(_ update: SettingsUpdate, to bundle: UInt32)

    /// Tells the process that resources of a bundle changed, so that it reads them again. [any thread]
    ///
    /// `bundle`: the number from ``load(_:settings:codePaths:)``.
    func noteChangedResources(of bundle: UInt32)

    /// Notes that the code of a bundle and its objects are no longer used, so that the process may end. [any thread]
    func leave(_ plugin: PluginInfo)

    /// Keeps the process from being ended as unused: see ``WorkerHold``. [any thread]
    ///
    /// - Returns: false if the process is ending or has ended; then do not call ``letGo()``.
    func hold() -> Bool

    /// Ends what ``hold()`` began. [any thread]
    func letGo()

    /// Lets the plug-in of a bundle withdraw its registrations. Ends the process if that takes too long.
    ///
    /// `number`: the number from ``load(_:settings:codePaths:)``. Throws the error that explains the end of the process.
    func unload(_ plugin: PluginInfo, number: UInt32) throws(PluginError)

    /// Runs a function that calls the process. Ends the process if that takes longer than its start may take.
    func limitingTime<Result>(_ body: () throws -> Result) throws -> Result

    /// Runs a function that calls a C function, and keeps the name of the C function for the error if the process ends.
    ///
    /// `bundle`: the number of the bundle in the process.
    func calling<Result>(_ function: String, of bundle: UInt32, _ body: () throws -> Result) throws -> Result

    /// Whether an error of a call says that the process ended while its code performed this call.
    ///
    /// If not, the call was never sent, or other code ended the process.
    func isEnd(duringCall error: any Error) -> Bool

    /// Whether the process has ended because its code crashed in the only call that it performed.
    ///
    /// False if the process performed several calls, because any of them may have crashed. False also if the time of a
    /// caller was over, a limit was exceeded, or somebody else killed the process, because no code of a call crashed.
    var hasCrashedInItsOnlyCall: Bool { get }

    /// Notes that a caller knows that the process ended while its code performed the caller's call.
    ///
    /// - Parameters:
    ///   - plugin: whose code was called.
    ///   - isPoison: whether the same call had ended a process before; then both ends count as one.
    func callerKnows(_ plugin: PluginInfo, isPoison: Bool)

    /// Translates the error that ended a call into the error for its caller.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - phase: what was called.
    ///   - plugin: whose code was called.
    /// - Returns: the error that explains the end of the process, if that ended the call; otherwise the same error.
    func error(_ error: any Error, during phase: WorkerEnd.Phase, of plugin: PluginInfo) -> any Error
}

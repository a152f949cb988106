@_spi(PluginHost) internal import PluginABI

/// A worker process as the loading of one bundle uses it.
///
/// A protocol, so that the loading can be tested without processes.
protocol WorkerSession: AnyObject, Sendable {
    /// The connection for calls to its objects.
    var connection: any RemoteConnection { get }
    /// Whether the process has ended: nothing of it can be used any more.
    var hasEnded: Bool { get }

    /// Opens the code of a bundle in the process, and calls its entry; nothing is activated yet.
    ///
    /// - Returns: the number of the bundle in the process, and what it registered.
    /// - Throws: the errors of a load in the process; why the process ended.
    func load(_ bundle: PluginBundle) throws(PluginError) -> (number: UInt32, report: LoadedReport)

    /// Nobody uses the code of a bundle and its objects any more: the process may end. [any thread]
    func leave(_ bundle: PluginBundle)

    /// Keeps the process from being ended for lack of use: see ``WorkerHold``. [any thread]
    ///
    /// - Returns: false if it ends or has ended; then nothing is to be let go.
    func hold() -> Bool

    /// Ends what ``hold()`` began. [any thread]
    func letGo()

    /// Lets the plug-in of a bundle withdraw what it offers; ends the process if that takes too long.
    ///
    /// `number`: of ``load(_:)``. Throws the error that explains the end of the process.
    func unload(_ bundle: PluginBundle, number: UInt32) throws(PluginError)

    /// Ends the process if a function that calls it takes longer than the start of a process may take.
    func limitingTime<Result>(_ body: () throws -> Result) throws -> Result

    /// Names the C function that runs while another function calls it, for the case that the process ends.
    ///
    /// `bundle`: the number of the bundle in the process.
    func calling<Result>(_ function: String, of bundle: UInt32, _ body: () throws -> Result) throws -> Result

    /// Whether an error of a call says that the process ended while its code performed this call.
    ///
    /// If not, the call was never sent, or other code ended the process.
    func isEnd(duringCall error: any Error) -> Bool

    /// Whether the process has ended because its code crashed in the only call that it performed.
    ///
    /// Of several calls nobody knows which one it was. Nor is it the code of a call if the time of its caller was over, a
    /// limit was exceeded, or somebody else killed the process.
    var hasCrashedInItsOnlyCall: Bool { get }

    /// A caller knows that the process ended while its code performed the caller's call.
    ///
    /// - Parameters:
    ///   - bundle: whose code was called.
    ///   - isPoison: whether the same call had ended a process before; then both ends count as one.
    func callerKnows(_ bundle: PluginBundle, isPoison: Bool)

    /// The error of a caller for one that ended a call.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - phase: what was called.
    ///   - bundle: whose code was called.
    /// - Returns: the error that explains the end of the process, if that ended the call; otherwise the same error.
    func error(_ error: any Error, during phase: WorkerEnd.Phase, of bundle: PluginBundle) -> any Error
}

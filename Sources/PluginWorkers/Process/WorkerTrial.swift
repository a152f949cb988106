import BundleReading
import Glibc
public import HostBasics
public import PluginABI

/// A trial that shows whether worker processes can be started on this machine.
public struct WorkerTrial: Sendable {
    /// How the worker was to run: `isolated` or `sandboxed`.
    public let execution: PluginExecution
    /// The user who was to run it, if not the user of this process.
    public let user: String?
    /// Why it did not start; empty if it did.
    public let findings: [PluginFinding]
    /// What confined it; nil if it did not start.
    public let confinement: Confinement?

    /// Why neither a worker nor any asynchronous function can be started; nil if nothing is known to prevent it.
    ///
    /// Dispatch, which runs asynchronous functions, waits for ever if no thread can be started, and ends the process if
    /// `/proc` is missing. So call this before the first asynchronous function.
    ///
    /// **Cost.** Starts one thread.
    public static func findingBeforeStart() -> PluginFinding? {
        do throws(WorkerFailure) {
            try WorkerStart.requireProcesses()
            let error = DetachedThread.start {}
            guard error == 0 else { throw WorkerFailure(step: "pthread_create", errno: error) }
            return nil
        } catch {
            return PluginFinding(error, program: "", isSandboxed: false)
        }
    }

    /// The user who runs a worker of root.
    private static let userOfRoot = "nobody"

    /// Starts a worker without a plug-in, waits until it is ready and confined, and ends it.
    ///
    /// - Parameters:
    ///   - execution: how it runs.
    ///   - settings: the application's settings for its workers.
    ///   - host: the application.
    ///
    /// **Cost.** Starts a worker: some milliseconds, or ten seconds if it does not answer.
    package init(_ execution: PluginExecution, _ settings: WorkerSettings, of host: WorkerHost) {
        var placement = Placement(execution: execution)
        placement.settings.program = settings.program
        if geteuid() == 0 { placement.settings.user = settings.user ?? Self.userOfRoot }
        self.execution = execution
        user = placement.settings.user
        // Any directory that everybody may enter will do: nothing in it is read.
        let nothing = PluginInfo(
            identifier: "", path: "/usr/share", executablePath: nil, manifestPath: "/usr/share/Info.plist")
        do throws(PluginError) {
            let worker = try PluginWorker.start(WorkerStart(placement, for: nothing, of: host))
            confinement = worker.confinement
            findings = []
            worker.stop(by: PluginWorker.unloadTime)
        } catch {
            confinement = nil
            findings = error.findings
        }
    }
}

import HostBasics
internal import PluginABI
import PluginWorkers

/// Tries a plug-in before its use: runs its code in a new confined process without any granted permission.
///
/// ```swift
/// let report = try await PluginProbe.run(bundle)
/// if let error = report.error { print("\(bundle.bundlePath) does not work: \(error)") }
/// ```
public enum PluginProbe {
    /// A step that the plug-in completed successfully.
    public struct Step: Sendable, Hashable {
        /// `start`, `load`, `activate`, `make NAME` for each provider and C factory, or `deactivate`.
        public let name: String
        /// How long it took.
        public let time: Duration
    }

    /// The result of a probe.
    public struct Report: Sendable {
        /// The steps that succeeded, in order.
        public fileprivate(set) var steps: [Step] = []
        /// The confinement of the process.
        public fileprivate(set) var confinement = Confinement()
        /// Why the step after the last of ``steps`` failed; nil if all succeeded.
        public fileprivate(set) var error: PluginError?
        /// Whether the error says nothing about the plug-in, so that another probe may succeed: another program ended
        /// the process, or the system refused something temporarily.
        private(set) var isInconclusive = false

        fileprivate mutating func fail(_ error: PluginError, in worker: PluginWorker) {
            self.error = error
            isInconclusive = error.isProvisional || error.workerEnd != nil && worker.endedWithoutReason
        }
    }

    /// Loads a bundle in a separate process, creates and releases an object of each provider and C factory, and
    /// deactivates the bundle.
    ///
    /// Nothing else of the plug-in is called, and the result is not kept: see ``PluginCatalog/Options/requiresProbe``.
    /// The code and the state of the bundle in this process do not change, and the bundle may be loaded here. The
    /// process ends with the probe.
    ///
    /// - Parameters:
    ///   - bundle: the bundle with the plug-in.
    ///   - time: how long all steps together may take. The step that is running when the time is over fails with
    ///     `callTimedOut`.
    /// - Returns: the steps that succeeded, and the error of the step that did not.
    /// - Throws: ``PluginError`` if nothing could be tried: `notCode`, `workerUnavailable`, `sandboxUnavailable`,
    ///   `executionConflict`, or the errors of the files.
    ///
    /// **Threads.** Any. **Cost.** Starts a process, and a thread that waits for it.
    public static func run(_ bundle: PluginBundle, time: Duration = .seconds(10)) async throws -> Report {
        try await withCheckedThrowingContinuation { continuation in
            // The calls block their thread, so they do not run on a thread of the task pool.
            let status = DetachedThread.start {
                continuation.resume(with: Result { try probe(bundle, placement(of: bundle, time), time) })
            }
            if status != 0 { continuation.resume(throwing: threadError(status, bundle)) }
        }
    }

    /// The longest time of all steps together, unless a caller sets another.
    static let usualTime = Duration.seconds(10)

    /// Runs the same probe for a load, which waits for the report.
    ///
    /// The application's policy runs on the caller's thread, so that a load that the policy starts is detected. The
    /// steps run on a separate thread: neither the cancellation nor the time limit of the caller's task may affect the
    /// result.
    static func report(on bundle: PluginBundle) throws(PluginError) -> Report {
        HeldLocks.preconditionNone(before: "a probe, which is waited for,")
        let time = usualTime
        let placement = try placement(of: bundle, time)
        let reply = Reply<Result<Report, any Error>>()
        let status = DetachedThread.start { reply.give(Result { try probe(bundle, placement, time) }) }
        if status != 0 { throw threadError(status, bundle) }
        do { return try reply.wait().get() } catch { throw bundle.workerError(error) }
    }

    private static func threadError(_ status: CInt, _ bundle: PluginBundle) -> PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .workerUnavailable, message: "No thread can be started to try the plug-in.",
                remedy: ErrorNumber.remedy(status, to: .start), systemMessage: describe(errno: status)))
    }

    private static func placement(of bundle: PluginBundle, _ time: Duration) throws(PluginError) -> Placement {
        try bundle.requireUsableManifest()
        _ = try bundle.openExecutable()
        var placement = try bundle.placement(atLeast: .sandboxed)
        placement.permissions = PluginPermissions()
        placement.group = nil
        placement.settings.startTime = time
        placement.settings.callTime = time
        // A step that is still running when the time is over ends the process.
        placement.settings.cancelTime = .zero
        return placement
    }

    private static func probe(_ bundle: PluginBundle, _ placement: Placement, _ time: Duration) throws -> Report {
        var report = Report()
        let clock = ContinuousClock()
        let end = clock.now + time
        func step<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
            let begin = clock.now
            let result = try PluginCall.within(end - begin, body)
            report.steps.append(Step(name: name, time: clock.now - begin))
            return result
        }
        let worker = try step("start") { try PluginWorker.start(placement, for: bundle) }
        defer { worker.kill(.host) }
        report.confinement = worker.confinement
        do {
            let code = try step("load") { try RunningCode.start(bundle, in: worker, PoisonCalls()) }
            try step("activate") { _ = try code.activate() }
            for provider in code.report.providers {
                try step("make \(provider.name)") {
                    try code.makeObject(provider.name, at: provider.point, isFactory: false)
                }
            }
            for factory in code.report.cProviders {
                try step("make \(factory.name)") {
                    try code.makeObject(factory.name, at: factory.point, isFactory: true)
                }
            }
            try step("deactivate") { try worker.unload(bundle.info, number: code.number) }
        } catch {
            report.fail(bundle.workerError(error), in: worker)
        }
        return report
    }
}

import HostBasics
internal import PluginABI

/// Tries a plug-in before it is used: runs its code in a new confined process to which nothing is granted.
///
/// ```swift
/// let report = try await PluginProbe.run(bundle)
/// if let error = report.error { print("\(bundle.bundlePath) does not work: \(error)") }
/// ```
public enum PluginProbe {
    /// Something that the plug-in did successfully.
    public struct Step: Sendable, Hashable {
        /// `start`, `load`, `activate`, `make NAME` for each provider and C factory, or `deactivate`.
        public let name: String
        /// How long it took.
        public let time: Duration
    }

    /// What a probe showed.
    public struct Report: Sendable {
        /// The steps that succeeded, in order.
        public fileprivate(set) var steps: [Step] = []
        /// What kept the process from the rest of the machine.
        public fileprivate(set) var confinement = Confinement()
        /// Why the step after the last of ``steps`` failed; nil if all succeeded.
        public fileprivate(set) var error: PluginError?
        /// Whether the error shows nothing about the plug-in, so that another probe may succeed: somebody else ended the process, or
        /// the system refused something for the moment.
        private(set) var isInconclusive = false

        fileprivate mutating func fail(_ error: PluginError, in worker: PluginWorker) {
            self.error = error
            isInconclusive = error.isProvisional || error.workerEnd != nil && worker.endedWithoutReason
        }
    }

    /// Loads a bundle in a process of its own, creates and releases an object of each provider and C factory, and
    /// deactivates the bundle.
    ///
    /// Nothing else of the plug-in is called, and the result is not kept: see ``PluginCatalog/Options/requiresProbe``.
    /// Neither the code nor the state of the bundle in this process changes, and the bundle may be loaded here. The process
    /// ends with the probe.
    ///
    /// - Parameters:
    ///   - bundle: the bundle with the plug-in.
    ///   - time: how long all steps together may take. The step during which it ends fails with `callTimedOut`.
    /// - Returns: what succeeded, and what did not.
    /// - Throws: ``PluginError`` if nothing could be tried: `notCode`, `workerUnavailable`, `sandboxUnavailable`,
    ///   `executionConflict`, or what is wrong with the files.
    ///
    /// **Threads.** Any. **Cost.** Starts a process, and a thread that waits for it.
    public static func run(_ bundle: PluginBundle, time: Duration = .seconds(10)) async throws -> Report {
        try await withCheckedThrowingContinuation { continuation in
            // The calls block their thread, so none of the threads that run tasks is used.
            let status = DetachedThread.start {
                continuation.resume(with: Result { try probe(bundle, placement(of: bundle, time), time) })
            }
            if status != 0 { continuation.resume(throwing: threadError(status, bundle)) }
        }
    }

    /// The longest time of all steps together, unless a caller decides otherwise.
    static let usualTime = Duration.seconds(10)

    /// Does the same for a load, which waits for the report.
    ///
    /// The application's policy runs on the thread of the caller, where a load that it starts is noticed. The steps run on
    /// a thread of their own: neither a cancelled task of the caller nor its time limit must decide about the plug-in.
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
        placement.startTime = time
        placement.callTime = time
        // A step that is still running at the end of the time ends the process.
        placement.cancelTime = .zero
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
            try step("activate") { try code.activate() }
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
            try step("deactivate") { try worker.unload(bundle, number: code.number) }
        } catch {
            report.fail(bundle.workerError(error), in: worker)
        }
        return report
    }
}

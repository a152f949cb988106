package import BundleReading
@_spi(Tools) package import HostBasics
@_spi(PluginHost) internal import PluginABI

extension PluginWorker {
    /// How long the unloading of a plug-in may take; after that its worker is killed.
    static let unloadTime = Duration.seconds(2)

    /// Loads a bundle in the worker, and waits for the outcome.
    ///
    /// - Parameters:
    ///   - plugin: the bundle.
    ///   - settings: the values of its settings; nil if it has no Settings.bundle.
    ///   - codePaths: finds the files that the application itself would load for it, for the explanation of a missing
    ///     library.
    /// - Returns: the number of the bundle in this worker, and what its code registered.
    /// - Throws: ``PluginError``: the findings of the load in the worker; `workerEnded` if the worker ended;
    ///   `callTimedOut` if it did not answer within ``IsolationPolicy/startTime``; `loadInterrupted` in a forked
    ///   process.
    package func load(
        _ plugin: PluginInfo, settings: SettingsUpdate?, codePaths: () -> [String]
    ) throws(PluginError) -> (number: UInt32, report: LoadedReport) {
        try requireParent(plugin)
        let number = values.withLock { $0.residents.add(plugin) }
        let request = LoadRequest(
            bundle: number, path: plugin.path, stateDirectory: start.stateDirectory, settings: settings)
        switch try ask(.load(number), .load(request), within: start.placement.settings.startTime, for: plugin) {
        case .loaded(let report): return (number, report)
        case .failed(let findings):
            throw PluginError(bundlePath: plugin.path, findings: explained(findings, codePaths))
        case .done, .ended: throw error(for: plugin)
        }
    }

    /// Explains each missing library that the application itself finds: the worker may not read it.
    private func explained(_ findings: [PluginFinding], _ codePaths: () -> [String]) -> [PluginFinding] {
        guard findings.contains(where: { $0.code == .dependencyMissing }) else { return findings }
        let paths = codePaths()
        return findings.map { finding in
            guard finding.code == .dependencyMissing,
                let path = paths.first(where: { Path.lastComponent($0) == finding.subject })
            else { return finding }
            var finding = finding
            // A sandbox allows the files in a directory, and not the targets of links in it.
            let file = Path.resolved(path) ?? path
            let link = Path.parent(file) == Path.resolved(Path.parent(path)) ? "" : ", a link to \(quoted(file))"
            finding.message += """
                 The application itself finds the library \(quoted(path))\(link), but the worker process in which the \
                plug-in runs may not read it.
                """
            let grant = start.isSandboxed ? "Or grant the plug-in \(Self.directories(of: path)). " : ""
            finding.remedy = """
                Put the library into the bundle, in Contents/Frameworks. \(grant)Or let LD_LIBRARY_PATH name the directory \
                \(quoted(Path.parent(file))), which must not be the user's home directory or one above it. The user of \
                the worker must be able to read it.
                """
            return finding
        }
    }

    /// The grant that a plug-in needs to read a library, as text for a remedy.
    private static func directories(of library: String) -> String {
        var paths = [Path.parent(library)]
        // A name such as libX.so.1 is often a link.
        if let target = Path.resolved(library).map(Path.parent), target != Path.resolved(paths[0]) {
            paths.append(target)
        }
        let list = paths.map { "“path = \($0.escapedForDisplay)”" }.joined(separator: " and ")
        return """
            the directory, to read: \(list) under “files” in PHPermissions of the bundle, and in IsolationPolicy.grant \
            (“--grant files=\(paths[0].escapedForDisplay)” for pluginhost load)
            """
    }

    /// Unloads a bundle in the worker: deactivates it, and removes its registrations.
    ///
    /// - Parameters:
    ///   - plugin: the bundle.
    ///   - number: the number from ``load(_:settings:codePaths:)``.
    /// - Throws: ``PluginError``: `workerEnded` or `callTimedOut` if the worker ended, which unloads the bundle too.
    package func unload(_ plugin: PluginInfo, number: UInt32) throws(PluginError) {
        try requireParent(plugin)
        values.withLock { $0.residents.loaded[number]?.isUnloading = true }
        let answer = try ask(.unload(number), .unload(number), within: Self.unloadTime, for: plugin)
        if case .ended = answer { throw error(for: plugin) }
    }

    /// Notifies the worker that an object is no longer used. [any thread]
    func release(_ object: UInt32) { send(.release([object])) }

    package func noteChangedResources(of bundle: UInt32) { send(.resources(bundle)) }

    /// Sends a message that needs no answer.
    private func send(_ message: ControlMessage) {
        guard !isForked else { return }
        if let sent = try? sender.send(message), !sent { monitor.wake() }
    }

    private func ask(
        _ question: WorkerAnswer.Question, _ message: ControlMessage, within time: Duration, for plugin: PluginInfo
    ) throws(PluginError) -> WorkerAnswer {
        HeldLocks.preconditionNone(before: "a wait for a worker")
        let reply = ask(question, within: time)
        do {
            try sender.send(message)
        } catch {
            throw PluginError(
                bundlePath: plugin.path,
                PluginFinding(
                    .messageTooLarge, message: "The bundle cannot be described to its worker.",
                    remedy: "Use a shorter path.", systemMessage: "\(error)"))
        }
        // The monitor has a new deadline, and perhaps something to send.
        monitor.wake()
        return reply.wait()
    }

    private func requireParent(_ plugin: PluginInfo) throws(PluginError) {
        if isForked { throw forkError(plugin) }
    }

    func forkError(_ plugin: PluginInfo) -> PluginError {
        PluginError(
            bundlePath: plugin.path,
            PluginFinding(
                .loadInterrupted,
                message:
                    "The worker of \(quoted(plugin.path)) belongs to the process from which this one was forked.",
                remedy: "Use plug-ins in the process that started their workers, or load the bundle after the fork."))
    }

    // MARK: Errors

    /// The error for something that this worker can no longer do, because it has ended.
    ///
    /// If the end counts against the bundle, this is written down before anybody has the error.
    ///
    /// - Parameters:
    ///   - plugin: the bundle.
    ///   - phase: what the caller waited for; nil for what the worker was doing.
    /// - Returns: an error of code `callTimedOut` or `workerEnded`.
    func error(for plugin: PluginInfo, during phase: WorkerEnd.Phase? = nil) -> PluginError {
        keepStrike(against: plugin)
        var (end, isFromOutside) = values.withLock { values in
            // A worker that is being killed has not ended yet.
            let kill = values.life.kill
            let end = WorkerEnd(cause: kill?.cause ?? .unknown, phase: values.phase(kill?.calls.first))
            return (values.life.ended?.end ?? end, values.life.ended?.origin == .elsewhere)
        }
        if let phase { end.phase = phase }
        let gone = "The plug-in's objects are gone; the next one that is created starts a new worker."
        let (code, remedy): (PluginError.Code, String) =
            switch end.cause {
            case .timeOut:
                (.callTimedOut, "Report this to the author of the plug-in, or allow more time in IsolationPolicy.")
            case .signal where isFromOutside:
                (
                    .workerEnded,
                    """
                    \(gone) Another process sent the signal, or the system did because its memory ran out (“dmesg” shows \
                    it); it does not count against the plug-in.
                    """
                )
            default: (.workerEnded, "\(gone) Report this to the author of the plug-in.")
            }
        var finding = PluginFinding(
            code, message: "The worker process \(processIdentifier) \(end).", remedy: remedy)
        finding.workerEnd = end
        return PluginError(bundlePath: plugin.path, finding)
    }
}

@_spi(Tools) import HostBasics
@_spi(PluginHost) internal import PluginABI

extension PluginWorker {
    /// How long the unloading of a plug-in may take; after that its worker is killed.
    static let unloadTime = Duration.seconds(2)

    /// Loads a bundle in the worker, and waits for the outcome.
    ///
    /// - Returns: the number of the bundle in this worker, and what its code registered.
    /// - Throws: ``PluginError``: the findings of the load in the worker; `workerEnded` if the worker ended;
    ///   `callTimedOut` if it did not answer within ``IsolationPolicy/startTime``; `loadInterrupted` in a forked
    ///   process.
    func load(_ bundle: PluginBundle) throws(PluginError) -> (number: UInt32, report: LoadedReport) {
        try requireParent(bundle)
        let number = values.withLock { values in
            values.lastResident += 1
            values.residents[values.lastResident] = Resident(
                path: bundle.bundlePath, identifier: bundle.displayIdentifier, bundle: WeakReference(bundle),
                step: .opening)
            return values.lastResident
        }
        let request = LoadRequest(bundle: number, path: bundle.bundlePath, stateDirectory: start.stateDirectory)
        switch try ask(.load(number), .load(request), within: start.placement.startTime, for: bundle) {
        case .loaded(let report): return (number, report)
        case .failed(let findings):
            throw PluginError(bundlePath: bundle.bundlePath, findings: explained(findings, of: bundle))
        case .done, .ended: throw error(for: bundle)
        }
    }

    /// Explains each missing library that the application itself finds: the worker may not read it.
    private func explained(_ findings: [PluginFinding], of bundle: PluginBundle) -> [PluginFinding] {
        guard findings.contains(where: { $0.code == .dependencyMissing }), let paths = try? bundle.codePaths() else {
            return findings
        }
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
    ///   - bundle: the bundle.
    ///   - number: the number from ``load(_:)``.
    /// - Throws: ``PluginError``: `workerEnded` or `callTimedOut` if the worker ended, which unloads the bundle too.
    func unload(_ bundle: PluginBundle, number: UInt32) throws(PluginError) {
        try requireParent(bundle)
        values.withLock { $0.residents[number]?.isUnloading = true }
        let answer = try ask(.unload(number), .unload(number), within: Self.unloadTime, for: bundle)
        if case .ended = answer { throw error(for: bundle) }
    }

    /// Notifies the worker that an object is no longer used. [any thread]
    func release(_ object: UInt32) {
        guard !isForked else { return }
        if let sent = try? sender.send(.release([object])), !sent { monitor.wake() }
    }

    private func ask(
        _ question: WorkerAnswer.Question, _ message: ControlMessage, within time: Duration, for bundle: PluginBundle
    ) throws(PluginError) -> WorkerAnswer {
        HeldLocks.preconditionNone(before: "a wait for a worker")
        let reply = ask(question, within: time)
        do {
            try sender.send(message)
        } catch {
            throw PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    .messageTooLarge, message: "The bundle cannot be described to its worker.",
                    remedy: "Use a shorter path.", systemMessage: "\(error)"))
        }
        // The monitor has a new deadline, and perhaps something to send.
        monitor.wake()
        return reply.wait()
    }

    private func requireParent(_ bundle: PluginBundle) throws(PluginError) {
        if isForked { throw forkError(bundle) }
    }

    func forkError(_ bundle: PluginBundle) -> PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .loadInterrupted,
                message:
                    "The worker of \(quoted(bundle.bundlePath)) belongs to the process from which this one was forked.",
                remedy: "Use plug-ins in the process that started their workers, or load the bundle after the fork."))
    }

    // MARK: Errors

    /// The error for something that this worker can no longer do, because it has ended.
    ///
    /// If the end counts against the bundle, this is written down before anybody has the error.
    ///
    /// - Parameters:
    ///   - bundle: the bundle.
    ///   - phase: what the caller waited for; nil for what the worker was doing.
    /// - Returns: an error of code `callTimedOut` or `workerEnded`.
    func error(for bundle: PluginBundle, during phase: WorkerEnd.Phase? = nil) -> PluginError {
        keepStrike(against: bundle)
        var (end, isFromOutside) = values.withLock { values in
            // A worker that is being killed has not ended yet.
            let end = WorkerEnd(cause: values.cause ?? .unknown, phase: values.phase(values.lastCalls?.first))
            return (values.end ?? end, values.origin == .elsewhere)
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
        return PluginError(bundlePath: bundle.bundlePath, finding)
    }
}

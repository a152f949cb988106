import BundleReading
import HostBasics
import HostRecords
import PluginWorkers

extension PluginBundle {
    /// Whether the code runs in a worker process.
    ///
    /// Checked before each load of code that is not in this process.
    ///
    /// - Throws: ``PluginError`` of code `executionConflict`.
    ///
    /// **Cost.** If nothing decides about the bundle, as for nearly every one: one load of an atomic, and one
    /// comparison.
    @inline(__always)
    func runsElsewhere() throws(PluginError) -> Bool {
        if !PlacementDecider.isAnyPresent, manifest.executionRequest == nil {
            return false
        }
        return try isPlacedElsewhere()
    }

    /// Whether code that another toolchain built, and that cannot be loaded here, may run in a worker of its runtime.
    @inline(never)
    func canRunInRuntime(after error: PluginError) throws(PluginError) -> Bool {
        guard error.findings.contains(where: { $0.code == .toolchainMismatch && $0.severity == .error }) else {
            return false
        }
        guard manifest.executionRequest != .inProcess,
            try placement(atLeast: .isolated).settings.isolatesForeignToolchains
        else {
            return false
        }
        return foreignToolchain != nil
    }

    @inline(never)
    private func isPlacedElsewhere() throws(PluginError) -> Bool {
        let decided = try placement().execution
        guard decided != .inProcess, isLinked || isProgram else { return decided != .inProcess }
        let key = ManifestKey.execution.spelling
        let isRequired = manifest.executionRequest?.least == decided
        let who =
            isRequired
            ? "The key \(key) of \(quoted(manifestPath)) is \(quoted(decided.description))"
            : "The application's isolation policy decided \(quoted(decided.description))"
        throw PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .executionConflict, filePath: isRequired ? manifestPath : nil, subject: isRequired ? key : nil,
                message: "\(who), but the code is part of the program, which cannot be isolated.",
                remedy: "Build the plug-in as a bundle with its own executable."))
    }

    /// A worker process for the code: a new one, or that of its group.
    func workerSession() throws(PluginError) -> any WorkerSession {
        if let source = WorkerSources[bundlePath] { return try source.session(for: self) }
        return try session(placementOfWorker())
    }

    /// A worker process for the code alone, after its libraries clashed with those of its group; nil if the code was
    /// alone.
    func workerSession(after error: PluginError) throws(PluginError) -> (any WorkerSession)? {
        guard error.code == .libraryClash, WorkerSources[bundlePath] == nil else { return nil }
        var placement = try placementOfWorker()
        if placement.group == nil { return nil }
        placement.group = nil
        return try session(placement)
    }

    private func placementOfWorker() throws(PluginError) -> Placement {
        if let toolchain = foreignToolchain { return try placement(ofToolchain: toolchain) }
        return try placement()
    }

    private func session(_ placement: Placement) throws(PluginError) -> any WorkerSession {
        let plugin = info
        if let finding = Quarantine.current?.finding(about: plugin) {
            throw PluginError(bundlePath: bundlePath, finding)
        }
        let worker = try WorkerSupervisor.shared.session(for: plugin, placement) { .current }
        provideServices(to: worker)
        return worker
    }
}

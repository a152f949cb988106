import BundleReading
import HostBasics
@_spi(PluginHost) internal import PluginABI

extension PluginWorker {
    /// Takes a message of the worker. [the monitor's thread]
    ///
    /// - Throws: ``ControlFault`` if the worker must not send this message now.
    func take(_ message: ControlMessage, _ descriptors: [RemoteDescriptor]) throws(ControlFault) {
        let (isKnown, isReady) = values.withLock { ($0.life.isKnown, $0.life.isAccepted) }
        switch message {
        case .ready(let ready):
            // The message may come before the thread that started the worker waits for it.
            guard !isKnown else { throw outOfOrder(message) }
            values.withLock { $0.life.acceptance = .known }
            if let finding = mismatch(ready) { refuse([finding]) }
        case .confined(let layers):
            guard isKnown, !isReady else { throw outOfOrder(message) }
            becomeReady(layers)
        case .failed(0, let findings):
            guard isKnown, !isReady else { throw outOfOrder(message) }
            refuse(findings)
        case .loaded(let bundle, let report):
            // Set before the load returns, because the first call may follow at once.
            values.withLock { values in
                for provider in report.providers { values.residents.providers[provider.number] = provider }
            }
            guard give(.loaded(report), to: .load(bundle)) else { throw outOfOrder(message) }
            endStep(of: bundle)
        case .failed(let bundle, let findings):
            guard !findings.isEmpty, give(.failed(findings), to: .load(bundle)) else { throw outOfOrder(message) }
            values.withLock { _ = $0.residents.loaded.removeValue(forKey: bundle) }
        case .unloaded(let bundle):
            guard give(.done, to: .unload(bundle)) else { throw outOfOrder(message) }
            values.withLock { $0.residents.former[bundle] = $0.residents.loaded.removeValue(forKey: bundle) }
        case .step(let bundle, let step): if !begin(step, of: bundle) { throw outOfOrder(message) }
        case .log(let level, let bundleIdentifier, let text):
            guard isReady else { throw outOfOrder(message) }
            // The worker may name any bundle. Only the worker knows which plug-in of a group it is.
            let isOwn = values.withLock { values in
                values.residents.loaded.values.contains { $0.plugin.identifier == bundleIdentifier }
            }
            log.put(text, level, of: isOwn ? bundleIdentifier : start.bundleIdentifier)
        case .store(let request):
            guard isReady else { throw outOfOrder(message) }
            try store(request)
        case .crashed(let crash):
            let isFirst = values.withLock { values in
                defer { values.blame.crash = values.blame.crash ?? crash }
                return values.blame.crash == nil
            }
            guard isKnown, isFirst else { throw outOfOrder(message) }
        case .descriptors(let lane, let turn):
            guard lanes.put(descriptors, lane: lane, turn: turn) else {
                throw .violation("descriptors come for turn \(turn) of lane \(lane), which is not under way")
            }
        case .hello, .load, .release, .unload, .bye, .settings, .stored, .notStored, .resources:
            throw outOfOrder(message)
        }
    }

    private func outOfOrder(_ message: ControlMessage) -> ControlFault {
        .violation("a message of kind \(message.kind) comes when none is expected")
    }

    private func mismatch(_ ready: WorkerReady) -> PluginFinding? {
        let own = LibraryFingerprint.current
        let hasSameLibrary =
            start.placement.runtime == nil
            ? ready.fingerprint == own : LibraryFingerprint.isSameVersion(ready.fingerprint)
        guard ready.version != WorkerHello.currentVersion || !hasSameLibrary else { return nil }
        let difference =
            ready.version != WorkerHello.currentVersion
            ? "the protocol \(ready.version), and the application the protocol \(WorkerHello.currentVersion)"
            : "the build \(quoted(ready.fingerprint)) of the library, and the application the build \(quoted(own))"
        if let runtime = start.placement.runtime {
            return PluginFinding(
                .workerUnavailable, filePath: runtime.program, subject: "fingerprint",
                message: "The worker program of the runtime has \(difference).",
                remedy: "Install the runtime that belongs to this version of the library.")
        }
        return PluginFinding(
            .workerUnavailable, subject: "fingerprint", message: "The worker program has \(difference).",
            remedy: """
                Restart the application if the library was upgraded while it runs; otherwise install the worker program of \
                the same build.
                """)
    }

    private func becomeReady(_ layers: [String]) {
        let confinement = start.confinement
        // The worker has to confirm the layers that it applies itself.
        if start.isSandboxed, !layers.contains(Confinement.Layer.systemCalls.rawValue) {
            return refuse([
                PluginFinding(
                    .sandboxUnavailable, subject: Confinement.Layer.systemCalls.rawValue,
                    message: "The worker did not confirm that its system calls are restricted.",
                    remedy: "Install the worker program of the same build as the library.")
            ])
        }
        let isWanted = values.withLock { values in
            // A worker that was refused may have sent this before it was killed.
            guard values.life.mayContinue else { return false }
            values.life.acceptance = .accepted(confinement)
            return true
        }
        guard isWanted else { return }
        Self.table.withLock { $0[ObjectIdentifier(self)] = self }
        report(.started)
        _ = give(.done, to: .start)
    }

    /// - Returns: false if no bundle has this number, or if the worker has reported too many steps of it.
    private func begin(_ step: LoadStep, of bundle: UInt32) -> Bool {
        values.withLock { values in
            guard let resident = values.residents.loaded[bundle], resident.stepCount < Self.mostSteps else {
                return false
            }
            values.residents.loaded[bundle]!.stepCount += 1
            values.residents.loaded[bundle]!.step = step == .end ? nil : step
            return true
        }
    }

    /// How many steps of one bundle a worker may report.
    ///
    /// A load has four steps, and each retry reports them again.
    private static let mostSteps = 64

    private func endStep(of bundle: UInt32) { values.withLock { $0.residents.loaded[bundle]?.step = nil } }
}

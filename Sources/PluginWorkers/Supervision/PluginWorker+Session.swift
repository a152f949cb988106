package import BundleReading
package import HostBasics
@_spi(PluginHost) package import PluginABI

/// The functions of a worker that the loading of bundles uses.
extension PluginWorker: WorkerSession {
    package var connection: any RemoteConnection { lanes }
    package var execution: PluginExecution { start.placement.execution }

    /// True also while the worker is ending, because nothing new can begin then.
    package var hasEnded: Bool { values.withLock { !$0.life.isRunning } }

    package var confinedTo: PluginPermissions? {
        start.placement.execution == .sandboxed ? start.placement.permissions : nil
    }

    /// The plug-in that has a number in the process.
    package func plugin(numbered number: UInt32) -> PluginInfo? {
        values.withLock { $0.residents.loaded[number]?.plugin }
    }

    package func leave(_ plugin: PluginInfo) { WorkerSupervisor.shared.leave(self) }

    package func error(_ error: any Error, during phase: WorkerEnd.Phase, of plugin: PluginInfo) -> any Error {
        guard let failure = error as? LaneFailure else { return error }
        switch failure {
        case .endedInCall, .timedOut: return self.error(for: plugin, during: phase)
        // The worker did not perform this call. The error states what it did.
        case .ended, .withdrawn: return self.error(for: plugin)
        case .noLane:
            return PluginError(
                bundlePath: plugin.path,
                PluginFinding(
                    .callTimedOut, message: "No call was made: \(failure)",
                    remedy: "Make fewer calls at the same time, or allow more time."))
        case .forked: return forkError(plugin)
        }
    }

    package func isEnd(duringCall error: any Error) -> Bool {
        switch error as? LaneFailure {
        case .endedInCall, .timedOut: true
        case .ended, .withdrawn, .noLane, .forked, nil: false
        }
    }

    package var hasCrashedInItsOnlyCall: Bool {
        values.withLock { $0.life.ended.map { $0.origin == .crash && $0.performedCalls == 1 } ?? false }
    }

    package func limitingTime<Result>(_ body: () throws -> Result) throws -> Result {
        let question = WorkerAnswer.Question.call(values.withLock { $0.questions.nextCall() })
        ask(question, within: start.placement.settings.startTime)
        monitor.wake()
        defer { _ = give(.done, to: question) }
        return try body()
    }

    package func calling<Result>(_ function: String, of bundle: UInt32, _ body: () throws -> Result) throws -> Result {
        let number = values.withLock { values in
            let number = values.questions.nextCall()
            values.residents.functions[number] = (bundle, function)
            return number
        }
        defer { values.withLock { $0.residents.functions[number] = nil } }
        return try body()
    }

    /// Passes descriptors to the worker for a turn of a lane.
    func send(_ descriptors: [Int32], lane: Int, turn: UInt32) throws {
        let copies = try descriptors.map { try RemoteDescriptor(duplicating: $0) }
        if try !sender.send(.descriptors(lane: UInt32(lane), turn: turn), copies) { monitor.wake() }
    }
}

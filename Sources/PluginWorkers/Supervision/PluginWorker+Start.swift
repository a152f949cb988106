import BundleReading
import Glibc
package import HostBasics
@_spi(PluginHost) internal import PluginABI

extension PluginWorker {
    /// Starts a worker, and waits until it is ready and confined.
    ///
    /// - Throws: ``PluginError`` of code `workerUnavailable`, or `sandboxUnavailable` if the machine cannot confine the
    ///   worker as the placement demands.
    ///
    /// **Cost.** Some milliseconds, to start a process that is linked to this library.
    package static func start(_ start: WorkerStart) throws(PluginError) -> PluginWorker {
        let worker: PluginWorker
        do throws(PluginFinding) {
            worker = try launch(start)
        } catch {
            throw PluginError(bundlePath: start.bundlePath, error)
        }
        let reply = worker.ask(.start, within: start.placement.settings.startTime)
        do {
            try worker.sender.send(.hello(start.hello), [try worker.lanes.window.duplicateDescriptor()])
        } catch let failure as WorkerFailure {
            worker.refuse([PluginFinding(failure, program: "", isSandboxed: false)])
        } catch {
            worker.refuse([
                PluginFinding(
                    .workerUnavailable, message: "The worker cannot be given its first message.",
                    remedy: "Let the application have a shorter name, fewer capabilities and fewer localisations.",
                    systemMessage: "\(error)")
            ])
        }
        worker.monitor.wake()
        if case .ended(let end) = reply.wait() { throw worker.startError(end) }
        return worker
    }

    private static func launch(_ start: WorkerStart) throws(PluginFinding) -> PluginWorker {
        let program: String
        if let chosen = start.program ?? start.placement.runtime?.program {
            program = chosen
        } else {
            program = try start.placement.settings.program.path(in: start.host.workerPath)
        }
        do throws(WorkerFailure) {
            return try start.launch(program)
        } catch {
            throw PluginFinding(
                error, program: program, user: start.placement.settings.user, isSandboxed: start.isSandboxed)
        }
    }

    /// Ends a worker that runs but must not be used.
    func refuse(_ findings: [PluginFinding]) {
        values.withLock { values in
            if values.life.refusal.isEmpty { values.life.refusal = findings }
        }
        kill(.host)
    }

    private func startError(_ end: WorkerEnd) -> PluginError {
        let refusal = values.withLock(\.life.refusal)
        if !refusal.isEmpty { return PluginError(bundlePath: start.bundlePath, findings: refusal) }
        var finding =
            missingLibrary(end)
            ?? PluginFinding(
                .workerUnavailable, message: "The worker process \(processIdentifier) \(end).",
                remedy: """
                    Check that the worker program is the one that was installed with this library; what it printed is in the \
                    error's “workerEnd”.
                    """)
        finding.workerEnd = end
        return PluginError(bundlePath: start.bundlePath, finding)
    }

    /// The finding for a worker program that the dynamic linker ended because a library was missing; nil if it ended
    /// for another reason.
    private func missingLibrary(_ end: WorkerEnd) -> PluginFinding? {
        guard end.phase == .start, let missing = MissingLibrary(output: end.output) else { return nil }
        return PluginFinding(
            missing, known: (try? StartUpLibraries.current().libraries) ?? [],
            user: geteuid() == 0 ? start.placement.settings.user : nil)
    }

    // MARK: Answers

    /// Notes a question that the worker must answer within a time.
    ///
    /// If it does not, it is ended.
    @discardableResult
    func ask(_ question: WorkerAnswer.Question, within time: Duration) -> Reply<WorkerAnswer> {
        let reply = Reply<WorkerAnswer>()
        let end = values.withLock { values in
            if values.life.ended == nil {
                values.questions.pending[question] = WorkerAnswer.Pending(
                    reply: reply, time: time, due: MonotonicTime.after(time))
            }
            return values.life.ended?.end
        }
        if let end { reply.give(.ended(end)) }
        return reply
    }

    /// Passes on an answer of the worker.
    ///
    /// - Returns: false if there was no such question.
    func give(_ answer: WorkerAnswer, to question: WorkerAnswer.Question) -> Bool {
        let asked = values.withLock { $0.questions.pending.removeValue(forKey: question) }
        asked?.reply.give(answer)
        return asked != nil
    }
}

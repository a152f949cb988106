import BundleReading
internal import CPluginSupport.Shims
import HostBasics

/// Keeps a worker process from being ended as unused.
///
/// Each object has a hold, and so has each call that is about to be made.
package final class WorkerHold: Sendable {
    private let session: any WorkerSession

    private init(_ session: any WorkerSession) { self.session = session }

    /// Nil if the process is ending or has ended.
    package static func on(_ session: any WorkerSession) -> WorkerHold? { session.hold() ? WorkerHold(session) : nil }

    deinit { session.letGo() }
}

extension PluginWorker {
    package func hold() -> Bool {
        values.withLock { values in
            guard values.life.isRunning else { return false }
            values.usage.holds += 1
            values.usage.unusedSince = nil
            return true
        }
    }

    package func letGo() { values.withLock { $0.usage.holds -= 1 } }

    /// Ends the process if it has not been used for ``Placement/idleTime``. [the monitor's thread]
    ///
    /// A process without a bundle is a spare, and keeps waiting for its first use.
    func endIfUnused(at now: UInt64) {
        guard let time = start.placement.settings.idleTime else { return }
        let ends = values.withLock { values in
            guard values.life.isRunning, values.usage.holds == 0, values.questions.pending.isEmpty,
                !values.residents.loaded.isEmpty
            else {
                values.usage.unusedSince = nil
                return false
            }
            let since = values.usage.unusedSince ?? now
            values.usage.unusedSince = since
            guard now >= MonotonicTime.time(since, plus: time) else { return false }
            // Under the lock, so that no new use can begin.
            values.life.stop { $0.deadline = MonotonicTime.time(now, plus: Self.unloadTime) }
            return true
        }
        if ends { stop(by: Self.unloadTime) }
    }
}

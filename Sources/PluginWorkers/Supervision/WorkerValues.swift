import BundleReading
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// The questions of the host that a worker must answer.
struct WorkerQuestions {
    /// Those without an answer.
    var pending: [WorkerAnswer.Question: WorkerAnswer.Pending] = [:]
    private var lastCall: UInt32 = 0

    /// A number for the next call of the host itself.
    mutating func nextCall() -> UInt32 {
        lastCall += 1
        return lastCall
    }
}

/// How a worker is used, and what is measured of it.
struct WorkerUsage {
    /// How many objects and calls keep the worker from being ended as unused.
    var holds = 0
    /// Since when the worker is unused; nil while it is in use.
    var unusedSince: UInt64?
    /// When the call began that has had no answer for too long.
    var unresponsiveSince: ContinuousClock.Instant?
    /// The measurements under way on another thread.
    var measurements: Set<PluginWorker.Measurement> = []
    /// When the host last looked for a debugger.
    var lastDebuggerLook = MonotonicTime.now
}

/// Whom the end of a worker counts against.
struct WorkerBlame {
    /// What the worker's signal handler reported.
    var crash: WorkerCrash?
    /// When the worker ended: nanoseconds since 1970; nil until it is first needed.
    var moment: Int64?
    /// The paths of the bundles whose strike was written down.
    var noted: Set<String> = []
    /// The paths of the bundles against which the end was counted.
    var blamed: Set<String> = []
    /// The paths of the bundles whose call had ended a worker before.
    var forgiven: Set<String> = []
    /// How many callers do not know yet that the worker ended while it performed their calls.
    var unawareCallers = 0
}

extension PluginWorker {
    /// Everything about a worker that changes.
    struct Values {
        var life = WorkerLife.starting(.unknown)
        var residents = WorkerResidents()
        var questions = WorkerQuestions()
        var usage = WorkerUsage()
        var blame = WorkerBlame()
        /// The descriptor through which signals are sent; nil when nothing of the process is left.
        var process: RemoteDescriptor?
        /// Those that wait until nothing of the process is left.
        var stopWaits: [Deferred<CheckedContinuation<Void, Never>>] = []

        /// Whether the process and everything that it left behind is gone.
        var isCleaned: Bool { process == nil }

        /// What the worker runs now.
        ///
        /// - Parameter call: the call under way, if there is one.
        /// - Returns: `start`, the step of a load or an unload, the call, or `idle`.
        func phase(_ call: LaneCall?) -> WorkerEnd.Phase { life.isAccepted ? residents.phase(call) : .start }

        /// Whether the worker is being killed because of what a bundle did, and has not ended.
        func isBeingKilled(for bundlePath: String) -> Bool {
            guard let kill = life.kill, kill.cause != .host, !kill.isCallersDecision else { return false }
            return residents.culprits(kill.calls).contains { $0.path == bundlePath }
        }
    }
}

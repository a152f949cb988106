import HostBasics

/// Where a worker is in its life.
enum WorkerLife {
    /// Its process runs, and the worker is not ready yet.
    case starting(Acceptance)
    /// It is ready to load plug-ins.
    case ready(Confinement)
    /// It was asked to end, or is being killed.
    case stopping(Stopping)
    /// It has ended.
    case ended(Ended)

    /// How far the start has come.
    enum Acceptance {
        /// The worker has not reported which library it has.
        case unknown
        /// It has reported that.
        case known
        /// It was accepted for use.
        case accepted(Confinement)
    }

    struct Stopping {
        var acceptance: Acceptance
        /// Why the worker was not accepted, although it runs.
        var refusal: [PluginFinding] = []
        /// Until when it may end by itself; nil if it was not asked to.
        var deadline: UInt64?
        /// Whether the message that ends it was sent.
        var isDismissed = false
        /// Why it is being killed; nil if it may still end by itself.
        var kill: Kill?
    }

    /// The first reason to kill a worker.
    struct Kill {
        let cause: WorkerEnd.Cause
        /// Whether the reason is that a caller no longer waits, and not what the plug-in did.
        let isCallersDecision: Bool
        /// The calls that the worker was performing at that time.
        let calls: [LaneCall]
    }

    struct Ended {
        var acceptance: Acceptance
        var refusal: [PluginFinding]
        let end: WorkerEnd
        /// Who caused the end.
        let origin: WorkerEnd.Origin
        /// How many calls the worker was performing.
        let performedCalls: Int
    }

    /// Whether something new can begin.
    var isRunning: Bool {
        switch self {
        case .starting, .ready: true
        case .stopping, .ended: false
        }
    }

    var ended: Ended? {
        if case .ended(let ended) = self { ended } else { nil }
    }

    /// How the worker is being stopped; nil unless it is.
    var stopping: Stopping? {
        if case .stopping(let stopping) = self { stopping } else { nil }
    }

    /// Why it is being killed; nil unless it is.
    var kill: Kill? { stopping?.kill }

    /// Whether it has not ended, and is not being killed.
    var mayContinue: Bool { ended == nil && kill == nil }

    var acceptance: Acceptance {
        get {
            switch self {
            case .starting(let acceptance): acceptance
            case .ready(let confinement): .accepted(confinement)
            case .stopping(let stopping): stopping.acceptance
            case .ended(let ended): ended.acceptance
            }
        }
        set {
            switch (self, newValue) {
            case (.stopping(var stopping), _):
                stopping.acceptance = newValue
                self = .stopping(stopping)
            case (.ended(var ended), _):
                ended.acceptance = newValue
                self = .ended(ended)
            case (_, .accepted(let confinement)): self = .ready(confinement)
            case (_, .unknown), (_, .known): self = .starting(newValue)
            }
        }
    }

    /// What separates the worker from the rest of the machine; nil unless it was accepted.
    var confinement: Confinement? {
        if case .accepted(let confinement) = acceptance { confinement } else { nil }
    }

    /// Whether the worker has reported which library it has.
    var isKnown: Bool {
        if case .unknown = acceptance { false } else { true }
    }

    /// Whether it was accepted for use.
    var isAccepted: Bool { confinement != nil }

    /// Why the worker was not accepted, although it runs.
    var refusal: [PluginFinding] {
        get { stopping?.refusal ?? ended?.refusal ?? [] }
        set {
            if case .ended(var ended) = self {
                ended.refusal = newValue
                self = .ended(ended)
            } else {
                stop { $0.refusal = newValue }
            }
        }
    }

    /// Begins to stop the worker, or changes how it is being stopped; does nothing once it has ended.
    mutating func stop(_ change: (inout Stopping) -> Void) {
        if case .ended = self { return }
        var stopping = stopping ?? Stopping(acceptance: acceptance)
        change(&stopping)
        self = .stopping(stopping)
    }
}

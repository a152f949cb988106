import HostBasics

/// What a worker answers to something that it was asked for, or its end.
enum WorkerAnswer: Sendable {
    case loaded(LoadedReport)
    case failed([PluginFinding])
    case done
    case ended(WorkerEnd)

    /// To what the worker must answer.
    enum Question: Hashable, Sendable {
        case start
        case load(UInt32)
        case unload(UInt32)
        /// A call of the host's own, by a running number.
        case call(UInt32)
    }

    /// A question that has no answer yet.
    ///
    /// It gets one in any case: the monitor ends a worker that does not answer in time.
    struct Pending: Sendable {
        let reply: Reply<WorkerAnswer>
        /// The time that the worker has.
        let time: Duration
        /// When it is over.
        var due: UInt64
    }
}
